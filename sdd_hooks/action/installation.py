"""The virtual environment of the action: made once for a version of it, and kept on the runner.

A program, run as `python -I installation.py` in a step of the action before anything is installed:
it imports the standard library alone. It reads `SDD_COMMAND` and `SDD_JUDGE`, prints the path of
`sdd`, and says on stderr what it does.
"""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Installation"

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

SOURCE = Path(__file__).resolve().parents[2]
"""The checkout of this repository that the action is run from."""

CONSTRAINTS = "constraints.txt"
KEPT_DAYS = 30
"""How long an environment is kept that nobody uses."""

_STAMP = "installed"
_DAY = 86_400
# Events on which only a review is run, whatever the command.
_REVIEWED = frozenset({"pull_request", "pull_request_target", "workflow_run", "merge_group"})
_SAID_WITHIN = 30


class CannotInstall(Exception):
    """There is no environment to run in, and its message says why."""


def extras(environ: Mapping[str, str], *, gpu: bool) -> tuple[str, ...]:
    """The extras that the inputs of this job need, on a machine with or without a GPU."""
    found = {"action"}
    embeds = environ.get("SDD_COMMAND") in {"embed", "all"}
    if embeds and environ.get("GITHUB_EVENT_NAME") not in _REVIEWED:
        found |= {"local", "llm"} | ({"gpu"} if gpu else set())
    if environ.get("SDD_JUDGE"):
        found.add("llm")
    return tuple(sorted(found))


def has_gpu(environ: Mapping[str, str]) -> bool:
    """Whether `nvidia-smi` lists a GPU."""
    program = shutil.which("nvidia-smi", path=environ.get("PATH"))
    if program is None:
        return False
    try:
        listed = subprocess.run(
            [program, "-L"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SAID_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and listed.stdout.startswith(b"GPU ")


def install(
    source: Path, wanted: tuple[str, ...], environ: Mapping[str, str], python: str, now: float
) -> Path:
    """The `sdd` of an environment of `python` that has the checkout `source` with these extras.

    It is made where there is none, or where the job that was making it was cancelled. Jobs that
    want the same one at the same time wait for the one that makes it. Those that were not used for
    `KEPT_DAYS` are removed.

    Raises:
        CannotInstall: pip failed, or there is nowhere to put it.
    """
    place = _place(environ)
    folder = place / _key(source, wanted, python)
    sdd = folder / "bin" / "sdd"
    stamp = folder / _STAMP
    with folder.with_suffix(".lock").open("w") as lock:
        _wait_for(lock)
        if not (stamp.is_file() and _answers(sdd)):
            say(f"installing sdd with {', '.join(wanted)} into {folder}")
            _make(folder, source, wanted, environ, python)
        stamp.touch()
        os.utime(stamp, (now, now))
    for old in _unused(place, folder, now):
        shutil.rmtree(old, ignore_errors=True)
    return sdd


def _wait_for(lock: IO[str]) -> None:
    """Have the lock, which ends with this process however that ends."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another job is installing it: waiting")
        fcntl.flock(lock, fcntl.LOCK_EX)


def say(line: str) -> None:
    """Say a line in the log of the step."""
    sys.stderr.write(f"sdd-hooks: {line}\n")
    sys.stderr.flush()


def _place(environ: Mapping[str, str]) -> Path:
    """The folder of environments: in the runner's cache of tools, else among the job's own files.

    A runner's own files end with the job, so that there it is made anew by each.
    """
    for name in ("RUNNER_TOOL_CACHE", "RUNNER_TEMP"):
        if not environ.get(name):
            continue
        place = Path(environ[name], "sdd-hooks")
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(place, os.W_OK | os.X_OK):
            return place.resolve()
    raise CannotInstall("neither RUNNER_TOOL_CACHE nor RUNNER_TEMP is a folder to write in")


def _key(source: Path, wanted: tuple[str, ...], python: str) -> str:
    """What tells an environment from others: what is in it, and the Python that it is made of."""
    digest = hashlib.sha256()
    made_of = (sys.version, os.path.realpath(python), sysconfig.get_platform())
    for text in (*made_of, *wanted):
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    for path in _sources(source):
        digest.update(path.relative_to(source).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources(source: Path) -> Iterator[Path]:
    yield source / "pyproject.toml"
    yield source / CONSTRAINTS
    for folder in ("hooks", "sdd_hooks"):
        found = (path for path in (source / folder).rglob("*") if path.is_file())
        yield from sorted(path for path in found if "__pycache__" not in path.parts)


def _answers(sdd: Path) -> bool:
    """Whether it runs: the Python that an environment was made of may be gone."""
    try:
        asked = subprocess.run(
            [str(sdd), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SAID_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _make(
    folder: Path,
    source: Path,
    wanted: tuple[str, ...],
    environ: Mapping[str, str],
    python: str,
) -> None:
    _run([python, "-I", "-m", "venv", "--clear", str(folder)], source, environ)
    # Relative to the checkout, since a path in these variables may hold no space. Which of them
    # counts for what builds the wheel depends on the version of pip.
    pinned = {"PIP_CONSTRAINT": CONSTRAINTS, "PIP_BUILD_CONSTRAINT": CONSTRAINTS}
    pip = [str(folder / "bin" / "python"), "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    options = ["--disable-pip-version-check", "--only-binary=:all:", "--constraint", CONSTRAINTS]
    _run([*pip, *options, f".[{','.join(wanted)}]"], source, {**environ, **pinned})


def _run(command: list[str], source: Path, environ: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        cwd=source,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode:
        what = "pip" if "pip" in command else "making a virtual environment"
        raise CannotInstall(f"{what} failed with code {done.returncode}, see the lines above")


def _unused(place: Path, used: Path, now: float) -> Iterator[Path]:
    for stamp in place.glob(f"*/{_STAMP}"):
        if stamp.parent != used and stamp.stat().st_mtime < now - KEPT_DAYS * _DAY:
            yield stamp.parent


def main(environ: Mapping[str, str], now: float) -> int:
    """The program. Returns its exit code."""
    try:
        wanted = extras(environ, gpu=has_gpu(environ))
        sdd = install(SOURCE, wanted, environ, sys.executable, now)
    except (CannotInstall, OSError) as error:
        sys.stderr.write(f"::error title=sdd-hooks::cannot install sdd: {error}\n")
        return 1
    sys.stdout.write(f"{sdd}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ, time.time()))
