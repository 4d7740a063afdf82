"""Repositories with an index and hooks, and a wait for their background processes."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from pathlib import Path

import pytest

from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.githooks.install import install_hooks
from tests.githooks.recorder import Hooked, Recorder, indexed
from tests.support.oracle import assert_index_matches_scratch
from tests.support.repos import Repo

ADR = "docs/adrs/ADR-0001-sqlite.md"
FILES = {
    ".gitignore": ".sdd/\n",
    "README.md": "# Shop\n",
    "notes.txt": "nothing that is indexed\n",
    ADR: "# ADR-0001: SQLite\n\n## Decision Outcome\n\nSessions are kept in SQLite.\n",
    "docs/adrs/ADR-0002-redis.md": "# ADR-0002: Redis\n\nPages are cached in Redis.\n",
    "docs/openspec/specs/login/spec.md": "# SPEC-0001: Login\n\n### Requirement: Lock\n\nMUST.\n",
    "docs/openspec/specs/login/design.md": "# Login\n",
    "src/app.py": "def login(name):\n    return name\n",
}

REFRESHED = re.compile(
    r"^sdd: Refreshed index \((\d+) added, (\d+) updated, (\d+) removed across all collections\)\n",
    re.MULTILINE,
)
ARRIVALS = {"checkout", "switch", "merge", "pull", "rebase"}
SHELLS = [["dash"], ["busybox", "sh"], ["bash", "--posix"]]
"""Shells that git may run as `sh`. Only tests of what they may do in different ways run in each."""


@pytest.fixture(params=SHELLS, ids=" ".join)
def shell(request: pytest.FixtureRequest) -> list[str]:
    """A shell for git to run as `sh`."""
    if not shutil.which(request.param[0]):
        pytest.skip(f"{request.param[0]} is not installed")
    return list(request.param)


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    """A command that only records its calls."""
    return Recorder(tmp_path / "it's a bin")


@pytest.fixture
def repo(tmp_path: Path) -> Hooked:
    """A repository with the state file of an index, no hooks, and no `sdd` on PATH."""
    Repo.init(tmp_path / "repo")
    repo = Hooked(tmp_path / "repo")
    repo.commit("First", {ADR: "# ADR-0001: X\n", "other.txt": "1\n", ".gitignore": ".sdd/\n"})
    indexed(repo)
    return repo


@pytest.fixture
def tracer(tmp_path: Path) -> Recorder:
    """The real sdd, with a list of its calls."""
    return Recorder(tmp_path / "bin", status=None)


@pytest.fixture
def fresh(tmp_path: Path, tracer: Recorder) -> Hooked:
    """A repository with everything indexed and the hooks installed."""
    Repo.init(tmp_path / "shop")
    repo = Hooked(tmp_path / "shop")
    repo.commit("Start", FILES)
    project = repo.project()
    refresh(project, collections=project.collections)
    install_hooks(project.repository, tracer.path)
    return repo


def settled(repo: Repo) -> None:
    """Wait for a refresh in the background, which holds locks while it runs."""
    for name in ("refresh.log", "lock"):
        path = repo.root / ".sdd/search" / name
        if path.exists():
            descriptor = os.open(path, os.O_RDWR)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.close(descriptor)


def after(repo: Repo, *command: str) -> str:
    """Run a git command, after which the index must be correct. Returns stdout.

    sdd must print nothing but the line about changes that arrived.
    """
    done = repo.run(*command)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    if ARRIVALS.intersection(command):
        said = REFRESHED.sub("", said)
    assert "sdd" not in said
    settled(repo)
    assert_index_matches_scratch(repo)
    return done.stdout.decode()
