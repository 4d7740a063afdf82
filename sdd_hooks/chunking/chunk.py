"""Chunks, the units of retrieval, and the split of long ones."""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.named_tuple import NamedTuple

MAX_LENGTH = 2400
"""Characters of a chunk: about 500 tokens, the limit of small sentence models."""


class Chunk(NamedTuple):
    """A section or definition. Lines are 1-based and inclusive; `anchor` is unique in its file."""

    anchor: str
    title: str
    first_line: int
    last_line: int
    text: str


def split_chunk(chunk: Chunk, max_length: int = MAX_LENGTH) -> Iterator[Chunk]:
    """Yield the chunk, or its parts of at most `max_length` characters: `anchor`, `anchor~2`, ….

    Splits after a blank line in the second half of a part, else after a line end there, else inside
    a line. The joined texts of the parts are the text of the chunk.
    """
    text, start, line, part = chunk.text, 0, chunk.first_line, 1
    while start < len(text):
        end = len(text)
        if end - start > max_length:
            half = start + max_length // 2
            blank = text.rfind("\n\n", half, start + max_length)
            line_end = text.rfind("\n", half, start + max_length)
            end = blank + 2 if blank >= 0 else line_end + 1 if line_end >= 0 else start + max_length
        piece = text[start:end]
        breaks = piece.count("\n")
        last = line + breaks - piece.endswith("\n") if breaks else line
        anchor = chunk.anchor if part == 1 else f"{chunk.anchor}~{part}"
        yield Chunk(anchor, chunk.title, line, min(last, chunk.last_line), piece)
        start, line, part = end, line + breaks, part + 1
