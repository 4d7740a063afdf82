import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.past_changes import (
    MAX_FILES,
    PastChange,
    parse_changes,
    read_past_changes,
)
from tests.support.repos import Repo

CACHE = ".sdd/review/past-changes.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.commit("Begin", {"README.md": "Nothing\n"})
    return repo


def any_path(path: str) -> bool:
    return bool(path)


def titles(changes: list[PastChange]) -> list[list[str]]:
    return [sorted(change.words.title) for change in changes]


def test_the_words_of_the_latest_changes(repo: Repo) -> None:
    repo.commit("Sweep the outbox", {"src/sweeper.py": "interval = 5\n"})
    repo.commit("Slower", {"src/sweeper.py": "interval = 5\nperiod = 9\n"})
    slower, sweep = read_past_changes(repo.repository, repo.head(), any_path)
    assert (sorted(slower.words.title), slower.words.added) == (["slower"], {"period": 1})
    assert sweep.words.title == {"sweep": 1, "outbox": 1}
    assert {"src", "sweeper", "py"} <= set(sweep.words.paths)
    assert sweep.words.added == {"interval": 1}


def test_the_first_commit_is_no_change(repo: Repo) -> None:
    assert read_past_changes(repo.repository, repo.head(), any_path) == []


def test_unwanted_and_generated_files_are_not_read(repo: Repo) -> None:
    repo.commit("Decide", {"docs/adrs/a.md": "Words of a record\n", "src/a.py": "sweeper\n"})
    repo.commit("Bump", {"package-lock.json": '{"left": "pad"}\n'})
    (decide,) = read_past_changes(
        repo.repository, repo.head(), lambda path: path.startswith("src/")
    )
    assert decide.words.added == {"sweeper": 1}
    assert [
        sorted(one.words.added) for one in read_past_changes(repo.repository, repo.head(), any_path)
    ] == [["record", "sweeper", "words"]]


def test_a_change_of_very_many_files_is_not_compared(repo: Repo) -> None:
    repo.commit("Move all", {f"src/f{n}.py": f"word{n}\n" for n in range(MAX_FILES + 1)})
    assert read_past_changes(repo.repository, repo.head(), any_path) == []


def test_the_cache_has_what_git_says(repo: Repo) -> None:
    repo.commit("One", {"a.py": "first\n"})
    (repo.root / ".sdd").mkdir(exist_ok=True)
    before = read_past_changes(repo.repository, repo.head(), any_path)
    assert (repo.root / CACHE).is_file()
    repo.commit("Two", {"a.py": "second\n"})
    after = read_past_changes(repo.repository, repo.head(), any_path)
    assert titles(after)[1:] == titles(before)
    (repo.root / CACHE).unlink()
    assert read_past_changes(repo.repository, repo.head(), any_path) == after


def test_a_damaged_cache_is_read_again(repo: Repo) -> None:
    repo.commit("One", {"a.py": "first\n"})
    (repo.root / ".sdd").mkdir(exist_ok=True)
    wanted = read_past_changes(repo.repository, repo.head(), any_path)
    for rows in (
        7,
        [7],
        [[repo.head(), {}, [], {"a": "b"}]],
        [[repo.head(), {"a": 1}, [7], {}]],
        [["--all", {}, [], {"a": 1}]],
    ):
        (repo.root / CACHE).write_text(json.dumps({"version": 1, "changes": rows}))
        assert read_past_changes(repo.repository, repo.head(), any_path) == wanted


def test_an_added_line_that_looks_like_a_header_is_a_line(repo: Repo) -> None:
    text = "++ b/evil.py\n\1" + "a" * 40 + " Title\ndiff --git x y\n@@ -1 +1,9 @@\n"
    repo.commit("Hide", {"a.py": text})
    (change,) = read_past_changes(repo.repository, repo.head(), any_path)
    assert (sorted(change.words.title), set(change.words.paths)) == (["hide"], {"py"})
    assert {"evil", "title", "git"} <= set(change.words.added)


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=30))


@given(st.lists(st.tuples(LINES, LINES), max_size=4))
def test_every_added_line_of_a_hunk_is_read_and_no_other(
    hunks: list[tuple[list[str], ...]],
) -> None:
    output = [b"\1" + b"a" * 40 + b"\0Title\n", b"diff --git a.py a.py\n", b"+++ a.py\n"]
    expected: Counter[str] = Counter()
    for removed, added in hunks:
        if removed or added:
            output.append(f"@@ -1,{len(removed)} +1,{len(added)} @@ def f\n".encode())
            output += [f"-{line}\n".encode() for line in removed]
            output += [f"+{line}\n".encode() for line in added]
            expected.update(added)
    (change,) = parse_changes(output, any_path)
    (reference,) = parse_changes(
        [*output[:3], f"@@ -0,0 +1,{expected.total()} @@\n".encode()]
        + [f"+{line}\n".encode() for line in expected.elements()],
        any_path,
    )
    assert change.words.added == reference.words.added


@given(st.binary(max_size=300))
def test_any_output_is_parsed(data: bytes) -> None:
    for change in parse_changes(data.splitlines(keepends=True), any_path):
        assert all(count > 0 for count in change.words.added.values())
