"""The ref of a remote that holds the vectors of one model: its name, fetching it, pushing it."""

# Governing: ADR-0025 (vectors travel in a git ref), ADR-0003 (one module talks to git),
# ADR-0012 (untrusted input), SPEC-0013 REQ "Hostile packs", REQ "Concurrent pushes"

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from sdd_hooks.errors import RemoteError, RepositoryError, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.sharing.object_directory import ObjectDirectory
from sdd_hooks.sharing.options import SharingOptions
from sdd_hooks.sharing.segment_format import FORMAT
from sdd_hooks.sharing.segment_tree import SegmentEntry, UnusableTree, read_entries
from sdd_hooks.system.files import read_state, state_directory, write_atomically
from sdd_hooks.system.git import FETCH_OBJECTS, PUSH_REF, Git, GitError, is_object_id
from sdd_hooks.system.git_errors import (
    UNREACHABLE,
    find_lost_object,
    missing_objects_error,
    push_rejection,
    remote_error,
)
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.system.processes import ProgramResult
from sdd_hooks.text.names import slugify

REF_PREFIX = "refs/sdd/vectors/"
DIRECTORY = "share"

LOOKUP_TIMEOUT = 30.0
"""Seconds for a remote to report the commit of a ref."""

TRANSFER_TIMEOUT = 600.0
"""Seconds for a fetch or a push."""

_MAX_LAST_SEEN_BYTES = 100

_MAX_FETCHES = 8
"""How often a ref is fetched that keeps moving."""

_MAX_NAME_LENGTH = 60
"""Characters of the model's name in the name of a ref."""

_PACK_OVERHEAD_BYTES = 1_000_000
"""Bytes of a fetched pack besides twice the largest total of segments."""

# Vectors resemble each other too little for a delta, and the search for one takes longer than the
# rest of a push. A fetched pack is checked before it is kept, and is one file, so that its size can
# be limited.
_SETTINGS = (
    "pack.window=0",
    "core.bigFileThreshold=48m",
    "fetch.unpackLimit=1",
    "fetch.fsckObjects=true",
)
# git stops before it allocates memory for an object that claims to be larger.
_ALLOCATION_LIMIT = {"GIT_ALLOC_LIMIT": "268435456"}


def vector_ref_name(model: str, storage: str) -> str:
    """The name of the ref for the vectors of a model in one storage: a slug, then a digest."""
    digest = hashlib.sha256(f"{FORMAT}\0{storage}\0{model}".encode()).hexdigest()[:12]
    words = "-".join(filter(None, slugify(model).split("-")))[:_MAX_NAME_LENGTH].strip("-")
    return f"{REF_PREFIX}{words}-{digest}" if words else f"{REF_PREFIX}{digest}"


class VectorRef(NamedTuple):
    """The ref `name` of a remote. `objects` has what was fetched from it and what is pushed."""

    name: str
    url: str
    push_url: str
    options: SharingOptions
    objects: ObjectDirectory

    def fetch(self) -> str:
        """Fetch the object of the ref, with every object that it reaches. Returns its id.

        It should be a commit, and may be of another kind. Returns "" when the remote has no such
        ref. Raises AccessRefused and RemoteError.
        """
        before = reason = ""
        for _ in range(_MAX_FETCHES):
            commit = self._read_remote()
            if not commit or self.objects.has_object(commit):
                return commit
            if commit == before:
                break
            before = commit
            reason = self._fetch_objects()
            if self.objects.has_object(commit):
                if self.objects.kind(commit) == "commit":
                    self._remember(commit)
                return commit
        if reason:
            raise missing_objects_error(self.options.remote, self.name, reason)
        raise RemoteError(
            f"{self.options.remote} does not send the object of {self.name}: try again later"
        )

    def push(self, commit: str, expected: str) -> None:
        """Move the ref from `expected` ("": it does not exist) to a commit, or leave it unchanged.

        Raises PushRejected where the remote rejects the push, AccessRefused, and RemoteError where
        it cannot be reached.
        """
        lease = f"--force-with-lease={self.name}:{expected}"
        refspec = f"{commit}:{self.name}"
        last_seen = self._last_seen()
        result = self._run_remote(
            *(*PUSH_REF, lease, "--", self.push_url, refspec),
            timeout=TRANSFER_TIMEOUT,
            # A host refuses a shallow commit that it lacks, such as one of a ref that was moved.
            variables=self._shallow_file("" if last_seen == commit else last_seen),
        )
        for line in result.out.splitlines():
            if line.startswith("!"):
                reason = line.rpartition("\t")[2]
                raise push_rejection(
                    self.options.remote, self.name, reason, result.err, self.options.access
                )
        if result.code:
            raise self._error(UNREACHABLE, result)
        self._remember(commit)

    def read_entries(self, commit: str) -> tuple[list[SegmentEntry], list[str]]:
        """The entries of a commit that may be segments, and a line for each other entry.

        For an object of another kind, and a tree that is too large, there is one line.
        """
        try:
            return read_entries(self.objects, commit, self.options.limits)
        except UnusableTree as error:
            return [], [f"{self.name} {error}: refused, `sdd index push` replaces it"]

    def delete_unused_objects(self, entries: Sequence[SegmentEntry]) -> None:
        """Delete all fetched objects, when most of them are none of these segments."""
        used = sum(entry.size for entry in entries)
        if self.objects.size() > 2 * used + self.options.limits.spare_bytes:
            self.objects.delete()

    def _read_remote(self) -> str:
        """The object that the remote reports for the ref, "" for none."""
        args = ("ls-remote", "--quiet", "--", self.url, self.name)
        result = self._run_remote(*args, timeout=LOOKUP_TIMEOUT)
        if result.code:
            raise self._error(UNREACHABLE, result)
        for line in result.out.splitlines():
            commit, _, name = line.partition("\t")
            # ls-remote takes a pattern, which other refs may match.
            if name == self.name and is_object_id(commit):
                return commit
        return ""

    def _fetch_objects(self) -> str:
        """Fetch what the ref reaches. Returns why the remote cannot send it, "" if it may."""
        last_seen = self._last_seen()
        negotiation = (f"--negotiation-tip={last_seen}",) if last_seen else ()
        result = self._run_remote(
            *(*FETCH_OBJECTS, *negotiation, "--", self.url, self.name),
            timeout=TRANSFER_TIMEOUT,
            variables=self._shallow_file(last_seen),
            max_file_bytes=2 * self.options.limits.max_total_bytes + _PACK_OVERHEAD_BYTES,
        )
        # The ref may have been deleted since `ls-remote`; the next one reports that.
        if not result.code or "find remote ref" in result.err:
            return ""
        if reason := find_lost_object(result.err, self.options.access):
            return reason
        raise self._error(f"does not send {self.name}", result)

    @property
    def _last_seen_file(self) -> Path:
        return self.objects.path.with_name(self.name.removeprefix(REF_PREFIX))

    def _remember(self, commit: str) -> None:
        """Save which commit the remote has, so that the next fetch transfers only new objects."""
        write_atomically(self._last_seen_file, commit.encode())

    def _last_seen(self) -> str:
        try:
            data = read_state(self._last_seen_file, _MAX_LAST_SEEN_BYTES)
        except (OSError, StorageError):
            return ""
        commit = data.decode("ascii", "replace").strip()
        # git refuses every command with a shallow file that names another kind of object.
        is_commit = is_object_id(commit) and self.objects.kind(commit) == "commit"
        return commit if is_commit and self.objects.has_object(commit) else ""

    def _shallow_file(self, last_seen: str) -> dict[str, str]:
        """A variable for git that names a file of shallow commits: the clone's, and `last_seen`.

        `last_seen` has no parents anyway. But only with a shallow commit does git leave out of a
        pack the objects of a commit that both sides have and that is no parent of the pushed one.
        """
        git = self.objects.git
        git_path = self.objects.output("rev-parse", "--git-path", "shallow")
        clone_file = git.root / os.fsdecode(git_path).rstrip("\n")
        try:
            shallow = clone_file.read_text()
        except FileNotFoundError:
            shallow = ""
        if last_seen and not self.objects.has_parent(last_seen):
            shallow += f"{last_seen}\n"
        if not shallow:
            return {}
        path = self.objects.path.with_name("shallow")
        write_atomically(path, shallow.encode())
        return {"GIT_SHALLOW_FILE": str(path)}

    def _error(self, problem: str, result: ProgramResult) -> RemoteError:
        return remote_error(self.options.remote, problem, result.err, self.options.access)

    def _run_remote(
        self,
        *args: str,
        timeout: float,
        variables: Mapping[str, str] = MappingProxyType({}),
        max_file_bytes: int = 0,
    ) -> ProgramResult:
        git = self.objects.git
        limited = Git(git.root, {**git.environ, **_ALLOCATION_LIMIT})
        try:
            return limited.remote(
                *args,
                timeout=timeout,
                access={**self.options.access, **variables},
                settings=_SETTINGS,
                objects=self.objects.path,
                max_file_bytes=max_file_bytes,
            )
        except GitError as error:
            raise RemoteError(f"{self.options.remote} {UNREACHABLE}: {error}") from None


@contextmanager
def open_vector_ref(
    repository: Repository,
    name: str,
    options: SharingOptions,
) -> Iterator[VectorRef]:
    """The ref `name` of a remote. The block holds a lock of this repository.

    Raises:
        RepositoryError: the remote does not exist.
        StorageError: another push or pull of this repository runs for longer than `options.wait`
            seconds, or nothing can be written.
    """
    url, push_url = (
        _remote_url(repository.git, options.remote, option) for option in ((), ("--push",))
    )
    share = state_directory(repository.shared_dir, DIRECTORY)
    objects = ObjectDirectory(repository.git, share / "objects")
    try:
        share.mkdir(parents=True, exist_ok=True)
        with hold_lock(share / "lock", options.wait) as is_locked:
            if not is_locked:
                raise StorageError(
                    "another push or pull of vectors is running here: try again after it"
                )
            objects.create()
            yield VectorRef(name, url, push_url, options, objects)
    except GitError as error:
        objects.delete()
        raise StorageError(
            f"{share} was damaged ({error}) and is empty now: run it again"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot write {share} ({error.strerror}): check it") from None


def _remote_url(git: Git, remote: str, option: Sequence[str]) -> str:
    # git would read a name that starts with a hyphen as an option, and creates no such remote.
    args = ("remote", "get-url", *option, remote)
    output = None if not remote or remote.startswith("-") else git.try_output(*args)
    url = (output or b"").decode("utf-8", "surrogateescape").partition("\n")[0]
    if not url:
        raise RepositoryError(
            f"there is no remote {remote[:60]!a}: `git remote -v` lists the remotes"
        )
    return url
