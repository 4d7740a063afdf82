"""Other processes of this package: those in the background, with their logs, and children.

A background process outlives the process that starts it. It has its own session, so that a closing
terminal does not end it, and does not inherit descriptors: a program that reads the output of a git
command must not wait for it.
"""

# Governing: ADR-0016 (embedding in the background), ADR-0005 (hook shims decide in sh)

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from sdd_hooks import tracing
from sdd_hooks.errors import StorageError
from sdd_hooks.system.descriptors import IS_POSIX, NO_WAIT, lock_now, open_unlinked
from sdd_hooks.system.files import ERRNO_REASONS
from sdd_hooks.system.git import git_environment

# The first argument, the directory of the package, replaces the working directory in `sys.path`: a
# file of a repository must never be imported.
_PROGRAM = (
    "import os, sys; sys.path[0] = sys.argv[1]; from sdd_hooks import tracing;"
    " tracing.enable_if_requested(os.environ, sys.stderr);"
    " from {module} import main; main(sys.argv[2:])"
)
_PACKAGE = Path(__file__).resolve().parents[2]

_SIZE_BYTES = 8


class ForeignLog(StorageError):
    """The log belongs to another user of this machine."""


def start_detached(
    module: str,
    arguments: Sequence[str],
    environ: Mapping[str, str],
    *,
    log: int = subprocess.DEVNULL,
    keep: Sequence[int] = (),
) -> int:
    """Start `main(arguments)` of a module of this package. Returns its process id immediately.

    Its output goes to the descriptor `log`. It inherits the descriptors in `keep` and the locks
    that they hold, and `environ` without the variables of git. Raises OSError, on Windows always:
    there a process inherits no lock, and git waits for what a hook leaves running.
    """
    if not IS_POSIX:
        raise OSError(errno.ENOTSUP, "sdd has no background processes on Windows")
    variables = git_environment(environ)
    if tracing.is_enabled():
        variables[tracing.VARIABLE] = "1"
    process = subprocess.Popen(
        _command(module, arguments),
        cwd="/",
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=keep,
        start_new_session=True,
    )
    # With an exit status set, Popen does not warn about a process that still runs.
    process.returncode = 0
    tracing.log("background", module, outcome=f"started as process {process.pid}")
    return process.pid


def start_child(
    module: str,
    request: IO[bytes] | int,
    environ: Mapping[str, str],
    arguments: Sequence[str] = (),
    keep: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start `main(arguments)` of a module of this package, with `request` on stdin (a file, or
    `subprocess.PIPE`) and a pipe for stdout.

    It inherits the descriptors in `keep`. It does not outlive this process: it fails when it writes
    to a pipe that is closed. Ctrl-C interrupts this process alone, which has to end it. Raises
    OSError.
    """
    return subprocess.Popen(
        _command(module, arguments),
        cwd="/",
        env=git_environment(environ),
        stdin=request,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=keep,
        start_new_session=True,
    )


def _command(module: str, arguments: Sequence[str] = ()) -> list[str]:
    """Return the command that runs `main(arguments)` of a module of this package."""
    return [sys.executable, "-c", _PROGRAM.format(module=module), str(_PACKAGE), *arguments]


def open_log(path: Path, *, private: bool) -> int:
    """Open the log at `path` for appending, and create it when missing. Returns a descriptor.

    A `private` log is readable by its owner only, for a directory that every user can write.

    Raises:
        ForeignLog: the log belongs to another user.
        StorageError: it is not a regular file, has a second hard link, or cannot be opened.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        # Opening a pipe would wait for a reader.
        log = open_unlinked(path, flags | NO_WAIT, 0o600 if private else 0o666)
    except OSError as error:
        raise _refusal(path, error) from None
    status = os.fstat(log)
    problem = ""
    if not stat.S_ISREG(status.st_mode):
        problem = "is not a regular file"
    # The second name may be a file that an attacker wants overwritten.
    elif status.st_nlink != 1:
        problem = "is a hard link"
    elif private and status.st_uid != os.geteuid():
        problem = "belongs to another user"
    if problem:
        os.close(log)
        kind = ForeignLog if problem.endswith("user") else StorageError
        raise kind(f"the log {path} {problem}: remove it")
    if private:
        os.fchmod(log, 0o600)
    return log


def claim_log(log: int) -> bool:
    """Lock an open log until every descriptor of it is closed, and empty it.

    Returns False, and leaves the content, while another process has the lock.
    """
    if not lock_now(log):
        return False
    os.ftruncate(log, 0)
    return True


def load_averages() -> tuple[float, float, float]:
    """The load of this machine, as of `os.getloadavg`; infinite where the system has none."""
    try:
        return os.getloadavg()
    except (AttributeError, OSError):
        return (float("inf"),) * 3


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _refusal(path: Path, error: OSError) -> StorageError:
    if error.errno == errno.ELOOP:
        return StorageError(f"the log {path} is a symbolic link: remove it")
    if error.errno == errno.ENXIO:
        return StorageError(f"the log {path} is not a regular file: remove it")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return ForeignLog(f"the log {path} cannot be opened (permission denied): remove it")
    reason = ERRNO_REASONS.get(error.errno or 0) or error.strerror
    return StorageError(f"the log {path} cannot be opened ({reason}): check its directory")


def write_frame(descriptor: int, data: bytes) -> None:
    """Write a frame to a pipe. Raises OSError when its reader has ended."""
    rest = memoryview(len(data).to_bytes(_SIZE_BYTES, "little") + data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Read the next frame; None after the last one, and for one that is not whole."""
    size = stream.read(_SIZE_BYTES)
    if len(size) < _SIZE_BYTES:
        return None
    length = int.from_bytes(size, "little")
    data = stream.read(length)
    return data if len(data) == length else None
