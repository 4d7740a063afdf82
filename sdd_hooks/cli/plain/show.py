"""Run `sdd show` with parsed arguments: find the record or the part of a file, and print it.

219 ms without click, 237 with it.
"""

# Governing: SPEC-0005 REQ "Show"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.cli.plain.arguments import parse_plain
from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.output import CommandOutput, detect_terminal
from sdd_hooks.cli.shared.output import show as print_output
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.usecases.reading.show import ShowRequest
from sdd_hooks.usecases.reading.show import show as find_part


class ShowArguments(NamedTuple):
    """The arguments of `sdd show`, valid and with a target."""

    target: str
    module: str | None = None
    as_json: bool = False


def names_something(target: str) -> bool:
    """Whether a target has more than the signs of an id."""
    return bool(target.strip("# "))


def parse_show(arguments: Sequence[str]) -> ShowArguments | None:
    """Parse the usual spellings of the arguments; None if click has to decide."""
    plain = parse_plain(arguments, ("--json",), ("--module",))
    if plain is None or len(plain.words) != 1 or not names_something(plain.words[0]):
        return None
    return ShowArguments(plain.words[0], plain.last("--module", None), "--json" in plain.flags)


def run_show(directory: Path | None, given: ShowArguments) -> int:
    """Show a target in the project of `directory` (None: the current one). Returns the exit
    code."""
    request = ShowRequest(given.target, given.module, start_directory(directory))
    shown = find_part(open_project(directory), request, time.time())
    if given.as_json:
        from sdd_hooks.reporting.shown import shown_data

        output = CommandOutput(shown_data(shown), (), shown.notes, shown.warnings)
    else:
        from sdd_hooks.reporting.shown import shown_lines

        screen = detect_terminal(sys.stdout, os.environ)
        output = CommandOutput({}, shown_lines(shown, screen), shown.notes, shown.warnings)
    return print_output(output, given.as_json)
