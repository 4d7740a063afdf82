"""What a command prints while trackers are synced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sdd_hooks.cli.output import printable_line
from sdd_hooks.cli.progress import live_line
from sdd_hooks.usecases.sync import SyncCallbacks


class SyncOutput:
    """Prints notes and progress of syncs to stderr, and collects notes for the end.

    With JSON nothing is printed, and `notes` are for the object.
    """

    def __init__(self, as_json: bool) -> None:
        self.notes: list[str] = []
        self._as_json = as_json

    @contextmanager
    def callbacks(self, *, progress: bool = True) -> Iterator[SyncCallbacks]:
        """The callbacks of the syncs inside the block, with or without `progress`."""
        with live_line(sys.stderr) as terminal_line:
            line = None if self._as_json else terminal_line

            def print_note(note: str) -> None:
                if self._as_json:
                    self.notes.append(note)
                    return
                if line:
                    line.clear()
                sys.stderr.write(f"note: {printable_line(note)}\n")
                sys.stderr.flush()

            yield SyncCallbacks(
                on_note=print_note,
                on_progress=line.report if line and progress else None,
                on_wait=line.show if line else None,
                on_failure=self.notes.append,
            )
