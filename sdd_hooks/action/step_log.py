"""The log of a step, and the commands that a step sends to its runner.

A runner parses commands out of the log: a line that begins with `::`, or contains `##[`, may be one
(`src/Runner.Common/ActionCommand.cs` of actions/runner). Untrusted text never forms such a line,
and inside a group a random word stops commands altogether.
"""

# Governing: ADR-0012 (untrusted input), ADR-0024 (the action is a command),
# SPEC-0012 REQ "Outputs"

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from sdd_hooks.engines.protocol import Progress
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import one_line, printable_line, shorten_words

INTERVAL_SECONDS = 30.0
"""The time between two lines about the progress of a step."""

EXTRA = "action"
"""The extra that installs actions-toolkit."""


def escape_commands(text: str) -> str:
    """The text as one line that a runner, and a terminal, only prints."""
    line = printable_line(text).replace("##[", "# #[")
    return line.replace("::", ": :", 1) if line.lstrip().startswith("::") else line


class RunnerCommands(NamedTuple):
    """The commands of a runner, sent through actions-toolkit, which escapes each text.

    `lines` and `files` are its modules `command` and `file_command`: they write to stdout of this
    process, and to the files that its environment names; `output` is the path of that of outputs.
    Its module `core` imports an HTTP client, which has no place in the process that holds the
    tokens.
    """

    lines: Any
    files: Any
    output: str = ""

    def mask(self, secret: str) -> None:
        """Have the runner hide this text in its logs."""
        self.lines.issue_command("add-mask", {}, secret)

    def begin_group(self, title: str) -> None:
        """Begin a group of lines that can be folded."""
        self.lines.issue("group", title)

    def end_group(self) -> None:
        """End the group."""
        self.lines.issue("endgroup")

    def error(self, message: str) -> None:
        """Add an error to the step."""
        self.lines.issue_command("error", {}, message)

    def set_output(self, name: str, value: str) -> None:
        """Set an output of the step. Raises StorageError when its file cannot be written."""
        text = value.encode("utf-8", "backslashreplace").decode()
        try:
            _require_reader(self.output)
            self.files.issue_file_command(
                "OUTPUT", self.files.prepare_key_value_message(name, text)
            )
        # The library raises plain exceptions.
        except Exception as error:
            raise StorageError(
                f"the output {name} cannot be written ({one_line(str(error))}): check GITHUB_OUTPUT"
            ) from None


def _require_reader(path: str) -> None:
    """Raise OSError if `path` is a pipe without a reader: opening it would wait for ever."""
    if path and Path(path).is_fifo():
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


class StepLog:
    """Writes to `stream`, the stdout of this process, and sends `commands` to the runner.

    Errors go to `errors` if it is given.
    """

    def __init__(
        self,
        stream: TextIO,
        commands: RunnerCommands | None,
        clock: Callable[[], float] = time.monotonic,
        errors: TextIO | None = None,
    ) -> None:
        self._stream = stream
        self._commands = commands
        self._clock = clock
        self._errors = errors

    def mask(self, secret: str) -> None:
        """Have the runner hide a text in the log, if it can."""
        if self._commands and secret:
            self._commands.mask(secret)

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """A group of lines in which the runner parses no command."""
        if self._commands is None:
            self.write(f"{title}:")
            yield
            return
        word = secrets.token_hex(16)
        self._commands.begin_group(escape_commands(title))
        self.write_command(f"::stop-commands::{word}")
        try:
            yield
        finally:
            self.write_command(f"::{word}::")
            self._commands.end_group()

    def write(self, text: str) -> None:
        """Write a line of untrusted text."""
        self.write_command(escape_commands(text))

    def write_command(self, line: str) -> None:
        """Write a complete line for the runner to parse."""
        self._stream.write(f"{line}\n")
        # A child process writes to the same stdout after this line.
        self._stream.flush()

    def write_error(self, text: str) -> None:
        """Write an error, in one line."""
        text = shorten_words(text)
        if self._errors:
            self._errors.write(f"sdd: {printable_line(text)}\n")
            self._errors.flush()
        elif self._commands is None:
            self.write(f"error: {text}")
        else:
            self._commands.error(printable_line(text))

    def set_output(self, name: str, value: str) -> None:
        """Set an output of the step. Raises StorageError."""
        if self._commands is not None:
            self._commands.set_output(name, value)
        elif value:
            self.write(f"{name}: {value}")

    def progress(self) -> Progress:
        """A callback that writes a line about the progress every `INTERVAL_SECONDS`."""
        written = self._clock()

        def report(step: str, done: int, total: int) -> bool:
            nonlocal written
            now = self._clock()
            if now - written >= INTERVAL_SECONDS:
                written = now
                self.write(f"{step} {done:,}/{total:,}" if total else f"{step} {done:,}")
            return True

        return report


def open_step_log(environ: Mapping[str, str], stream: TextIO, errors: TextIO) -> StepLog:
    """The log of this process, whose stdout is `stream`, and whose stderr is `errors`.

    A runner that parses commands shows errors of the log; elsewhere they go to stderr.
    """
    if not in_step(environ):
        return StepLog(stream, None, errors=errors)
    commands = load_commands(environ.get("GITHUB_OUTPUT", ""))
    log = StepLog(stream, commands)
    if commands is None:
        from sdd_hooks.system.installation import advise_extra

        log.write(f"note: outputs and errors of the step are only printed: {advise_extra(EXTRA)}")
    return log


def in_step(environ: Mapping[str, str]) -> bool:
    """Whether a runner that parses commands runs this step: GitHub's, Gitea's or Forgejo's."""
    return environ.get("GITHUB_ACTIONS") == "true"


def load_commands(output: str = "") -> RunnerCommands | None:
    """The commands of the library; None where it is not installed. `output` is a file's path."""
    try:
        return RunnerCommands(
            import_module("actions_toolkit.command"),
            import_module("actions_toolkit.file_command"),
            output,
        )
    except ImportError:
        return None
