"""From a ranked chunk to a hit: its place in the file, and the words that answer."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from sdd_hooks.engines.embedded.ranking import Ranked
from sdd_hooks.engines.embedded.words import terms
from sdd_hooks.engines.protocol import Hit

SNIPPET = 240
"""Characters of a snippet: about three lines of a terminal."""


def hits(connection: apsw.Connection, ranked: Sequence[Ranked], asked: str) -> tuple[Hit, ...]:
    """The hits for these chunks, in their order. `asked` is the text of the query."""
    words = _words(asked)
    found = (_hit(connection, one, words) for one in ranked)
    return tuple(hit for hit in found if hit is not None)


def _hit(connection: apsw.Connection, one: Ranked, words: frozenset[str]) -> Hit | None:
    row = connection.execute(
        "SELECT collections.name, context, path, title, anchor, section, first_line, last_line,"
        " text FROM chunks JOIN documents ON documents.id = document"
        " JOIN collections ON collections.id = chunks.collection WHERE chunks.id = ?",
        (one.chunk,),
    ).get
    if row is None:
        # Damaged, or a refresh took the chunk away a moment ago.
        return None
    collection, context, path, title, anchor, section, first, last, text = row
    return Hit(
        id=f"{path}#{anchor}",
        collection=collection,
        path=path,
        first_line=first,
        last_line=last,
        title=title or path.rpartition("/")[2],
        section=section,
        score=round(one.score, 4),
        cosine=None if one.cosine is None else round(one.cosine, 4),
        snippet=snippet(_below_heading(text, section or title), words),
        context=context,
    )


def snippet(text: str, words: frozenset[str], longest: int = SNIPPET) -> str:
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


def _words(asked: str) -> frozenset[str]:
    phrases = [phrase for term in terms(asked) if not term.excluded for phrase in term.phrases]
    return frozenset(word.lower() for phrase in phrases for word in phrase.strip('"*').split())
