"""Keep compiled regular expressions beside Python's byte code, so that one process compiles them.

Ninety patterns take a quarter of the time of a search to compile. The compiled form is a list of
integers that `re` passes to `_sre.compile`. Both are private to CPython: a table serves the version
of Python that wrote it, and what is missing or different leaves the work to `re.compile`. As byte
code, a table is written where the package may be, and not with PYTHONDONTWRITEBYTECODE.
"""

# Governing: ADR-0071 (compiled patterns are kept beside byte code)

from __future__ import annotations

import atexit
import marshal
import os
import re
import sys
import zlib
from array import array
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from typing import AnyStr

try:
    import _sre  # type: ignore[import-not-found]
    from re import _compiler, _parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10, or another implementation
    _sre = None

_KEY = (sys.version, getattr(_sre, "MAGIC", 0), sys.byteorder)
_MAX_PATTERNS = 2_000
"""Those of old versions of the package are dropped with all others above this number."""

_Row = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
_Rows = dict[tuple[str | bytes, int], _Row]

_new: _Rows = {}


def compile_pattern(pattern: AnyStr, flags: int) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, from the table if it is there. Raises `re.error`."""
    if not _sre:
        return re.compile(pattern, flags)
    key = pattern, int(flags)
    try:
        row = _kept().get(key) or _compile(*key)
        compiled = _restore(pattern, row)
    except (AttributeError, TypeError, ValueError, RuntimeError, OverflowError):
        return re.compile(pattern, flags)
    if key not in _kept():
        if not _new:
            atexit.register(_keep)
        _new[key] = row
    return compiled


@cache
def _kept() -> _Rows:
    return _read(_path())


def _compile(pattern: str | bytes, flags: int) -> _Row:
    """What `re._compiler.compile` passes to `_sre.compile`."""
    parsed = _parser.parse(pattern, flags)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    code = array("I", _compiler._code(parsed, flags)).tobytes()
    return int(flags | state.flags), code, state.groups - 1, dict(state.groupdict), tuple(names)


def _restore(pattern: AnyStr, row: _Row) -> re.Pattern[AnyStr]:
    flags, code, groups, by_name, names = row
    restored: re.Pattern[AnyStr] = _sre.compile(
        pattern, flags, array("I", code).tolist(), groups, by_name, names
    )
    return restored


def _path() -> str:
    return cache_from_source(__file__).removesuffix(".pyc") + ".patterns"


def _read(path: str) -> _Rows:
    """The rows of a table, none where it is missing, damaged, or of another Python."""
    with suppress(OSError, ValueError, TypeError, EOFError):
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
        if data[:4] == _checksum(data[4:]):
            key, rows = marshal.loads(data[4:])  # noqa: S302  (as trusted as byte code beside it)
            if key == _KEY and len(rows) <= _MAX_PATTERNS:
                return dict(rows)
    return {}


def _keep() -> None:
    """Write the table with the patterns that this process compiled."""
    if sys.dont_write_bytecode:
        return
    path = _path()
    temporary = f"{path}.{os.getpid()}"
    content = marshal.dumps((_KEY, {**_read(path), **_new}))
    try:
        with open(temporary, "xb") as file:  # noqa: PTH123
            file.write(_checksum(content) + content)
        os.replace(temporary, path)  # noqa: PTH105
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "big")
