"""From a ranked chunk to a hit: its place in the file, and the words that answer."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from sdd_hooks.engines.fusion import Ranked
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.engines.snippets import quote, words_of


def hits(connection: apsw.Connection, ranked: Sequence[Ranked[int]], asked: str) -> tuple[Hit, ...]:
    """The hits for these chunks, in their order. `asked` is the text of the query."""
    words = words_of(asked)
    found = (_hit(connection, one, words) for one in ranked)
    return tuple(hit for hit in found if hit is not None)


def _hit(connection: apsw.Connection, one: Ranked[int], words: frozenset[str]) -> Hit | None:
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
        snippet=quote(text, section or title, words),
        context=context,
    )
