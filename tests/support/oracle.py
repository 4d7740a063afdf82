"""A test oracle: an index that was refreshed must equal one that is built from scratch.

The scratch index is built from the files that git lists now, without change detection.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw

from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.embedded.search import search_words
from sdd_hooks.engines.protocol import CollectionChanges, Query, SubQuery
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.git import nul_split
from tests.support.repos import Repo

_QUERIES = 6
_MAX_HITS = 500
_READ_HITS = 20
"""Hits of a query that are read whole: an excerpt takes longer than the search."""

Chunk = tuple[str, str, str, str, int, int, str]
Ranked = list[tuple[float, str, int, int]]


def assert_index_matches_scratch(repo: Repo) -> None:
    """Compare the index of the work tree with a new one of the same collections.

    Documents with hashes and titles, chunks with anchors, lines and texts, and the ordered hits of
    a few searches must be equal, and the index must pass its check.
    """
    project = repo.project()
    search = project.repository.search_dir
    with TemporaryDirectory() as folder:
        scratch = EmbeddedEngine(
            IndexFiles(repo.root, Path(folder) / "index.db", Path(folder) / "vectors.db"),
            repair=True,
            environ=os.environ,
        )
        live = EmbeddedEngine(
            IndexFiles(repo.root, search / "index.db", Path(folder) / "none" / "vectors.db"),
            environ=os.environ,
        )
        try:
            names = list(live.bookmarks())
            assert names, "nothing is indexed"
            collections = [c for c in project.collections if c.name in names]
            assert sorted(collection.name for collection in collections) == names
            scratch.ensure(collections)
            scratch.update([_everything(repo, collection) for collection in collections])
            for name in names:
                assert live.documents(name) == scratch.documents(name), name
            both = (search / "index.db", Path(folder) / "index.db")
            chunks, expected = map(_chunks, both)
            assert chunks == expected
            queries = _queries(chunks)
            for words in queries[:1]:
                assert _ranked(live, words) == _ranked(scratch, words), words
            ranked, expected_ranks = (_all_ranked(index, queries) for index in both)
            assert ranked == expected_ranks
            assert live.check() == []
        finally:
            live.close()
            scratch.close()


def documents(repo: Repo) -> list[str]:
    """Return the paths of all indexed documents."""
    search = repo.project().repository.search_dir
    return sorted({chunk[1] for chunk in _chunks(search / "index.db")})


def _everything(repo: Repo, collection: Collection) -> CollectionChanges:
    """Return every document of a collection as a complete change, as on the first update."""
    if collection.kind == "issues":
        folders = [repo.root / directory for directory in collection.directories]
        paths = [
            str(path.relative_to(repo.root))
            for folder in folders
            if folder.is_dir()
            for path in folder.iterdir()
        ]
    else:
        prefix = f"{collection.repository}/" if collection.repository else ""
        listing = repo.handle.at(repo.root / collection.repository).output(
            *("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        )
        paths = [prefix + path for path in nul_split(listing)]
    chosen = tuple(sorted(filter(collection.contains, set(paths))))
    return CollectionChanges(collection, chosen, True, None)


def _open(index: Path) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(index.as_uri(), flags=flags)


def _chunks(index: Path) -> list[Chunk]:
    with closing(_open(index)) as connection:
        return sorted(
            connection.execute(
                "SELECT collections.name, path, anchor, section, first_line, last_line, text"
                " FROM chunks JOIN documents ON documents.id = document"
                " JOIN collections ON collections.id = documents.collection"
            )
        )


def _queries(chunks: Sequence[Chunk]) -> list[str]:
    """Return a few words that are spread over the texts."""
    words = sorted({word for chunk in chunks for word in re.findall(r"[A-Za-z]{4,}", chunk[6])})
    return words[:: max(1, len(words) // _QUERIES)][:_QUERIES]


def _ranked(engine: EmbeddedEngine, words: str) -> Ranked:
    query = Query((SubQuery("lex", words),), limit=_READ_HITS)
    return [(hit.score, hit.id, hit.first_line, hit.last_line) for hit in engine.search(query).hits]


def _all_ranked(index: Path, queries: Sequence[str]) -> list[list[tuple[float, Any]]]:
    """The strength and place of each chunk that each query finds, best first."""
    with closing(_open(index)) as connection:
        collections = [number for (number,) in connection.execute("SELECT id FROM collections")]
        places = {
            chunk: place
            for chunk, *place in connection.execute(
                "SELECT chunks.id, path, first_line, last_line FROM chunks"
                " JOIN documents ON documents.id = document"
            )
        }
        return [
            [
                (match.strength, places[match.key])
                for match in search_words(connection, words, collections, _MAX_HITS)
            ]
            for words in queries
        ]
