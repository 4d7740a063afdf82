"""The file of vectors beside an open index: attached when needed, repaired when damaged."""

# Governing: ADR-0028 (a vector is used only if it is sound), ADR-0013 (hybrid search)

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from sdd_hooks.engines.embedded import vector_file
from sdd_hooks.engines.embedded.database import (
    WrittenByNewer,
    database_uri,
    is_marked,
    open_database,
    translate_errors,
)
from sdd_hooks.engines.embedded.schema import VECTORS
from sdd_hooks.errors import IndexDamaged, StorageError
from sdd_hooks.system.locks import hold_lock

LOCK = "embed.lock"


class AttachedVectors:
    """The file at `path`, attached as `store` to the connection of an index.

    A search goes on by words when the file cannot be used.
    """

    def __init__(self, connection: apsw.Connection, path: Path, clock: Callable[[], float]) -> None:
        self.path = path
        self._notes: list[str] = []
        self._connection = connection
        self._clock = clock
        self._attached = ""
        self._is_usable = True
        self._is_sound = False
        self._has_written = False

    @property
    def lock(self) -> Path:
        """The lock of what writes many vectors."""
        return self.path.with_name(LOCK)

    def attach(self) -> bool:
        """Attach the file if it exists and can be used. Returns whether it is attached.

        Raises IndexDamaged.
        """
        if self._attached or not self._is_usable:
            return bool(self._attached)
        try:
            if self._exists():
                self._attach()
        except WrittenByNewer as error:
            self.give_up(str(error))
        except IndexDamaged:
            raise
        except StorageError as error:
            self.give_up(str(error))
        return bool(self._attached)

    def create(self) -> None:
        """Attach the file for writing, and create it if it is missing.

        Raises IndexDamaged and StorageError.
        """
        try:
            if not self._attached:
                self._attach()
        except WrittenByNewer as error:
            reason = str(error).partition(": run")[0]
            raise StorageError(f"{reason}: update this one") from None
        self._has_written = True

    def require_sound(self) -> None:
        """Check the attached file unless it has not changed since a check. Raises IndexDamaged."""
        if self._is_sound:
            return
        if is_marked(self.path) or not vector_file.is_checked(self.path, self._clock()):
            state = vector_file.file_state(self.path)
            fault = vector_file.find_fault(self.path)
            if fault:
                raise IndexDamaged(fault)
            vector_file.mark_checked(self.path, state, self._clock())
        self._is_sound = True

    def repair(self) -> bool:
        """Rebuild a damaged file, or stop using it. Returns False if it is sound."""
        attached = self._attached
        self._detach()
        if attached and attached != self._identity():
            # Another process has rebuilt it meanwhile.
            return True
        try:
            if not (fault := vector_file.find_fault(self.path)):
                return False
            with hold_lock(self.lock, 0.0) as is_locked:
                if is_locked:
                    self._notes.append(vector_file.rebuild(self.path, fault))
                else:
                    self.give_up(f"{fault}, and another process embeds: try again after it")
        except (StorageError, OSError) as error:
            self.give_up(str(error))
        return True

    def give_up(self, reason: str) -> None:
        """Go on without vectors."""
        self._detach()
        self._is_usable = False
        self._notes.append(f"searched by words only: {reason.partition(': run')[0]}")

    def take_notes(self) -> tuple[str, ...]:
        """Return what users should know that was not returned before."""
        notes = tuple(self._notes)
        self._notes.clear()
        return notes

    def close(self) -> None:
        """Store that the file is sound, after the connection was closed.

        What this process has added to a sound file needs no check.
        """
        if self._is_sound and self._has_written:
            vector_file.mark_checked(self.path, vector_file.file_state(self.path), self._clock())

    def _attach(self) -> None:
        if self._exists() and (self.path.is_symlink() or not self.path.is_file()):
            raise IndexDamaged(f"{self.path} is not a regular file")
        with closing(open_database(self.path, VECTORS)) as store:
            # SQLite reads a file on a read-only file system only if declared immutable.
            source = database_uri(self.path, immutable=bool(store.readonly("main")))
        with translate_errors(self.path):
            self._connection.execute("ATTACH DATABASE ? AS store", (source,))
        self._attached = self._identity()

    def _detach(self) -> None:
        self._is_sound = False
        if self._attached:
            self._connection.execute("DETACH DATABASE store")
            self._attached = ""

    def _exists(self) -> bool:
        try:
            self.path.lstat()
        except FileNotFoundError:
            return False
        except OSError as error:
            reason = f"cannot use {self.path} ({error.strerror})"
            raise StorageError(f"{reason}: check its directory") from None
        return True

    def _identity(self) -> str:
        try:
            status = self.path.stat()
        except OSError:
            return "missing"
        return f"{status.st_dev}.{status.st_ino}"
