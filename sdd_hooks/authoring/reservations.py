"""The numbers that only the remote knows: those of its open pull requests, and reserved ones.

`refs/sdd/numbers/adr-0012` reserves ADR-0012. Its commit has no files and no parents. A push
creates the ref only if the remote has none of this name, which git checks there under a lock: two
clones that ask at the same moment get two numbers.

Nothing of a pull request stays in the clone. A remote that cannot be asked is a note.
"""

# Governing: ADR-0050 (numbers are reserved by refs), ADR-0034 (numbers that are not merged yet),
# SPEC-0024 REQ "Numbers", ADR-0003 (one module talks to git)

from __future__ import annotations

import random
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, suppress
from urllib.parse import quote

from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.authoring.numbers import numbers_of_commits
from sdd_hooks.changes.temporary_objects import temporary_objects
from sdd_hooks.errors import AccessRefused, RemoteError, RepositoryError, SddError
from sdd_hooks.forges.protocol import PullRequest, PullRequestLister
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import FETCH_OBJECTS, PUSH_REF, Git, GitError, is_object_id
from sdd_hooks.system.git_errors import (
    UNREACHABLE,
    PushRejected,
    push_rejection,
    redact_git_error,
    remote_error,
)
from sdd_hooks.system.git_objects import is_partial
from sdd_hooks.system.processes import ProgramResult
from sdd_hooks.text.display import one_line

REMOTE = "origin"
REF_PREFIX = "refs/sdd/numbers/"
LOOKUP_SECONDS = 10.0
PUSH_SECONDS = 30.0
MAX_ATTEMPTS = 200
MAX_REFUSALS = 5
"""How often a push is tried that the remote rejects although no other clone has the number."""
MAX_PAUSE_SECONDS = 1.0

_IDENTITY = "sdd <sdd@localhost>"

MAX_PULLS = 100
"""Open pull requests that are read, those that were updated last."""
FETCH_SECONDS = 30.0
MAX_PACK_BYTES = 256 << 20
"""Bytes of one file that git writes for the objects of pull requests."""

OpenForge = Callable[[], AbstractContextManager["PullRequestLister | None"]]


class NumberScope(NamedTuple):
    """Where a number is unique: among the artifacts of a kind in a module ("": the root)."""

    kind: ArtifactKind
    module: str = ""

    @property
    def prefix(self) -> str:
        """What the names of the refs begin with."""
        # The name of a module may have characters that a ref cannot have.
        name = quote(self.module, safe="").replace(".", "%2E").replace("~", "%7E")
        folder = f"modules/{name}/" if name else ""
        return f"{REF_PREFIX}{folder}{self.kind.lower()}-"

    def ref(self, number: int) -> str:
        """The name of the ref that reserves a number."""
        return f"{self.prefix}{number:04d}"


class Reservation(NamedTuple):
    """A reserved number, and the commit that its ref has."""

    scope: NumberScope
    number: int
    commit: str

    @property
    def ref(self) -> str:
        """The name of the ref."""
        return self.scope.ref(self.number)


class Backoff(NamedTuple):
    """How to pause while other clones reserve numbers. `chance` returns a number in 0..1."""

    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def pause(self, attempt: int) -> None:
        """Sleep before an attempt (1, 2, …)."""
        self.sleep(self.chance() * min(MAX_PAUSE_SECONDS, 0.05 * 2 ** min(attempt, 10)))


DEFAULT_BACKOFF = Backoff()


def has_remote(git: Git) -> bool:
    """Whether the repository has the remote that holds the reservations."""
    return git.try_output("remote", "get-url", REMOTE) is not None


def list_reservations(git: Git, scope: NumberScope) -> Mapping[int, Reservation]:
    """The reservations of the remote, by number. Raises RemoteError and AccessRefused."""
    result = _run(git, "ls-remote", "--quiet", REMOTE, f"{scope.prefix}*", seconds=LOOKUP_SECONDS)
    if result.code:
        raise remote_error(REMOTE, UNREACHABLE, result.err, {})
    found: dict[int, Reservation] = {}
    for row in result.out.splitlines():
        commit, _, name = row.partition("\t")
        # The pattern also matches below other refs.
        match = re.fullmatch(re.escape(scope.prefix) + "0*([0-9]{1,5})", name)
        if match and is_object_id(commit):
            found[int(match[1])] = Reservation(scope, int(match[1]), commit)
    return found


def reserve_number(
    git: Git,
    scope: NumberScope,
    title: str,
    choose: Callable[[Set[int]], int],
    backoff: Backoff = DEFAULT_BACKOFF,
) -> Reservation:
    """Reserve the number that `choose` returns for the numbers that are reserved already.

    When another clone was first, the next one is tried, after a pause of random length. `title`
    becomes part of the message of the commit. Raises RepositoryError without a remote, RemoteError
    when it cannot be reached or rejects the ref, and AccessRefused.
    """
    if not has_remote(git):
        raise RepositoryError(
            f"there is no remote {REMOTE} to reserve a number in: add one, or leave --reserve out"
        )
    refusals = 0
    for attempt in range(MAX_ATTEMPTS):
        if attempt:
            backoff.pause(attempt)
        reserved = list_reservations(git, scope)
        number = choose(reserved.keys())
        wanted = Reservation(scope, number, _write_commit(git, scope.kind, number, title))
        try:
            _push(git, wanted)
        except PushRejected as rejected:
            refusals += number not in list_reservations(git, scope)
            if refusals == MAX_REFUSALS or isinstance(rejected.error, AccessRefused):
                raise rejected.error from None
        else:
            return wanted
    raise RemoteError(f"other clones keep reserving numbers in {REMOTE}: try again later")


def delete_reservations(git: Git, reservations: Sequence[Reservation]) -> bool:
    """Delete the refs that have the same commits still. Returns whether the remote did."""
    if not reservations:
        return True
    leases = (f"--force-with-lease={one.ref}:{one.commit}" for one in reservations)
    refs = (f":{one.ref}" for one in reservations)
    try:
        done = _run(git, *PUSH_REF, *leases, REMOTE, *refs, seconds=PUSH_SECONDS)
    except SddError:
        return False
    return done.code == 0


def delete_merged_reservations(git: Git, scope: NumberScope, merged: Set[int]) -> None:
    """Delete the reservations of numbers that the main branch has. A failure changes nothing."""
    with suppress(SddError):
        found = list_reservations(git, scope) if merged else {}
        delete_reservations(git, [one for number, one in found.items() if number in merged])


def _push(git: Git, reservation: Reservation) -> None:
    """Create the ref. Raises PushRejected if it exists or may not be created, and RemoteError."""
    ref = reservation.ref
    # No value after the colon: the ref must not exist.
    lease = f"--force-with-lease={ref}:"
    refspec = f"{reservation.commit}:{ref}"
    result = _run(git, *PUSH_REF, lease, REMOTE, refspec, seconds=PUSH_SECONDS)
    flags = {line[:1]: line.rpartition("\t")[2] for line in result.out.splitlines() if "\t" in line}
    if "*" in flags and not result.code:
        return
    if "!" in flags or "=" in flags:
        reason = flags.get("!", "it exists")
        raise push_rejection(REMOTE, ref, reason, result.err, {})
    raise remote_error(REMOTE, UNREACHABLE, result.err, {})


def _write_commit(git: Git, kind: ArtifactKind, number: int, title: str) -> str:
    """Store a commit without files that no other clone has. Returns its id."""
    tree = git.output("hash-object", "-t", "tree", "-w", "--stdin").decode().strip()
    given = git.try_output("var", "GIT_COMMITTER_IDENT") or f"{_IDENTITY} 0 +0000".encode()
    identity = given.decode("utf-8", "replace").strip()
    # The same commit of two clones would be the same ref, which both could create.
    text = (
        f"tree {tree}\nauthor {identity}\ncommitter {identity}\n\n"
        f"Reserve {kind}-{number:04d}: {one_line(title)}\n\nReservation: {secrets.token_hex(16)}\n"
    )
    written = git.output("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
    return written.decode().strip()


def _run(git: Git, *arguments: str, seconds: float) -> ProgramResult:
    try:
        return git.remote(*arguments, timeout=seconds)
    except GitError as error:
        raise RemoteError(f"{REMOTE} {UNREACHABLE}: {error}") from None


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
