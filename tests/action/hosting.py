"""A repository on a host, with a pull request, and the checkouts of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.repos import Repo

RECORD = """---
status: accepted
date: 2026-01-05
---

# ADR-0001: Events through an outbox

## Context

Events are lost when the broker is down.

## Decision Outcome

An event is written to the table `outbox` in the transaction that causes it.
"""
MEMORY = """# Shop

## Architecture Context

- Architecture Decision Records are in `docs/adrs/`
"""


@dataclass(frozen=True)
class Hosted:
    """The repository of a host, and the pull request `number` in it: ids of commits.

    `tip` is the commit of `main`, one commit after the `base` of the pull request.
    """

    repo: Repo
    number: int
    first: str
    base: str
    head: str
    merge: str
    tip: str

    @property
    def url(self) -> str:
        """The URL from which git clones the repository, as on another machine."""
        return self.repo.root.as_uri()


def host(
    folder: Path,
    changes: Mapping[str, str | bytes],
    *,
    number: int = 7,
    files: Mapping[str, str | bytes] | None = None,
    message: str = "Change",
) -> Hosted:
    """A repository with `files`, a record, and a pull request that makes `changes`."""
    repo = Repo.init(folder)
    first = repo.commit("Begin", {"README.md": "# Shop\n", "CLAUDE.md": MEMORY})
    own = {"docs/adrs/ADR-0001-events.md": RECORD, "src/a.py": "a = 1\n"}
    base = repo.commit("Decide\n\nRefs: ADR-0001", {**own, **(files or {})})
    repo.git("switch", "--quiet", "--create", "change")
    head = repo.commit(message, changes)
    repo.git("switch", "--quiet", "--detach", base)
    repo.git("merge", "--quiet", "--no-ff", "--message", "Merge", head)
    merge = repo.head()
    repo.git("switch", "--quiet", "main")
    tip = repo.commit("Go on", {"README.md": "# Shop\n\nMore.\n"})
    repo.git("update-ref", f"refs/pull/{number}/head", head)
    repo.git("update-ref", f"refs/pull/{number}/merge", merge)
    # As on a host: only the ref of the pull request leads to the commit, as from a fork.
    repo.git("branch", "--quiet", "-D", "change")
    return Hosted(repo, number, first, base, head, merge, tip)


def checked_out(
    hosted: Hosted, folder: Path, commit: str, *, options: Sequence[str] = ("--depth=1",)
) -> Repo:
    """The checkout of a commit in a job; `options` are those of its fetch."""
    repo = Repo.init(folder)
    repo.git("remote", "add", "origin", hosted.url)
    repo.git("fetch", "--quiet", "--no-tags", *options, "origin", f"+{commit}:refs/remotes/job")
    repo.git("checkout", "--quiet", "--detach", "refs/remotes/job")
    return repo
