"""The code there is to import for an issue: definitions that a search found, and the helpers that
most files around them import."""

# Governing: SPEC-0026 REQ "Existing code first"

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from sdd_hooks.code.imports import find_imports, supports_imports
from sdd_hooks.code.paths import is_test
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.planning.work.brief import Convention, ExistingCode
from sdd_hooks.planning.work.definitions import code_family, is_shareable
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

MAX_SYMBOLS = 12
"""Definitions in a brief."""
SYMBOLS_PER_FILE = 4

_NAME_BONUS = 0.1
"""What a word of the request in the name of a definition adds to the score of its file."""

MAX_DIRECTORIES = 3
MAX_FILES = 30
"""Files of a directory that are read."""
MAX_NAMES = 4
"""Imports that are listed of a directory."""

_MIN_FILES = 3
_SHARE = 0.5
IMPORT_SEPARATOR = lazy_regex(r"[.:/\\]+")
"""What is between the parts of an imported name, whatever the language."""


def existing_definitions(
    hits: Iterable[Hit], query: str, read: Callable[[str], str]
) -> tuple[ExistingCode, ...]:
    """The definitions that hits of a search for `query` are about, the best first.

    Of a file they are those on the lines of the hit, and those whose name has a word of the query.
    `read` returns the text of a file, "" for none. Tests are left out.
    """
    words = set(map(stem, split_words(query)))
    best: dict[tuple[str, str], ExistingCode] = {}
    for hit in hits:
        text = "" if code_family(hit.path) is None or is_test(hit.path) else read(hit.path)
        rated = [(_rate(hit, words, one), one) for one in find_symbols(hit.path, text)]
        rated = sorted((one for one in rated if one[0]), key=lambda one: -one[0])
        for score, one in rated[:SYMBOLS_PER_FILE]:
            lines = (one.first_line, one.last_line)
            found = ExistingCode(
                one.path, one.name, one.signature, *lines, round(min(score, 1.0), 4), one.is_type
            )
            known = best.setdefault((one.path, one.name), found)
            if known.score < found.score:
                best[one.path, one.name] = found
    ranked = sorted(best.values(), key=lambda one: (-one.score, one.path, one.first_line))
    return tuple(ranked[:MAX_SYMBOLS])


def _rate(hit: Hit, words: set[str], symbol: Symbol) -> float:
    """The score of a definition in the file of a hit, 0 for one that it is not about."""
    if not is_shareable(symbol):
        return 0.0
    shared = len(words & set(map(stem, split_words(symbol.simple_name))))
    matched = symbol.first_line <= hit.last_line and hit.first_line <= symbol.last_line
    # A class around the matched method is not what was found.
    is_found = matched and (not symbol.is_type or symbol.first_line >= hit.first_line)
    return (
        hit.score * (1.0 if is_found else 0.8) + _NAME_BONUS * shared if is_found or shared else 0.0
    )


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
    parts = [part for part in IMPORT_SEPARATOR.split(name) if part]
    ends = (parts[start:stop] for stop in (len(parts), len(parts) - 1) for start in range(stop))
    return any("/".join(end) in places for end in ends if len(end) > 1)
