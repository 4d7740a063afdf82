"""Run a program to its end and take its time and its peak memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LAUNCH = str(Path(__file__).with_name("launch.py"))
_LONGEST = 3600.0
MAX_LOAD = 0.75
"""The load average for each core above which others use the machine as well."""
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Run:
    """The cost of one process: wall seconds, the largest resident set in bytes, its output, and the
    seconds of processors, of its children too."""

    seconds: float
    peak: int
    output: str
    cpu: float = 0.0


class ProcessFailed(Exception):
    """A measured program did not exit with 0. Carries the command and the end of its output."""


def run(command: Sequence[str], root: Path, environ: Mapping[str, str], given: bytes = b"") -> Run:
    """Run `command` in `root`, with `given` on stdin. Raises ProcessFailed when it does not exit
    with 0.

    The peak is that of the process or of a child that it waited for, the largest of them.
    """
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as report,
    ):
        stdin.write(given)
        stdin.seek(0)
        subprocess.run(
            (sys.executable, "-I", "-S", _LAUNCH, str(report.fileno()), *command), cwd=root,
            env=dict(environ), stdin=stdin, stdout=output, stderr=subprocess.STDOUT,
            pass_fds=(report.fileno(),), check=False,
        )  # fmt: skip
        output.seek(0)
        text = output.read().decode(errors="replace")
        report.seek(0)
        lost = (b"0", b"0", b"without a start", b"0")
        seconds, peak, exited, cpu = report.read().split() or lost
    if exited != b"0":
        raise ProcessFailed(f"{' '.join(command)} exited {exited.decode()}: {text[-600:]}")
    return Run(float(seconds), int(peak) * _RSS_UNIT, text, float(cpu))


def finished(command: Sequence[str], root: Path, environ: Mapping[str, str]) -> str:
    """Run `command` in `root`, and return its output on stdout.

    Raises ProcessFailed when it does not exit with 0 within an hour; then its whole group ends.
    """
    process = subprocess.Popen(
        command, cwd=root, env=dict(environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        output, errors = process.communicate(timeout=_LONGEST)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise ProcessFailed(f"{' '.join(command)} took over {_LONGEST:.0f} s") from None
        raise
    if process.returncode:
        raise ProcessFailed(f"{' '.join(command)} exited {process.returncode}: {errors[-600:]}")
    return output


def cores() -> int:
    """The cores that this process, and its child processes, may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_idle(load: float) -> bool:
    """Whether figures are worth writing down at this load average, of one minute."""
    return load <= MAX_LOAD * cores()


def alternate(rounds: int, *sides: Callable[[int], Run]) -> list[list[Run]]:
    """Call every side in turn, `rounds` times: A B A B. Returns the runs of each side.

    One call of each comes first and is not counted, so that both find warm caches.
    """
    for side in sides:
        side(0)
    taken: list[list[Run]] = [[] for _ in sides]
    for number in range(1, rounds + 1):
        for runs, side in zip(taken, sides, strict=True):
            runs.append(side(number))
    return taken
