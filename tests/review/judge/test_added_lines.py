"""The added lines in a prompt, and the lines that a model quotes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.review.judge.quotes import find_quoted_line, show_added_lines
from sdd_hooks.text.lines import NumberedLine


def file(path: str, *texts: str, first: int = 1) -> ChangedFile:
    lines = tuple(NumberedLine(number, text) for number, text in enumerate(texts, first))
    return ChangedFile(path, "", "A", "100644", added=lines)


def test_lines_are_numbered_below_the_path_of_their_file() -> None:
    files = [
        file("a.py", "x = 1", " ", "\ty = 2", first=9),
        ChangedFile("b.bin", "", "A", binary=True),
    ]
    shown = show_added_lines(files, 1_000)
    assert shown.part == ("added lines", '{"path": "a.py"}\n9: x = 1\n11:     y = 2')
    assert shown.total == 2


def test_short_files_are_complete_and_long_ones_share_the_rest() -> None:
    files = [file(f"{name}.py", *["line " * 10] * 100) for name in "ab"] + [file("c.py", "short")]
    part, lines = shown = show_added_lines(files, 2_000)
    assert len(part.text) <= 2_000
    assert '{"path": "c.py"}\n1: short' in part.text
    first, second = (part.text.partition(f'"{name}.py"')[2].split('{"path"')[0] for name in "ab")
    assert abs(first.count("\n") - second.count("\n")) <= 2
    assert 30 < shown.total < 201
    assert set(lines) == {"a.py", "b.py", "c.py"}


def test_the_part_is_within_the_limit() -> None:
    many = [file(f"{n}.py", "x" * 5_000) for n in range(5_000)]
    shown = show_added_lines(many, 3_000)
    assert len(shown.part.text) <= 3_000
    assert shown.total == shown.part.text.count('{"path"') == 9
    assert show_added_lines([], 3_000) == (("added lines", ""), {})


def test_only_an_added_line_can_be_quoted() -> None:
    texts = ["token = read()", "store(token)", "}", "store(token)"]
    shown = show_added_lines([file("a.py", *texts), file("b.py", "x")], 1_000)
    assert find_quoted_line(shown, "a.py", "  store(token) ", 0) == NumberedLine(2, "store(token)")
    assert find_quoted_line(shown, "a.py", "store(token)", 40) == NumberedLine(4, "store(token)")
    for path, quote in [
        ("b.py", "store(token)"),
        ("gone.py", "store(token)"),
        ("a.py", "store(token) # fine"),
        ("a.py", "store"),
        ("a.py", "}"),
        ("a.py", ""),
        ("b.py", "x"),
    ]:
        assert find_quoted_line(shown, path, quote, 1) is None


def test_a_line_can_be_quoted_as_shown() -> None:
    text = "password = '\u202e" + "x" * 900
    shown = show_added_lines([file("a.py", text)], 1_000)
    text_shown = shown.part.text.partition("\n1: ")[2]
    assert len(text_shown) == 300
    for quote in (text_shown, text):
        assert find_quoted_line(shown, "a.py", quote, 1) == NumberedLine(1, text)


LINES = st.lists(st.text(st.characters(exclude_characters="\n")), max_size=6)


@given(st.dictionaries(st.text(min_size=1), LINES, max_size=4), st.integers(0, 400))
def test_any_files_are_within_the_limit_and_can_be_quoted(
    texts: dict[str, list[str]], limit: int
) -> None:
    files = [file(path, *lines) for path, lines in texts.items()]
    shown = show_added_lines(files, limit)
    assert len(shown.part.text) <= limit
    for path in files:
        for line in path.added:
            quoted = find_quoted_line(shown, path.path, line.text, line.number)
            lines = shown.lines.get(path.path, ())
            # A line that was not shown may be quoted as an equal one that was.
            assert quoted is None or (quoted in lines and quoted.text == line.text)


def test_vendored_and_generated_files_are_left_out() -> None:
    files = [file(path, "text = 1") for path in ("vendor/a.go", "app.min.js", "src/a.py")]
    assert set(show_added_lines(files, 1_000).lines) == {"src/a.py"}


def test_a_line_that_was_not_shown_cannot_be_quoted() -> None:
    files = [file("a.py", *(f"store({number})" for number in range(500)))]
    shown = show_added_lines(files, 200)
    assert find_quoted_line(shown, "a.py", "store(1)", 2) == NumberedLine(2, "store(1)")
    assert find_quoted_line(shown, "a.py", "store(499)", 500) is None


def test_a_large_change_is_shown_quickly() -> None:
    lines = tuple(NumberedLine(number, "x" * 2_000) for number in range(20_000))
    many = [ChangedFile(f"{n}.py", "", "A", "100644", added=lines) for n in range(500)]
    assert show_added_lines(many, 14_000).total > 20
