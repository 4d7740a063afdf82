"""The output of commands: results on stdout, notes and warnings on stderr, or one JSON object."""

# Governing: ADR-0010 (one error tree and documented exit codes), ADR-0012 (untrusted input),
# SPEC-0005 REQ "Output"

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from sdd_hooks.errors import EXIT_OK
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.terminal import Terminal, detect_terminal
from sdd_hooks.text.display import (
    display_width,
    format_count,
    json_document,
    printable_line,
    printable_lines,
    shortened,
)

__all__ = [
    "CommandOutput",
    "Terminal",
    "detect_terminal",
    "error_document",
    "fitting_table",
    "format_count",
    "printable_line",
    "printable_lines",
    "show",
    "table",
]


class CommandOutput(NamedTuple):
    """What a command prints: `data` with `--json`, else `lines`, then notes and warnings."""

    data: Mapping[str, object]
    lines: Sequence[str] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    exit_code: int = EXIT_OK


def show(output: CommandOutput, as_json: bool) -> int:
    """Print the output of a command. Returns its exit code."""
    if as_json:
        extras = {"notes": list(output.notes), "warnings": list(output.warnings)}
        sys.stdout.write(json_document({**output.data, **extras}))
        return output.exit_code
    sys.stdout.writelines(f"{line}\n" for line in output.lines)
    sys.stdout.flush()
    for label, texts in (("note", output.notes), ("warning", output.warnings)):
        sys.stderr.writelines(f"{label}: {printable_line(text)}\n" for text in texts)
    return output.exit_code


def error_document(code: str, message: str, exit_code: int) -> str:
    """An error as a JSON object, which replaces the one of the result."""
    return json_document({"error": {"code": code, "message": message, "exit_code": exit_code}})


def table(rows: Sequence[Sequence[object]]) -> list[str]:
    """Rows as aligned lines; columns that hold numbers are flush right."""
    columns = []
    for column in zip(*rows, strict=True):
        texts = [
            f"{cell:,}" if isinstance(cell, int) else printable_line(str(cell)) for cell in column
        ]
        width = max(map(display_width, texts))
        numeric = any(isinstance(cell, int) for cell in column)
        padded = [(text, " " * (width - display_width(text))) for text in texts]
        columns.append([space + text if numeric else text + space for text, space in padded])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def fitting_table(rows: Sequence[Sequence[str]], width: int, flexible: int) -> list[str]:
    """Rows of text as aligned lines of at most `width` columns (0: unlimited).

    Where they do not fit, the last column is left out, and the column number `flexible` is cut.
    """
    lines = table(rows)
    if not width or max(map(display_width, lines)) <= width:
        return lines
    shown = [[printable_line(cell) for cell in row[:-1]] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*shown, strict=True)]
    room = width - sum(widths) + widths[flexible] - 2 * (len(widths) - 1)
    for row in shown:
        row[flexible] = shortened(row[flexible], max(room, 1))
    return table(shown)
