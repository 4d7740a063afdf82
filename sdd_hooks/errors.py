"""The errors people meet, as one tree, and the exit code each becomes.

SddError
├── RepositoryError       3  not a repository, bare, git itself failed
├── NotIndexed            4  no collections for this repository yet
├── ConfigurationError    5  a bad value, with file and line
├── EngineUnavailable     6  the chosen engine or model cannot run
├── StorageError          7  disk full, read-only, locked
│   └── IndexDamaged      7  the index is not a sound database
└── RemoteError           8  another host did not do what was asked
    ├── AccessRefused     8  it wants a token, or another one
    ├── RateLimited       8  it wants to be asked later
    └── Missing           8  it does not have, or does not show, what was asked for

Exit codes besides: 0 success, 1 findings (something checked is not right), 2 usage,
70 a bug in sdd (with the log to report), 130 interrupted. `cli/entry.py` translates, once.
"""

from __future__ import annotations

from pathlib import Path

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class SddError(Exception):
    """Something a person can act on. `str(error)` is one line: what, where, what to do."""

    exit_code = EXIT_FINDINGS
    code = "error"


class RepositoryError(SddError):
    """The directory is not a usable git repository, or git refused."""

    exit_code = 3
    code = "repository"


class NotIndexed(SddError):
    """The repository has no collections in the chosen engine."""

    exit_code = 4
    code = "not-indexed"


class ConfigurationError(SddError):
    """A value somebody wrote cannot be used. Carries where it stands."""

    exit_code = 5
    code = "configuration"

    def __init__(self, message: str, path: Path | str, line: int = 0) -> None:
        where = f"{path}:{line}" if line else str(path)
        super().__init__(f"{where}: {message}")
        self.path = Path(path)
        self.line = line


class EngineUnavailable(SddError):
    """The chosen engine or embedding model cannot run here."""

    exit_code = 6
    code = "engine"


class StorageError(SddError):
    """The index cannot be read or written: disk full, read-only, locked."""

    exit_code = 7
    code = "storage"


class IndexDamaged(StorageError):
    """The index file is not a database, not a sound one, or not ours."""

    code = "damaged"


class RemoteError(SddError):
    """A tracker or a forge cannot be reached, or did not do what was asked."""

    exit_code = 8
    code = "remote"


class AccessRefused(RemoteError):
    """It refuses who asks: no token, a wrong one, or one that may not do this."""

    code = "access"


class RateLimited(RemoteError):
    """It asks to be left alone for longer than this run waits. `until` is when (epoch seconds)."""

    code = "rate-limit"

    def __init__(self, message: str, until: float) -> None:
        super().__init__(message)
        self.until = until


class Missing(RemoteError):
    """What was asked for is not there, or not for who asks. `moved` is where it went, or ""."""

    code = "missing"

    def __init__(self, message: str, moved: str = "") -> None:
        super().__init__(message)
        self.moved = moved
