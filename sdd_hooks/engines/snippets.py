"""The words of a chunk that answer a query, as a hit quotes them."""

from __future__ import annotations

from sdd_hooks.engines.query_terms import terms

LONGEST = 240
"""Characters of a snippet: about three lines of a terminal."""


def quote(text: str, heading: str, words: frozenset[str]) -> str:
    """What to show of a chunk's `text`, without the `heading`, which a hit names anyway.

    `words` are those the query looks for, as `words_of` gives them.
    """
    return snippet(_below_heading(text, heading), words)


def words_of(asked: str) -> frozenset[str]:
    """The words a query looks for, in lower case."""
    phrases = [phrase for term in terms(asked) if not term.excluded for phrase in term.phrases]
    return frozenset(word.lower() for phrase in phrases for word in phrase.strip('"*').split())


def snippet(text: str, words: frozenset[str], longest: int = LONGEST) -> str:
    """The lines from the one that holds most of the words, as one line of at most `longest`."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    held = [sum(word in line.lower() for word in words) for line in lines]
    start = held.index(max(held)) if held else 0
    kept = ""
    for line in lines[start:]:
        if len(kept) >= longest:
            break
        kept = f"{kept} {line}".strip()
    return kept if len(kept) <= longest else kept[: longest - 1].rstrip() + "…"


def _below_heading(text: str, heading: str) -> str:
    """The text without its own heading, which a hit names already."""
    first, _, rest = text.lstrip().partition("\n")
    own = first.lstrip("#").strip()
    return rest if own and heading.endswith(own) and rest.strip() else text
