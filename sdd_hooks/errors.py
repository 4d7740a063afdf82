"""The errors that a user sees, as one tree, and their exit codes.

SddError
├── RepositoryError       3  no repository, a bare one, or git failed
├── NotIndexed            4  no collections of this repository
├── ConfigurationError    5  an invalid value, with file and line
├── EngineUnavailable     6  the chosen engine or model cannot run
├── StorageError          7  disk full, read-only, locked
│   └── IndexDamaged      7  the index is corrupt
└── RemoteError           8  a request to another host failed
    ├── AccessRefused     8  the token is missing, wrong or not sufficient
    ├── RateLimited       8  the host accepts requests later
    └── Missing           8  the resource does not exist, or is hidden

Other exit codes: 0 success, 1 findings, 2 usage, 70 a bug in sdd (with the log to report),
130 interrupted. `cli/entry.py` turns an error into its exit code.
"""

from __future__ import annotations

from pathlib import Path

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class SddError(Exception):
    """An error that a user can act on. `str(error)` is one line: what, where, what to do."""

    exit_code = EXIT_FINDINGS
    code = "error"


class RepositoryError(SddError):
    """The directory is not a usable git repository, or git failed."""

    exit_code = 3
    code = "repository"


class NotIndexed(SddError):
    """The repository has no collections in the chosen engine."""

    exit_code = 4
    code = "not-indexed"


class ConfigurationError(SddError):
    """A value in a configuration file is invalid. The message begins with the file and line."""

    exit_code = 5
    code = "configuration"

    def __init__(self, message: str, path: Path | str, line: int = 0) -> None:
        location = f"{path}:{line}" if line else str(path)
        super().__init__(f"{location}: {message}")
        self.path = Path(path)
        self.line = line


class EngineUnavailable(SddError):
    """The chosen engine or embedding model cannot run on this machine."""

    exit_code = 6
    code = "engine"


class StorageError(SddError):
    """The index cannot be read or written: disk full, read-only, locked."""

    exit_code = 7
    code = "storage"


class StorageBusy(StorageError):
    """The server did not answer in time, such as while another job has locked its tables."""


class IndexDamaged(StorageError):
    """The index file is not a database, is corrupt, or belongs to another program."""

    code = "damaged"


class RemoteError(SddError):
    """A tracker or a forge cannot be reached, or a request to it failed."""

    exit_code = 8
    code = "remote"


class AccessRefused(RemoteError):
    """The host denies access: the token is missing, wrong, or lacks a permission."""

    code = "access"


class RateLimited(RemoteError):
    """The rate limit lasts longer than this run waits. It ends at `until` (epoch seconds)."""

    code = "rate-limit"

    def __init__(self, message: str, until: float) -> None:
        super().__init__(message)
        self.until = until


class Missing(RemoteError):
    """The resource does not exist, or is hidden. `moved` is its new address, "" if unknown."""

    code = "missing"

    def __init__(self, message: str, moved: str = "") -> None:
        super().__init__(message)
        self.moved = moved
