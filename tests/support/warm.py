"""`sdd` in processes of its own that need not start Python: forked from one that has.

Such a process has arguments, environment, directory, descriptors and an exit code of its own. What
it is made of is imported already and not taken down in the end, which is most of the time of a
short command. What starting Python anew decides starts it anew: see `can_fork`.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NoReturn

COMMANDS = Path(sys.executable).parent

# Read by Python or a library when it starts: another value needs another process.
_FIXED = ("PATH", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LLM_LOAD_PLUGINS")
_FIXED_PREFIXES = ("LC_", "LD_", "DYLD_", "PYTHON", "COVERAGE", "COV_")
_ROOM = 32768

# None of them reads the environment as a test changes it, or has threads, as onnxruntime has.
_DEPENDENCIES = ("apsw", "git", "httpx", "markdown_it", "re2", "sqlite_vec", "yaml")
_LLM = ("llm", "openai")


def can_fork(environ: Mapping[str, str], stdin: bytes) -> bool:
    """Whether a command in this environment is the same forked as started."""
    return len(stdin) <= _ROOM and _fixed(environ) == _fixed(os.environ)


def _fixed(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if name != "PYTHONPATH" and (name in _FIXED or name.startswith(_FIXED_PREFIXES))
    }


def run(
    arguments: Sequence[str], cwd: Path, environ: Mapping[str, str], stdin: bytes, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """`sdd arguments`, like `subprocess.run` with `capture_output`, where `can_fork` says so.

    Raises:
        subprocess.TimeoutExpired: it did not end in time, and was killed.
    """
    warm = _warm("LLM_USER_PATH" in environ)
    request = {"arguments": list(arguments), "cwd": os.fspath(cwd), "environ": dict(environ)}
    pipes = [os.pipe() for _ in range(5)]
    theirs = [pipe[0] for pipe in pipes[:2]] + [pipe[1] for pipe in pipes[2:]]
    ours = [pipe[1] for pipe in pipes[:2]] + [pipe[0] for pipe in pipes[2:]]
    warm.fork(theirs)
    for descriptor in theirs:
        os.close(descriptor)
    _write(ours[0], json.dumps(request).encode())
    _write(ours[1], stdin)
    # The first to come is which process it is.
    begun = os.read(ours[4], _ROOM)
    assert begun, "the process to fork from has ended"
    out, err, status = _read(ours[2:], time.monotonic() + timeout)
    for descriptor in ours[2:]:
        os.close(descriptor)
    pid, _, code = (begun + status).decode().partition("\n")
    if not code:
        os.kill(int(pid), signal.SIGKILL)
        raise subprocess.TimeoutExpired(["sdd", *arguments], timeout, out, err)
    return subprocess.CompletedProcess(["sdd", *arguments], int(code), out, err)


def _write(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        # It did not want to know.
        pass
    finally:
        os.close(descriptor)


def _read(descriptors: Sequence[int], deadline: float) -> list[bytes]:
    """All that comes out of each, until the deadline."""
    found = dict.fromkeys(descriptors, b"")
    with selectors.DefaultSelector() as selector:
        for descriptor in descriptors:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                break
            for key, _ in ready:
                if part := os.read(key.fd, 65536):
                    found[key.fd] += part
                else:
                    selector.unregister(key.fd)
    return list(found.values())


class _Warm:
    """A process that has imported sdd and these modules, and forks when it is asked to."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._channel, theirs = socket.socketpair()
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), *modules],
            # Of the same kind as those of the commands, for the files that Python makes of them.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            # numpy, which llm imports, may not start threads either.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        theirs.close()
        atexit.register(self._end)

    def fork(self, descriptors: Sequence[int]) -> None:
        """Begin what the first of the descriptors says, with the others."""
        with self._lock:
            socket.send_fds(self._channel, [b"!"], descriptors)

    def _end(self) -> None:
        self._channel.close()
        self._process.communicate()


@cache
def _warm(llm: bool) -> _Warm:
    return _Warm(_DEPENDENCIES + _LLM if llm else _DEPENDENCIES)


def _serve(channel: socket.socket) -> list[int]:
    """Fork for each request, until nobody can ask any more. Only what is forked returns, with
    the descriptors of its request."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(channel, 1, 5)
        if not message:
            sys.exit()
        if os.fork() == 0:
            channel.close()
            return descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        # Whoever ended in the meantime.
        while _ended():
            pass


def _ended() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _begin(descriptors: Sequence[int]) -> None:
    """Fork once more and wait for what it becomes, which is all that returns."""
    request, stdin, stdout, stderr, status = descriptors
    pid = os.fork()
    if pid:
        for descriptor in descriptors[:4]:
            os.close(descriptor)
        os.write(status, f"{pid}\n".encode())
        _, ended = os.waitpid(pid, 0)
        os.write(status, str(os.waitstatus_to_exitcode(ended)).encode())
        os._exit(0)
    for number, descriptor in enumerate((stdin, stdout, stderr)):
        os.dup2(descriptor, number)
    with os.fdopen(request, "rb") as file:
        wanted = json.loads(file.read())
    for descriptor in (stdin, stdout, stderr, status):
        os.close(descriptor)
    os.chdir(wanted["cwd"])
    os.environ.clear()
    os.environ.update(wanted["environ"])
    paths = os.environ.get("PYTHONPATH", "")
    sys.path[:0] = [str(COMMANDS), *filter(None, paths.split(os.pathsep))]
    sys.argv = [str(COMMANDS / "sdd"), *wanted["arguments"]]


def _import(modules: Sequence[str]) -> None:
    import sdd_hooks

    ours = (module.name for module in walk_packages(sdd_hooks.__path__, "sdd_hooks."))
    for name in (*modules, *ours):
        # An extra that is not installed, or that is not wanted here.
        with suppress(ModuleNotFoundError):
            if name != "sdd_hooks.models.llm_plugin":
                import_module(name)


def _main(channel: int, modules: Sequence[str]) -> NoReturn:
    # Not the directory of this file.
    del sys.path[0]
    _import(modules)
    from sdd_hooks.cli.entry import main

    # What is there now is looked at by no collection in a fork, and so is not copied.
    gc.freeze()
    _begin(_serve(socket.socket(fileno=channel)))
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2:])
