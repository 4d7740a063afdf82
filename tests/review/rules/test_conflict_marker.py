from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.rules.conflict_marker import RULE, find_conflicts
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import places, run_rule
from tests.support.repos import Repo

OURS, BASE, MIDDLE, THEIRS = "<<<<<<< HEAD", "||||||| 1234567", "=======", ">>>>>>> topic"


def lines(text: str, *, markdown: bool = False) -> list[list[int]]:
    return [
        [line.line for line in conflict] for conflict in find_conflicts(text, markdown=markdown)
    ]


def text(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((OURS, "a", MIDDLE, "b", THEIRS), [[1, 3, 5]]),
        ((OURS, "a", BASE, "o", MIDDLE, "b", THEIRS), [[1, 3, 5, 7]]),
        ((OURS, "a", "|||||||", "o", MIDDLE, "b", ">>>>>>>"), [[1, 3, 5, 7]]),
        # One side was removed, and its marker remained.
        (("a", THEIRS), [[2]]),
        ((OURS, "a"), [[1]]),
        ((OURS, "a", "Title", MIDDLE), [[1]]),
        ((OURS, OURS, MIDDLE, THEIRS), [[1], [2, 3, 4]]),
        ((OURS, MIDDLE, THEIRS, "x", OURS, MIDDLE, THEIRS), [[1, 2, 3], [5, 6, 7]]),
        # A heading in one of the sides is underlined.
        ((OURS, "a", MIDDLE, "Title", MIDDLE, THEIRS), [[1, 3, 6]]),
        # Similar text that is no marker.
        (("Title", MIDDLE, "text", BASE), []),
        (("<<<<<<<HEAD", ">>>>>>>topic", "<<<<<<<< HEAD", ">>>>>>>> x"), []),
        ((" <<<<<<< HEAD", "+<<<<<<< HEAD", "x = 1 <<<<<<< 2"), []),
        ((), []),
    ],
)
def test_a_conflict_is_recognized_by_its_markers(
    rows: tuple[str, ...], expected: list[int]
) -> None:
    assert lines(text(*rows)) == expected
    assert lines(text(*rows).replace("\n", "\r\n")) == expected


def test_fenced_examples_and_nested_quotations_in_markdown_are_no_conflicts() -> None:
    fenced = text("```", OURS, MIDDLE, THEIRS, "```", "", ">>>>>>> a quotation")

    assert lines(fenced, markdown=True) == []
    assert lines(fenced) == [[2, 3, 4], [7]]
    assert lines(text("a", OURS, MIDDLE, THEIRS), markdown=True) == [[2, 3, 4]]
    record = text("---", OURS, "status: a", MIDDLE, "status: b", THEIRS, "---", "# T")
    assert lines(record, markdown=True) == [[2, 4, 6]]


@given(st.lists(st.sampled_from([OURS, BASE, MIDDLE, THEIRS, "a", "", "```", "---", "<!--"])))
def test_every_line_of_a_conflict_is_a_marker(rows: list[str]) -> None:
    for markdown in (False, True):
        for conflict in find_conflicts(text(*rows), markdown=markdown):
            assert [rows[line.line - 1] for line in conflict] == [line.text for line in conflict]
            assert {conflict[0].text, conflict[-1].text} & {OURS, THEIRS}


@given(st.text())
def test_no_text_makes_the_search_fail(given_text: str) -> None:
    for markdown in (False, True):
        list(find_conflicts(given_text, markdown=markdown))


def test_a_committed_conflict_is_reported(repo: Repo) -> None:
    from sdd_hooks.changes.diff import read_change
    from sdd_hooks.review.review import subject_of as subject_at

    repo.git("config", "merge.conflictStyle", "diff3")
    repo.write("a.py", "one\n")
    base = repo.commit("Base")
    repo.git("switch", "--quiet", "--create", "topic")
    repo.write("a.py", "two\n")
    repo.commit("Topic")
    repo.git("switch", "--quiet", "main")
    repo.write("a.py", "three\n")
    repo.commit("Main")
    assert repo.run("merge", "topic").returncode == 1
    repo.git("commit", "--quiet", "--all", "--message", "Merge")

    change = read_change(repo.handle, base, "HEAD")
    findings = run_rule(RULE, subject_at(repo.project(), change))

    assert places(findings) == [("a.py", 1)]
    assert findings[0].severity == "critical"
    assert findings[0].evidence == "<<<<<<< HEAD"
    assert findings[0].message == (
        "a merge conflict was left here: resolve it, and take out the markers on lines 1, 3, 5, 7"
    )


def test_changed_files_are_searched_in_full_and_no_other_files(tmp_path: Path) -> None:
    conflict = text(OURS, MIDDLE, THEIRS)
    before: dict[str, str | bytes] = {
        "a.py": f"{conflict}1\n",
        "b.py": conflict,
        "gone.py": conflict,
    }
    after = {"a.py": f"{conflict}2\n", "gone.py": None, "c.bin": b"\0" + conflict.encode()}

    assert places(run_rule(RULE, subject_of(tmp_path, before, after))) == [("a.py", 1)]


def test_a_staged_conflict_is_reported(tmp_path: Path) -> None:
    subject = staged_subject_of(tmp_path, {"a.py": "1\n"}, {"a.py": text(OURS, MIDDLE, THEIRS)})

    assert places(run_rule(RULE, subject)) == [("a.py", 1)]


def test_a_script_that_writes_markers_has_no_conflict() -> None:
    here = ["cat >>a <<EOF", "", OURS, "a", MIDDLE, THEIRS, "EOF"]
    assert lines(text(*here)) == []
    assert lines(text("cat <<EOF", "b", "EOF", "c", OURS, MIDDLE, THEIRS)) == [[5, 6, 7]]
