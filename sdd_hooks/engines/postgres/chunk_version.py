"""Let an update cut documents again that another version of the chunker has cut."""

# Governing: ADR-0008 (units of retrieval: what is stored decides, not what is installed)

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.chunking.document import chunker_version
from sdd_hooks.code.cgg import finds_callables, has_cgg
from sdd_hooks.engines.postgres.stored_text import original_text

if TYPE_CHECKING:
    from psycopg import Connection

_FUNCTIONS = " with functions"
"""Behind the version once an installation with the extra `callgraph` has cut the documents."""

_NO_HASH = bytes(32)


def invalidate_other_chunks(connection: Connection, repository: int) -> None:
    """Let the next update cut documents of the repository again where that is due.

    Every document after a change of the chunker. After the first installation with the extra
    `callgraph`, those whose functions it finds; one without it cuts nothing again.
    """
    row = connection.execute(
        "SELECT chunker FROM sdd.repositories WHERE id = %s", (repository,)
    ).fetchone()
    stored = row[0] if row else ""
    is_current = stored.removesuffix(_FUNCTIONS) == chunker_version()
    has_functions = stored.endswith(_FUNCTIONS)
    if is_current and (has_functions or not has_cgg()):
        return
    with connection.transaction():
        chunker = chunker_version() + (_FUNCTIONS if has_functions or has_cgg() else "")
        connection.execute(
            "UPDATE sdd.repositories SET chunker = %s WHERE id = %s", (chunker, repository)
        )
        rows = connection.execute(
            "SELECT id, collection, path FROM sdd.documents WHERE repository = %s", (repository,)
        ).fetchall()
        due = [row for row in rows if not is_current or finds_callables(original_text(row[2]))]
        connection.execute(
            "UPDATE sdd.documents SET hash = %s WHERE repository = %s AND id = ANY(%s)",
            (_NO_HASH, repository, [row[0] for row in due]),
        )
        connection.execute(
            "UPDATE sdd.collections SET bookmark = NULL WHERE repository = %s AND name = ANY(%s)",
            (repository, list({row[1] for row in due})),
        )
