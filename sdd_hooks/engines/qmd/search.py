"""Search with the command of qmd, and make hits.

If no model can be used, the search is by words alone. A hit is the section or definition
around the line that qmd found, in the current content of the file.
"""

# Governing: ADR-0014 (the qmd engine: how it is scored), ADR-0013 (hybrid search waits),
# ADR-0008 (sections and definitions as units of retrieval), SPEC-0006 REQ "Search",
# ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.chunking.chunk import Chunk
from sdd_hooks.chunking.document import chunk_document
from sdd_hooks.engines.protocol import Hit, IndexedDocument, Query, SearchResult
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation, explain_failure, run_qmd
from sdd_hooks.engines.qmd.output import (
    QUERY_NOT_EMBEDDED,
    QmdResult,
    first_error_line,
    parse_results,
)
from sdd_hooks.engines.qmd.query import (
    DocumentKey,
    QueryLine,
    RankedLists,
    lists_of_command,
    query_arguments,
    query_lines,
)
from sdd_hooks.engines.ranking.fusion import FusedMatch, fuse
from sdd_hooks.engines.ranking.hits import HitChunk, make_hits, query_words
from sdd_hooks.engines.ranking.path_evidence import weigh_paths
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.forms import fold_forms

MAX_FILE_BYTES = 5 << 20
"""Bytes of the largest file that hits are made of. qmd itself has no such limit."""

_QUERY_TIMEOUT = 30.0
"""Seconds for a query: a model takes one or two to load, and longer on a busy machine."""

_NO_VECTORS = "qmd answered without vectors: run `sdd index embed`"


@dataclass(frozen=True)
class SearchScope:
    """The index and the collections to search.

    `bases` are the names of the collections, each with the directory that qmd's paths are relative
    to.
    """

    qmd: Installation
    folder: IndexFolder
    environ: Mapping[str, str]
    bases: Mapping[str, str]
    collections: Mapping[str, Collection]

    def key_of(self, result: QmdResult) -> DocumentKey | None:
        """Return the document of a result; None if no collection of the scope contains it."""
        collection = self.collections.get(result.collection)
        if collection is None:
            return None
        path = repository_path(self.bases[result.collection], result.path, collection)
        return None if path is None else (result.collection, path)


def search(scope: SearchScope, query: Query, pending: int, model_error: str = "") -> SearchResult:
    """Run a typed query.

    `pending` documents have no vectors. `model_error` is why the model cannot run, "" if it can.

    Raises:
        IndexDamaged, StorageError: the index cannot be read.
        EngineUnavailable: qmd fails, and not because of the model.
    """
    notes = []
    uses_meaning = any(search.type != "lex" for search in query.searches)
    if model_error and uses_meaning and not pending:
        notes.append(f"searched by words only: {model_error}")
    words_only = bool(pending or model_error) or not uses_meaning
    ranked, reason = _rank(scope, query, query_lines(query, words_only=words_only))
    if reason:
        # Probably the model failed. A search by words needs none.
        notes.append(f"searched by words only: {reason}")
        if not ranked.lists:
            lines = query_lines(query, words_only=True)
            ranked, _ = _rank(scope, query, lines, is_retry=True)
    lists = [
        (weight, weigh_paths(matches, lambda key: key[1], query.text))
        for weight, matches in ranked.lists
    ]
    matches = [match for match in fuse(lists) if match.score >= query.min_score]
    hits = read_hits(scope.folder.root, matches, ranked.results, query)
    return SearchResult(hits, pending, tuple(notes))


def repository_path(base: str, path: str, collection: Collection) -> str | None:
    """Return qmd's `path` below `base` relative to the top of the repository.

    None if the collection does not contain it, or a terminal could not display it.
    """
    whole = f"{base}/{path}" if base else path
    return whole if whole.isprintable() and collection.contains(whole) else None


def passage_at(root: Path, path: str, line: int) -> HitChunk | None:
    """Return the section or definition that contains the line, else the whole file.

    None if the file is missing, too large, or outside the repository.
    """
    data = _read(root, path)
    if data is None:
        return None
    whole, *chunks = _passages(path, data)
    return next((one for one in chunks if one.first_line <= line <= one.last_line), whole)


def _passages(path: str, data: bytes) -> list[HitChunk]:
    """Return the whole file, and each of its chunks."""
    title, chunks = chunk_document(path, data)
    text = "".join(chunk.text for chunk in chunks)
    last = max((chunk.last_line for chunk in chunks), default=1)
    shown = title or path.rpartition("/")[2]
    parts = (Chunk("file", "", 1, last, text), *chunks)
    return [HitChunk("", "", path, shown, *part) for part in parts]


def best_passage(root: Path, path: str, line: int, query: str) -> HitChunk | None:
    """Return the passage at the line, or the one with most words of the query if it has none.

    qmd finds words in a whole file, and names its first line if it cannot tell which one matches.
    """
    passage = passage_at(root, path, line)
    if passage is None or share_of_words(passage, query):
        return passage
    others = _passages(path, _read(root, path) or b"")[1:]
    best = max(others, key=lambda other: share_of_words(other, query), default=passage)
    return best if share_of_words(best, query) else passage


def share_of_words(passage: HitChunk | None, query: str) -> float:
    """Return the share of the query's words that the passage contains (0..1)."""
    words = query_words(query)
    if passage is None or not words:
        return 0.0
    text = fold_forms(f"{passage.title}\n{passage.section}\n{passage.text}").lower()
    return sum(word in text for word in words) / len(words)


def read_hits(
    root: Path,
    matches: Iterable[FusedMatch[DocumentKey]],
    results: Mapping[DocumentKey, QmdResult],
    query: Query,
) -> tuple[Hit, ...]:
    """Return the hits of the first documents that still exist, at most `query.limit`.

    `results` has qmd's result for each document.
    """
    found: list[tuple[FusedMatch[DocumentKey], HitChunk]] = []
    for match in matches:
        if len(found) >= query.limit:
            break
        collection, path = match.key
        result = results[match.key]
        chunk = best_passage(root, path, result.line, query.text)
        if chunk is not None:
            found.append((match, chunk._replace(collection=collection, context=result.context)))
    return make_hits(found, query)


def read_documents(root: Path, collection: str, paths: Iterable[str]) -> list[IndexedDocument]:
    """Return the documents at these paths, from their current files, without missing ones."""
    documents = []
    for path in sorted(paths):
        data = _read(root, path)
        if data is not None:
            document = chunk_document(path, data)
            title = document.title or path.rpartition("/")[2]
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            chunks = len(document.chunks)
            documents.append(
                IndexedDocument(f"{path}#file", collection, path, title, digest, chunks)
            )
    return documents


def _rank(
    scope: SearchScope, query: Query, lines: Sequence[QueryLine], *, is_retry: bool = False
) -> tuple[RankedLists, str]:
    """Return the ranked lists, and the reason if meaning was requested and no list has any.

    Without any list, the caller retries by words; with `is_retry`, the error is raised instead.
    """
    if not lines:
        return RankedLists(), ""
    uses_meaning = any(line.type != "lex" for line in lines)
    try:
        done = run_qmd(
            scope.qmd,
            scope.folder,
            *query_arguments(lines, query, list(scope.bases)),
            timeout=_QUERY_TIMEOUT,
            environ=scope.environ,
        )
    except EngineUnavailable as error:
        if is_retry or not uses_meaning:
            raise
        return RankedLists(), str(error)
    if done.code:
        failure = explain_failure("query", done, scope.folder)
        if is_retry or not uses_meaning or not isinstance(failure, EngineUnavailable):
            raise failure
        return RankedLists(), str(failure)
    error_line = next((line for line in done.err.splitlines() if QUERY_NOT_EMBEDDED in line), "")
    ranked = lists_of_command(lines, parse_results(done.out), scope.key_of)
    if not uses_meaning or ranked.by_meaning:
        return ranked, ""
    ranked.lists = [(weight, matches) for weight, matches in ranked.lists if matches]
    return ranked, first_error_line("", error_line) if error_line else _NO_VECTORS


def _read(root: Path, path: str) -> bytes | None:
    try:
        return read_inside(root, path, MAX_FILE_BYTES)
    except (OSError, PathRefused, FileTooLarge):
        return None
