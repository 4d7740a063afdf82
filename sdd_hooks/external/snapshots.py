"""What was fetched last of each source: a bare repository with one commit, and a file about it.

All is below `sdd/records` of the git directory that the worktrees share, so that no ref, object or
setting of the repository changes. It may be deleted at any time.
"""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0006 (where derived
# state lives)

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.external_sources import ExternalSource
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_state, state_directory, write_atomically
from sdd_hooks.system.git import Git, is_object_id
from sdd_hooks.text.lazy_regex import lazy_regex

DIRECTORY = "records"

STATE_FILE = "state.json"

CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
CONFIG_SHA256 = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
)
"""The whole configuration of a fetched repository: it names no remote to fetch from later."""

_MAX_STATE_BYTES = 4_000
_SUFFIX = ".git"
_DIRECTORY_NAME = lazy_regex(r"[0-9a-f]{20}")
_NAME = lazy_regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\.git")


class Snapshot(NamedTuple):
    """The commit of a source that was fetched last, and when the source last had it.

    `fetched` is in seconds since the epoch.
    """

    commit: str
    fetched: float


def records_directory(repository: Repository) -> Path:
    """The directory of all sources. Raises StorageError if it is a symlink."""
    return state_directory(repository.shared_dir, DIRECTORY)


def source_directory(repository: Repository, source: ExternalSource) -> Path:
    """The directory of a source: what is fetched depends on its address and its directories.

    Raises StorageError if it is a symlink.
    """
    return state_directory(records_directory(repository), _directory_name(source))


def _directory_name(source: ExternalSource) -> str:
    identity = "\0".join((source.address.url, *source.paths))
    return sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def snapshot_git(repository: Repository, source: ExternalSource, commit: str) -> Git:
    """git in the bare repository with a commit of a source. Raises StorageError for a symlink."""
    directory = state_directory(source_directory(repository, source), f"{commit}{_SUFFIX}")
    return Git(directory, repository.environ, bare=True)


def read_snapshot(repository: Repository, source: ExternalSource) -> Snapshot | None:
    """The snapshot of a source; None if it was never fetched, or its files were damaged."""
    try:
        return _read_snapshot(source_directory(repository, source))
    except StorageError:
        return None


def _read_snapshot(directory: Path) -> Snapshot | None:
    try:
        state = json.loads(read_state(directory / STATE_FILE, _MAX_STATE_BYTES))
        commit, fetched = state["commit"], state["fetched"]
        is_valid = is_object_id(commit) and type(fetched) in {int, float} and 0 <= fetched < 1e12
        if is_valid and state_directory(directory, f"{commit}{_SUFFIX}").is_dir():
            return Snapshot(commit, float(fetched))
    except (OSError, StorageError, ValueError, LookupError, TypeError):
        pass
    return None


def write_snapshot(repository: Repository, source: ExternalSource, snapshot: Snapshot) -> None:
    """Store which commit is the current one. Raises OSError and StorageError."""
    state = {"url": source.address.url, **snapshot._asdict()}
    directory = source_directory(repository, source)
    write_atomically(directory / STATE_FILE, json.dumps(state).encode())


def undeclared_directories(
    repository: Repository, sources: Sequence[ExternalSource], before: float
) -> list[Path]:
    """The directories of other sources than these, that were last fetched before a time.

    `before` is in seconds since the epoch. Raises OSError and StorageError.
    """
    declared = set(map(_directory_name, sources))
    found = []
    for path in records_directory(repository).iterdir():
        if _DIRECTORY_NAME.fullmatch(path.name) and path.name not in declared:
            snapshot = None if path.is_symlink() else _read_snapshot(path)
            fetched = snapshot.fetched if snapshot else path.lstat().st_mtime
            if fetched < before and not path.is_symlink():
                found.append(path)
    return found


def old_snapshots(directory: Path, kept: frozenset[str]) -> list[Path]:
    """The fetched repositories of a source whose commits are not in `kept`. Raises OSError."""
    return [
        path
        for path in directory.iterdir()
        if _NAME.fullmatch(path.name)
        and not path.is_symlink()
        and path.name.removesuffix(_SUFFIX) not in kept
    ]
