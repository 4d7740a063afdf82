"""Check the file of vectors, and rebuild a damaged one from its sound rows.

A check reads every row, so that a file which has not changed since its last check is not checked
again for a week. The result of the last check is in the file `vectors.checked`.
"""

# Governing: ADR-0028 (a vector is used only if it is sound), ADR-0012 (untrusted input)

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from zlib import crc32

import apsw

from sdd_hooks.engines.embedded.database import (
    ImpossibleValue,
    WrittenByNewer,
    open_database,
    open_without_checksums,
    remove_mark,
    replace_note,
    transaction,
    translate_errors,
    typed,
)
from sdd_hooks.engines.embedded.schema import VECTORS
from sdd_hooks.errors import IndexDamaged, SddError, StorageError
from sdd_hooks.system.files import read_inside, write_atomically

CHECKED = "vectors.checked"

MAX_AGE_SECONDS = 7 * 86_400
"""After this time even an unchanged file is checked again: a disk may lose what it stored."""

_MAX_STATE_BYTES = 200
_MIN_ROW_BYTES = 40

_Row = tuple[int, bytes, bytes, int, int]


def model_checksum(model: int, name: str, storage: str, dimensions: int, measured: int) -> int:
    """Return the checksum of a row of `models`."""
    return crc32(f"{model}\0{storage}\0{dimensions}\0{measured}\0{name}".encode())


def vector_checksum(model: int, key: bytes, vector: bytes, pulled: int) -> int:
    """Return the checksum of a row of `vectors`."""
    return crc32(vector, crc32(key, crc32(f"{model}\0{pulled}\0".encode())))


def find_fault(path: Path) -> str:
    """Return what is wrong with the file at `path`; "" for a sound or missing file.

    Raises:
        WrittenByNewer: a newer sdd wrote it.
        StorageError: it is locked or cannot be read.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return f"{path} is not a regular file"
        with closing(open_database(path, VECTORS)) as store, translate_errors(path):
            if reason := _find_fault(store):
                raise ImpossibleValue(reason)
    except FileNotFoundError:
        return ""
    except WrittenByNewer:
        raise
    except IndexDamaged as error:
        return str(error).partition(": run")[0]
    except OSError as error:
        raise StorageError(f"cannot read {path} ({error.strerror}): check its directory") from None
    remove_mark(path)
    return ""


def rebuild(path: Path, reason: str) -> str:
    """Set the file aside, and copy its sound rows into a new one. Returns a note about it.

    Raises StorageError.
    """
    with translate_errors(path):
        note = replace_note(path, reason)
        aside = path.with_name(note.rpartition(" ")[2])
        with closing(open_database(path, VECTORS)) as store, transaction(store):
            kept = _copy_sound_rows(aside, store)
    return f"{note}, {kept:,} of its vectors are kept"


def is_checked(path: Path, now: float) -> bool:
    """Whether the file has not changed since it was found sound, at most a week before `now`."""
    try:
        text = read_inside(path.parent, CHECKED, _MAX_STATE_BYTES).decode()
        state, _, time = text.rpartition(" ")
        return state == _state(path) and 0 <= now - float(time) <= MAX_AGE_SECONDS
    except (OSError, ValueError, SddError):
        return False


def mark_checked(path: Path, state: str, now: float) -> None:
    """Store that the file was sound in this state. A failure to write is ignored."""
    with suppress(StorageError):
        write_atomically(path.with_name(CHECKED), f"{state} {now}".encode())


def file_state(path: Path) -> str:
    """Return what changes with every write to the file; "" for a missing one."""
    try:
        return _state(path)
    except OSError:
        return ""


def _state(path: Path) -> str:
    journal = Path(f"{path}-wal")
    files = [path, journal] if journal.exists() and journal.stat().st_size else [path]
    statuses = [file.stat() for file in files]
    return " ".join(f"{one.st_size}.{one.st_mtime_ns}.{one.st_ino}" for one in statuses)


def _find_fault(store: apsw.Connection) -> str:
    result = store.execute("PRAGMA integrity_check(1)").get
    if result != "ok":
        return " ".join(str(result).split())
    if not all(
        row[-1] == model_checksum(*row[:-1]) for row in typed(store.execute(_MODELS), *_MODEL_TYPES)
    ):
        return "a model does not match its checksum"
    if not all(_is_sound(row) for row in typed(store.execute(_VECTORS), *_VECTOR_TYPES)):
        return "a vector does not match its checksum"
    return ""


_MODEL_TYPES = (int, str, str, int, int, int)
_VECTOR_TYPES = (int, bytes, bytes, int, int)
_MODELS = "SELECT id, name, storage, dimensions, measured, checksum FROM models"
_VECTORS = "SELECT model, hash, vector, pulled, checksum FROM vectors"


def _is_sound(row: _Row) -> bool:
    model, key, vector, pulled, checksum = row
    return vector_checksum(model, key, vector, pulled) == checksum


def _copy_sound_rows(aside: Path, store: apsw.Connection) -> int:
    """Copy the rows that match their checksums. Returns how many vectors were copied."""
    limit = aside.lstat().st_size // _MIN_ROW_BYTES
    copied = 0
    for row in islice(_sound_rows(aside, _MODELS), limit):
        store.execute("INSERT OR IGNORE INTO models VALUES(?, ?, ?, ?, ?, ?)", row)
    models = {row[0] for row in store.execute("SELECT id FROM models")}
    for row in islice(_sound_rows(aside, _VECTORS), limit):
        if row[0] in models:
            store.execute("INSERT OR IGNORE INTO vectors VALUES(?, ?, ?, ?, ?)", row)
            copied += store.changes()
    return copied


def _sound_rows(aside: Path, query: str) -> Iterator[tuple[apsw.SQLiteValue, ...]]:
    """Yield the sound rows up to the first that cannot be read."""
    # What can go wrong depends on the damage: all that is lost can be computed again.
    with suppress(apsw.Error, SddError, UnicodeDecodeError, OSError):
        if not stat.S_ISREG(aside.lstat().st_mode):
            return
        with closing(open_without_checksums(aside)) as store:
            for row in store.execute(query):
                with suppress(TypeError, AttributeError):
                    is_vector = query is _VECTORS
                    if _is_sound(row) if is_vector else row[-1] == model_checksum(*row[:-1]):
                        yield row
