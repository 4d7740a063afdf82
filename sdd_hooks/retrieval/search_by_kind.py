"""Search each kind of collection with a query of its own, and label the hits.

One query over everything would let ten matching decisions hide all code.
"""

# Governing: ADR-0037 (search by kind), SPEC-0005 REQ "Search", SPEC-0002 REQ "Status"

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.engines.protocol import ComparesMeaning, Engine, Hit, Query, SearchResult
from sdd_hooks.engines.ranking.hits import query_words
from sdd_hooks.engines.registry import not_indexed
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.knowledge_place import KNOWLEDGE
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.excerpts import compare_by, with_answer
from sdd_hooks.retrieval.names import QueryName, definition_hits, named_hits, parse_name
from sdd_hooks.retrieval.questions import KindQuery, kind_query, order_kinds
from sdd_hooks.retrieval.records import Records, file_label
from sdd_hooks.retrieval.report import HitGroup, LabelledHit, RecordLabel, SearchReport
from sdd_hooks.retrieval.scores import LEAST, least_score, show_scores
from sdd_hooks.retrieval.search import (
    DEFAULT_LIMITS,
    HitLimits,
    incomplete_notes,
    pending_notes,
    search_sections,
)
from sdd_hooks.text.answers import read_question
from sdd_hooks.text.query_match import count_matches

if TYPE_CHECKING:
    from sdd_hooks.external.records import ExternalRecords

_MORE_RECORDS = 4
"""Records that are read beyond the limit."""

_NOT_IN_FORCE = 0.7
_NO_RECORD = 0.6
"""What multiplies the score of a record that is not in force, and of a page beside the records."""
_UNANSWERED, _ANSWERED, _TITLED = 0.8, 0.3, 0.3
"""The exponent of what a score lacks to 1, and what it gains by a sentence of the record that
answers the question, and by a title with its words."""
_NAMED = 1.3
"""That exponent for all scores where the first title has a word of the question: what nothing
answers rarely shares one with a title."""

_FAR = 0.33
"""The cosine of a section to a question about something else."""
_MEANING = 0.6
"""What a document's score gains by the cosine of its nearest section, less the former."""
_NEAR = 120
"""Sections that are compared by meaning."""

_WEAK = 0.4
_WEAK_ONES = 3
"""Documents that may have a lower score: they are for questions without a better answer."""

_NO_CEILING = 2.0

_EXCERPTS_BY_MEANING = 4
"""Hits of each kind whose sentences may be compared by meaning, if none has a word of the question.
The model needs 5 ms for each."""


def search_by_kind(
    project: Project,
    engine: Engine,
    text: str,
    collections: Sequence[Collection],
    limits: HitLimits = DEFAULT_LIMITS,
) -> SearchReport:
    """Search `collections` for `text`, each kind with its own query and its own limit.

    A record whose id is the query comes first, then a file and a definition of that name. A record
    that is not in force comes after what replaced it.

    Raises:
        NotIndexed: no collection is indexed.
    """
    indexed = engine.bookmarks()
    names = [collection.name for collection in collections]
    found = [name for name in names if name in indexed]
    if not found:
        raise not_indexed(project)

    def external() -> ExternalRecords:
        from sdd_hooks.external.records import read_external_records

        return read_external_records(project.repository, project.external)

    records = Records(project.repository.root, engine, project.collections, external)
    name = parse_name(text)
    groups, results = [], []
    for kind in order_kinds(collection.kind for collection in collections):
        of_kind = [c for c in collections if c.kind == kind and c.name in indexed]
        result = SearchResult((), 0)
        if of_kind:
            result = _search_kind(engine, kind, text, of_kind, limits)
            results.append(result)
        first = named_hits(project, records, name, of_kind)
        first += definition_hits(records, name, result.hits)
        hits = _labelled(records, kind, name, [*first, *result.hits], limits.max_hits)
        shown = _answered(records, engine, kind_query(kind, text), hits, limits)
        groups.append(HitGroup(kind, tuple(c.name for c in of_kind), shown))
    missing = tuple(name for name in names if name not in indexed)
    pending = _pending(engine, results)
    notes = dict.fromkeys(
        (
            *_missing_notes(missing),
            *incomplete_notes(found, indexed, engine.touched()),
            *pending_notes(pending),
            *(note for result in results for note in result.notes),
        )
    )
    return SearchReport(text, tuple(groups), missing, pending, tuple(notes))


def _search_kind(
    engine: Engine, kind: str, text: str, collections: Sequence[Collection], limits: HitLimits
) -> SearchResult:
    searches, intent = kind_query(kind, text)
    names = tuple(collection.name for collection in collections)
    # The excerpts of records come from the whole record.
    read = 0 if kind in ARTIFACT_KINDS else limits.max_hits + _MORE_RECORDS
    query = Query(
        searches, names, intent, limits.max_hits, least_score(kind, limits.min_score), read
    )
    may_add = _adds_meaning(engine, kind)
    # The least score is one by words, below which a hit by meaning may lie.
    result = search_sections(engine, query._replace(min_score=0.0) if may_add else query)
    by_meaning = may_add and any(hit.cosine is not None for hit in result.hits)
    found = result.hits
    if by_meaning:
        found = search_sections(engine, query._replace(searches=searches[:1])).hits
    hits = show_scores(kind, found, limits.min_score)
    first = {*[*dict.fromkeys(hit.path for hit in hits)][:_WEAK_ONES]}
    kept = [hit for hit in hits if hit.score >= _WEAK or hit.path in first]
    if by_meaning:
        near = query._replace(searches=searches[1:], limit=_NEAR, min_score=0.0, snippets=0)
        kept = _with_nearest(kept, engine.search(near).hits)
    return result._replace(hits=tuple(kept))


def _adds_meaning(engine: Engine, kind: str) -> bool:
    """Whether its meaning is added to a document's score by words. Of code, engines fuse both."""
    return kind != "code" and isinstance(engine, ComparesMeaning)


def _with_nearest(hits: Iterable[Hit], near: Sequence[Hit]) -> list[Hit]:
    """Return hits by words with the cosine of their document's nearest section, and after them the
    documents that were found only by meaning, the nearest first, with the least score."""
    nearest: dict[str, Hit] = {}
    for hit in sorted(near, key=lambda hit: -(hit.cosine or 0.0)):
        nearest.setdefault(hit.path, hit)
    least = min((hit.cosine or 0.0 for hit in near), default=0.0)
    found = [
        hit._replace(cosine=nearest[hit.path].cosine if hit.path in nearest else least)
        for hit in hits
    ]
    paths = {hit.path for hit in found}
    return found + [hit._replace(score=LEAST) for hit in nearest.values() if hit.path not in paths]


def _labelled(
    records: Records, kind: str, name: QueryName, hits: Iterable[Hit], max_hits: int
) -> list[LabelledHit]:
    """Label the best hit of each record, and of each file outside records, best first.

    Some more than `max_hits` are read if one of these was replaced, which moves it down, if the
    query is an id, which any of them may have, and where meaning moves some up.
    """
    best: dict[str, LabelledHit] = {}
    lowest = math.inf
    is_settled = not name.ids
    for hit in hits:
        is_named = name.is_hit(hit)
        if len(best) >= max_hits and not is_named:
            if len(best) >= max_hits + _MORE_RECORDS:
                continue
            if is_settled and hit.score <= lowest and hit.cosine is None:
                continue
        artifact = records.artifact(hit.collection, hit.path)
        key = artifact.path if artifact else hit.path
        exact = is_named or bool(artifact and name.is_record(artifact))
        if key not in best:
            record = records.label(hit.collection, hit.path)
            if record is None and (kind in ARTIFACT_KINDS or kind == KNOWLEDGE):
                record = file_label(hit.path, hit.title)
            module = records.collection(hit.collection).module
            best[key] = LabelledHit(hit, kind, module, record, exact)
            lowest = min(lowest, hit.score)
            is_settled = is_settled and not (record and record.replaced_by)
        elif exact and not best[key].exact:
            best[key] = best[key]._replace(hit=hit, exact=True)
    return [
        one._replace(hit=one.hit._replace(score=1.0)) if one.exact else one for one in best.values()
    ]


def _order(hits: Sequence[LabelledHit]) -> list[LabelledHit]:
    """Order hits by score, exact ones first. What was replaced scores at most as its successor."""
    scores: dict[str, float] = {}
    for one in hits:
        if one.record:
            scores[one.record.id] = max(one.hit.score, scores.get(one.record.id, 0.0))
    changed = True
    while changed:
        changed = False
        for one in hits:
            ceiling = _ceiling(one, scores)
            if one.record and scores[one.record.id] > ceiling:
                scores[one.record.id] = ceiling
                changed = True
    capped = [
        one._replace(hit=one.hit._replace(score=min(one.hit.score, _ceiling(one, scores))))
        for one in hits
    ]
    return sorted(
        capped, key=lambda one: (not one.exact, -one.hit.score, _ceiling(one, scores) < _NO_CEILING)
    )


def _ceiling(one: LabelledHit, scores: Mapping[str, float]) -> float:
    """Return the least score of the records that replaced the record of a hit."""
    if one.record is None or one.exact:
        return _NO_CEILING
    return min((scores[i] for i in one.record.replaced_by if i in scores), default=_NO_CEILING)


def _answered(
    records: Records,
    engine: Engine,
    query: KindQuery,
    hits: Sequence[LabelledHit],
    limits: HitLimits,
) -> tuple[LabelledHit, ...]:
    """Return the best hits with their excerpts. A record counts more, the more one answers."""
    words = query_words(query.searches[0].query)
    question = read_question(query.searches[1].query, words)
    weighed = []
    without_word = set()
    for one in hits:
        if one.exact and one.hit.snippet:
            weighed.append(one)
            continue
        hit, evidence = with_answer(records, one.hit, question)
        if not evidence:
            without_word.add(hit.path)
        if not one.exact and one.kind != "code":
            score = _weigh(one.record, hit.score, evidence, words) if one.record else hit.score
            if hit.cosine is not None and _adds_meaning(engine, one.kind):
                score += _MEANING * (hit.cosine - _FAR)
            hit = hit._replace(score=round(min(max(score, 0.0), 1.0), 4))
            if hit.score < limits.min_score:
                continue
        weighed.append(one._replace(hit=hit))
    shown = _order(weighed)[: limits.max_hits]
    if shown and (first := shown[0].record) and count_matches(first.title, words):
        scores = [round(1 - (1 - one.hit.score) ** _NAMED, 4) for one in shown]
        shown = [
            one._replace(hit=one.hit._replace(score=score))
            for one, score in zip(shown, scores, strict=True)
        ]
    for place, one in enumerate(shown[:_EXCERPTS_BY_MEANING]):
        compare = compare_by(engine, one.hit, query)
        if compare and one.hit.path in without_word:
            with suppress(EngineUnavailable):
                hit, _ = with_answer(records, one.hit, question, compare)
                shown[place] = one._replace(hit=hit)
    return tuple(shown)


def _weigh(record: RecordLabel, score: float, evidence: float, words: frozenset[str]) -> float:
    """Return the score of a record of which a sentence answers the question by `evidence`."""
    titled = count_matches(record.title, words) / max(1, len(words))
    exponent = _UNANSWERED + _ANSWERED * evidence + _TITLED * titled
    factor = 1.0 if record.authoritative else _NOT_IN_FORCE
    factor *= 1.0 if record.is_artifact else _NO_RECORD
    missing: float = (1 - score) ** exponent
    return factor * (1 - missing)


def _pending(engine: Engine, results: Sequence[SearchResult]) -> int:
    """Return how many chunks have no vector. Some engines count those of the whole index."""
    total = sum(result.pending for result in results)
    return min(total, engine.coverage().pending) if total and len(results) > 1 else total


def _missing_notes(missing: Sequence[str]) -> tuple[str, ...]:
    if not missing:
        return ()
    verb = "is" if len(missing) == 1 else "are"
    return (f"{', '.join(missing)} {verb} not indexed and not searched: run `sdd index add`",)
