"""Run `sdd` in processes that are forked from a warm one, in which all modules are imported.

Each process has separate arguments, environment, directory, descriptors and exit code. It skips the
start and the shutdown of Python, which take most of the time of a short command. A command whose
environment affects the start of Python cannot be forked: see `can_fork`. `install_program` creates
an `sdd` for the `PATH` of a shell that forks likewise.
"""

from __future__ import annotations

import atexit
import gc
import marshal
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
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

# Python or a library reads these when it starts, so that another value needs a new process.
_FIXED = ("TMPDIR", "TZ", "LANG", "LANGUAGE", "LLM_LOAD_PLUGINS")
_FIXED_PREFIXES = ("LC_", "LD_", "DYLD_", "PYTHON", "COVERAGE", "COV_")
_ROOM = 32768

# None reads variables that tests change, or starts threads, as onnxruntime does.
_DEPENDENCIES = ("apsw", "git", "httpx", "markdown_it", "re2", "sqlite_vec", "yaml")
_LLM = ("llm", "openai")
# Plug-ins of llm, and the server of the Model Context Protocol: its library doubles the memory, and
# with it the time of a fork.
_EXCLUDED = ("sdd_hooks.models.llm_plugin", "sdd_hooks.mcp.server")

# Imports what Python has imported at its start, so that it takes a tenth of the time of sdd.
_PROGRAM = """\
#!{python} -IS
import marshal, os, sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket

request, sent = os.pipe()
status, ended = os.pipe()
channel = socket(AF_UNIX, SOCK_STREAM)
channel.connect({address!r})
descriptors = b"".join(one.to_bytes(4, sys.byteorder) for one in (request, 0, 1, 2, ended))
channel.sendmsg([b"!"], [(SOL_SOCKET, SCM_RIGHTS, descriptors)])
os.close(ended)
command = {{"arguments": sys.argv[1:], "cwd": os.getcwd(), "environ": dict(os.environ)}}
with open(sent, "wb") as file:
    file.write(marshal.dumps(command))
with open(status, "rb") as file:
    code = file.read().partition(b"\\n")[2]
os._exit(int(code))
"""


def can_fork(environ: Mapping[str, str], stdin: bytes) -> bool:
    """Whether a forked command in this environment behaves like a started one."""
    # GitPython looks for git when it is imported.
    same_git = shutil.which("git", path=environ.get("PATH", "")) == shutil.which("git")
    return same_git and len(stdin) <= _ROOM and _fixed(environ) == _fixed(os.environ)


def _fixed(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if name != "PYTHONPATH" and (name in _FIXED or name.startswith(_FIXED_PREFIXES))
    }


def run(
    arguments: Sequence[str], cwd: Path, environ: Mapping[str, str], stdin: bytes, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """Run `sdd arguments`, like `subprocess.run` with `capture_output`; `can_fork` must hold.

    Raises:
        subprocess.TimeoutExpired: the process did not end in time, and was killed.
    """
    warm = _warm("LLM_USER_PATH" in environ)
    request = {"arguments": list(arguments), "cwd": os.fspath(cwd), "environ": dict(environ)}
    pipes = [os.pipe() for _ in range(5)]
    child_ends = [pipe[0] for pipe in pipes[:2]] + [pipe[1] for pipe in pipes[2:]]
    ends = [pipe[1] for pipe in pipes[:2]] + [pipe[0] for pipe in pipes[2:]]
    warm.fork(child_ends)
    for descriptor in child_ends:
        os.close(descriptor)
    _write(ends[0], marshal.dumps(request))
    _write(ends[1], stdin)
    # The first part is the id of the process.
    started = os.read(ends[4], _ROOM)
    assert started, "the warm process has ended"
    out, err, status = _read(ends[2:], time.monotonic() + timeout)
    for descriptor in ends[2:]:
        os.close(descriptor)
    pid, _, code = (started + status).decode().partition("\n")
    if not code:
        os.kill(int(pid), signal.SIGKILL)
        raise subprocess.TimeoutExpired(["sdd", *arguments], timeout, out, err)
    return subprocess.CompletedProcess(["sdd", *arguments], int(code), out, err)


def install_program(folder: Path, environ: Mapping[str, str]) -> None:
    """Create the program `sdd` in `folder`, for processes with the language of `environ`."""
    language = {name: value for name, value in environ.items() if name.startswith(("LANG", "LC_"))}
    folder.mkdir()
    program = folder / "sdd"
    address = _listening(tuple(sorted(language.items())))
    program.write_text(_PROGRAM.format(python=sys.executable, address=address))
    program.chmod(0o755)


def _write(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        # The process ended without reading.
        pass
    finally:
        os.close(descriptor)


def _read(descriptors: Sequence[int], deadline: float) -> list[bytes]:
    """The output of each descriptor, until its end or the deadline."""
    output = dict.fromkeys(descriptors, b"")
    with selectors.DefaultSelector() as selector:
        for descriptor in descriptors:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                break
            for key, _ in ready:
                if part := os.read(key.fd, 65536):
                    output[key.fd] += part
                else:
                    selector.unregister(key.fd)
    return list(output.values())


class _Warm:
    """A process that has imported sdd and these modules, and forks for each request."""

    def __init__(
        self,
        modules: Sequence[str],
        environ: Mapping[str, str] | None = None,
        listener: socket.socket | None = None,
    ) -> None:
        self._channel, child_end = socket.socketpair()
        self._lock = threading.Lock()
        ends = [child_end.fileno(), *([listener.fileno()] if listener else [])]
        self._process = subprocess.Popen(
            [sys.executable, __file__, ",".join(map(str, ends)), *modules],
            # Pipes, as for the commands: Python configures streams by their kind.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=ends,
            # numpy, which llm imports, must not start threads.
            env={**os.environ, **(environ or {}), "OPENBLAS_NUM_THREADS": "1"},
        )
        child_end.close()
        atexit.register(self._end)

    def fork(self, descriptors: Sequence[int]) -> None:
        """Start the request in the first descriptor, with the other descriptors."""
        with self._lock:
            socket.send_fds(self._channel, [b"!"], descriptors)

    def _end(self) -> None:
        self._channel.close()
        self._process.communicate()


@cache
def _warm(llm: bool) -> _Warm:
    return _Warm(_DEPENDENCIES + _LLM if llm else _DEPENDENCIES)


@cache
def _listening(language: tuple[tuple[str, str], ...]) -> str:
    """Start a warm process that accepts requests of programs. Returns the address."""
    folder = tempfile.mkdtemp(prefix="sdd-warm-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = f"{folder}/socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        _Warm(_DEPENDENCIES, dict(language), listener)
    return address


def _serve(channel: socket.socket, listener: socket.socket | None) -> list[int]:
    """Fork for each request, until the channel is closed, and report how each process ended.

    Only the forked processes return, with the descriptors of their request.
    """
    ended, signalled = socket.socketpair()
    signalled.setblocking(False)
    signal.set_wakeup_fd(signalled.fileno(), warn_on_full_buffer=False)
    # The default action of the signal would not wake this process up.
    signal.signal(signal.SIGCHLD, lambda *_: None)
    statuses: dict[int, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(channel, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        if listener:
            selector.register(listener, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if ended in ready:
                ended.recv(_ROOM)
                _report_ended(statuses)
            if channel in ready:
                message, descriptors, _, _ = socket.recv_fds(channel, 1, 5)
                if not message:
                    sys.exit()
            elif listener in ready:
                with listener.accept()[0] as connection:
                    _, descriptors, _, _ = socket.recv_fds(connection, 1, 5)
            else:
                continue
            pid = os.fork()
            if pid == 0:
                break
            statuses[pid] = descriptors.pop()
            # The program that asked may have been killed.
            with suppress(BrokenPipeError):
                os.write(statuses[pid], f"{pid}\n".encode())
            for descriptor in descriptors:
                os.close(descriptor)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for end in (channel, ended, signalled, listener):
        if end:
            end.close()
    for status in (*statuses.values(), descriptors.pop()):
        os.close(status)
    return descriptors


def _report_ended(statuses: dict[int, int]) -> None:
    """Write the exit codes of the processes that ended to their descriptors."""
    while statuses:
        pid, ended = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        status = statuses.pop(pid)
        # The tests may have given up on a process.
        with suppress(BrokenPipeError):
            os.write(status, str(os.waitstatus_to_exitcode(ended)).encode())
        os.close(status)


def _begin(descriptors: Sequence[int]) -> None:
    """Give this process the arguments, environment, directory and streams of its request."""
    request, *streams = descriptors
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    with os.fdopen(request, "rb") as file:
        command = marshal.loads(file.read())
    for descriptor in streams:
        os.close(descriptor)
    os.chdir(command["cwd"])
    os.environ.clear()
    os.environ.update(command["environ"])
    paths = os.environ.get("PYTHONPATH", "")
    sys.path[:0] = [str(COMMANDS), *filter(None, paths.split(os.pathsep))]
    sys.argv = [str(COMMANDS / "sdd"), *command["arguments"]]


def _import(modules: Sequence[str]) -> None:
    import sdd_hooks

    own_modules = (module.name for module in walk_packages(sdd_hooks.__path__, "sdd_hooks."))
    for name in (*modules, *own_modules):
        # The module of an extra that is not installed.
        with suppress(ModuleNotFoundError):
            if name not in _EXCLUDED:
                import_module(name)


def _compile_patterns() -> None:
    """Compile the patterns that a command compiles on first use: hundreds, in each process."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sdd_hooks."):
            for value in vars(module).values():
                if type(value).__name__ == "_LazyPattern":
                    assert value.pattern is not None


def _main(ends: Sequence[int], modules: Sequence[str]) -> NoReturn:
    # Modules in the directory of this file must not be imported.
    del sys.path[0]
    _import(modules)
    _compile_patterns()
    from sdd_hooks.cli.entry import main

    # Garbage collection in a fork ignores the existing objects, so that no page is copied.
    gc.freeze()
    channel, *listener = [socket.socket(fileno=end) for end in ends]
    _begin(_serve(channel, listener[0] if listener else None))
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _main(list(map(int, sys.argv[1].split(","))), sys.argv[2:])
