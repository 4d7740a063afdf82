"""Select the part of a chunk that a hit shows: the sentences or lines that answer the query."""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from sdd_hooks.code.paths import is_document
from sdd_hooks.engines.query_terms import parse_terms
from sdd_hooks.text.excerpts import code_excerpt, prose_excerpt


def chunk_snippet(text: str, heading: str, words: frozenset[str], path: str = "") -> str:
    """Return the snippet of a chunk's `text`.

    `words` are those of the query, from `query_words`. `heading` is the title of the section, or
    the name of the definition. By the name of its file `path`, a chunk is prose ("" too) or code,
    whose snippet has several lines.
    """
    if path and not is_document(path):
        return code_excerpt(text, heading, words)
    return prose_excerpt(text, words)


def query_words(query: str) -> frozenset[str]:
    """Return the words that a query searches for, in lower case."""
    terms = parse_terms(query)
    phrases = [phrase for term in terms if not term.excluded for phrase in term.phrases]
    return frozenset(word.lower() for phrase in phrases for word in phrase.strip('"*').split())
