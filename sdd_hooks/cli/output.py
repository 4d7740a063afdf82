"""What commands print: results on stdout, notes and warnings on stderr, or one JSON object."""

# Governing: ADR-0010 (one error tree and documented exit codes), ADR-0012 (untrusted input),
# SPEC-0005 REQ "Output"

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from sdd_hooks.errors import EXIT_OK

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Report:
    """The outcome of a command: `data` for programs, `lines` for people, and what to add."""

    data: Mapping[str, object]
    lines: Sequence[str] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    exit_code: int = EXIT_OK


@dataclass(frozen=True)
class Terminal:
    """What a stream can show: columns (0: no limit) and whether text may be styled."""

    width: int
    styled: bool

    def strong(self, text: str) -> str:
        """The text in bold, where that works."""
        return f"\x1b[1m{text}\x1b[0m" if self.styled else text

    def faint(self, text: str) -> str:
        """The text dimmed, where that works."""
        return f"\x1b[2m{text}\x1b[0m" if self.styled else text


def show(report: Report, as_json: bool) -> int:
    """Print a report. Returns its exit code."""
    if as_json:
        extras = {"notes": list(report.notes), "warnings": list(report.warnings)}
        sys.stdout.write(_document({**report.data, **extras}))
        return report.exit_code
    sys.stdout.writelines(f"{line}\n" for line in report.lines)
    sys.stdout.flush()
    for label, texts in (("note", report.notes), ("warning", report.warnings)):
        sys.stderr.writelines(f"{label}: {plain(text)}\n" for text in texts)
    return report.exit_code


def error_document(code: str, message: str, exit_code: int) -> str:
    """An error as the JSON object that takes the place of a result."""
    return _document({"error": {"code": code, "message": message, "exit_code": exit_code}})


def terminal(stream: TextIO, environ: Mapping[str, str]) -> Terminal:
    """What `stream` can show. Styles need a terminal, and no NO_COLOR in the environment."""
    if not stream.isatty():
        return Terminal(0, False)
    styled = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    try:
        return Terminal(os.get_terminal_size(stream.fileno()).columns, styled)
    except OSError:
        return Terminal(0, styled)


def plain(text: str) -> str:
    """The text as one line that a terminal only prints: no control characters, no reordering."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, " ".join(text.split())))


def plain_lines(text: str) -> list[str]:
    """The lines of a text as `plain` ones that keep their blanks, without blank lines around."""
    lines = ("".join(map(_visible, line.expandtabs(4).rstrip())) for line in text.splitlines())
    return "\n".join(lines).strip("\n").splitlines()


def table(rows: Sequence[Sequence[object]]) -> list[str]:
    """Rows as aligned lines; columns that hold numbers are flush right."""
    columns = []
    for column in zip(*rows, strict=True):
        texts = [f"{cell:,}" if isinstance(cell, int) else plain(str(cell)) for cell in column]
        width = max(map(_width, texts))
        numeric = any(isinstance(cell, int) for cell in column)
        padded = [(text, " " * (width - _width(text))) for text in texts]
        columns.append([space + text if numeric else text + space for text, space in padded])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def counted(number: int, noun: str) -> str:
    """`1 document`, `2,000 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _width(text: str) -> int:
    """Columns on a terminal: ideographs take two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(combining, text)))


def _document(data: Mapping[str, object]) -> str:
    import json

    return json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=2) + "\n"


def _visible(character: str) -> str:
    from unicodedata import category

    # Cc and Cf hold escapes and the marks that reorder text; a surrogate stands for a lone byte.
    # The two joiners are part of words in some scripts.
    hidden = category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    hidden = hidden and character not in "\u200c\u200d"
    return f"\\u{ord(character):04x}" if hidden else character
