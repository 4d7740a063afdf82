"""Run `sdd` on an interpreter without what Windows lacks: modules, functions and flags of POSIX.

Run as a program, `python windows.py ARGUMENT…` is such an `sdd`; `windows.py --import` prints
the modules of the package that cannot be imported. Paths remain those of POSIX, and the locks are
`fcntl.flock` behind the interface of portalocker, which needs `msvcrt` on Windows.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from functools import partialmethod
from importlib.machinery import ModuleSpec

MODULES = frozenset({"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"})
FUNCTIONS = (
    *(
        "fork",
        "forkpty",
        "getuid",
        "geteuid",
        "getgid",
        "getegid",
        "getloadavg",
        "getpgid",
        "getsid",
    ),
    *("killpg", "setsid", "nice", "sync", "sysconf", "confstr", "mkfifo", "pread", "pwrite"),
    *("fchmod", "fchown", "chown", "statvfs", "sched_getaffinity", "posix_spawn", "wait3", "wait4"),
    *("O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_SYNC"),
)
SIGNALS = (
    "SIGHUP",
    "SIGKILL",
    "SIGALRM",
    "SIGPIPE",
    "SIGUSR1",
    "setitimer",
    "getitimer",
    "ITIMER_REAL",
)


class Hidden:
    """A finder of modules that Windows does not have."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


STANDARD = ("platform", "selectors", "shutil", "subprocess", "tempfile", "zipimport")
DEPENDENCIES = (
    "asyncio",
    "concurrent.futures",
    "git",
    "httpx",
    "llm",
    "mcp",
    "multiprocessing",
    "onnxruntime",
)


def hide(modules: Sequence[str]) -> None:
    """Remove from this interpreter what Windows lacks, when it has imported these modules."""
    import fcntl

    # These use what is removed below; those of Windows have their own code for it.
    for name in modules:
        importlib.import_module(name)
    sys.modules["portalocker"] = portalocker(fcntl.flock)
    sys.meta_path.insert(0, Hidden())
    for name in MODULES:
        sys.modules.pop(name, None)
    for name in FUNCTIONS:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        if hasattr(signal, name):
            delattr(signal, name)
    # From Python 3.13 on, this decides whether `Popen` uses the removed `os.posix_spawn`.
    subprocess._USE_POSIX_SPAWN = False
    os.supports_dir_fd.clear()
    subprocess.Popen.kill = partialmethod(end, os.kill)
    subprocess.Popen.terminate = subprocess.Popen.kill
    subprocess.Popen.__init__ = checked(subprocess.Popen.__init__)
    os.kill = no_kill


def portalocker(flock: Callable[[int, int], None]) -> types.ModuleType:
    """What sdd uses of portalocker."""
    module = types.ModuleType("portalocker")
    module.LockFlags = types.SimpleNamespace(EXCLUSIVE=2, NON_BLOCKING=4)
    module.LockException = type("LockException", (Exception,), {})
    module.AlreadyLocked = type("AlreadyLocked", (module.LockException,), {})

    def lock(descriptor: int, flags: int) -> None:
        try:
            flock(descriptor, flags)
        except BlockingIOError as error:
            raise module.AlreadyLocked(str(error)) from None

    module.lock = lock
    return module


def no_kill(pid: int, number: int) -> None:
    """`os.kill` of Windows ends the process, also with 0."""
    raise AssertionError(f"os.kill({pid}, {number}) would end a process")


def end(process: subprocess.Popen[bytes], kill: Callable[[int, int], None]) -> None:
    """`Popen.kill` and `terminate` of Windows."""
    if process.returncode is None:
        kill(process.pid, 9)


def checked(start: Callable[..., None]) -> Callable[..., None]:
    """Windows refuses these arguments of `Popen`."""

    def init(self: object, *args: object, **options: object) -> None:
        assert not options.get("pass_fds") and not options.get("preexec_fn"), options
        start(self, *args, **options)

    return init


def unimportable() -> list[str]:
    """The modules of the package whose import fails, with the reason."""
    import sdd_hooks

    failures = []
    for module in pkgutil.walk_packages(sdd_hooks.__path__, "sdd_hooks."):
        try:
            importlib.import_module(module.name)
        except Exception as error:
            failures.append(f"{module.name}: {type(error).__name__}: {error}")
    return failures


if __name__ == "__main__":
    if sys.argv[1:] == ["--import"]:
        hide((*STANDARD, *DEPENDENCIES))
        sys.stdout.write("\n".join(unimportable()))
        sys.exit()
    hide(STANDARD)
    from sdd_hooks.cli.entry import main

    sys.exit(main())
