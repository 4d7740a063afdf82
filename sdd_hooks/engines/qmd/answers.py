"""From a document that qmd names to a hit: the passage that answers, as the file is now."""

# Governing: ADR-0014 (the qmd engine), ADR-0008 (sections and definitions as units of retrieval),
# ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.chunking.document import chunk_document
from sdd_hooks.engines.fusion import FusedMatch
from sdd_hooks.engines.protocol import Hit, IndexedDocument
from sdd_hooks.engines.qmd.asking import Key
from sdd_hooks.engines.qmd.output import Result
from sdd_hooks.engines.snippets import chunk_snippet, query_words
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside

LARGEST = 5 << 20
"""Bytes of the largest file that is quoted. qmd itself has no such limit."""


@dataclass(frozen=True)
class Passage:
    """The part of a file that a line is in. Lines are 1-based and inclusive."""

    title: str
    section: str
    anchor: str
    first_line: int
    last_line: int
    text: str


def inside(base: str, path: str, collection: Collection) -> str | None:
    """The path from the top of what qmd calls `path` below `base`; None: not the collection's."""
    whole = f"{base}/{path}" if base else path
    return whole if whole.isprintable() and collection.contains(whole) else None


def passage_at(root: Path, path: str, line: int) -> Passage | None:
    """The section or definition that holds the line, else the whole file.

    None when the file is gone, or must not be read.
    """
    data = _bytes(root, path)
    if data is None:
        return None
    cut = chunk_document(path, data)
    title = cut.title or path.rpartition("/")[2]
    for chunk in cut.chunks:
        if chunk.first_line <= line <= chunk.last_line:
            return Passage(
                title, chunk.title, chunk.anchor, chunk.first_line, chunk.last_line, chunk.text
            )
    text = "".join(chunk.text for chunk in cut.chunks)
    last = max((chunk.last_line for chunk in cut.chunks), default=1)
    return Passage(title, "", "file", 1, last, text)


def share(passage: Passage | None, asked: str) -> float:
    """How many of the query's words stand in the passage, of all (0..1)."""
    words = query_words(asked)
    if passage is None or not words:
        return 0.0
    said = f"{passage.title}\n{passage.section}\n{passage.text}".lower()
    return sum(word in said for word in words) / len(words)


def hits(
    root: Path,
    ranked: Iterable[FusedMatch[Key]],
    results: Mapping[Key, Result],
    asked: str,
    limit: int,
) -> tuple[Hit, ...]:
    """The hits for the first `limit` of these documents that are still there.

    `results` is what qmd says of each, `asked` the text of the query.
    """
    words = query_words(asked)
    found: list[Hit] = []
    for one in ranked:
        if len(found) >= limit:
            break
        collection, path = one.key
        result = results[one.key]
        passage = passage_at(root, path, result.line)
        if passage is not None:
            found.append(
                Hit(
                    id=f"{path}#{passage.anchor}",
                    collection=collection,
                    path=path,
                    first_line=passage.first_line,
                    last_line=passage.last_line,
                    title=passage.title,
                    section=passage.section,
                    score=round(one.score, 4),
                    cosine=None if one.cosine is None else round(one.cosine, 4),
                    snippet=chunk_snippet(passage.text, passage.section or passage.title, words),
                    context=result.context,
                )
            )
    return tuple(found)


def documents(root: Path, collection: str, paths: Iterable[str]) -> list[IndexedDocument]:
    """The documents at these paths, as their files are now; those that are gone are left out."""
    found = []
    for path in sorted(paths):
        data = _bytes(root, path)
        if data is not None:
            cut = chunk_document(path, data)
            title = cut.title or path.rpartition("/")[2]
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            found.append(
                IndexedDocument(f"{path}#file", collection, path, title, digest, len(cut.chunks))
            )
    return found


def _bytes(root: Path, path: str) -> bytes | None:
    try:
        return read_inside(root, path, LARGEST)
    except (OSError, PathRefused, FileTooLarge):
        return None
