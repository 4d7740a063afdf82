"""Select the lines of a chunk that a hit shows."""

from __future__ import annotations

from sdd_hooks.engines.query_terms import parse_terms

MAX_SNIPPET = 240
"""Characters of a snippet: about three lines of a terminal."""


def chunk_snippet(text: str, heading: str, words: frozenset[str]) -> str:
    """Return the snippet of a chunk's `text`, without its `heading`, which a hit shows anyway.

    `words` are those of the query, from `query_words`.
    """
    return best_lines(_without_heading(text, heading), words)


def query_words(query: str) -> frozenset[str]:
    """Return the words that a query searches for, in lower case."""
    terms = parse_terms(query)
    phrases = [phrase for term in terms if not term.excluded for phrase in term.phrases]
    return frozenset(word.lower() for phrase in phrases for word in phrase.strip('"*').split())


def best_lines(text: str, words: frozenset[str], max_length: int = MAX_SNIPPET) -> str:
    """Return the lines from the one with the most `words` on, joined, of at most `max_length`."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    counts = [sum(word in line.lower() for word in words) for line in lines]
    start = counts.index(max(counts)) if counts else 0
    snippet = ""
    for line in lines[start:]:
        if len(snippet) >= max_length:
            break
        snippet = f"{snippet} {line}".strip()
    if len(snippet) <= max_length:
        return snippet
    return snippet[: max_length - 1].rstrip() + "…"


def _without_heading(text: str, heading: str) -> str:
    """Remove the first line if it is the heading and other lines follow."""
    first_line, _, rest = text.lstrip().partition("\n")
    title = first_line.lstrip("#").strip()
    return rest if title and heading.endswith(title) and rest.strip() else text
