"""The added lines that a model is shown, and the ones that it really quotes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.review.judge.added_lines import added_part, find_added
from sdd_hooks.text.lines import NumberedLine


def file(path: str, *texts: str, first: int = 1) -> ChangedFile:
    lines = tuple(NumberedLine(number, text) for number, text in enumerate(texts, first))
    return ChangedFile(path, "", "A", "100644", added=lines)


def test_lines_stand_below_their_file_with_their_numbers() -> None:
    files = [
        file("a.py", "x = 1", " ", "\ty = 2", first=9),
        ChangedFile("b.bin", "", "A", binary=True),
    ]
    shown = added_part(files, 1_000)
    assert shown.part == ("added lines", '{"path": "a.py"}\n9: x = 1\n11:     y = 2')
    assert shown.total == 2


def test_short_files_are_whole_and_long_ones_share_what_is_left() -> None:
    files = [file(f"{name}.py", *["line " * 10] * 100) for name in "ab"] + [file("c.py", "short")]
    part, lines = shown = added_part(files, 2_000)
    assert len(part.text) <= 2_000
    assert '{"path": "c.py"}\n1: short' in part.text
    first, second = (part.text.partition(f'"{name}.py"')[2].split('{"path"')[0] for name in "ab")
    assert abs(first.count("\n") - second.count("\n")) <= 2
    assert 30 < shown.total < 201
    assert set(lines) == {"a.py", "b.py", "c.py"}


def test_no_more_is_shown_than_there_is_room_for() -> None:
    many = [file(f"{n}.py", "x" * 5_000) for n in range(5_000)]
    shown = added_part(many, 3_000)
    assert len(shown.part.text) <= 3_000
    assert shown.total == shown.part.text.count('{"path"') == 9
    assert added_part([], 3_000) == (("added lines", ""), {})


def test_a_quoted_line_is_one_that_is_added() -> None:
    texts = ["token = read()", "store(token)", "}", "store(token)"]
    shown = added_part([file("a.py", *texts), file("b.py", "x")], 1_000)
    assert find_added(shown, "a.py", "  store(token) ", 0) == NumberedLine(2, "store(token)")
    assert find_added(shown, "a.py", "store(token)", 40) == NumberedLine(4, "store(token)")
    for path, quote in [
        ("b.py", "store(token)"),
        ("gone.py", "store(token)"),
        ("a.py", "store(token) # fine"),
        ("a.py", "store"),
        ("a.py", "}"),
        ("a.py", ""),
        ("b.py", "x"),
    ]:
        assert find_added(shown, path, quote, 1) is None


def test_a_line_is_known_as_it_was_shown() -> None:
    text = "password = '\u202e" + "x" * 900
    shown = added_part([file("a.py", text)], 1_000)
    seen = shown.part.text.partition("\n1: ")[2]
    assert len(seen) == 300
    for quote in (seen, text):
        assert find_added(shown, "a.py", quote, 1) == NumberedLine(1, text)


LINES = st.lists(st.text(st.characters(exclude_characters="\n")), max_size=6)


@given(st.dictionaries(st.text(min_size=1), LINES, max_size=4), st.integers(0, 400))
def test_any_files_hold_the_limit_and_are_found_again(
    texts: dict[str, list[str]], most: int
) -> None:
    files = [file(path, *lines) for path, lines in texts.items()]
    shown = added_part(files, most)
    assert len(shown.part.text) <= most
    for one in files:
        for line in one.added:
            found = find_added(shown, one.path, line.text, line.number)
            assert found is None or found == line
            seen = line in shown.lines.get(one.path, ())
            assert found is None or seen


def test_what_nobody_here_wrote_is_left_out() -> None:
    files = [file(path, "text = 1") for path in ("vendor/a.go", "app.min.js", "src/a.py")]
    assert set(added_part(files, 1_000).lines) == {"src/a.py"}


def test_a_line_that_was_not_shown_is_none() -> None:
    files = [file("a.py", *(f"store({number})" for number in range(500)))]
    shown = added_part(files, 200)
    assert find_added(shown, "a.py", "store(1)", 2) == NumberedLine(2, "store(1)")
    assert find_added(shown, "a.py", "store(499)", 500) is None


def test_a_change_of_any_size_costs_little() -> None:
    lines = tuple(NumberedLine(number, "x" * 2_000) for number in range(20_000))
    many = [ChangedFile(f"{n}.py", "", "A", "100644", added=lines) for n in range(500)]
    assert added_part(many, 14_000).total > 20
