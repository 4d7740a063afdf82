"""Let an update cut documents again that another version of the chunker has cut."""

# Governing: ADR-0008 (units of retrieval: what is stored decides, not what is installed)

from __future__ import annotations

import apsw

from sdd_hooks.chunking.document import chunker_version
from sdd_hooks.code.cgg import finds_callables, has_cgg
from sdd_hooks.engines.embedded.database import transaction

_VERSION = "chunks"
_FUNCTIONS = "functions"
"""Set once an installation with the extra `callgraph` has cut the documents that need it."""

# Earlier versions added the release of `cgg`.
_OPTIONAL = ", cgg"


def invalidate_other_chunks(connection: apsw.Connection) -> None:
    """Let the next update cut documents again where that is due.

    Every document after a change of the chunker. After the first installation with the extra
    `callgraph`, those whose functions it finds. Installations with and without it then take turns
    without cutting anything again: a document is cut by the one that reads its change first.
    """
    facts = dict(connection.execute("SELECT name, value FROM facts"))
    stored = str(facts.get(_VERSION, ""))
    is_current = stored.partition(_OPTIONAL)[0] == chunker_version()
    has_functions = _FUNCTIONS in facts or _OPTIONAL in stored
    if is_current and (has_functions or not has_cgg()):
        return
    with transaction(connection):
        set_fact = "INSERT OR REPLACE INTO facts VALUES(?, ?)"
        connection.execute(set_fact, (_VERSION, chunker_version()))
        if not is_current:
            connection.execute("UPDATE documents SET hash = zeroblob(32)")
            connection.execute("UPDATE collections SET bookmark = NULL")
        elif not has_functions:
            _invalidate_documents_with_callables(connection)
        if has_functions or has_cgg():
            connection.execute(set_fact, (_FUNCTIONS, "cgg"))


def _invalidate_documents_with_callables(connection: apsw.Connection) -> None:
    rows = connection.execute("SELECT id, collection, path FROM documents").fetchall()
    found = [row[:2] for row in rows if finds_callables(str(row[2]))]
    connection.executemany(
        "UPDATE documents SET hash = zeroblob(32) WHERE id = ?", [(row_id,) for row_id, _ in found]
    )
    connection.executemany(
        "UPDATE collections SET bookmark = NULL WHERE id = ?",
        {(collection,) for _, collection in found},
    )
