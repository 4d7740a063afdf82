"""What the commands of a job did, and the summary of the step."""

# Governing: ADR-0022 (one review, many reports), SPEC-0012 REQ "Outputs"

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sdd_hooks.errors import EXIT_OK
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.escape import escape_text
from sdd_hooks.reporting.markdown import truncate_lines

OUTPUTS = (
    "findings",
    "critical",
    "suppressed",
    "incomplete",
    "comment-url",
    "report",
    "sarif",
    "page",
    "chunks-embedded",
    "issues-synced",
    "device",
)
"""The outputs of the action. One that does not apply is empty."""

MAX_SUMMARY_BYTES = 1_048_576
"""The size of all summaries of a step; a runner discards larger ones as a whole."""

_CUT = "**Cut here:** this is longer than the summary of a step may be."
_MARGIN_BYTES = 200
"""Room for the line about the cut."""


class CommandResult(NamedTuple):
    """What one of the commands did.

    `outputs` are some of `OUTPUTS`. `summary` is Markdown for the summary of the step, whole lines
    or "". `annotations` are complete workflow commands, a line each. `notes`, `log` and `errors`
    are untrusted plain text, a line each: notes for the user, lines for the log of the job, and
    failures.
    """

    outputs: Mapping[str, str] = MappingProxyType({})
    summary: str = ""
    annotations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    exit_code: int = EXIT_OK
    errors: tuple[str, ...] = ()


class FinishedCommand(NamedTuple):
    """The name of a command that ran, and what it did."""

    name: str
    result: CommandResult


def summary_lines(commands: Sequence[FinishedCommand]) -> Iterator[str]:
    """The summary as lines of Markdown; none where there is nothing to report."""
    rows = [
        *((name, line) for name, result in commands for line in result.log),
        *((name, f"failed: {line}") for name, result in commands for line in result.errors),
    ]
    if rows:
        yield from ("| command | what it did |", "| --- | --- |")
        for name, line in rows:
            yield f"| {name} | {_escape_cell(line)} |"
        yield ""
    for _, result in commands:
        yield from result.summary.splitlines()
        if result.summary:
            yield ""
    notes = dict.fromkeys(note for _, result in commands for note in result.notes)
    for note in notes:
        yield f"- {escape_text(note)}"
    if notes:
        yield ""


def write_summary(path: Path, lines: Sequence[str]) -> str:
    """Append the lines to the file at `path`, as far as there is room. Returns a problem, or ""."""
    if not lines:
        return ""
    try:
        with path.open("ab+") as file:
            size = file.tell()
            file.seek(max(size - 1, 0))
            # The last line of an earlier command may be incomplete, and a table needs a blank line.
            prefix = {b"": "", b"\n": "\n"}.get(file.read(1), "\n\n")
            room = MAX_SUMMARY_BYTES - size - len(prefix)
            if room < _MARGIN_BYTES:
                return "there is no room in the summary of the step"
            text = truncate_lines(lines, _count_bytes, room, _CUT)
            file.write(f"{prefix}{text}".encode("utf-8", "backslashreplace"))
    except OSError as error:
        reason = error.strerror or "it is no file"
        return f"the summary of the step cannot be written ({reason}): check GITHUB_STEP_SUMMARY"
    return ""


def _escape_cell(line: str) -> str:
    """A text for a table cell, in which code cannot escape the end of the cell."""
    return escape_text(line.replace("`", "'"))


def _count_bytes(line: str) -> int:
    return len(line.encode("utf-8", "backslashreplace"))
