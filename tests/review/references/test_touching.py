"""The commits that touched files, followed through renames in real repositories."""

from pathlib import Path

import pytest

from sdd_hooks.review.references.history import PastCommit
from sdd_hooks.review.references.touching import MAX_PATHSPECS, find_touching_commits
from tests.support.repos import Repo

MANY = [f"other/{number}.py" for number in range(MAX_PATHSPECS)]
"""Paths that do not exist: with them, git filters no longer."""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    write(repo, "a", "Begin", "src/0.py")
    write(repo, "b", "Sweep (ADR-0007)", "src/1.py")
    write(repo, "c", "More", "src/2.py")
    return repo


def write(repo: Repo, text: str, message: str, *others: str, path: str = "src/a.py") -> None:
    """Commit a file of ten lines, of which the last is `text`, and other files."""
    repo.write(path, "".join(f"line {number} of a file\n" for number in range(9)) + f"{text}\n")
    for other in others:
        repo.write(other, "\n")
    repo.commit(message)


def move(repo: Repo, before: str, after: str) -> None:
    (repo.root / after).parent.mkdir(parents=True, exist_ok=True)
    repo.git("mv", before, after)


def find(repo: Repo, *paths: str) -> list[tuple[str, tuple[str, ...]]]:
    """The subjects and the files of the commits, which are the same beside many paths."""
    commits = find_touching_commits(repo.repository, repo.head(), paths)
    assert find_touching_commits(repo.repository, repo.head(), [*paths, *MANY]) == commits
    return [(subject(commit), commit.files) for commit in commits]


def subject(commit: PastCommit) -> str:
    return commit.message.partition("\n")[0]


def test_touching_commits_have_the_files_that_they_touched(repo: Repo) -> None:
    assert find(repo, "src/a.py", "src/1.py") == [
        ("More", ("src/a.py",)),
        ("Sweep (ADR-0007)", ("src/1.py", "src/a.py")),
        ("Begin", ("src/a.py",)),
    ]


def test_a_file_is_followed_through_renames(repo: Repo) -> None:
    move(repo, "src/a.py", "lib/b.py")
    write(repo, "d", "Move and change", path="lib/b.py")
    move(repo, "lib/b.py", "lib/deep/c.py")
    repo.commit("Move again")
    write(repo, "e", "Change", path="lib/deep/c.py")
    subjects = ["Change", "Move again", "Move and change", "More", "Sweep (ADR-0007)", "Begin"]
    assert find(repo, "lib/deep/c.py") == [(one, ("lib/deep/c.py",)) for one in subjects]


def test_the_earlier_name_may_have_another_file_now(repo: Repo) -> None:
    move(repo, "src/a.py", "src/b.py")
    repo.commit("Move")
    repo.write("src/a.py", "another\n")
    repo.commit("Another (ADR-0008)")
    assert [subject for subject, _ in find(repo, "src/b.py")][:2] == ["Move", "More"]
    both = find(repo, "src/a.py", "src/b.py")
    assert both[0] == ("Another (ADR-0008)", ("src/a.py",))
    assert ("Sweep (ADR-0007)", ("src/b.py",)) in both


def test_a_new_file_has_no_past(repo: Repo) -> None:
    repo.git("rm", "-q", "src/a.py")
    repo.write("src/new.py", "".join(f"something else {number}\n" for number in range(9)))
    repo.write("src/empty.py", "")
    repo.git("rm", "-q", "src/0.py")
    repo.commit("Replace")
    assert find(repo, "src/new.py", "src/empty.py") == [("Replace", ("src/empty.py", "src/new.py"))]


def test_without_a_path_there_is_no_commit(repo: Repo) -> None:
    assert find_touching_commits(repo.repository, repo.head(), []) == []
