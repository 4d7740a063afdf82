"""Find the code that solves a part of a requirement: what a story extends.

A file counts if the requirement names its path, or if searches for the requirement find it. Three
searches are compared, for the name, for the first sentences and for the scenarios: of a file that
only one of them finds, the mean score is low. What a question about another subject finds shares
few words with it, so that a file also needs words of the requirement in its path or definitions.
"""

# Governing: ADR-0052 (existing code by three searches), SPEC-0025 REQ "Existing code"

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import CodePlace, ReusedCode
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.query_match import stem

SearchCode = Callable[[str], Sequence[Hit]]
"""Searches the code for a text. Returns hits with the scores to show, best first."""

SURE_SCORE = 0.55
"""The mean score from which one common word is enough (0..1)."""
MIN_SCORE = 0.4
"""The mean score of the first file, with two common words (0..1)."""
NEXT_SCORE = 0.45
"""The mean score of a further file (0..1)."""
NEXT_SHARE = 0.9
"""The share of the first file's score that a further file has."""
MAX_FILES = 3
"""Files for a requirement."""
MAX_PLACES = 4
"""Definitions of a file that a story names."""

_CANDIDATES = 6
_MAX_QUERY = 400
_NAMED = "the requirement names it"


class _Candidate(NamedTuple):
    """A file that searches found: its mean score, the words that it shares, and its hits."""

    path: str
    score: float
    words: tuple[str, ...]
    hits: tuple[Hit, ...]


def find_existing(
    requirement: PlannedRequirement, search: SearchCode, files: Collection[str]
) -> tuple[ReusedCode, ...]:
    """Find the files that a requirement extends, those that it names first.

    `files` are the paths of the production code of the work tree.
    """
    candidates = {one.path: one for one in _candidates(requirement, search, files)}
    found = []
    for path in _named_files(requirement, files):
        hits = candidates[path].hits if path in candidates else ()
        found.append(ReusedCode(path, _places(hits, requirement), _NAMED))
    named = {one.path for one in found}
    for one in _chosen(list(candidates.values())):
        if one.path not in named:
            words = ", ".join(one.words[:4])
            places = _places(one.hits, requirement)
            found.append(ReusedCode(one.path, places, f"both are about {words}"))
    return tuple(found[:MAX_FILES])


def merge_existing(found: Iterable[ReusedCode]) -> tuple[ReusedCode, ...]:
    """The existing code of several requirements, each file once with all its places."""
    merged: dict[str, ReusedCode] = {}
    for one in found:
        known = merged.get(one.path)
        if known is None:
            merged[one.path] = one
            continue
        places = _join_places((*known.places, *one.places))[:MAX_PLACES]
        merged[one.path] = known._replace(places=tuple(places))
    return tuple(merged.values())


def _candidates(
    requirement: PlannedRequirement, search: SearchCode, files: Collection[str]
) -> list[_Candidate]:
    """What the searches find, best first."""
    scenarios = " ".join(one.name for one in requirement.scenarios)
    name = requirement.name
    texts = (f"{name} {requirement.first_sentences}", name, f"{name} {scenarios}")
    hits: dict[str, list[Hit]] = {}
    scores: dict[str, float] = {}
    for text in texts:
        seen: set[str] = set()
        for hit in search(text[:_MAX_QUERY]):
            if hit.path in files:
                hits.setdefault(hit.path, []).append(hit)
                if hit.path not in seen:
                    scores[hit.path] = scores.get(hit.path, 0.0) + hit.score / len(texts)
                seen.add(hit.path)
    own = {stem(word): word for word in reversed(split_words(requirement.text))}
    ranked = sorted(scores, key=lambda path: (-scores[path], path))[:_CANDIDATES]
    return [
        _Candidate(path, scores[path], _common_words(own, path, hits[path]), tuple(hits[path]))
        for path in ranked
    ]


def _chosen(candidates: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """The candidates that are about the requirement, best first."""
    first = 0.0
    for one in candidates:
        sure = one.score >= SURE_SCORE and one.words
        if not (sure or (one.score >= MIN_SCORE and len(one.words) > 1)):
            continue
        if first and (one.score < NEXT_SCORE or one.score < NEXT_SHARE * first):
            continue
        first = first or one.score
        yield one


def _common_words(own: dict[str, str], path: str, hits: Iterable[Hit]) -> tuple[str, ...]:
    """The words of the requirement in the definitions that were found and in the path, in the order
    of the definitions. The first directory says nothing: it is that of all code."""
    below = path.partition("/")[2] or path
    names = [*(hit.section for hit in hits), below.rpartition(".")[0] or below]
    words = (stem(word) for name in names for word in split_words(name))
    return tuple(dict.fromkeys(own[word] for word in words if word in own))


def _named_files(requirement: PlannedRequirement, files: Collection[str]) -> list[str]:
    """The existing files whose paths the requirement has in code spans, each once."""
    named = []
    for span in requirement.spans:
        path = span.removeprefix("./").partition(":")[0]
        if path in files:
            named.append(path)
        elif "/" in path:
            ends = [file for file in files if file.endswith(f"/{path}")]
            named += ends if len(ends) == 1 else []
    return list(dict.fromkeys(named))


def _places(hits: Iterable[Hit], requirement: PlannedRequirement) -> tuple[CodePlace, ...]:
    """The definitions of a file that were found, in the order of their lines.

    Those with a word of the requirement in their names come before others.
    """
    own = {stem(word) for word in split_words(requirement.text)}
    found = _join_places(
        CodePlace(hit.section, hit.first_line, hit.last_line) for hit in hits if hit.section
    )
    named = [one for one in found if own & {stem(word) for word in split_words(one.symbol)}]
    chosen = (named or found)[:MAX_PLACES]
    return tuple(sorted(chosen, key=lambda one: one.first_line))


def _join_places(places: Iterable[CodePlace]) -> list[CodePlace]:
    """The places with each symbol once: a search finds the parts of a long definition."""
    joined: dict[str, CodePlace] = {}
    for one in places:
        known = joined.get(one.symbol, one)
        first = min(known.first_line, one.first_line)
        last = max(known.last_line, one.last_line)
        joined[one.symbol] = CodePlace(one.symbol, first, last)
    return list(joined.values())
