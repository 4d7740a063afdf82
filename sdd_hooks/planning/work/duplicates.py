"""New definitions that duplicate existing ones, by their names and their code, and functions whose
name has another body already.

Every file of the tree is split into words once. Only the files that share the rare words of a new
definition are searched for definitions.
"""

# Governing: ADR-0053 (a duplicate is found by its name and its code),
# SPEC-0026 REQ "Check of a branch"

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sdd_hooks import tracing
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.paths import is_test
from sdd_hooks.code.source_files import is_hand_written
from sdd_hooks.code.symbols import Symbol, find_symbols, without_comments
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.definitions import (
    can_import,
    code_family,
    is_named_function,
    is_overload,
    is_shareable,
)
from sdd_hooks.planning.work.likeness import (
    Fingerprint,
    Likeness,
    compare,
    split_name,
    take_fingerprint,
)

MAX_FILE_BYTES = 400_000
"""Bytes of a file that is searched. A larger one is generated."""
MIN_TOKENS = 15
"""Tokens of a definition that is compared. A shorter one is as easily written as imported."""

# Fitted to the history of public repositories (`benchmarks/duplicates`).
_NAME_WEIGHT = 0.3
_CONVENTION = ((8, 0.3), (3, 0.15))
"""What speaks against a duplicate: that so many existing definitions have the name."""
_THRESHOLD = 1.0
_MIN_SHARED_WORDS = 0.25

FILES_PER_SYMBOL = 16
"""Files that are searched for each new definition, four times as many if they have its name."""

_MIN_COMMON = 40
"""Files that a word may be in and still be rare, however small the tree is."""
_COMMON_SHARE = 0.04
"""The share of files from which on a word is common. Common words select no files."""

# Every byte that is part of no word becomes a space.
_WORD_BYTES = bytes(
    code if chr(code).isalnum() or code == ord("_") or code > 127 else ord(" ")
    for code in range(256)
)


class Duplicate(NamedTuple):
    """A new definition, the most similar existing one, and how alike they are.

    `namesakes` is how many similar definitions have the name of the new one.
    """

    new: Symbol
    existing: Symbol
    likeness: Likeness
    namesakes: int = 0

    @property
    def score(self) -> float:
        """How much speaks for importing the existing one: its code, and its name as well.

        A name that many definitions have is a convention, such as that of an interface.
        """
        against = next((weight for count, weight in _CONVENTION if self.namesakes >= count), 0.0)
        return self.likeness.code + _NAME_WEIGHT * self.likeness.name - against

    @property
    def is_copy(self) -> bool:
        """Whether the code is the same, or almost."""
        return self.score >= _THRESHOLD

    @property
    def is_certain(self) -> bool:
        """Whether the new definition is rather to be imported: a copy, or a second body of a
        function whose name no third one has."""
        pair = (self.new, self.existing)
        return self.is_copy or (
            self.namesakes == 1
            and self.likeness.name == 1.0
            and all(map(is_named_function, pair))
            and not is_overload(*pair)
        )


def find_duplicates(tree: Tree, added: Sequence[Symbol]) -> list[Duplicate]:
    """The definitions of `added` that duplicate another one of the tree, the most alike first.

    Those of `added` duplicate none of each other. The cost is linear in the size of the tree, and
    in the number of new definitions. Raises GitError.
    """
    found = [one for one in most_similar(tree, added) if one.is_certain]
    found.sort(key=lambda one: (-one.score, one.new.path, one.new.first_line))
    for one in found:
        pair = (one.new.name, one.new.place, "of", one.existing.name, one.existing.place)
        alike = f"names {one.likeness.name:.2f}, code {one.likeness.code:.2f} alike"
        score = f"{one.namesakes} of this name: {one.score:.2f} of {_THRESHOLD}"
        tracing.log("duplicate", *pair, outcome=f"{alike}, {score}")
    return found


def most_similar(tree: Tree, added: Sequence[Symbol]) -> Iterator[Duplicate]:
    """Yield each new definition with the most similar existing one, if there is any."""
    own = {(symbol.path, symbol.name) for symbol in added}
    shared = (one for one in added if is_shareable(one) and not is_test(one.path))
    prints = ((one, take_fingerprint(one)) for one in shared)
    judged = {one: own for one, own in prints if own.size >= MIN_TOKENS or is_named_function(one)}
    candidates = _Candidates(tree, list(judged))
    for symbol, fingerprint in judged.items():
        pairs = [
            Duplicate(symbol, existing, compare(fingerprint, other))
            for existing, other in candidates.similar(symbol)
            if (existing.path, existing.name) not in own
        ]
        count = sum(one.likeness.name == 1.0 for one in pairs)
        if fingerprint.size < MIN_TOKENS:
            pairs = [one for one in pairs if one.likeness.name == 1.0]
        if pairs:
            known = [one._replace(namesakes=count) for one in pairs]
            yield max(known, key=lambda one: (one.is_certain, one.score, one.existing.path))


class _Candidates:
    """The existing definitions that are similar to new ones, each read once."""

    def __init__(self, tree: Tree, added: Sequence[Symbol]) -> None:
        self._index = WordIndex(added)
        self._tree = tree
        self._blobs = {blob.path: blob for blob in self._fill(tree, added)}
        wanted = {path for one in added for path in self._files(one)}
        self._texts = tree.texts(self._blobs[path] for path in sorted(wanted))
        self._symbols: dict[str, list[tuple[Symbol, frozenset[bytes]]]] = {}
        self._prints: dict[Symbol, Fingerprint] = {}

    def similar(self, symbol: Symbol) -> Iterator[tuple[Symbol, Fingerprint]]:
        """The definitions of the same sort that share words with a new one, or have its name."""
        words, name = self._index.words_of(symbol), split_name(symbol.simple_name)
        for path in self._files(symbol):
            for existing, other in self._read(path):
                if existing.is_type != symbol.is_type:
                    continue
                shared = len(words & other)
                is_alike = 2 * shared >= _MIN_SHARED_WORDS * (len(words) + len(other))
                if is_alike or split_name(existing.simple_name) == name:
                    if existing not in self._prints:
                        self._prints[existing] = take_fingerprint(existing)
                    yield existing, self._prints[existing]

    def _fill(self, tree: Tree, added: Sequence[Symbol]) -> Iterator[Blob]:
        families = {code_family(one.path) for one in added} - {None}
        blobs = [one for one in tree.blobs() if code_family(one.path) in families]
        contents = tree.contents([one.id for one in blobs], MAX_FILE_BYTES)
        for blob, data in zip(blobs, contents, strict=True):
            if data and len(data) <= MAX_FILE_BYTES:
                self._index.add(blob.path, data)
                yield blob

    def _files(self, symbol: Symbol) -> Sequence[str]:
        """Other files than that of the symbol, which would have to export it."""
        return self._index.similar_files(
            symbol, lambda path: path != symbol.path and can_import(symbol.path, path)
        )

    def _read(self, path: str) -> list[tuple[Symbol, frozenset[bytes]]]:
        if path not in self._symbols:
            text = self._texts.get(path, "")
            found = find_symbols(path, text) if is_hand_written(text) else ()
            self._symbols[path] = [
                (one, text_words(one.text)) for one in found if is_shareable(one)
            ]
        return self._symbols[path]


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
        accepted = islice(filter(accepts, ranked), 4 * FILES_PER_SYMBOL)
        return [path for at, path in enumerate(accepted) if at < FILES_PER_SYMBOL or path in named]


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
