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
from sdd_hooks.engines.protocol import Engine, Hit, Query, SearchResult
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
from sdd_hooks.retrieval.report import HitGroup, LabelledHit, SearchReport
from sdd_hooks.retrieval.scores import least_score, show_scores
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

_WEAK = 0.4
_WEAK_ONES = 3
"""Documents that may have a lower score: they are for questions without a better answer."""

_NO_CEILING = 2.0

_EXCERPTS_BY_MEANING = 4
"""Hits of each kind whose sentences may be compared by meaning: the model needs 5 ms for each."""


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
    result = search_sections(engine, query)
    hits = show_scores(kind, result.hits, limits.min_score)
    first = {*[*dict.fromkeys(hit.path for hit in hits)][:_WEAK_ONES]}
    kept = (hit for hit in hits if hit.score >= _WEAK or hit.path in first)
    return result._replace(hits=tuple(kept))


def _labelled(
    records: Records, kind: str, name: QueryName, hits: Iterable[Hit], max_hits: int
) -> list[LabelledHit]:
    """Label the best hit of each record, and of each file outside records, best first.

    Some more than `max_hits` are read if one of these was replaced, which moves it down, or if the
    query is an id, which any of them may have.
    """
    best: dict[str, LabelledHit] = {}
    lowest = math.inf
    is_settled = not name.ids
    for hit in hits:
        is_named = name.is_hit(hit)
        if len(best) >= max_hits and not is_named:
            if len(best) >= max_hits + _MORE_RECORDS:
                continue
            if is_settled and hit.score <= lowest:
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
    for one in hits:
        if one.exact and one.hit.snippet:
            weighed.append(one)
            continue
        hit, evidence = with_answer(records, one.hit, question)
        if one.record and not one.exact:
            titled = count_matches(one.record.title, words) / max(1, len(words))
            exponent = _UNANSWERED + _ANSWERED * evidence + _TITLED * titled
            factor = 1.0 if one.record.authoritative else _NOT_IN_FORCE
            factor *= 1.0 if one.record.is_artifact else _NO_RECORD
            score = factor * (1 - (1 - hit.score) ** exponent)
            hit = hit._replace(score=round(score, 4))
            if hit.score < limits.min_score:
                continue
        weighed.append(one._replace(hit=hit))
    shown = _order(weighed)[: limits.max_hits]
    for place, one in enumerate(shown[:_EXCERPTS_BY_MEANING]):
        if compare := compare_by(engine, one.hit, query):
            with suppress(EngineUnavailable):
                hit, _ = with_answer(records, one.hit, question, compare)
                shown[place] = one._replace(hit=hit)
    return tuple(shown)


def _pending(engine: Engine, results: Sequence[SearchResult]) -> int:
    """Return how many chunks have no vector. Some engines count those of the whole index."""
    total = sum(result.pending for result in results)
    return min(total, engine.coverage().pending) if total and len(results) > 1 else total


def _missing_notes(missing: Sequence[str]) -> tuple[str, ...]:
    if not missing:
        return ()
    verb = "is" if len(missing) == 1 else "are"
    return (f"{', '.join(missing)} {verb} not indexed and not searched: run `sdd index add`",)
