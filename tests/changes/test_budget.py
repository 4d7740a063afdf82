"""A change of any size is read within limits, and names what was left out."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from sdd_hooks.changes.budget import MAX_BYTES, MAX_LINES, Budget
from sdd_hooks.changes.change import UnreadPart
from sdd_hooks.changes.diff import MAX_FILES, _Comparison, _read, read_change, read_staged
from sdd_hooks.errors import RepositoryError
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT


def commit(repo: Repo, files: Iterable[tuple[str, bytes]]) -> None:
    """Add a commit of many or large files, without a work tree."""
    with subprocess.Popen(
        ["git", "fast-import", "--quiet"],
        cwd=repo.root,
        env=repo.environment(),
        stdin=subprocess.PIPE,
    ) as importer:
        assert importer.stdin is not None
        importer.stdin.write(b"commit refs/heads/main\ncommitter A <a@example.org> 0 +0000\n")
        importer.stdin.write(b"data 3\nAll\nfrom refs/heads/main^0\n")
        for path, data in files:
            importer.stdin.write(b"M 100644 inline %s\n" % path.encode())
            importer.stdin.write(b"data %d\n%s\n" % (len(data), data))
    assert importer.returncode == 0


@pytest.mark.parametrize(("size", "lines"), [(10, 9), (99, 3)])
def test_lines_are_read_up_to_the_limits(size: int, lines: int) -> None:
    budget = Budget(size, lines)
    assert list(budget.limit_lines([b"1234\n"] * 5)) == [b"1234\n"] * (2 if size == 10 else 3)
    assert budget.is_spent


def test_nothing_is_read_after_a_limit_was_exceeded() -> None:
    budget = Budget(10, 10)
    assert budget.take(10, 1)
    assert not budget.take(1, 1)
    assert not budget.take(0, 0)


def test_lines_that_reach_the_limits_exactly() -> None:
    budget = Budget(10, 2)
    assert list(budget.limit_lines([b"1234\n"] * 2)) == [b"1234\n"] * 2
    assert not budget.is_spent


def test_a_large_diff(repo: Repo) -> None:
    repo.commit(files={"z": "1\n"})
    files = [(f"{number}.txt", (b"%d" % number * 99 + b"\n") * 75_000) for number in range(9)]
    commit(repo, [*files, ("z", b"2\n")])
    change = read_change(repo.handle, "main~1", "main", budget=Budget(seconds=TIMEOUT))
    read = [sum(len(text) + 1 for _, text in file.added) for file in change.files]
    assert MAX_BYTES * 0.98 < sum(read) < MAX_BYTES
    assert len(change.files) == 10
    assert (read[0], read[-1]) == (7_500_000, 0)
    reason = "the text beyond 50 MB, 1,000,000 lines or 60 seconds of a diff: divide the change"
    assert change.unread == tuple(UnreadPart(f.path, reason) for f in change.files[-4:])


def test_many_lines(repo: Repo) -> None:
    repo.commit(files={"z": "1\n"})
    commit(repo, [("a", b"x\n" * 2_000_000), ("b", b"x\n")])
    change = read_change(repo.handle, "main~1", "main", budget=Budget(seconds=TIMEOUT))
    assert MAX_LINES - 10 < sum(len(file.added) for file in change.files) < MAX_LINES
    assert [part.path for part in change.unread] == ["a", "b"]


def test_many_files(repo: Repo) -> None:
    repo.commit(files={"z": "1\n"})
    commit(repo, [(f"{number:05}", b"%d\n" % number) for number in range(MAX_FILES + 20)])
    change = read_change(repo.handle, "main~1", "main", budget=Budget(seconds=TIMEOUT))
    assert [file.added[0].text for file in change.files] == [f"{n}" for n in range(MAX_FILES)]
    assert [part.path for part in change.unread] == [f"{MAX_FILES + n:05}" for n in range(20)]
    reason = "the files beyond the first 5,000 of a change: divide the change"
    assert {part.reason for part in change.unread} == {reason}


def test_git_takes_too_long(repo: Repo, tmp_path: Path) -> None:
    repo.commit(files={"a": "1\n"})
    # git waits until a process writes this index, which none does.
    os.mkfifo(tmp_path / "index")
    sides = _Comparison(repo.handle, "diff-index", ("--cached", "HEAD"), str(tmp_path / "index"))
    with pytest.raises(RepositoryError, match="git took too long to compare"):
        _read(sides, Budget(seconds=0.05))


def test_a_process_is_killed_after_the_timeout() -> None:
    budget = Budget(seconds=0.01)
    with subprocess.Popen(["sleep", "600"]) as process, budget.kill_when_late(process):
        process.wait()
    assert budget.is_spent
    assert process.returncode == -signal.SIGKILL


def test_undiffable_files_count_too(repo: Repo) -> None:
    repo.commit(files={".gitattributes": "*.py -diff\n", "a.py": "1\n", "b.py": "1\n"})
    repo.commit(files={"a.py": "2\n", "b.py": "2\n", "c.py": "3\n" * 90, "d.txt": "4\n"})
    change = read_change(repo.handle, "main~1", "main", budget=Budget(lines=30))
    assert [bool(file.added) for file in change.files] == [False, False, False, True]
    assert {part.path for part in change.unread} == {"a.py", "b.py", "c.py"}


def test_staged_files_within_the_limits(repo: Repo, tmp_path: Path) -> None:
    for number in range(300):
        repo.write(f"{number:03}", f"{number}\n")
    repo.git("add", "--all")
    change = read_staged(repo.handle)
    assert [file.added[0].text for file in change.files] == [f"{n}" for n in range(300)]
    assert change.notes == change.unread == ()
