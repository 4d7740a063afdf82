"""Lay out texts and rows of cells in the columns of a terminal. Cells must be printable."""

# Governing: SPEC-0005 REQ "Output"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from sdd_hooks.text.display import display_width, printable_line, shortened

GAP = "  "
_LEAST = 16
"""Columns below which a cut text says too little."""


def wrap_line(text: str, room: int) -> Iterator[str]:
    """Lines of whole words, of at most `room` columns. A word that is longer is split."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if display_width(longer) <= room:
            line = longer
            continue
        if line:
            yield line
        line = ""
        used = 0
        for character in word:
            width = display_width(character)
            if used + width > room:
                yield line
                line, used = "", 0
            line += character
            used += width
    if line:
        yield line


def hang(head: str, text: str, width: int) -> list[str]:
    """`head` and `text` in lines of `width` columns (0: unlimited), those of the text aligned."""
    at = display_width(head)
    if not width or at + display_width(text) <= width:
        return [f"{head}{text}".rstrip()]
    if width - at < _LEAST:
        return [head.rstrip(), *(f"{GAP}{line}" for line in wrap_line(text, width - len(GAP)))]
    first, *others = wrap_line(text, width - at)
    return [f"{head}{first}", *(" " * at + line for line in others)]


def cut_cell(text: str, width: int) -> str:
    """The text in at most `width` columns. A path loses its beginning, any other text its end."""
    if display_width(text) <= width or "/" not in text or " " in text:
        return shortened(text, width)
    return shortened(text[::-1], width)[::-1]


def align(
    rows: Sequence[Sequence[object]],
    width: int = 0,
    *,
    optional: Sequence[int] = (),
    wraps: bool = False,
    style: Callable[[int, str], str] = lambda _, cell: cell,
) -> list[str]:
    """Rows as aligned lines of at most `width` columns (0: unlimited); numbers are flush right.

    Where they do not fit, the `optional` columns are left out, the first at once, the others while
    the widest cannot be cut enough. Then the last column is wrapped with `wraps`, or the widest are
    cut; the rows of a table of numbers, which has a heading, become lines of names and numbers.
    `style` gets the number of a column and its padded cell.
    """
    given = dict(enumerate(zip(*rows, strict=True)))
    numeric = {number for number, cells in given.items() if any(isinstance(c, int) for c in cells)}
    columns = {number: list(map(_text, cells)) for number, cells in given.items()}
    for turn, number in enumerate(optional):
        if width and _total(columns, cut=turn > 0) > width:
            del columns[number]
    if width and _total(columns) > width:
        if wraps:
            *first, last = _padded(columns, numeric).values()
            heads = [GAP.join((*cells, "")) for cells in zip(*first, strict=True)]
            pairs = zip(heads, last, strict=True)
            return [line for one, text in pairs for line in hang(one, text.rstrip(), width)]
        if numeric & columns.keys() and _total(columns, cut=True) > width:
            heading, *others = zip(*columns.values(), strict=True)
            named = (", ".join(map("{} {}".format, heading, cells)) for cells in others)
            return [line for text in named for line in hang(GAP, text, width)]
        sizes = _sizes(columns)
        room = width - _total(columns) + sum(sizes)
        fits = (one for one in range(room, 1, -1) if sum(min(size, one) for size in sizes) <= room)
        most = next(fits, 1)
        columns = {one: [cut_cell(cell, most) for cell in cells] for one, cells in columns.items()}
    shown = _padded(columns, numeric)
    styled = ([style(number, cell) for cell in cells] for number, cells in shown.items())
    return [GAP.join(line).rstrip() for line in zip(*styled, strict=True)]


def _text(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else printable_line(str(cell))


def _sizes(columns: Mapping[int, Sequence[str]]) -> list[int]:
    return [max(map(display_width, cells)) for cells in columns.values()]


def _total(columns: Mapping[int, Sequence[str]], *, cut: bool = False) -> int:
    """The width of the table; with `cut`, after the widest of its columns was cut."""
    sizes = _sizes(columns)
    spared = max(0, max(sizes) - _LEAST) if cut else 0
    return sum(sizes) + len(GAP) * (len(sizes) - 1) - spared


def _padded(columns: Mapping[int, Sequence[str]], numeric: Set[int]) -> dict[int, list[str]]:
    padded = {}
    for (number, cells), size in zip(columns.items(), _sizes(columns), strict=True):
        spaced = [(cell, " " * (size - display_width(cell))) for cell in cells]
        padded[number] = [gap + one if number in numeric else one + gap for one, gap in spaced]
    return padded
