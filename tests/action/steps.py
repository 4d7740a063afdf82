"""A step of a job: `sdd ci` as a process, and how its runner parses the output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sdd_hooks import tracing
from tests.cli.commands import run
from tests.reporting.runner import Command, read

FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")

# The older form, anywhere in a line.
_OLD = re.compile(r"##\[([^\]]*)\](.*)")


class Log(NamedTuple):
    """The lines that a runner shows, and the commands that it executes."""

    lines: list[str]
    commands: list[Command]


class Step(NamedTuple):
    """The result of a step."""

    code: int
    text: str
    log: Log
    outputs: dict[str, str]
    summary: str

    @property
    def errors(self) -> list[str]:
        """The errors of the step."""
        return [one.data for one in self.log.commands if one.name == "error"]


def step(where: Path, files: Path, *args: str, env: Mapping[str, str], summary: str = "") -> Step:
    """Run `sdd ci` in `where` with the variables of its runner, whose files are below `files`."""
    files.mkdir(exist_ok=True)
    paths = {name: files / name for name in FILES}
    for path in paths.values():
        path.write_bytes(b"")
    paths["GITHUB_STEP_SUMMARY"].write_text(summary)
    done = run(where, "ci", *args, env={**{name: str(one) for name, one in paths.items()}, **env})
    assert done.err == "" or tracing.VARIABLE in env, done
    outputs = read_outputs(paths["GITHUB_OUTPUT"].read_text())
    left = paths["GITHUB_STEP_SUMMARY"].read_text().removeprefix(summary)
    return Step(done.code, done.out + done.err, read_log(done.out + done.err), outputs, left)


def read_log(text: str) -> Log:
    """Parse a log like `ActionCommandManager.cs` of actions/runner, with commands of any name."""
    lines, commands, stopped = [], [], ""
    for line in text.split("\n"):
        command = read(line)
        old = _OLD.search(line)
        if command is None and old:
            command = Command(old[1].partition(" ")[0], {}, old[2])
        if command is None or (stopped and command.name != stopped):
            lines.append(line)
        elif stopped:
            stopped = ""
        elif command.name == "stop-commands":
            stopped = command.data
        else:
            commands.append(command)
    assert not stopped
    return Log(lines, commands)


def read_outputs(text: str) -> dict[str, str]:
    """The outputs in the file of a step, each of which occurs once."""
    outputs: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, _, end = line.partition("<<")
        assert end, line
        assert name not in outputs
        value = []
        while (found := next(lines)) != end:
            value.append(found)
        outputs[name] = "\n".join(value)
    return outputs
