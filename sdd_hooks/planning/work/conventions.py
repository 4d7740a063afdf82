"""What the files around the existing code have in common: the helpers that most of them import."""

# Governing: SPEC-0026 REQ "Existing code first"

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from sdd_hooks.code.imports import find_imports, supports_imports
from sdd_hooks.code.paths import is_test
from sdd_hooks.planning.work.brief import Convention
from sdd_hooks.planning.work.reuse import code_family

MAX_DIRECTORIES = 3
MAX_FILES = 30
"""Files of a directory that are read."""
MAX_NAMES = 4
"""Imports that are listed of a directory."""

_MIN_FILES = 3
_SHARE = 0.5
_SEPARATOR = re.compile(r"[.:/\\]+")


def find_conventions(
    directories: Iterable[str], paths: Sequence[str], read: Callable[[str], bytes]
) -> tuple[Convention, ...]:
    """The modules of this repository that at least half of the files of a directory import.

    `paths` are all files of the repository; `read` returns the content of one.
    """
    places = {place for path in paths if code_family(path) is not None for place in _places(path)}
    beside: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if supports_imports(path) and code_family(path) is not None and not is_test(path):
            beside[posixpath.dirname(path)].append(path)
    found: list[Convention] = []
    for directory in list(dict.fromkeys(directories))[:MAX_DIRECTORIES]:
        found += _of_directory(directory, beside[directory][:MAX_FILES], places, read)
    return tuple(found)


def _of_directory(
    directory: str, files: Sequence[str], places: set[str], read: Callable[[str], bytes]
) -> Iterator[Convention]:
    users: dict[str, list[str]] = defaultdict(list)
    for path in files:
        imported = {one.name for one in find_imports(path, read(path), parse=False).found}
        for name in imported:
            if _is_own(name, places):
                users[name].append(path)
    common = [
        Convention(directory, name, len(using), len(files), using[0])
        for name, using in users.items()
        if len(files) >= _MIN_FILES and len(using) >= _SHARE * len(files)
    ]
    common.sort(key=lambda one: (-one.uses, one.name))
    yield from common[:MAX_NAMES]


def _places(path: str) -> Iterator[str]:
    """The ends of a path, without its suffix, and of its directory, by which it is imported."""
    stem = path.rpartition(".")[0] or path
    for whole in (stem, posixpath.dirname(path)):
        parts = whole.split("/")
        for start in range(max(0, len(parts) - 4), len(parts)):
            end = "/".join(parts[start:])
            # One word alone is as often the name of a package from elsewhere.
            if "/" in end or start == 0:
                yield end


def _is_own(name: str, places: set[str]) -> bool:
    """Whether an imported name is that of a file or a directory of this repository."""
    parts = [part for part in _SEPARATOR.split(name) if part]
    ends = (parts[start:stop] for stop in (len(parts), len(parts) - 1) for start in range(stop))
    return any("/".join(end) in places for end in ends if len(end) > 1)
