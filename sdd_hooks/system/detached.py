"""Processes of this package that go on when whoever started them is gone, and their logs.

Such a process is in a session of its own, so that no terminal ends it, and has none of the
descriptors of its parent: whoever reads the output of a git command must not wait for it.
"""

# Governing: ADR-0016 (embedding in the background), ADR-0005 (hook shims decide in sh)

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdd_hooks import tracing
from sdd_hooks.errors import StorageError
from sdd_hooks.system.files import REASONS
from sdd_hooks.system.git import environment

# The first argument takes the place of the working directory on the module path: the directory
# of the package, so that no file of a repository is ever imported.
_PROGRAM = (
    "import os, sys; sys.path[0] = sys.argv[1]; from sdd_hooks import tracing;"
    " tracing.enable_if_requested(os.environ, sys.stderr);"
    " from {module} import main; main(sys.argv[2:])"
)
_PACKAGE = Path(__file__).resolve().parents[2]


class LogOfAnother(StorageError):
    """The log is a file of somebody else on this machine."""


def start(
    module: str,
    arguments: Sequence[str],
    environ: Mapping[str, str],
    *,
    log: int = subprocess.DEVNULL,
    keep: Sequence[int] = (),
) -> int:
    """Start `main(arguments)` of a module of this package and return its process id at once.

    What it says goes to the descriptor `log`; it has the descriptors in `keep` besides, and with
    them the locks that they hold. Git's variables are not in its environment. Raises OSError.
    """
    variables = environment(environ)
    if tracing.is_enabled():
        variables[tracing.VARIABLE] = "1"
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM.format(module=module), str(_PACKAGE), *arguments],
        cwd="/",
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=keep,
        start_new_session=True,
    )
    # Left to itself on purpose: nobody will ask how it ended.
    process.returncode = 0
    tracing.log("background", module, outcome=f"started as process {process.pid}")
    return process.pid


def open_log(path: Path, *, private: bool) -> int:
    """A descriptor that appends to the log at `path`, created when missing.

    A `private` one is for its owner alone, where everybody may put files.

    Raises:
        LogOfAnother: it belongs to another user.
        StorageError: it is no regular file, has a second name, or cannot be opened.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        # O_NONBLOCK: opening a pipe would wait for somebody to read from it.
        log = os.open(path, flags | os.O_NONBLOCK, 0o600 if private else 0o666)
    except OSError as error:
        raise _refusal(path, error) from None
    found = os.fstat(log)
    wrong = ""
    if not stat.S_ISREG(found.st_mode):
        wrong = "is not a regular file"
    # A second name may be one that somebody else wants to have overwritten.
    elif found.st_nlink != 1:
        wrong = "is a hard link"
    elif private and found.st_uid != os.geteuid():
        wrong = "belongs to another user"
    if wrong:
        os.close(log)
        kind = LogOfAnother if wrong.endswith("user") else StorageError
        raise kind(f"the log {path} {wrong}: remove it")
    if private:
        os.fchmod(log, 0o600)
    return log


def claim(log: int) -> bool:
    """Lock an open log for as long as it is open anywhere, and empty it.

    False when another process writes it: its words stay.
    """
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    os.ftruncate(log, 0)
    return True


def _refusal(path: Path, error: OSError) -> StorageError:
    if error.errno == errno.ELOOP:
        return StorageError(f"the log {path} is a symbolic link: remove it")
    if error.errno == errno.ENXIO:
        return StorageError(f"the log {path} is not a regular file: remove it")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return LogOfAnother(f"the log {path} cannot be opened (permission denied): remove it")
    reason = REASONS.get(error.errno or 0) or error.strerror
    return StorageError(f"the log {path} cannot be opened ({reason}): check its directory")
