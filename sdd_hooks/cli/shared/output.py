"""The output of commands: results on stdout, notes and warnings on stderr, or one JSON object."""

# Governing: ADR-0010 (one error tree and documented exit codes), ADR-0012 (untrusted input),
# SPEC-0005 REQ "Output"

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from sdd_hooks.errors import EXIT_OK
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.terminal import Terminal, detect_terminal
from sdd_hooks.text.columns import align
from sdd_hooks.text.display import format_count, json_document, printable_line, printable_lines

__all__ = [
    "CommandOutput",
    "Terminal",
    "detect_terminal",
    "error_document",
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


def table(
    rows: Sequence[Sequence[object]],
    *,
    optional: Sequence[int] = (),
    wraps: bool = False,
    status: int | None = None,
    indent: int = 0,
) -> list[str]:
    """Rows as aligned lines that fit the terminal, see `align`; a pipe gets them as they are.

    The column number `status` is coloured. Each line has room for an `indent`.
    """
    screen = detect_terminal(sys.stdout, os.environ)

    def style(number: int, cell: str) -> str:
        return screen.status(cell) if number == status else cell

    room = max(screen.width - indent, 1) if screen.width else 0
    return align(rows, room, optional=optional, wraps=wraps, style=style) if rows else []
