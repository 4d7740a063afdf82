"""How much the path of a file says about a query: names that it asks for, tests, generated code.

A file that is named after what a query asks for is more likely its answer than one that uses it.
Tests, examples and generated code repeat the words of the code that they are about.
"""

# Governing: ADR-0045 (evidence of names and paths)

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from sdd_hooks.code.paths import is_document, is_example, is_generated, is_test
from sdd_hooks.engines.fusion import Key, RankedMatch
from sdd_hooks.engines.query_terms import name_words

_UNNAMED = 0.6
"""Factor of a file whose path contains no word of the query."""

_NAMED = 0.6
"""Weight of the share of the query's words that the path contains."""

_COVERED = 0.2
"""Weight of the share of the file's name that the query contains."""

_ENOUGH_WORDS = 5
"""Words of a long query that a path has to contain for the whole weight."""

_MAX_WORDS = 100
"""Words of a query that are compared with paths."""

_SECONDARY = 0.3
"""Factor of tests, examples and generated code."""

_ABOUT_SECONDARY_WORDS = """
test tests testing tested spec specs e2e mock mocks fixture fixtures example examples sample samples
demo demos benchmark benchmarks bench generated generate
"""
_ABOUT_SECONDARY = frozenset(_ABOUT_SECONDARY_WORDS.split())
_MIN_STEM = 3
_CERTAIN = 0.98


class PathEvidence:
    """The evidence of paths for one query, as factors of the evidence of their contents."""

    def __init__(self, query: str) -> None:
        self._words = tuple(dict.fromkeys(name_words(query)))[:_MAX_WORDS]
        self._of_name: dict[str, frozenset[int]] = {}
        self._demotes = not _ABOUT_SECONDARY.intersection(self._words)

    def factor(self, path: str) -> float:
        """Return the factor for a file (0.18..1.4). The words of a document have its title: 1."""
        if is_document(path):
            return 1.0
        factor = _UNNAMED
        if self._words:
            folder, _, file = path.rpartition("/")
            stem = name_words(file.partition(".")[0] or file)
            in_name = [self._matching(name) for name in stem]
            matched = frozenset().union(*in_name, *map(self._matching, name_words(folder)))
            if matched:
                factor += _NAMED * min(1.0, len(matched) / min(len(self._words), _ENOUGH_WORDS))
            if stem:
                factor += _COVERED * sum(map(bool, in_name)) / len(stem)
        return factor * _SECONDARY if self._demotes and is_secondary(path) else factor

    def _matching(self, name: str) -> frozenset[int]:
        """Return the words of the query, by position, that are a form of the word of a name."""
        found = self._of_name.get(name)
        if found is None:
            found = frozenset(
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
    evidence = PathEvidence(query)
    weighed = [
        RankedMatch(
            match.key, _weigh(match.strength, evidence.factor(path_of(match.key))), match.cosine
        )
        for match in matches
    ]
    return sorted(weighed, key=lambda match: -match.strength)


def _weigh(strength: float, factor: float) -> float:
    """Raise (factor above 1) or lower (below 1) a strength within 0..1."""
    if factor == 1:
        return strength
    return 1.0 - float((1.0 - min(max(strength, 0.0), _CERTAIN)) ** factor)


def _same_word(one: str, other: str) -> bool:
    """Whether one word begins with the other, such as `auth` and `authentication`."""
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _MIN_STEM and longer.startswith(shorter)
