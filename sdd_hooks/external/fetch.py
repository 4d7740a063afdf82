"""Fetch a source: one commit with its directories, and the documents among them.

git fetches into a new bare repository that has no configuration but git's own of the user, so that
the settings of the clone (`url.insteadOf`, `core.sshCommand`) have no effect. Nothing is checked
out.
"""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0019 (a token belongs
# to one host), ADR-0030 (a repository starts no program), ADR-0003 (one module talks to git)

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES, VENDORED
from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES
from sdd_hooks.errors import RemoteError
from sdd_hooks.external.snapshots import (
    CONFIG,
    CONFIG_SHA256,
    Snapshot,
    old_snapshots,
    read_snapshot,
    snapshot_git,
    source_directory,
    write_snapshot,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.external_sources import TRANSPORTS, ExternalSource
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import write_atomically
from sdd_hooks.system.git import FETCH_OBJECTS, Git, GitError, is_object_id
from sdd_hooks.system.git_errors import UNREACHABLE, remote_error
from sdd_hooks.system.processes import ProgramResult

MAX_PACK_BYTES = 200_000_000
"""Bytes of a file that git writes while it fetches."""

MAX_FILES = 5_000
"""Documents of a source that are fetched."""

MAX_TOTAL_BYTES = 50_000_000
"""Bytes of these files together."""

_BLOCK_BYTES = 512
"""A limit of the size of files is a multiple of this."""

LOOKUP_SECONDS = 30.0
"""Seconds for a source to report its commit."""

_REF = "refs/sdd/records"
_SETTINGS = (
    # A redirect could lead to another host, with the header of this one.
    "http.followRedirects=false",
    "protocol.version=2",
    "core.bigFileThreshold=48m",
    "fetch.unpackLimit=1",
    "fetch.uriProtocols=",
    # git would look for objects that the filter left out.
    "fetch.negotiationAlgorithm=noop",
    "transfer.bundleURI=false",
    "gc.auto=0",
)
_VARIABLES = {
    # git refuses every other transport, also behind a redirect or a setting of the user.
    "GIT_ALLOW_PROTOCOL": ":".join(TRANSPORTS),
    # git stops before it allocates memory for an object that claims to be larger.
    "GIT_ALLOC_LIMIT": "268435456",
}
_FILTER = "--filter=blob:none"


class FetchOptions(NamedTuple):
    """How to fetch. `access` holds git's variables for a host; `seconds` is for one transfer, in
    which git writes no file of more than `pack_bytes`."""

    access: Mapping[str, str] = MappingProxyType({})
    seconds: float = 60.0
    pack_bytes: int = MAX_PACK_BYTES


def fetch_source(
    repository: Repository,
    source: ExternalSource,
    options: FetchOptions,
    clock: Callable[[], float],
) -> Snapshot:
    """Fetch the commit that the default branch of a source has now, unless it is here.

    `clock` returns seconds since the epoch. The caller holds a lock. Raises AccessRefused and
    RemoteError; the snapshot before is then unchanged. Raises StorageError and OSError where
    nothing can be written.
    """
    directory = source_directory(repository, source)
    directory.mkdir(parents=True, exist_ok=True)
    _delete_unfinished(directory)
    before = read_snapshot(repository, source)
    with tempfile.TemporaryDirectory(prefix="new-", dir=directory) as temporary:
        fetch = _Fetch(Git(Path(temporary), repository.environ, bare=True), source, options)
        commit = fetch.look_up()
        last = snapshot_git(repository, source, commit)
        if (
            before is None
            or before.commit != commit
            or not fetch._replace(git=last).is_whole(commit)
        ):
            commit = fetch.transfer(commit)
            target = snapshot_git(repository, source, commit).root
            if target.exists():
                shutil.rmtree(target)
            fetch.git.root.rename(target)
            fetch.git.root.mkdir()
    snapshot = Snapshot(commit, clock())
    write_snapshot(repository, source, snapshot)
    # A process that reads the last one goes on.
    kept = frozenset({commit, before.commit if before else commit})
    for old in old_snapshots(directory, kept):
        shutil.rmtree(old, ignore_errors=True)
    return snapshot


def _delete_unfinished(directory: Path) -> None:
    """Delete what a fetch left that was killed."""
    for path in directory.glob("new-*"):
        if not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)


class _Fetch(NamedTuple):
    """A fetch into the bare repository of `git`, whose directory is empty at first."""

    git: Git
    source: ExternalSource
    options: FetchOptions

    @property
    def name(self) -> str:
        """What messages call the source."""
        return self.source.address.url

    def look_up(self) -> str:
        """The commit of the default branch."""
        self._init("sha1")
        url = self.source.address.url
        result = self._run("ls-remote", "--quiet", "--", url, "HEAD", seconds=LOOKUP_SECONDS)
        if result.code:
            raise self._error(UNREACHABLE, result)
        for line in result.out.splitlines():
            commit, _, name = line.partition("\t")
            if name == "HEAD" and is_object_id(commit):
                return commit
        raise RemoteError(f"{self.name} has no commit on its default branch: check the address")

    def transfer(self, commit: str) -> str:
        """Fetch the commit with the documents. Returns the one that was sent."""
        self._init("sha1" if len(commit) == 40 else "sha256")
        result = self._fetch("--depth=1", _FILTER, refspecs=(f"HEAD:{_REF}",))
        if result.code:
            raise self._error("does not send its commit", result)
        commit = self._sent_commit()
        wanted = self._wanted(commit)
        missing = self._missing(wanted)
        if missing and self._fetch(_FILTER, refspecs=missing).code:
            # A server may send no single files.
            self._init("sha1" if len(commit) == 40 else "sha256")
            result = self._fetch("--depth=1", refspecs=(f"HEAD:{_REF}",))
            if result.code:
                raise self._error("does not send its files", result)
            commit = self._sent_commit()
            wanted = self._wanted(commit)
            missing = self._missing(wanted)
        self._forget_remote(commit)
        if self._missing(wanted):
            raise RemoteError(f"{self.name} does not send all files: try again later")
        return commit

    def is_whole(self, commit: str) -> bool:
        """Whether the files of a commit that was fetched before are all here."""
        try:
            return not self._missing(self._wanted(commit))
        except (RemoteError, GitError):
            return False

    def _init(self, algorithm: str) -> None:
        for entry in list(self.git.root.iterdir()):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        init = Git(self.git.root, self.git.environ)
        init.output("init", "--quiet", "--bare", "--template=", f"--object-format={algorithm}")

    def _sent_commit(self) -> str:
        commit = self.git.output("rev-parse", "--verify", f"{_REF}^{{commit}}").decode().strip()
        self._forget_remote(commit)
        return commit

    def _forget_remote(self, commit: str) -> None:
        """Remove the remote that a fetch with a filter configures, so that git never asks it."""
        config = CONFIG if len(commit) == 40 else CONFIG_SHA256
        write_atomically(self.git.root / "config", config.encode())

    def _wanted(self, commit: str) -> list[str]:
        """The documents of a commit that may be records, or say where these are."""
        paths = self.source.paths
        try:
            result = self._run("ls-tree", "-r", "-z", commit, "--", *paths, seconds=LOOKUP_SECONDS)
        except RemoteError:
            # git asks no remote for this: the tree has too many files.
            reason = "has too many files to list: name the directory of the records"
            raise RemoteError(f"{self.name} {reason}") from None
        if result.code:
            raise self._error("cannot be read", result)
        wanted: dict[str, None] = {}
        for row in result.out.split("\0"):
            fields, _, path = row.partition("\t")
            mode, _, blob = fields.rpartition(" ")
            if mode[:3] == "100" and (paths or _may_be_read(path)) and _is_document(path):
                wanted[blob] = None
        if len(wanted) > MAX_FILES:
            count = f"{len(wanted):,} documents, and {MAX_FILES:,} are fetched at most"
            raise RemoteError(f"{self.name} has {count}: name the directory of the records")
        return list(wanted)

    def _missing(self, blobs: Sequence[str]) -> list[str]:
        """Those of the blobs that are not here. Raises RemoteError if the others are too large."""
        request = "".join(f"{blob}\n" for blob in blobs).encode()
        batch = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
        lines = self.git.output("cat-file", batch, stdin=request).decode().splitlines()
        rows = [line.split(" ") for line in lines]
        total = sum(int(row[2]) for row in rows if len(row) == 3)
        if total > MAX_TOTAL_BYTES:
            limit = f"over {MAX_TOTAL_BYTES // 1_000_000} MB of documents"
            raise RemoteError(f"{self.name} has {limit}: name the directory of the records")
        return [blob for blob, row in zip(blobs, rows, strict=True) if len(row) != 3]

    def _fetch(self, *arguments: str, refspecs: Sequence[str]) -> ProgramResult:
        return self._run(
            *(*FETCH_OBJECTS, *arguments, "--", self.source.address.url, *refspecs),
            seconds=self.options.seconds,
            max_file_bytes=self.options.pack_bytes,
        )

    def _run(self, *arguments: str, seconds: float, max_file_bytes: int = 0) -> ProgramResult:
        try:
            return self.git.remote(
                *arguments,
                timeout=seconds,
                access={**self.options.access, **_VARIABLES},
                # Without it, git would require every object that a fetched one reaches.
                settings=(*_SETTINGS, f"remote.{self.source.address.url}.promisor=true"),
                max_file_bytes=max_file_bytes,
            )
        except GitError as error:
            raise RemoteError(f"{self.name} {UNREACHABLE}: {error}") from None

    def _error(self, problem: str, result: ProgramResult) -> RemoteError:
        if self._reached_pack_limit():
            limit = f"over {self.options.pack_bytes // 1_000_000} MB"
            return RemoteError(f"{self.name} sends {limit}: name a smaller repository")
        return remote_error(self.name, problem, result.err, self.options.access)

    def _reached_pack_limit(self) -> bool:
        """Whether git stopped writing a pack: the versions of git report that differently."""
        room = self.options.pack_bytes - _BLOCK_BYTES
        packs = (self.git.root / "objects/pack").glob("tmp_*")
        return any(path.lstat().st_size >= room for path in packs)


def _may_be_read(path: str) -> bool:
    """Whether a file may be a record, or a memory file that declares where records are."""
    return path in MEMORY_FILE_NAMES or not {*path.split("/")[:-1]} & {*VENDORED}


def _is_document(path: str) -> bool:
    return path.lower().endswith(DOCUMENT_SUFFIXES)
