"""What a qmd that failed said, as the error that tells people what to do."""

# Governing: ADR-0010 (one error tree), SPEC-0006 REQ "A damaged index"

from __future__ import annotations

from sdd_hooks.engines.qmd.group import ProgramResult
from sdd_hooks.engines.qmd.output import complaint
from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, SddError, StorageError

# What SQLite says, which qmd hands on.
_DAMAGED = ("is malformed", "not a database", "malformed database schema", "no such table")
_LOCKED = ("database is locked", "SQLITE_BUSY")
_FULL = ("database or disk is full", "ENOSPC")
_READ_ONLY = ("readonly database", "unable to open database", "EACCES", "EROFS", "disk I/O error")


def failure(what: str, done: ProgramResult, place: Place) -> SddError:
    """The error for `qmd what`, which ended as `done`."""
    said = f"{done.err}\n{done.out}"
    reason = complaint(done.out, done.err)
    if _says(said, _DAMAGED):
        return IndexDamaged(f"{place.database} is damaged: run `sdd index update`")
    if _says(said, _LOCKED):
        return StorageError(
            f"{place.database} is locked by another process: try again when it has finished"
        )
    if _says(said, _FULL):
        return StorageError(
            f"no space left to write {place.database}: free some, then run `sdd index update`"
        )
    if _says(said, _READ_ONLY):
        return StorageError(f"cannot use {place.database} ({reason}): check its directory")
    return EngineUnavailable(f"qmd {what} failed: {reason}")


def _says(said: str, signs: tuple[str, ...]) -> bool:
    return any(sign in said for sign in signs)
