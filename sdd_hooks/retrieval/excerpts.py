"""The excerpts of hits, where the words of the query do not select one.

A section that was found by meaning may have none of the words, and a list of names has no sentence.
"""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.summary import summarize
from sdd_hooks.code.paths import is_document
from sdd_hooks.engines.protocol import ComparesMeaning, Engine, Hit
from sdd_hooks.engines.ranking.hits import query_words
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.retrieval.questions import KindQuery
from sdd_hooks.retrieval.records import Records
from sdd_hooks.text.excerpts import MAX_EXCERPT, code_excerpt, prose_excerpt
from sdd_hooks.text.markdown import unify_line_endings
from sdd_hooks.text.prose import read_prose, split_sentences
from sdd_hooks.text.sentences import fit_sentences

_MAX_DEFINITIONS = 6
"""Definitions that the outline of a file shows."""


def with_excerpt(records: Records, hit: Hit) -> Hit:
    """Return the hit with an excerpt, if its record or file has any.

    Of a record that is the first sentences of its decision or overview, of another document its
    first sentences, of code the definition, else the signatures of the file's first ones.
    """
    if hit.snippet:
        return hit
    artifact = records.artifact(hit.collection, hit.path)
    text = records.text(artifact.path if artifact else hit.path) or ""
    if artifact:
        return hit._replace(snippet=summary_excerpt(artifact, text))
    if is_document(hit.path):
        return hit._replace(snippet=_first_sentences(text))
    if hit.section:
        lines = unify_line_endings(text).split("\n")[hit.first_line - 1 : hit.last_line]
        words = query_words(hit.section)
        return hit._replace(snippet=code_excerpt("\n".join(lines), hit.section, words))
    return hit._replace(snippet="\n".join(_outline(hit.path, text)))


def summary_excerpt(artifact: Artifact, text: str) -> str:
    """Return the summary of a record, whose file contains `text`, as plain text on one line."""
    return " ".join(summarize(artifact, text, MAX_EXCERPT, None, plain=True))


def excerpt_by_meaning(records: Records, engine: Engine, hit: Hit, query: KindQuery) -> Hit:
    """Return the hit with the sentences that are nearest to the query, if it was found by meaning.

    Sentences that hold the words of the query are kept. An engine that cannot compare, or whose
    model fails, changes nothing.
    """
    if hit.cosine is None or not is_document(hit.path) or not isinstance(engine, ComparesMeaning):
        return hit
    lexical, meaning = (search.query for search in query.searches)
    lines = unify_line_endings(records.text(hit.path) or "").split("\n")
    section = "\n".join(lines[hit.first_line - 1 : hit.last_line])
    words = query_words(lexical)
    try:
        found = prose_excerpt(section, words, lambda texts: engine.nearest(meaning, texts))
    except EngineUnavailable:
        return hit
    return hit._replace(snippet=found or hit.snippet)


def _first_sentences(text: str) -> str:
    sentences = [one for block in read_prose(text) for one in split_sentences(block.text)]
    return " ".join(fit_sentences(sentences[:5], MAX_EXCERPT))


def _outline(path: str, text: str) -> list[str]:
    from sdd_hooks.code.definitions import find_definitions

    signatures: list[str] = []
    for definition in find_definitions(path, text).outermost():
        if len(signatures) == _MAX_DEFINITIONS:
            return [*signatures, "…"]
        signatures.append(text[definition.head :].lstrip("\n").partition("\n")[0].rstrip())
    return signatures
