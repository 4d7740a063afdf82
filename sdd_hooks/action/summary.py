"""The summary of the step: a table of what the parts did, and the report of a review."""

# Governing: ADR-0022 (one review, many reports), SPEC-0012 REQ "Outputs"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.action.outcome import Outcome
from sdd_hooks.reporting.escape import escape_text
from sdd_hooks.reporting.markdown import truncate_lines

LONGEST = 1_048_576
"""Bytes of all that a step leaves there; what is longer is thrown away as a whole."""

_CUT = "**Cut here:** this is longer than the summary of a step may be."
_MARGIN = 200
"""Bytes for saying so."""


class Part(NamedTuple):
    """A command that ran, and what it did."""

    name: str
    outcome: Outcome


def summary_lines(parts: Sequence[Part]) -> Iterator[str]:
    """The summary as lines of Markdown; none where there is nothing to say."""
    rows = [
        *((part.name, line) for part in parts for line in part.outcome.log),
        *((part.name, f"failed: {line}") for part in parts for line in part.outcome.errors),
    ]
    if rows:
        yield from ("| command | what it did |", "| --- | --- |")
        for name, line in rows:
            yield f"| {name} | {_cell(line)} |"
        yield ""
    for part in parts:
        yield from part.outcome.summary.splitlines()
        if part.outcome.summary:
            yield ""
    notes = dict.fromkeys(note for part in parts for note in part.outcome.notes)
    for note in notes:
        yield f"- {escape_text(note)}"
    if notes:
        yield ""


def write_summary(path: Path, lines: Sequence[str]) -> str:
    """Add the lines to the file at `path`, as far as there is room. Returns what went wrong, ""."""
    if not lines:
        return ""
    try:
        with path.open("ab+") as file:
            size = file.tell()
            file.seek(max(size - 1, 0))
            # A line of somebody's may not have ended, and a table follows a blank one.
            begins = {b"": "", b"\n": "\n"}.get(file.read(1), "\n\n")
            room = LONGEST - size - len(begins)
            if room < _MARGIN:
                return "there is no room in the summary of the step"
            text = truncate_lines(lines, _bytes, room, _CUT)
            file.write(f"{begins}{text}".encode("utf-8", "backslashreplace"))
    except OSError as error:
        return f"the summary of the step cannot be written ({error.strerror})"
    return ""


def _cell(line: str) -> str:
    """A text in a cell of a table, where code has no way to escape what ends one."""
    return escape_text(line.replace("`", "'"))


def _bytes(line: str) -> int:
    return len(line.encode("utf-8", "backslashreplace"))
