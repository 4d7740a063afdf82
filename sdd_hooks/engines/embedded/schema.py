"""The schemas of the two SQLite files, with their migrations.

The index belongs to one work tree and can be rebuilt from it. The vectors are content-addressed,
expensive, and shared by all work trees of the repository.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0006 (derived state)

from __future__ import annotations

import re

from sdd_hooks.named_tuple import NamedTuple

_SHADOWS = ("data", "idx", "docsize", "config")
"""The tables that FTS5 creates for a table without content."""


class Schema(NamedTuple):
    """The type of a file: its SQLite `application_id`, and one script for each version, oldest
    first."""

    application_id: int
    migrations: tuple[str, ...]

    def objects(self, version: int) -> frozenset[str]:
        """Return the tables and indexes of a file of this version, each as `type name`."""
        script = "".join(self.migrations[:version])
        created = re.findall(r"CREATE( VIRTUAL)? (TABLE|INDEX) (\w+)", script)
        names = {f"{kind.lower()} {name}" for _, kind, name in created}
        names |= {f"table {name}_{part}" for v, _, name in created if v for part in _SHADOWS}
        return frozenset(names)


INDEX = Schema(
    application_id=0x53444449,
    migrations=(
        """
        CREATE TABLE facts(name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
        CREATE TABLE collections(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            module TEXT NOT NULL,
            context TEXT NOT NULL,
            bookmark TEXT
        ) STRICT;
        CREATE TABLE documents(
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL,
            path TEXT NOT NULL,
            hash BLOB NOT NULL,
            title TEXT NOT NULL,
            UNIQUE(collection, path)
        ) STRICT;
        CREATE TABLE chunks(
            id INTEGER PRIMARY KEY,
            document INTEGER NOT NULL,
            collection INTEGER NOT NULL,
            anchor TEXT NOT NULL,
            section TEXT NOT NULL,
            first_line INTEGER NOT NULL,
            last_line INTEGER NOT NULL,
            hash BLOB NOT NULL,
            text TEXT NOT NULL
        ) STRICT;
        CREATE INDEX chunks_by_document ON chunks(document);
        CREATE INDEX chunks_by_collection ON chunks(collection, hash);
        CREATE VIRTUAL TABLE words USING fts5(
            title, body, parts,
            content='', contentless_delete=1,
            tokenize='porter unicode61 remove_diacritics 2'
        );
        INSERT INTO words(words, rank) VALUES('rank', 'bm25(2.0, 1.0, 0.5)');
        """,
        # A block of FTS5 fits into one page. The rest of a larger one would be in a page by itself,
        # where a checksum does not tell zeros from the content.
        """
        INSERT INTO words(words, rank) VALUES('pgsz', 3900);
        INSERT INTO words(words) VALUES('optimize');
        """,
        # Each search says how many chunks have no vector: counting 50,000 takes a tenth of it.
        """
        ALTER TABLE collections ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
        UPDATE collections SET
            chunks = (SELECT count(*) FROM chunks WHERE collection = collections.id);
        """,
    ),
)

VECTORS = Schema(
    application_id=0x53444456,
    migrations=(
        """
        CREATE TABLE models(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            storage TEXT NOT NULL,
            dimensions INTEGER NOT NULL,
            UNIQUE(name, storage)
        ) STRICT;
        CREATE TABLE vectors(
            model INTEGER NOT NULL,
            hash BLOB NOT NULL,
            vector BLOB NOT NULL,
            PRIMARY KEY(model, hash)
        ) STRICT, WITHOUT ROWID;
        """,
        # Version 1 stored some vectors under the hash of another text. Nothing tells them from the
        # others, so that all are computed again.
        """
        DROP TABLE vectors;
        DROP TABLE models;
        CREATE TABLE models(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            storage TEXT NOT NULL,
            dimensions INTEGER NOT NULL,
            measured INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            UNIQUE(name, storage)
        ) STRICT;
        CREATE TABLE vectors(
            model INTEGER NOT NULL,
            hash BLOB NOT NULL,
            vector BLOB NOT NULL,
            pulled INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            PRIMARY KEY(model, hash)
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)
