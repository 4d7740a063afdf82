"""The log of a step, and what else it tells its runner.

A runner reads commands out of the log: a line that begins with `::`, or has `##[` in it, may be one
(`src/Runner.Common/ActionCommand.cs` of actions/runner). Nothing of anybody's is such a line, and
while a part works a random word stops commands altogether.
"""

# Governing: ADR-0012 (untrusted input), ADR-0024 (the action is a command),
# SPEC-0012 REQ "Outputs"

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from sdd_hooks.action.toolkit import EXTRA, Toolkit, in_step, load_toolkit
from sdd_hooks.engines.protocol import Progress
from sdd_hooks.text.display import printable_line

INTERVAL = 30.0
"""Seconds between two lines that say how far something is."""


def guarded(text: str) -> str:
    """The text as one line that a runner, and a terminal, only prints."""
    line = printable_line(text).replace("##[", "# #[")
    return line.replace("::", ": :", 1) if line.lstrip().startswith("::") else line


class Console:
    """Prints to `stream`, this process's stdout, and tells the runner what `toolkit` can."""

    def __init__(
        self,
        stream: TextIO,
        toolkit: Toolkit | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._toolkit = toolkit
        self._clock = clock

    def mask(self, secret: str) -> None:
        """Have a text hidden in the log, where the runner can."""
        if self._toolkit and secret:
            self._toolkit.mask(secret)

    @contextmanager
    def part(self, title: str) -> Iterator[None]:
        """A group of lines, in which the runner reads no command."""
        if self._toolkit is None:
            self.say(f"{title}:")
            yield
            return
        word = secrets.token_hex(16)
        self._toolkit.begin(guarded(title))
        self.command(f"::stop-commands::{word}")
        try:
            yield
        finally:
            self.command(f"::{word}::")
            self._toolkit.end()

    def say(self, text: str) -> None:
        """A line of the log, whoever it comes from."""
        self.command(guarded(text))

    def command(self, line: str) -> None:
        """A line that is ready, for the runner to read."""
        self._stream.write(f"{line}\n")
        # What a program prints that is started next comes after it.
        self._stream.flush()

    def fail(self, text: str) -> None:
        """A failure, in a line."""
        if self._toolkit is None:
            self.say(f"error: {text}")
        else:
            self._toolkit.error(printable_line(text))

    def output(self, name: str, value: str) -> None:
        """An output of the step. Raises StorageError."""
        if self._toolkit is not None:
            self._toolkit.output(name, value)
        elif value:
            self.say(f"{name}: {value}")

    def progress(self) -> Progress:
        """Says now and then how far something is."""
        said = self._clock()

        def report(what: str, done: int, total: int) -> bool:
            nonlocal said
            now = self._clock()
            if now - said >= INTERVAL:
                said = now
                self.say(f"{what} {done:,}/{total:,}" if total else f"{what} {done:,}")
            return True

        return report


def open_console(environ: Mapping[str, str], stream: TextIO) -> Console:
    """The console of this process, whose stdout is `stream`."""
    if not in_step(environ):
        return Console(stream, None)
    toolkit = load_toolkit()
    console = Console(stream, toolkit)
    if toolkit is None:
        console.say(f"note: outputs and errors of the step are only printed: install {EXTRA}")
    return console
