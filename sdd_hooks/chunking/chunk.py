"""The unit of retrieval, and the one rule that cuts a long unit into parts."""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 2400
"""Characters of the longest chunk: about 500 tokens, what small sentence models read at once."""


@dataclass(frozen=True)
class Chunk:
    """A section or definition. Lines are 1-based and inclusive; `anchor` is unique in its file."""

    anchor: str
    title: str
    first_line: int
    last_line: int
    text: str


def in_parts(chunk: Chunk, longest: int = LONGEST) -> Iterator[Chunk]:
    """The chunk itself, or its parts of at most `longest` characters as `anchor`, `anchor~2`, ….

    Cuts after a blank line where there is one in the last half, else after a line end, else inside
    a line. The parts' texts, put together, are the chunk's.
    """
    text, start, line, part = chunk.text, 0, chunk.first_line, 1
    while start < len(text):
        end = len(text)
        if end - start > longest:
            half = start + longest // 2
            blank = text.rfind("\n\n", half, start + longest)
            line_end = text.rfind("\n", half, start + longest)
            end = blank + 2 if blank >= 0 else line_end + 1 if line_end >= 0 else start + longest
        piece = text[start:end]
        breaks = piece.count("\n")
        last = line + breaks - piece.endswith("\n") if breaks else line
        anchor = chunk.anchor if part == 1 else f"{chunk.anchor}~{part}"
        yield Chunk(anchor, chunk.title, line, min(last, chunk.last_line), piece)
        start, line, part = end, line + breaks, part + 1
