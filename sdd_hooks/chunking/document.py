"""Cut a document into chunks: prose by section, code by definition, other text by length.

A pattern or a lesson, which is stored as JSON, is the text that a person would read.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids),
# ADR-0055 (knowledge belongs to its authors)

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from sdd_hooks.chunking.chunk import Chunk, split_chunk
from sdd_hooks.chunking.code_chunks import chunk_code, code_chunker_version
from sdd_hooks.code.paths import has_sections
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.documents import document_text
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section, parse_sections

_SEPARATOR = " › "

_PATH = lazy_regex(r"(?:.*/)?(?P<kind>patterns|lessons)/[^/]+\.json")

_TEXTS = {
    "patterns": ("name", "problem", "solution", "example"),
    "lessons": ("advice", "context", "trigger"),
}

_MAX_TITLE = 120


class ChunkedDocument(NamedTuple):
    """The chunks of a document in order, and its title ("" without one).

    They do not depend on the name of the document: a renamed one keeps its chunks.
    """

    title: str
    chunks: tuple[Chunk, ...]


def chunker_version() -> str:
    """Return the version of the chunks and their words. An index of another one is rebuilt."""
    return f"sections 2, words 4, {code_chunker_version()}"


def chunk_document(path: str, data: bytes) -> ChunkedDocument:
    """Cut a file into chunks, by the suffix of `path`. Raises nothing."""
    if not has_sections(path):
        text = decode(data)
        if entry := read_entry_text(path, text):
            lines = max(len(text.splitlines()), 1)
            parts = split_chunk(Chunk("file", "", 1, lines, entry.text))
            # The lines of the text are not those of the file.
            whole = (part._replace(first_line=1, last_line=lines) for part in parts)
            return ChunkedDocument(entry.title, tuple(whole))
        return ChunkedDocument("", tuple(chunk_code(path, text)))
    text = document_text(path, data)
    return _by_section(text, parse_sections(text))


def _by_section(text: str, parts: Sequence[Section]) -> ChunkedDocument:
    """Make a chunk of the head of a document, and one of each section with text below its heading.

    The head is the text before the title, and the title with the text up to the next heading.
    """
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
            # A heading without text is in the titles of the sections below it.
            continue
        heading = _SEPARATOR.join([*(above for above in part.path if above != title), part.title])
        section = Chunk(part.anchor, heading, part.first_line, part.last_line, content)
        chunks += split_chunk(section)
    return ChunkedDocument(title, tuple(chunks))


def text_to_embed(title: str, chunk_title: str, text: str) -> str:
    """Return the text that a model embeds for a chunk: both titles, and the text of the chunk."""
    titles = [part for part in dict.fromkeys((title, chunk_title)) if part]
    return f"{_SEPARATOR.join(titles)}\n\n{text.strip()}".strip()


def chunk_hash(title: str, chunk: Chunk) -> bytes:
    """Return the content address of a chunk's vector: the SHA-256 of its text to embed."""
    return text_hash(text_to_embed(title, chunk.title, chunk.text))


def text_hash(text: str) -> bytes:
    """Return the SHA-256 of a text to embed, 32 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class EntryText(NamedTuple):
    """The title of an entry on one line, and its texts as paragraphs, with its tags."""

    title: str
    text: str


def read_entry_text(path: str, text: str) -> EntryText | None:
    """Return the text of the entry at `path`; None for a file that is no entry. Raises nothing."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    names = _TEXTS[match["kind"]]
    if not isinstance(data, dict) or not isinstance(data.get(names[0]), str):
        return None
    texts = [value for name in names if isinstance(value := data.get(name), str) and value.strip()]
    tags = data.get("tags")
    if isinstance(tags, list):
        texts.append(", ".join(tag for tag in tags if isinstance(tag, str)))
    if not texts:
        return None
    title = re.split(r"(?<=[.!?])\s", " ".join(texts[0].split()), maxsplit=1)[0]
    joined = "\n\n".join(texts).encode("utf-8", "replace").decode()
    return EntryText(title[:_MAX_TITLE].encode("utf-8", "replace").decode(), joined + "\n")
