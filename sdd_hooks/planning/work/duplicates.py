"""New definitions that duplicate existing ones, by their names and their code."""

# Governing: ADR-0053 (a duplicate is found by its name and its code),
# SPEC-0026 REQ "Check of a branch"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.code.source_files import is_hand_written
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.likeness import Fingerprint, Likeness, compare, take_fingerprint
from sdd_hooks.planning.work.reuse import can_import, code_family, is_shareable
from sdd_hooks.planning.work.similar_files import WordIndex, text_words

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
    def is_certain(self) -> bool:
        """Whether the new definition is rather to be imported."""
        return self.score >= _THRESHOLD


def find_duplicates(tree: Tree, added: Sequence[Symbol]) -> list[Duplicate]:
    """The definitions of `added` that duplicate another one of the tree, the most alike first.

    Those of `added` duplicate none of each other. The cost is linear in the size of the tree, and
    in the number of new definitions. Raises GitError.
    """
    found = [one for one in most_similar(tree, added) if one.is_certain]
    found.sort(key=lambda one: (-one.score, one.new.path, one.new.first_line))
    return found


def most_similar(tree: Tree, added: Sequence[Symbol]) -> Iterator[Duplicate]:
    """Yield each new definition with the most similar existing one, if there is any."""
    own = {(symbol.path, symbol.name) for symbol in added}
    prints = {one: take_fingerprint(one) for one in added if is_shareable(one)}
    judged = {one: prints[one] for one in prints if prints[one].size >= MIN_TOKENS}
    candidates = _Candidates(tree, list(judged))
    for symbol, fingerprint in judged.items():
        pairs = [
            Duplicate(symbol, existing, compare(fingerprint, other))
            for existing, other in candidates.similar(symbol)
            if (existing.path, existing.name) not in own
        ]
        if pairs:
            best = max(pairs, key=lambda one: (one.score, one.existing.path))
            yield best._replace(namesakes=sum(one.likeness.name == 1.0 for one in pairs))


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
        """The definitions that share words with a new one, and are of the same sort."""
        words = self._index.words_of(symbol)
        for path in self._files(symbol):
            for existing, other in self._read(path):
                if existing.is_type != symbol.is_type:
                    continue
                shared = len(words & other)
                if 2 * shared >= _MIN_SHARED_WORDS * (len(words) + len(other)):
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
