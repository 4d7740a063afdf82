"""The ref of a remote where vectors are, and a directory of git's objects to reach it through.

What is fetched and what is pushed goes into a directory of its own beside the vectors. No ref, no
object, no setting of the repository changes: `git log --all` shows nothing new, a shallow or
partial clone stays what it is, and the directory may be deleted at any time.
"""

# Governing: ADR-0025 (vectors travel in a git ref), ADR-0003 (one module talks to git),
# ADR-0012 (untrusted input), SPEC-0013 REQ "Hostile packs", REQ "Concurrent pushes"

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sdd_hooks.errors import RemoteError, RepositoryError, StorageError
from sdd_hooks.project.repository import Repository
from sdd_hooks.sharing.git_errors import UNREACHABLE, failure, rejection
from sdd_hooks.sharing.limits import Limits
from sdd_hooks.sharing.segment_format import FORMAT
from sdd_hooks.system.files import write_atomically
from sdd_hooks.system.git import FETCH_OBJECTS, Git, GitError, is_object_id
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.system.processes import ProgramResult
from sdd_hooks.text.display import one_line
from sdd_hooks.text.slugs import slugify

REFS = "refs/sdd/vectors/"
DIRECTORY = "share"

LOOK = 30.0
"""Seconds for a remote to say where a ref is."""

TRANSFER = 600.0
"""Seconds for a fetch or a push."""

_ROUNDS = 8
"""How often a ref is looked at again because it moved while it was fetched."""

_SLACK = 1_000_000
_SLUG = 60
_TREE_BYTES = 200_000
_PUSH = (
    "push",
    "--porcelain",
    "--no-verify",
    "--no-follow-tags",
    "--no-signed",
    "--recurse-submodules=no",
)
# Vectors resemble each other too little for a delta, and looking for one takes longer than all the
# rest. A pack is checked before it is kept, and is one file, so that its size can be limited.
_SETTINGS = (
    "pack.window=0",
    "core.bigFileThreshold=48m",
    "fetch.unpackLimit=1",
    "fetch.fsckObjects=true",
)
# An object that claims to be larger than this ends git before it has the memory.
_ALLOCATION = {"GIT_ALLOC_LIMIT": "268435456"}

# The same content is the same commit on every machine: two that push it at once do not disagree.
_COMMIT = (
    "tree {tree}\n{parent}author sdd <sdd@localhost> 0 +0000\n"
    "committer sdd <sdd@localhost> 0 +0000\n\nVectors of {model}\n"
)


class Entry(NamedTuple):
    """An entry of the tree: its name, and the blob's id and size."""

    name: str
    blob: str
    size: int


@dataclass(frozen=True)
class Place:
    """The vectors of one model on one remote. `objects` is where this machine keeps what it saw."""

    git: Git
    objects: Path
    remote: str
    url: str
    push_url: str
    ref: str
    access: Mapping[str, str]
    limits: Limits

    def tip(self) -> str:
        """The commit the ref is at, with all that belongs to it brought here; "" for none.

        Raises AccessRefused and RemoteError.
        """
        before = ""
        for _ in range(_ROUNDS):
            found = self._look()
            if not found or self.has(found):
                return found
            if found == before:
                break
            before = found
            self._fetch()
            if self.has(found):
                self._note(found)
                return found
        raise RemoteError(f"{self.remote} does not give what {self.ref} is at: try again later")

    def has(self, commit: str) -> bool:
        """Whether a commit is here with everything in it.

        A segment that somebody deleted here must not count as one that the remote lacks.
        """
        args = ("rev-list", "--objects", "--quiet", "--max-count=1", f"{commit}^{{commit}}")
        return self._try(*args) is not None

    def has_parent(self, commit: str) -> bool:
        """Whether a commit has a history."""
        return self._try("rev-parse", "--verify", "--quiet", f"{commit}^1") is not None

    def entries(self, commit: str) -> tuple[list[Entry], list[str]]:
        """The entries of a commit's tree that may be segments, and a line for each other one.

        Raises RemoteError for a tree that is too large to be ours.
        """
        size = int(self._git("cat-file", "-s", f"{commit}^{{tree}}"))
        if size > _TREE_BYTES:
            raise self._too_much("has too many entries")
        found, refused = [], []
        for line in self._git("ls-tree", "-z", "-l", f"{commit}^{{tree}}").split(b"\0")[:-1]:
            described, _, raw = line.partition(b"\t")
            mode, kind, blob, length = described.decode().split()
            name = raw.decode("utf-8", "replace")
            if (mode, kind) != ("100644", "blob") or not re.fullmatch("[0-9a-f]{64}", name):
                refused.append(f"{shown(name)} is no segment: refused")
            elif not length.isdigit() or int(length) > self.limits.largest:
                refused.append(f"{shown(name)} is larger than a segment: refused")
            else:
                found.append(Entry(name, blob, int(length)))
        if sum(entry.size for entry in found) > 2 * self.limits.total:
            raise self._too_much("is larger than it may be")
        return found, refused

    def read(self, entries: Sequence[Entry], limit: int | None = None) -> Iterator[bytes]:
        """The content of each entry, of which no more than a byte above `limit`.

        Raises GitError where what is here is damaged.
        """
        blobs = [entry.blob for entry in entries]
        found = read_blobs(self.git, blobs, limit=limit, objects=self.objects)
        for entry, data in zip(entries, found, strict=True):
            if data is None or len(data) < min(entry.size, limit or entry.size):
                raise GitError(f"git cat-file: {shown(entry.name)} cannot be read")
            yield data

    def write(self, name: str, data: bytes) -> Entry:
        """Keep a segment."""
        blob = self._git("hash-object", "-w", "--stdin", stdin=data).decode().strip()
        return Entry(name, blob, len(data))

    def commit(self, entries: Sequence[Entry], model: str, parent: str = "") -> str:
        """A commit of these entries, with the history of `parent`, or with none."""
        lines = (f"100644 blob {one.blob}\t{one.name}\n" for one in sorted(entries))
        tree = self._git("mktree", stdin="".join(lines).encode()).decode().strip()
        line = f"parent {parent}\n" if parent else ""
        text = _COMMIT.format(tree=tree, parent=line, model=one_line(model))
        args = ("hash-object", "-t", "commit", "-w", "--stdin")
        return self._git(*args, stdin=text.encode()).decode().strip()

    def push(self, commit: str, expected: str) -> None:
        """Move the ref from `expected` ("": from nothing) to a commit, or leave it where it is.

        Raises Rejected where the remote says no, AccessRefused and RemoteError where it cannot be
        asked.
        """
        lease = f"--force-with-lease={self.ref}:{expected}"
        done = self._remotely(
            *_PUSH,
            lease,
            "--",
            self.push_url,
            f"{commit}:{self.ref}",
            timeout=TRANSFER,
            boundary=self._boundary(self._seen()),
        )
        for line in done.out.splitlines():
            if line.startswith("!"):
                raise rejection(
                    self.remote, self.ref, line.rpartition("\t")[2], done.err, self.access
                )
        if done.code:
            raise failure(self.remote, UNREACHABLE, done.err, self.access)
        self._note(commit)

    def tidy(self, commit: str) -> None:
        """Forget what is here, where most of it belongs to no commit that is of use."""
        size = sum(file.stat().st_size for file in self.objects.rglob("*") if file.is_file())
        current = sum(entry.size for entry in self.entries(commit)[0]) if commit else 0
        if size > 2 * current + self.limits.spare:
            shutil.rmtree(self.objects, ignore_errors=True)

    def _look(self) -> str:
        args = ("ls-remote", "--quiet", "--", self.url, self.ref)
        done = self._remotely(*args, timeout=LOOK)
        if done.code:
            raise failure(self.remote, UNREACHABLE, done.err, self.access)
        for line in done.out.splitlines():
            found, _, name = line.partition("\t")
            # What ls-remote takes is a pattern, which other refs may match, too.
            if name == self.ref and is_object_id(found):
                return found
        return ""

    def _fetch(self) -> None:
        seen = self._seen()
        known = (f"--negotiation-tip={seen}",) if seen else ()
        args = (*FETCH_OBJECTS, *known, "--", self.url, self.ref)
        done = self._remotely(
            *args,
            timeout=TRANSFER,
            boundary=self._boundary(seen),
            largest=2 * self.limits.total + _SLACK,
        )
        # The ref may be gone since it was looked at, which the next look finds out.
        if done.code and "find remote ref" not in done.err:
            raise failure(self.remote, f"does not give {self.ref}", done.err, self.access)

    def _note(self, commit: str) -> None:
        """Remember what the remote has, for the next fetch to bring only what is new."""
        write_atomically(self._memory, commit.encode())

    def _seen(self) -> str:
        try:
            commit = self._memory.read_bytes()[:100].decode("ascii", "replace").strip()
        except OSError:
            return ""
        return commit if is_object_id(commit) and self.has(commit) else ""

    def _boundary(self, seen: str) -> dict[str, str]:
        """Tells git of commits whose parents nobody asks for: the clone's own, and the last `seen`.

        That one has no parents. But only for a clone that has such commits does git leave out of a
        pack what is in the tree of a commit that both sides have and that is nobody's parent.
        """
        own = Path(os.fsdecode(self._git("rev-parse", "--git-path", "shallow")).rstrip("\n"))
        try:
            listed = (self.git.root / own).read_text()
        except FileNotFoundError:
            listed = ""
        if seen and not self.has_parent(seen):
            listed += f"{seen}\n"
        if not listed:
            return {}
        path = self.objects.with_name("shallow")
        write_atomically(path, listed.encode())
        return {"GIT_SHALLOW_FILE": str(path)}

    @property
    def _memory(self) -> Path:
        return self.objects.with_name(self.ref.removeprefix(REFS))

    def _remotely(
        self,
        *args: str,
        timeout: float,
        boundary: Mapping[str, str] = MappingProxyType({}),
        largest: int = 0,
    ) -> ProgramResult:
        limited = Git(self.git.root, {**self.git.environ, **_ALLOCATION})
        try:
            return limited.remote(
                *args,
                timeout=timeout,
                access={**self.access, **boundary},
                settings=_SETTINGS,
                objects=self.objects,
                max_file_bytes=largest,
            )
        except GitError as error:
            raise RemoteError(f"{self.remote} {UNREACHABLE}: {error}") from None

    def _too_much(self, what: str) -> RemoteError:
        return RemoteError(
            f"{self.ref} of {self.remote} {what}: refused, take it away with"
            f" `git push {self.remote} --delete {self.ref}`"
        )

    def _git(self, *args: str, stdin: bytes | None = None) -> bytes:
        return self.git.output(*args, stdin=stdin, objects=self.objects)

    def _try(self, *args: str) -> bytes | None:
        return self.git.try_output(*args, objects=self.objects)


def ref_of(model: str, storage: str) -> str:
    """The ref for the vectors of a model, in one storage and format: a name, then a digest."""
    digest = hashlib.sha256(f"{FORMAT}\0{storage}\0{model}".encode()).hexdigest()[:12]
    words = "-".join(filter(None, slugify(model).split("-")))[:_SLUG].strip("-")
    return f"{REFS}{words}-{digest}" if words else f"{REFS}{digest}"


@contextmanager
def opened_place(
    repository: Repository,
    remote: str,
    ref: str,
    access: Mapping[str, str],
    limits: Limits,
    wait: float,
) -> Iterator[Place]:
    """The place of a ref on the remote called `remote`, for the block and for nobody else.

    Raises:
        RepositoryError: there is no remote of that name.
        StorageError: another push or pull of this repository goes on for longer than `wait`
            seconds, or nothing can be written.
    """
    url, push_url = (_url(repository.git, remote, option) for option in ((), ("--push",)))
    share = repository.shared_dir / DIRECTORY
    objects = share / "objects"
    try:
        share.mkdir(parents=True, exist_ok=True)
        with hold_lock(share / "lock", wait) as alone:
            if not alone:
                raise StorageError(
                    "another push or pull of vectors is running here: try again after it"
                )
            _prepare(objects)
            place = Place(repository.git, objects, remote, url, push_url, ref, dict(access), limits)
            yield place
    except GitError as error:
        shutil.rmtree(objects, ignore_errors=True)
        raise StorageError(
            f"{share} was damaged ({error}) and is empty now: run it again"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot write {share} ({error.strerror}): check it") from None


def shown(name: str) -> str:
    """The name of an entry as a message has it."""
    return ascii(name)[1:-1][:12]


def _prepare(objects: Path) -> None:
    """Make the directory of objects beside that of the repository, which is three levels up."""
    (objects / "info").mkdir(parents=True, exist_ok=True)
    (objects / "pack").mkdir(exist_ok=True)
    alternates = objects / "info/alternates"
    if not alternates.exists():
        alternates.write_text("../../../objects\n")
    # What a fetch that was ended has left.
    for file in objects.glob("pack/tmp_*"):
        file.unlink(missing_ok=True)


def _url(git: Git, remote: str, option: Sequence[str]) -> str:
    # A name that looks like an option is no remote that git would make.
    asked = ("remote", "get-url", *option, remote)
    found = None if not remote or remote.startswith("-") else git.try_output(*asked)
    url = (found or b"").decode("utf-8", "surrogateescape").partition("\n")[0]
    if not url:
        raise RepositoryError(
            f"no remote is called {remote[:60]!a} here: `git remote -v` shows which there are"
        )
    return url
