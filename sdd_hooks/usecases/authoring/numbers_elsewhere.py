"""The numbers that only the remote knows: reserved ones, and those of open pull requests.

Nothing of a pull request stays in the clone. A remote that cannot be asked is a note.
"""

# Governing: ADR-0050 (numbers are reserved by refs), ADR-0034 (numbers that are not merged yet),
# SPEC-0024 REQ "Numbers"

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from sdd_hooks.authoring.numbers import numbers_of_commits
from sdd_hooks.authoring.reservations import REMOTE, NumberScope, has_remote, list_reservations
from sdd_hooks.changes.base import is_partial
from sdd_hooks.changes.temporary_objects import temporary_objects
from sdd_hooks.errors import RepositoryError, SddError
from sdd_hooks.forges.protocol import PullRequest, PullRequestLister
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import FETCH_OBJECTS, Git
from sdd_hooks.system.git_errors import redact_git_error

MAX_PULLS = 100
"""Open pull requests that are read, those that were updated last."""
FETCH_SECONDS = 30.0
MAX_PACK_BYTES = 256 << 20
"""Bytes of one file that git writes for the objects of pull requests."""

OpenForge = Callable[[], AbstractContextManager["PullRequestLister | None"]]


class NumbersElsewhere(NamedTuple):
    """Numbers that are taken in the remote, and notes about what was not read."""

    taken: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


def find_numbers_elsewhere(
    repository: Repository, scope: NumberScope, directory: str, open_forge: OpenForge
) -> NumbersElsewhere:
    """The numbers of a scope that are reserved, or taken by open pull requests in a directory.

    `open_forge` opens the forge of the remote. Raises nothing that the remote causes.
    """
    git = repository.git
    if not has_remote(git):
        return NumbersElsewhere()
    try:
        reserved = list_reservations(git, scope).keys()
    except SddError as error:
        # A remote that git cannot reach has no forge at hand.
        return NumbersElsewhere(
            notes=(f"numbers that others reserved or propose in {REMOTE} do not count: {error}",)
        )
    notes: list[str] = []
    proposed: frozenset[int] = frozenset()
    try:
        with open_forge() as forge:
            pulls = _open_pulls(forge, notes)
        proposed = _proposed(git, pulls, scope, directory)
    except (SddError, OSError) as error:
        notes.append(f"numbers of open pull requests do not count: {error}")
    return NumbersElsewhere(proposed | reserved, tuple(notes))


def _open_pulls(forge: PullRequestLister | None, notes: list[str]) -> Sequence[PullRequest]:
    if forge is None:
        return ()
    pulls = forge.open_pull_requests(MAX_PULLS + 1)
    if len(pulls) > MAX_PULLS:
        notes.append(f"of the open pull requests, the {MAX_PULLS} that were updated last count")
    return pulls[:MAX_PULLS]


def _proposed(
    git: Git, pulls: Sequence[PullRequest], scope: NumberScope, directory: str
) -> frozenset[int]:
    """The numbers in the heads of pull requests, of which the missing ones are fetched."""
    heads = list(dict.fromkeys(pull.head for pull in pulls if pull.head))
    missing = _missing(git, heads)
    if not missing:
        return frozenset(numbers_of_commits(git, heads, scope.kind, directory))
    whole = ("--no-filter",) if is_partial(git) else ()
    with temporary_objects(git) as objects:
        done = git.remote(
            *(*FETCH_OBJECTS, *whole, REMOTE, *missing),
            timeout=FETCH_SECONDS,
            objects=objects,
            max_file_bytes=MAX_PACK_BYTES,
        )
        if done.code:
            reason = redact_git_error(done.err, {})
            raise RepositoryError(f"{REMOTE} does not send them ({reason})")
        return frozenset(numbers_of_commits(git, heads, scope.kind, directory, objects))


def _missing(git: Git, commits: Sequence[str]) -> list[str]:
    """The commits that this clone does not have."""
    if not commits:
        return []
    names = "".join(f"{one}\n" for one in commits).encode()
    listed = git.try_output("cat-file", "--batch-check", stdin=names) or b""
    rows = listed.decode(errors="replace").splitlines()
    return [one for one, row in zip(commits, rows, strict=False) if row.endswith(" missing")]
