"""The virtual environment of the action: created once per version, and kept on the runner.

A step of the action runs this file as `python -I installation.py` before sdd is installed: it
imports the standard library alone. It reads `SDD_COMMAND` and `SDD_JUDGE`, prints the path of
`sdd`, and logs to stderr.
"""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Installation"

from __future__ import annotations

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
"""The checkout of this repository from which the action runs."""

LOCKS = "locks"
"""The folder of the files with the releases to install and their hashes."""
CONSTRAINTS = "constraints.txt"
"""The releases that a PyTorch from another index does not change. That one has other hashes."""
OTHER_INDEX = "PIP_EXTRA_INDEX_URL"
"""The variable of pip with which a job takes PyTorch from another index."""
PYTORCH = "torch"
"""What a job takes from the other index, with the packages that it requires for its GPU."""
KEPT_DAYS = 30
"""How long an unused environment is kept."""

_STAMP = "installed"
_DAY = 86_400
# Events on which only a review runs, with every command.
_REVIEW_EVENTS = frozenset({"pull_request", "pull_request_target", "workflow_run", "merge_group"})
_PROBE_TIMEOUT = 30


class CannotInstall(Exception):
    """The environment cannot be created; the message says why."""


def extras(environ: Mapping[str, str], *, gpu: bool) -> tuple[str, ...]:
    """The extras that the inputs of this job need, on a machine with or without a GPU."""
    names = {"action"}
    embeds = environ.get("SDD_COMMAND") in {"embed", "all"}
    if embeds and environ.get("GITHUB_EVENT_NAME") not in _REVIEW_EVENTS:
        names |= {"local", "llm"} | ({"gpu"} if gpu else set())
    if environ.get("SDD_JUDGE"):
        names.add("llm")
    return tuple(sorted(names))


def lock_of(wanted: tuple[str, ...], environ: Mapping[str, str]) -> str:
    """The name of the lock for these extras: with PyTorch, or what is beside one from another
    index."""
    if "gpu" in wanted:
        return f"{LOCKS}/{'beside-pytorch' if environ.get(OTHER_INDEX) else 'gpu'}.txt"
    name = "embed" if "local" in wanted else "llm" if "llm" in wanted else "review"
    return f"{LOCKS}/{name}.txt"


def has_gpu(environ: Mapping[str, str]) -> bool:
    """Whether `nvidia-smi` lists a GPU."""
    program = shutil.which("nvidia-smi", path=environ.get("PATH"))
    listed = _output([program, "-L"], environ) if program else None
    return listed is not None and listed.startswith(b"GPU ")


def install(
    source: Path, wanted: tuple[str, ...], environ: Mapping[str, str], python: str, now: float
) -> Path:
    """The `sdd` of an environment of `python` with the checkout `source` and these extras.

    The environment is created where it is missing or incomplete. Jobs that need the same one at the
    same time wait for the job that creates it. Environments that were not used for `KEPT_DAYS` are
    removed.

    Raises:
        CannotInstall: pip failed, or no folder can be written.
    """
    place = _environments_folder(environ)
    folder = place / _key(source, wanted, environ, python)
    sdd = folder / "bin" / "sdd"
    stamp = folder / _STAMP
    with folder.with_suffix(".lock").open("w") as lock:
        _wait_for(lock)
        if not (stamp.is_file() and _runs(sdd)):
            log(f"installing sdd with {', '.join(wanted)} into {folder}")
            _create(folder, source, wanted, environ, python)
        stamp.touch()
        os.utime(stamp, (now, now))
    for old in _unused(place, folder, now):
        shutil.rmtree(old, ignore_errors=True)
    return sdd


def _wait_for(lock: IO[str]) -> None:
    """Acquire the lock, which the kernel releases when this process ends."""
    # POSIX only, as the action.
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        log("another job is installing it: waiting")
        fcntl.flock(lock, fcntl.LOCK_EX)


def log(line: str) -> None:
    """Write a line to the log of the step."""
    sys.stderr.write(f"sdd-hooks: {line}\n")
    sys.stderr.flush()


def _environments_folder(environ: Mapping[str, str]) -> Path:
    """The folder of environments: in the tool cache of the runner, else among the files of the job.

    The files of a job are removed at its end, so that each job creates the environment again.
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


def _key(source: Path, wanted: tuple[str, ...], environ: Mapping[str, str], python: str) -> str:
    """The name of an environment: a digest of its content and of its Python."""
    digest = hashlib.sha256()
    made_of = [sys.version, os.path.realpath(python), sysconfig.get_platform()]
    if "gpu" in wanted:
        made_of.append(environ.get(OTHER_INDEX, ""))
    for text in (*made_of, *wanted):
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    for path in _sources(source):
        digest.update(path.relative_to(source).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources(source: Path) -> Iterator[Path]:
    for name in ("pyproject.toml", "hatch_build.py", CONSTRAINTS):
        yield source / name
    for folder in ("hooks", LOCKS, "sdd_hooks"):
        files = (path for path in (source / folder).rglob("*") if path.is_file())
        yield from sorted(path for path in files if "__pycache__" not in path.parts)


def _runs(sdd: Path) -> bool:
    """Whether `sdd` runs: the Python of its environment may have been removed."""
    return _output([str(sdd), "--version"], None) is not None


def _output(command: list[str], environ: Mapping[str, str] | None) -> bytes | None:
    """What a program prints, with the variables of this process if `environ` is None.

    None for one that does not run, fails, or does not end in time.
    """
    try:
        done = subprocess.run(
            command,
            env=dict(environ) if environ is not None else None,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout


def _create(
    folder: Path,
    source: Path,
    wanted: tuple[str, ...],
    environ: Mapping[str, str],
    python: str,
) -> None:
    _run([python, "-I", "-m", "venv", "--clear", str(folder)], source, environ)
    pip = [str(folder / "bin" / "python"), "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    pip += ["--disable-pip-version-check", "--only-binary=:all:"]
    lock = lock_of(wanted, environ)
    # A lock is complete. actions-toolkit requires an HTTP client that is not used.
    _run([*pip, "--no-deps", "--require-hashes", "-r", lock], source, environ)
    # What builds the wheel is installed by now: a build in isolation would install it unhashed.
    _run([*pip, "--no-deps", "--no-build-isolation", "."], source, environ)
    if "gpu" in wanted and environ.get(OTHER_INDEX):
        _run([*pip, "--constraint", CONSTRAINTS, PYTORCH], source, environ)


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
        step = "pip" if "pip" in command else "making a virtual environment"
        raise CannotInstall(f"{step} failed with code {done.returncode}, see the lines above")


def _unused(place: Path, used: Path, now: float) -> Iterator[Path]:
    for stamp in place.glob(f"*/{_STAMP}"):
        if stamp.parent != used and stamp.stat().st_mtime < now - KEPT_DAYS * _DAY:
            yield stamp.parent


def main(environ: Mapping[str, str], now: float) -> int:
    """Run the program. Returns its exit code."""
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
