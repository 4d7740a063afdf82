"""Cut code into chunks: one for each definition, and `file` for the text between definitions.

A long class is cut into its methods, and the text between these belongs to the class. The joined
texts of the chunks are the file.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.chunking.chunk import MAX_LENGTH, Chunk, split_chunk
from sdd_hooks.code.definitions import Definition, Definitions, find_definitions
from sdd_hooks.named_tuple import NamedTuple

_MAX_DEPTH = 4


def code_chunker_version() -> str:
    """Return the version of the algorithm. Another version may cut the same file differently.

    It does not depend on what is installed: installations that differ would cut each other's
    chunks again.
    """
    return "definitions 1"


def chunk_code(path: str, text: str) -> list[Chunk]:
    """Cut a source file into chunks, in order, without gaps and overlaps; none for blank text.

    A file without recognised definitions is cut by length. Raises nothing.
    """
    if not text or text.isspace():
        return []
    cutter = _Cutter(find_definitions(path, text))
    return _make_chunks(text, cutter.cut(len(text)))


class _Span(NamedTuple):
    """A part of the text: one definition, or text between definitions."""

    anchor: str
    title: str
    start: int
    end: int


class _Anchors:
    """Names that are unique in a file. `file` is reserved for the file itself."""

    def __init__(self) -> None:
        self._used = {"file": 0}

    def unique(self, name: str) -> str:
        if name not in self._used:
            self._used[name] = 0
            return name
        count = self._used[name]
        while True:
            count += 1
            candidate = f"{name}-{count}"
            if candidate not in self._used:
                self._used[name] = count
                self._used[candidate] = 0
                return candidate


class _Cutter:
    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._anchors = _Anchors()
        self._spans: list[_Span] = []

    def cut(self, length: int) -> list[_Span]:
        """Return the spans of a text of that length."""
        self._cut_region(_Span("file", "", 0, length), self._definitions.outermost(), 0)
        return self._spans

    def _cut_region(self, whole: _Span, definitions: Iterator[Definition], depth: int) -> None:
        """Cut a span into its definitions and the text between them, which keeps its anchor."""
        first = len(self._spans)
        cursor = whole.start
        for definition in definitions:
            if definition.start > cursor:
                self._add_between(whole, cursor, definition.start, joins=len(self._spans) > first)
            self._add_definition(definition, whole.title, depth)
            cursor = definition.end
        if cursor < whole.end:
            self._add_between(whole, cursor, whole.end, joins=len(self._spans) > first)

    def _add_between(self, whole: _Span, start: int, end: int, *, joins: bool) -> None:
        """Add text between definitions. Closing brackets extend the span above."""
        if joins and self._definitions.only_closes(start, end):
            self._spans[-1] = self._spans[-1]._replace(end=end)
        else:
            self._spans.append(_Span(whole.anchor, whole.title, start, end))

    def _add_definition(self, definition: Definition, container: str, depth: int) -> None:
        name = f"{container}.{definition.name}" if container else definition.name
        span = _Span(self._anchors.unique(name), name, definition.start, definition.end)
        is_short = definition.end - definition.start <= MAX_LENGTH
        if is_short or not definition.is_container or depth == _MAX_DEPTH:
            self._spans.append(span)
        else:
            self._cut_region(span, self._definitions.members(definition), depth + 1)


def _make_chunks(text: str, spans: list[_Span]) -> list[Chunk]:
    """Make chunks of limited length. The parts of an anchor are numbered through the file."""
    parts: dict[str, int] = {}
    used: set[str] = set()
    chunks = []
    line = 1
    for span in spans:
        piece = text[span.start : span.end]
        breaks = piece.count("\n")
        last = line + breaks - piece.endswith("\n")
        whole = Chunk(span.anchor, span.title, line, last, piece)
        for chunk in split_chunk(whole) if len(piece) > MAX_LENGTH else (whole,):
            part = parts.get(span.anchor, 0) + 1
            anchor = span.anchor if part == 1 else f"{span.anchor}~{part}"
            while anchor in used:
                part += 1
                anchor = f"{span.anchor}~{part}"
            parts[span.anchor] = part
            used.add(anchor)
            chunks.append(
                chunk
                if chunk.anchor == anchor
                else Chunk(anchor, chunk.title, chunk.first_line, chunk.last_line, chunk.text)
            )
        line += breaks
    return chunks
