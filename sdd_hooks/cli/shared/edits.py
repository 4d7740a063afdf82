"""Edits of files, as commands print them."""

from __future__ import annotations

from collections.abc import Iterable

import click

from sdd_hooks.system.file_edits import FileEdit
from sdd_hooks.text.display import printable_line


def changes_data(edits: Iterable[FileEdit]) -> list[dict[str, str]]:
    """The edits for programs."""
    return [{"path": edit.path, "action": edit.action} for edit in edits]


def done_lines(edits: Iterable[FileEdit]) -> list[str]:
    """What was done, in a line for each file."""
    return [f"{edit.action}d {printable_line(edit.path)}" for edit in edits]


def print_edits(edits: Iterable[FileEdit]) -> None:
    """Print what would be done, with the changed lines, before the user is asked."""
    for edit in edits:
        click.echo(f"{edit.action} {printable_line(edit.path)}")
        # The headers repeat the path.
        for line in edit.diff(context=2).split("\n")[2:-1]:
            click.echo(f"    {printable_line(line) if line.strip() else line}")
