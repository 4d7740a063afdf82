"""State files that are links, pipes, devices, directories, damaged or huge, in random places."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.githooks.install import install_hooks
from tests.adversarial.conftest import Rounds
from tests.cli.commands import Done, run
from tests.githooks.conftest import FILES
from tests.githooks.recorder import SDD, Hooked
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

STATE = (
    ".sdd",
    ".sdd/search",
    ".sdd/search/again",
    ".sdd/search/refreshing",
    ".sdd/search/hook",
    ".sdd/search/hook-artifacts",
    ".sdd/search/lock",
    ".sdd/search/refresh.log",
    ".sdd/search/embed.json",
    ".sdd/search/index.db",
    ".sdd/search/index.db-wal",
    ".sdd/search/index.db-shm",
    ".sdd/search/touched",
    ".sdd/issues",
    ".sdd/issues/_meta.json",
    ".sdd/issues/.lock",
    ".sdd/review",
    ".sdd/review/history.json",
    ".sdd/review/mentions.json",
    ".git/sdd-hook-seen",
    ".git/sdd-hook-seen-copy",
    ".git/sdd-hook-note",
    ".git/sdd-no-index",
    ".git/sdd",
    ".git/sdd/collections",
    ".git/sdd/embedding",
    ".git/sdd/folders",
    ".git/sdd/records",
    ".git/sdd/embed.lock",
    ".git/sdd/vectors.db",
    ".git/sdd/share",
)
DOCUMENTS = ("CLAUDE.md", "semantic-search.yml", "docs/adrs/ADR-0009-x.md", "src/x.py", "tasks.md")

COMMANDS = (
    ("index", "update"),
    ("index", "status"),
    ("search", "session"),
    ("list",),
    ("review", "--staged"),
    ("issues", "list"),
    ("doctor",),
    ("hook", "post-commit"),
    ("hook", "pre-commit"),
)
HUGE = 1 << 33
EXPECTED = {0, 1, 3, 4, 5, 6, 7, 8}
"""Every documented exit code but those for a bug, wrong usage and an interrupt."""


HOSTILE: dict[str, Callable[[Path, Path], object]] = {
    "a link to /dev/zero": lambda path, _: path.symlink_to("/dev/zero"),
    "a link outside": lambda path, outside: path.symlink_to(outside / "file"),
    "a link to a new file outside": lambda path, outside: path.symlink_to(outside / "new"),
    "a link to a directory outside": lambda path, outside: path.symlink_to(outside),
    "a link to the lock of git": lambda path, _: path.symlink_to(
        os.path.relpath(_top(path) / ".git/index.lock", path.parent)
    ),
    "a hard link": lambda path, outside: path.hardlink_to(outside / "file"),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a directory": lambda path, _: path.mkdir(),
    "huge": lambda path, _: (path.touch(), os.truncate(path, HUGE)),
    "empty": lambda path, _: path.touch(),
    "without rights": lambda path, _: path.touch(0o000),
}


def test_hostile_state_files(rounds: Rounds, tmp_path: Path) -> None:
    """No command hangs, crashes, or writes outside; git commits, and afterwards as before."""
    template = indexed_repository(tmp_path / "template")
    numbers = count()

    def case(chance: random.Random) -> None:
        place = tmp_path / f"case-{next(numbers)}"
        shutil.copytree(template.root, place / "repo", symlinks=True)
        outside = place / "outside"
        outside.mkdir()
        (outside / "file").write_bytes(b"outside")
        repo = Hooked(place / "repo")
        placed = [
            place_hostile(repo, chance, outside) for _ in range(chance.choice((1, 1, 1, 2, 4)))
        ]
        commands = chance.sample(COMMANDS, 2)
        if chance.random() < 0.5:
            repo.write("docs/adrs/ADR-0003-new.md", "# ADR-0003: New\n")
        results = [run(repo.root, *command) for command in commands]
        committed = commit(repo)
        what = f"{placed}, {commands}, {results}, {committed}"
        assert all(is_expected(result) for result in results), what
        assert committed.code == 0, what
        assert sorted(path.name for path in outside.iterdir()) == ["file"], what
        assert (outside / "file").read_bytes() == b"outside", what
        shutil.rmtree(place)

    rounds.run(case)


def indexed_repository(root: Path) -> Hooked:
    """A repository with an index and hooks."""
    repo = Hooked(Repo.init(root).root)
    repo.commit("Start", FILES)
    project = repo.project()
    refresh(project, project.select(["adrs", "specs", "code"]))
    install_hooks(project.repository, SDD)
    return repo


def place_hostile(repo: Hooked, chance: random.Random, outside: Path) -> str:
    """Replace a file, or damage it. Returns what was done."""
    name = chance.choice(STATE * 3 + DOCUMENTS)
    path = repo.root / name
    if any(parent.is_symlink() for parent in (path, *path.parents)):
        return ""
    # An earlier call may have made it huge: three copies in memory would be 24 GiB.
    if path.is_file() and path.stat().st_size < HUGE and chance.random() < 0.4:
        damaged, what = damage(path.read_bytes(), chance)
        # Another file, since this one may be a hard link to a file outside.
        path.unlink()
        path.write_bytes(damaged)
        return f"{name} {what}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        # Another file is in the place of a directory.
        return ""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    kind = chance.choice(sorted(HOSTILE))
    HOSTILE[kind](path, outside)
    return f"{name}: {kind}"


def damage(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    """Cut the content of a file off, or overwrite a few of its bytes. Returns what was done too."""
    size = chance.randrange(len(data) + 1)
    if chance.random() < 0.5:
        return data[:size], f"cut off at {size}"
    damaged = bytearray(data)
    places = [chance.randrange(len(data)) for _ in range(chance.choice((1, 3, 20)))] if data else []
    for at in places:
        damaged[at] = chance.randrange(256)
    return bytes(damaged), f"overwritten at {places}"


def commit(repo: Hooked) -> Done:
    """Commit a file, with all hooks."""
    repo.write("notes.txt", "changed\n")
    done = subprocess.run(
        ["git", "commit", "--quiet", "--only", "-m", "Any", "notes.txt"],
        cwd=repo.root,
        env=repo.environment(),
        capture_output=True,
        check=False,
        timeout=TIMEOUT,
    )
    return Done(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


def is_expected(result: Done) -> bool:
    """Whether a command ended as documented: no bug, no traceback."""
    return result.code in EXPECTED and "Traceback" not in result.err


def _top(path: Path) -> Path:
    return next(parent for parent in path.parents if (parent / ".git").is_dir())
