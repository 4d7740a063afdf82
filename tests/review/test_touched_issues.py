import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.project.project import load_project
from sdd_hooks.reporting.outcome import Candidate, References, TouchedIssue
from sdd_hooks.review.review import review_commits
from sdd_hooks.review.touched_issues import MAX_SHOWN, find_touched_issues
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.issue_file import render
from tests.review.repositories import Files, subject_of

BEFORE = {"src/outbox/store.py": "class Store:\n    pass\n", "src/web/page.py": "x = 1\n"}
CHANGE = {"src/outbox/store.py": "class Store:\n    lease = None\n"}


def issue(id: str, title: str = "A rabbit", body: str = "", pulls: Files | None = None) -> Issue:
    linked = tuple(
        LinkedPull(number, "branch", "merged", (path,), "2026-05-01T14:22:00Z")
        for number, path in (pulls or {}).items()
        if isinstance(path, str)
    )
    url = f"https://forge.example/acme/shop/issues/{id}"
    time = "2026-05-01T14:22:00Z"
    return Issue(
        id, title, "closed", (), (), "ada", time, time, time, url, "github", body, pulls=linked
    )


def touched(
    tmp_path: Path, *issues: Issue, message: str = "Change", records: tuple[str, ...] = ()
) -> Mapping[str, TouchedIssue]:
    subject = subject_of(tmp_path, BEFORE, CHANGE, message=message)
    root = subject.after.root
    folder = root / ".sdd/issues"
    folder.mkdir(parents=True)
    for one in issues:
        (folder / f"{one.id}.md").write_bytes(render(one))
    (folder / "notes.md").write_text("no issue\n")
    governing = tuple(Candidate(f"docs/{id}.md", id, "x", 0.5, referenced=True) for id in records)
    references = References(governing=governing)
    repository = load_project(root, os.environ).repository
    return {one.id: one for one in find_touched_issues(repository, subject, references)}


@pytest.mark.parametrize(
    ("message", "id"),
    [
        ("Take a lease (#142)", "142"),
        ("Take a lease\n\nFixes GH-142.", "142"),
        ("Take a lease\n\nCloses https://forge.example/acme/shop/issues/142.", "142"),
        ("PROJ-12: take a lease", "PROJ-12"),
        ("Take a lease\n\nRefs bd-a1b2.1", "bd-a1b2.1"),
    ],
)
def test_an_issue_that_the_change_names_is_listed(tmp_path: Path, message: str, id: str) -> None:
    found = touched(tmp_path, issue(id), issue("14"), message=message)
    assert list(found) == [id]
    assert found[id] == TouchedIssue(
        id, "A rabbit", "closed", "the change names it", f".sdd/issues/{id}.md"
    )


@pytest.mark.parametrize(
    "message",
    [
        "Take 142 leases", "Take a lease (acme/other#142)", "Colour #142abc", "Take !142",
        "See https://forge.example/acme/shop/issues/1425", "PROJ-1424", "UTF-142",
    ],
)  # fmt: skip
def test_another_number_names_no_issue(tmp_path: Path, message: str) -> None:
    assert not touched(tmp_path, issue("142"), issue("PROJ-142"), message=message)


def test_an_issue_whose_pull_request_changed_the_file_is_listed(tmp_path: Path) -> None:
    found = touched(tmp_path, issue("1", pulls={"9": "src/outbox/store.py"}), issue("2"))
    assert {id: one.reason for id, one in found.items()} == {
        "1": "a pull request of it changed src/outbox/store.py, too"
    }


@pytest.mark.parametrize("name", ["src/outbox/store.py", "`outbox/store.py`", "outbox/store.py."])
def test_an_issue_that_names_the_file_is_listed(tmp_path: Path, name: str) -> None:
    found = touched(tmp_path, issue("1", body=f"It fails in {name}"))
    assert found["1"].reason == "it names src/outbox/store.py, which is changed"


@pytest.mark.parametrize("name", ["store.py", "other/outbox/store.pyc", "src/web/page.py"])
def test_an_issue_that_names_another_file_is_not(tmp_path: Path, name: str) -> None:
    assert not touched(tmp_path, issue("1", body=f"It fails in {name}"))


def test_a_file_of_many_issues_tells_nothing(tmp_path: Path) -> None:
    many = [issue(str(number), body="src/outbox/store.py") for number in range(1, 8)]
    assert not touched(tmp_path, *many)
    assert len(touched(tmp_path / "2", *many, message="#1 #2 #3 #4 #5 #6")) == MAX_SHOWN


def test_an_issue_about_a_decision_of_the_change_is_listed_if_a_word_is_shared(
    tmp_path: Path,
) -> None:
    issues = (
        issue("1", "The outbox grows", "As ADR-0007 says."),
        issue("2", "A rabbit", "As ADR-0007 says."),
        issue("3", "The outbox grows", "As ADR-0008 says."),
    )
    found = touched(tmp_path, *issues, records=("ADR-0007",))
    assert {id: one.reason for id, one in found.items()} == {
        "1": "it names ADR-0007, as the change does or should"
    }


def test_an_issue_with_most_words_of_the_title_is_listed(tmp_path: Path) -> None:
    issues = (
        issue("1", "Outbox sweeper loses its lease"),
        issue("2", "Outbox of another rabbit hutch"),
        issue("3", "Error: get the value of a string"),
    )
    message = "Renew the lease of the outbox sweeper, get the value of a string error"
    found = touched(tmp_path, *issues, message=message)
    assert {id: one.reason for id, one in found.items()} == {
        "1": "its title shares lease, outbox, sweeper"
    }


def test_a_review_lists_the_issues(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, BEFORE, CHANGE, message="Take a lease (#142)")
    project = load_project(subject.after.root, os.environ)
    change = subject.change
    assert review_commits(project, change.base, change.head).issues == ()
    folder = subject.after.root / ".sdd/issues"
    folder.mkdir(parents=True)
    (folder / "142.md").write_bytes(render(issue("142", "Twice")))
    review = review_commits(project, change.base, change.head)
    assert [(one.id, one.title) for one in review.issues] == [("142", "Twice")]


def test_a_folder_that_is_a_link_has_no_issues(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, BEFORE, CHANGE, message="Take a lease (#142)")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "142.md").write_bytes(render(issue("142")))
    root = subject.after.root
    (root / ".sdd").mkdir()
    (root / ".sdd/issues").symlink_to(elsewhere)
    repository = load_project(root, os.environ).repository
    assert find_touched_issues(repository, subject, References()) == ()
