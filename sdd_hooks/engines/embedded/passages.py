"""A document as chunks: Markdown by section, code by definition, anything else by length.

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sdd_hooks.artifacts.markdown import sections
from sdd_hooks.artifacts.text import decode
from sdd_hooks.engines.embedded.chunk import Chunk, in_parts
from sdd_hooks.engines.embedded.definitions import chunk_code, chunker_version

_MARKDOWN = (".md", ".markdown", ".mdx")
_BETWEEN = " › "


@dataclass(frozen=True)
class Passages:
    """A document's chunks in order, and its own title, empty when it has none.

    Nothing here depends on the document's name, so that a renamed one keeps its chunks.
    """

    title: str
    chunks: tuple[Chunk, ...]


def version() -> str:
    """What cut the chunks: an index made by another version is made again."""
    return f"sections 1, {chunker_version()}"


def passages(path: str, data: bytes) -> Passages:
    """Cut a file into chunks. The ending of `path` decides how; never raises."""
    text = decode(data)
    if not path.lower().endswith(_MARKDOWN):
        return Passages("", tuple(chunk_code(path, text)))
    title = ""
    found: list[Chunk] = []
    for section in sections(text):
        if section.level == 1 and not title:
            title = section.title
        above = [part for part in section.path if part != title]
        heading = _BETWEEN.join([*above, section.title])
        chunk = Chunk(
            section.anchor,
            heading,
            section.first_line,
            section.last_line,
            text[section.start : section.end],
        )
        found += in_parts(chunk)
    return Passages(title, tuple(found))


def embedded_text(title: str, chunk_title: str, text: str) -> str:
    """What a model reads for a chunk: where it stands, then what it says."""
    where = [part for part in dict.fromkeys((title, chunk_title)) if part]
    return f"{_BETWEEN.join(where)}\n\n{text.strip()}"


def chunk_hash(title: str, chunk: Chunk) -> bytes:
    """The content address of a chunk's vector: sha256 of what a model reads for it."""
    text = embedded_text(title, chunk.title, chunk.text)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
