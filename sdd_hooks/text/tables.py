"""Write the rows of a table as Markdown, each on the line on which it begins."""

from __future__ import annotations

from collections.abc import Sequence


def write_rows(
    lines: list[str], rows: Sequence[tuple[int, Sequence[str]]], first: int, end: int
) -> None:
    """Replace `lines[first:end]` by the rows: the index of the line of each, and its cells.

    Lines between two rows are empty rows, so that Markdown sees one table.
    """
    lines[first:end] = [""] * (end - first)
    columns = max((len(cells) for _, cells in rows), default=0)
    for at, (start, cells) in enumerate(rows):
        lines[start] = f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
        following = rows[at + 1][0] if at + 1 < len(rows) else start + 1
        for empty in range(start + 1, following):
            is_delimiter = at == 0 and empty == start + 1
            lines[empty] = "|" + (" --- |" if is_delimiter else "  |") * columns
