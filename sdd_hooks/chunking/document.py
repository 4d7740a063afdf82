"""Cut a document into chunks: Markdown by section, code by definition, other text by length."""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sdd_hooks.chunking.chunk import Chunk, split_chunk
from sdd_hooks.chunking.code_chunks import chunk_code, code_chunker_version
from sdd_hooks.code.paths import is_markdown
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.markdown import Section, parse_sections

_SEPARATOR = " › "


@dataclass(frozen=True)
class ChunkedDocument:
    """The chunks of a document in order, and its title, "" if it has none.

    They do not depend on the document's name, so that a renamed document keeps its chunks.
    """

    title: str
    chunks: tuple[Chunk, ...]


def chunker_version() -> str:
    """The version of the chunker. An index that another version made is rebuilt."""
    return f"sections 1, {code_chunker_version()}"


def chunk_document(path: str, data: bytes) -> ChunkedDocument:
    """Cut a file into chunks. The suffix of `path` decides how. Never raises."""
    text = decode(data)
    if not is_markdown(path):
        return ChunkedDocument("", tuple(chunk_code(path, text)))
    return _by_section(text, parse_sections(text))


def _by_section(text: str, parts: Sequence[Section]) -> ChunkedDocument:
    """One chunk for the head of the document (the text before its title, and its title with the
    text up to the next heading), and one for each section with text besides its heading."""
    head = [part for part in parts[:2] if part.level <= 1]
    head = head[: 1 if head and head[0].level == 1 else 2]
    title = next((part.title for part in head if part.level == 1), "")
    chunks: list[Chunk] = []
    if head:
        first, last = head[0], head[-1]
        whole = Chunk("file", "", first.first_line, last.last_line, text[first.start : last.end])
        chunks += split_chunk(whole)
    for part in parts[len(head) :]:
        content = text[part.start : part.end]
        if "\n" not in content.strip():
            # The titles of the sections below include a heading without text.
            continue
        heading = _SEPARATOR.join([*(above for above in part.path if above != title), part.title])
        section = Chunk(part.anchor, heading, part.first_line, part.last_line, content)
        chunks += split_chunk(section)
    return ChunkedDocument(title, tuple(chunks))


def text_to_embed(title: str, chunk_title: str, text: str) -> str:
    """The text that a model embeds for a chunk: the titles of its document and itself, then it."""
    titles = [part for part in dict.fromkeys((title, chunk_title)) if part]
    return f"{_SEPARATOR.join(titles)}\n\n{text.strip()}".strip()


def chunk_hash(title: str, chunk: Chunk) -> bytes:
    """The content address of a chunk's vector: the sha256 of the text that a model embeds."""
    text = text_to_embed(title, chunk.title, chunk.text)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
