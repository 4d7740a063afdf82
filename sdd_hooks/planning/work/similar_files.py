"""The files of a tree that may have a definition like a new one: those that share its rare words.

Every file is split into words once. Only the files found here are searched for definitions.
"""

# Governing: ADR-0053 (a duplicate is found by its name and its code)

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

from sdd_hooks.code.symbols import Symbol, without_comments
from sdd_hooks.planning.work.likeness import split_name

FILES_PER_SYMBOL = 16
"""Files that are searched for each new definition."""

_MIN_COMMON = 40
"""Files that a word may be in and still be rare, however small the tree is."""
_COMMON_SHARE = 0.04
"""The share of files from which on a word is common. Common words select no files."""

# Every byte that is part of no word becomes a space.
_WORD_BYTES = bytes(
    code if chr(code).isalnum() or code == ord("_") or code > 127 else ord(" ")
    for code in range(256)
)


class WordIndex:
    """Which files have the words of new definitions."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._words = {
            symbol: text_words(without_comments(symbol.path, symbol.text)) for symbol in symbols
        }
        self._spellings = {symbol: _spellings(symbol.simple_name) for symbol in symbols}
        self._wanted = frozenset[bytes]().union(*self._words.values(), *self._spellings.values())
        self._files: dict[bytes, list[str]] = defaultdict(list)
        self._count = 0

    def add(self, path: str, data: bytes) -> None:
        """Take the words of a file into the index."""
        self._count += 1
        for word in self._wanted.intersection(data.translate(_WORD_BYTES).split()):
            self._files[word].append(path)

    def words_of(self, symbol: Symbol) -> frozenset[bytes]:
        """The words of a definition that the index was made for."""
        return self._words[symbol]

    def similar_files(self, symbol: Symbol, accepts: Callable[[str], bool]) -> Sequence[str]:
        """The accepted files that share most rare words with a definition, the best first.

        Files with its name, in any spelling, come first: they define or use it.
        """
        limit = max(_MIN_COMMON, _COMMON_SHARE * self._count)
        shared: dict[str, float] = defaultdict(float)
        for word in sorted(self._words[symbol]):
            paths = self._files.get(word, ())
            if len(paths) <= limit:
                weight = math.log((self._count + 1) / (len(paths) or 1))
                for path in paths:
                    shared[path] += weight
        spellings = self._spellings[symbol]
        named = {path for name in spellings for path in self._files.get(name, ())}
        shared.update(dict.fromkeys(named - shared.keys(), 0.0))
        ranked = sorted(shared, key=lambda path: (path not in named, -shared[path], path))
        accepted = (path for path in ranked if accepts(path))
        return [path for path, _ in zip(accepted, range(FILES_PER_SYMBOL), strict=False)]


def _spellings(name: str) -> frozenset[bytes]:
    """A name as it is, and in the spellings of other languages and authors."""
    words = split_name(name)
    title = [word.title() for word in words]
    camel = "".join((*words[:1], *title[1:]))
    found = (name, "_".join(words), "_".join(words).upper(), "".join(title), camel, f"_{camel}")
    return frozenset(one.encode("utf-8", "surrogatepass") for one in found if one)


def text_words(text: str) -> frozenset[bytes]:
    """The words of a text, without numbers and those of one or two letters."""
    words = text.encode("utf-8", "surrogatepass").translate(_WORD_BYTES).split()
    return frozenset(word for word in words if len(word) > 2 and not word[:1].isdigit())
