"""The files in the scope of a discovery, each read once, and what each is for."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Evidence",
# ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sdd_hooks.changes.work_tree import WorkFiles
from sdd_hooks.code.dependencies import is_manifest
from sdd_hooks.code.paths import is_external, is_generated, is_production_code, is_test
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import is_binary
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_BYTES = 1 << 20
"""Bytes of a file. A larger one is not read."""
MAX_TOTAL = 512 << 20
"""Bytes of all files. The rest is not read."""
MAX_FILES = 100_000
"""Files that are looked at."""

_REGULAR = "100"
_SAMPLE = lazy_regex(
    r"(?:^|/)(?:__)?(?:fixtures?|test[_-]?data|snapshots?|golden|cassettes|mocks?|samples?"
    r"|recorded|examples?|demos?|playground|experiments?|prototypes?|spikes?)(?:__)?/",
    re.IGNORECASE,
)
_TEMPLATES = lazy_regex(r"(?:^|/)[^/]*templates?/", re.IGNORECASE)


class TreeFile(NamedTuple):
    """A file that people write, and whether it belongs to the tests."""

    path: str
    is_test: bool

    @property
    def folder(self) -> str:
        """The path of its directory, "" for the root."""
        return self.path.rpartition("/")[0]


class SourceTree:
    """The files of a work tree for which `contains` is true. `notes` says what is not read."""

    def __init__(self, files: WorkFiles, contains: Callable[[str], bool]) -> None:
        self._files = files
        self._read_bytes = 0
        self._large: list[str] = []
        self._is_exhausted = False
        self._last = ("", b"")
        listed = [path for mode, _, path in files.entries() if mode.startswith(_REGULAR)]
        self.all_paths: Sequence[str] = listed
        inside = [path for path in listed if contains(path)]
        self._left_out = max(0, len(inside) - MAX_FILES)
        self.files = tuple(_written(inside[:MAX_FILES]))

    def data(self, path: str) -> bytes:
        """The content of a file; empty if it is too large or cannot be read."""
        # Its readers ask one after the other.
        if path != self._last[0]:
            self._last = (path, self._read(path))
        return self._last[1]

    def text(self, path: str) -> str:
        """The text of a file; "" if it is too large, is binary, or cannot be read."""
        data = self.data(path)
        return "" if is_binary(data) else decode(data)

    def _read(self, path: str) -> bytes:
        if self._is_exhausted:
            return b""
        data = self._files.read(path, MAX_BYTES)
        if data is None:
            return b""
        if len(data) > MAX_BYTES:
            self._large.append(path)
            return b""
        self._read_bytes += len(data)
        self._is_exhausted = self._read_bytes > MAX_TOTAL
        return data

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not read, a line for each reason."""
        found = []
        large = list(dict.fromkeys(self._large))
        if large:
            more = f" and {len(large) - 1:,} more" if len(large) > 1 else ""
            found.append(f"{large[0]}{more}: larger than {MAX_BYTES >> 20} MB, not read")
        if self._is_exhausted:
            found.append(f"more than {MAX_TOTAL >> 20} MB: name a directory, the rest is not read")
        if self._left_out:
            found.append(f"{self._left_out:,} files more than {MAX_FILES:,}: name a directory")
        return tuple(found)


def _written(paths: Iterable[str]) -> Iterator[TreeFile]:
    for path in paths:
        if is_written(path):
            yield TreeFile(path, is_test(path))


def is_written(path: str) -> bool:
    """Whether the file is a part of the program that people write: no example, no vendored code.

    A manifest among templates belongs to what they generate.
    """
    if is_external(path) or is_generated(path):
        return False
    folder = path.rpartition("/")[0]
    stands_for = f"{folder}/file" if folder else "file"
    if _SAMPLE.search(f"{folder}/") or (is_manifest(path) and _TEMPLATES.search(f"{folder}/")):
        return False
    return is_production_code(stands_for) or is_test(stands_for)
