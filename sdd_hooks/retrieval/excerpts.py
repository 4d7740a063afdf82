"""The excerpts of hits: what answers the question, in the record or file as a whole."""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.summary import answer_from
from sdd_hooks.code.paths import is_document
from sdd_hooks.engines.protocol import ComparesMeaning, Engine, Hit
from sdd_hooks.engines.ranking.hits import query_words
from sdd_hooks.retrieval.questions import KindQuery
from sdd_hooks.retrieval.records import Records
from sdd_hooks.text.answers import AnswerPart, Compare, SearchQuestion, find_answer
from sdd_hooks.text.excerpts import code_excerpt
from sdd_hooks.text.markdown import Section, parse_sections, unify_line_endings

_PAGE = 0.8
"""What a word of a question is worth in a document that is no record."""

_MAX_DEFINITIONS = 6
"""Definitions that the outline of a file shows."""


def with_answer(
    records: Records, hit: Hit, question: SearchQuestion, compare: Compare | None = None
) -> tuple[Hit, float]:
    """Return the hit with the sentences of its record or file that answer a question,
    and how much they answer (0..1). The place of the hit is the section with the best of them.

    Of code the excerpt is the one that it has, else the definition, else the signatures of the
    file's first ones.
    """
    if not is_document(hit.path):
        return (hit if hit.snippet else hit._replace(snippet=_from_code(records, hit))), 0.0
    artifact = records.artifact(hit.collection, hit.path)
    return answered(hit, artifact, records.text(hit.path) or "", question, compare)


def answered(
    hit: Hit,
    artifact: Artifact | None,
    text: str,
    question: SearchQuestion,
    compare: Compare | None = None,
) -> tuple[Hit, float]:
    """Return the hit of a document that contains `text`, as `with_answer` does.

    `artifact` is the record that the document belongs to.
    """
    if artifact and artifact.path == hit.path:
        sections: Sequence[Section] = artifact.sections
        found = answer_from(artifact, text, question, compare)
    else:
        sections = parse_sections(text)
        parts = [
            AnswerPart(text[one.start : one.end], one.first_line, _PAGE, 0.0, one.title)
            for one in sections
        ]
        found = find_answer(parts, question, compare)
    hit = hit._replace(snippet=found.text, lines=found.lines)
    best = found.lines[0] if found.evidence else hit.first_line
    if not hit.first_line <= best <= hit.last_line:
        for one in sections:
            if one.first_line <= best <= one.last_line and one.level > 1:
                hit = hit._replace(
                    id=f"{hit.path}#{one.anchor}",
                    section=one.title,
                    first_line=one.first_line,
                    last_line=one.last_line,
                )
    return hit, found.evidence


def compare_by(engine: Engine, hit: Hit, query: KindQuery) -> Compare | None:
    """Return how the engine compares sentences with a query, if it found the hit by meaning."""
    if hit.cosine is None or not isinstance(engine, ComparesMeaning):
        return None
    return lambda texts: engine.similarities(query.searches[1].query, texts)


def _from_code(records: Records, hit: Hit) -> str:
    text = records.text(hit.path) or ""
    if not hit.section:
        return "\n".join(_outline(hit.path, text))
    lines = unify_line_endings(text).split("\n")[hit.first_line - 1 : hit.last_line]
    return code_excerpt("\n".join(lines), hit.section, query_words(hit.section))


def _outline(path: str, text: str) -> list[str]:
    from sdd_hooks.code.definitions import find_definitions

    signatures: list[str] = []
    for definition in find_definitions(path, text).outermost():
        if len(signatures) == _MAX_DEFINITIONS:
            return [*signatures, "…"]
        signatures.append(text[definition.head :].lstrip("\n").partition("\n")[0].rstrip())
    return signatures
