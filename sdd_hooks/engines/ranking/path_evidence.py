"""How much the path of a file says about a query: names that it asks for, tests, generated code.

A file that is named after what a query asks for is more likely its answer than one that uses it.
Tests, examples and generated code repeat the words of the code that they are about.
"""

# Governing: ADR-0045 (evidence of names and paths)

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from sdd_hooks.code.paths import is_document, is_example, is_generated, is_internal, is_test
from sdd_hooks.engines.ranking.fusion import Key, RankedMatch
from sdd_hooks.engines.ranking.query_terms import identifiers, name_words, short_forms
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

_UNNAMED = 0.6
"""Factor of a file whose path contains no word of the query."""

_NAMED = 0.6
"""Weight of the share of the query's words that the path contains."""

_COVERED = 0.2
"""Weight of the share of the file's name that the query contains."""

_WHOLE = 0.1
"""Weight of a file's name that has no other words than the query."""

_ENOUGH_WORDS = 5
"""Words of a long query that a path has to contain for the whole weight."""

_MAX_WORDS = 100
"""Words of a query that are compared with paths."""

_SECONDARY = 0.3
"""Factor of tests, examples and generated code."""

_INTERNAL = 0.85
"""Factor of code that only the code beside it uses."""

_OLDER = 0.8
"""Factor of a folder such as `v3` beside a `v4`."""

_ENTRY_FILES = frozenset({"__init__", "index", "init", "lib", "mod"})
"""Names of files that are called like their folder."""

_SOURCES = "src"

_VERSION = lazy_regex(r"(?:^|/)v([0-9]{1,4})/")

_ABOUT_SECONDARY_WORDS = """
test tests testing tested spec specs e2e mock mocks fixture fixtures example examples sample samples
demo demos benchmark benchmarks bench generated generate
"""
_ABOUT_SECONDARY = frozenset(_ABOUT_SECONDARY_WORDS.split())
_ABOUT_INTERNAL = frozenset({"internal", "internals", "private", "detail", "impl"})
_MIN_STEM = 3
_CERTAIN = 0.98


class PathEvidence:
    """The evidence of paths for one query, as factors of the evidence of their contents.

    `paths` are those that are compared: a version is old beside a newer one.
    """

    def __init__(self, query: str, paths: Iterable[str] = ()) -> None:
        self._words = tuple(dict.fromkeys(name_words(query)))[:_MAX_WORDS]
        self._whole = _whole_identifiers(query, self._words)
        self._of_name: dict[str, frozenset[int]] = {}
        self._demotes = not _ABOUT_SECONDARY.intersection(self._words)
        self._demotes_internal = not _ABOUT_INTERNAL.intersection(self._words)
        self._newest = _newest_versions(paths)

    def factor(self, path: str) -> float:
        """Return the factor for a file (0.12..1.5). The words of a document have its title: 1."""
        if is_document(path):
            return 1.0
        return self._names(path) * self._purpose(path) * self._age(path)

    def _names(self, path: str) -> float:
        factor = _UNNAMED
        if self._words:
            name, folder = _own_name(path)
            stem_words = name_words(name)
            in_name = [self._matching(word) for word in stem_words]
            matched = frozenset().union(*in_name, *map(self._matching, name_words(folder)))
            if matched:
                factor += _NAMED * min(1.0, len(matched) / min(len(self._words), _ENOUGH_WORDS))
            if stem_words:
                factor += _COVERED * sum(map(bool, in_name)) / len(stem_words)
                factor += _WHOLE if all(in_name) else 0.0
        return factor

    def _purpose(self, path: str) -> float:
        if self._demotes and is_secondary(path):
            return _SECONDARY
        return _INTERNAL if self._demotes_internal and is_internal(path) else 1.0

    def _age(self, path: str) -> float:
        if not self._newest:
            return 1.0
        version = _VERSION.search(path)
        if version is None or f"v{version[1]}" in self._words:
            return 1.0
        older = int(version[1]) < self._newest.get(path[: version.start(1)], 0)
        return _OLDER if older else 1.0

    def _matching(self, name: str) -> frozenset[int]:
        """Return the words of the query, by position, that are a form of the word of a name."""
        found = self._of_name.get(name)
        if found is None:
            found = self._whole.get(name, frozenset()).union(
                position for position, word in enumerate(self._words) if _same_word(word, name)
            )
            self._of_name[name] = found
        return found


@lru_cache(maxsize=4096)
def is_secondary(path: str) -> bool:
    """Whether the file is a test, an example, or generated."""
    return not is_document(path) and (is_test(path) or is_generated(path) or is_example(path))


def weigh_paths(
    matches: Iterable[RankedMatch[Key]], path_of: Callable[[Key], str], query: str
) -> list[RankedMatch[Key]]:
    """Return the entries of a ranked list with the evidence of their paths, best first."""
    located = [(match, path_of(match.key)) for match in matches]
    evidence = PathEvidence(query, [path for _, path in located])
    weighed = [
        RankedMatch(match.key, _weigh(match.strength, evidence.factor(path)), match.cosine)
        for match, path in located
    ]
    return sorted(weighed, key=lambda match: -match.strength)


def _weigh(strength: float, factor: float) -> float:
    """Raise (factor above 1) or lower (below 1) a strength within 0..1."""
    if factor == 1:
        return strength
    return 1.0 - float((1.0 - min(max(strength, 0.0), _CERTAIN)) ** factor)


def _own_name(path: str) -> tuple[str, str]:
    """Return what a file is called, and its folder: `mod.rs` and `index.ts` like their folder."""
    folder, _, file = path.rpartition("/")
    name = file.partition(".")[0] or file
    if name in _ENTRY_FILES and folder:
        parent, _, own = folder.rpartition("/")
        name = parent.rpartition("/")[2] if own == _SOURCES and parent else own
    return name, folder


def _whole_identifiers(query: str, words: tuple[str, ...]) -> dict[str, frozenset[int]]:
    """Return the identifiers of a query as one word, each with the positions of its parts."""
    position = {word: place for place, word in enumerate(words)}
    return {
        identifier.lower().replace("_", ""): frozenset(
            position[part] for part in name_words(identifier) if part in position
        )
        for identifier in identifiers(query)[:_MAX_WORDS]
    }


def _newest_versions(paths: Iterable[str]) -> dict[str, int]:
    """Return the greatest version below each folder that has folders such as `v3`."""
    newest: dict[str, int] = {}
    for path in paths:
        if version := _VERSION.search(path):
            folder = path[: version.start(1)]
            newest[folder] = max(newest.get(folder, 0), int(version[1]))
    return newest


@lru_cache(maxsize=4096)
def _same_word(asked: str, name: str) -> bool:
    """Whether they are forms of a word, or one begins with the other: `auth`, `authentication`."""
    if asked == name or name in short_forms(asked):
        return True
    shorter, longer = sorted((asked, name), key=len)
    if len(shorter) < _MIN_STEM:
        return False
    return longer.startswith(shorter) or stem(shorter) == stem(longer)
