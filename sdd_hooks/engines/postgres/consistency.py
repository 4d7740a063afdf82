"""Check that the rows of a repository belong together, and that each text has its hash."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.chunking.document import text_hash, text_to_embed
from sdd_hooks.engines.postgres.stored_text import original_text

if TYPE_CHECKING:
    from psycopg import Connection

_COUNTS = (
    (
        "chunks of no document",
        "sdd.chunks AS c WHERE c.repository = %(id)s AND NOT EXISTS (SELECT FROM sdd.documents"
        " WHERE repository = c.repository AND id = c.document AND collection = c.collection)",
    ),
    (
        "documents of no collection",
        "sdd.documents AS d WHERE d.repository = %(id)s AND NOT EXISTS (SELECT FROM"
        " sdd.collections WHERE repository = d.repository AND name = d.collection)",
    ),
    (
        "documents without all of their chunks",
        "sdd.documents AS d WHERE d.repository = %(id)s AND d.chunks <> (SELECT count(*) FROM"
        " sdd.chunks WHERE repository = d.repository AND document = d.id)",
    ),
    (
        "wrong numbers of the repository",
        "sdd.repositories AS r WHERE r.id = %(id)s AND (r.documents, r.chunks) <> (SELECT count(*),"
        " coalesce(sum(chunks), 0) FROM sdd.documents WHERE repository = %(id)s)",
    ),
)
_ROWS_AT_ONCE = 500


def find_faults(connection: Connection, repository: int) -> list[str]:
    """Return a line for each kind of fault; none when the repository's part is sound.

    The caller has opened a transaction.
    """
    faults = []
    for name, condition in _COUNTS:
        row = connection.execute(
            f"SELECT count(*) FROM {condition}".encode(), {"id": repository}
        ).fetchone()
        if row and row[0]:
            faults.append(f"{row[0]} {name}: run `sdd index update --full`")
    wrong = 0
    with connection.cursor("sdd_check") as cursor:
        cursor.itersize = _ROWS_AT_ONCE
        cursor.execute(
            "SELECT c.hash, d.title, c.section, c.text FROM sdd.chunks AS c"
            " JOIN sdd.documents AS d ON d.repository = c.repository AND d.id = c.document"
            " WHERE c.repository = %s",
            (repository,),
        )
        for key, *texts in cursor:
            wrong += text_hash(text_to_embed(*map(original_text, texts))) != bytes(key)
    if wrong:
        faults.append(f"{wrong} chunks with a wrong hash: run `sdd index update --full`")
    return faults
