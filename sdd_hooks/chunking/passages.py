"""A document as chunks: Markdown by section, code by definition, anything else by length."""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sdd_hooks.chunking.chunk import Chunk, in_parts
from sdd_hooks.chunking.definitions import chunk_code, chunker_version
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.markdown import Section, parse_sections

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
    return _by_section(text, parse_sections(text))


def _by_section(text: str, parts: Sequence[Section]) -> Passages:
    """One chunk for the head of the document (what precedes its title, the title, what follows up
    to the next heading), one for each section that says something of its own."""
    head = [part for part in parts[:2] if part.level <= 1]
    head = head[: 1 if head and head[0].level == 1 else 2]
    title = next((part.title for part in head if part.level == 1), "")
    found: list[Chunk] = []
    if head:
        first, last = head[0], head[-1]
        whole = Chunk("file", "", first.first_line, last.last_line, text[first.start : last.end])
        found += in_parts(whole)
    for part in parts[len(head) :]:
        said = text[part.start : part.end]
        if "\n" not in said.strip():
            # A heading alone: the chunks of its own sections name it.
            continue
        heading = _BETWEEN.join([*(above for above in part.path if above != title), part.title])
        found += in_parts(Chunk(part.anchor, heading, part.first_line, part.last_line, said))
    return Passages(title, tuple(found))


def embedded_text(title: str, chunk_title: str, text: str) -> str:
    """What a model reads for a chunk: where it stands, then what it says."""
    where = [part for part in dict.fromkeys((title, chunk_title)) if part]
    return f"{_BETWEEN.join(where)}\n\n{text.strip()}".strip()


def chunk_hash(title: str, chunk: Chunk) -> bytes:
    """The content address of a chunk's vector: sha256 of what a model reads for it."""
    text = embedded_text(title, chunk.title, chunk.text)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
