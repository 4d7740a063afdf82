"""What people would use instead of sdd, and the floor of the machine: the other sides."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.process import ProcessFailed, Run, run
from benchmarks.sdd import COMMAND, Sdd

BESIDE = Path(__file__).parent.parent / ".cache/beside"
"""Where `scripts/install-beside` has put the programs that are not on PATH."""
PYTHON_EXITS = (sys.executable, "-c", "")
PACE = {
    "a loop of 5,000,000 rounds": (sys.executable, "-S", "-c", "for _ in range(5_000_000): pass"),
    "`git status`": ("git", "status", "--short"),
    "a process that exits": ("true",),
    "a Python that exits": PYTHON_EXITS,
}
"""What does not depend on sdd: how fast a machine is, so that two tables can be read together."""
GIT_GREP = ("git", "grep", "--files-without-match", "zebrano")
_HOOK = "#!/bin/sh\nexit 0\n"
_PREK = (
    "repos:\n- repo: local\n  hooks:\n  - {id: exits, name: exits, language: system,"
    " entry: 'true', always_run: true, pass_filenames: false}\n"
)


class Missing(Exception):
    """A program beside which sdd is measured is not on this machine."""


def program(name: str) -> str:
    """The path of a program, installed beside or on PATH. Raises Missing."""
    path = shutil.which(name, path=f"{BESIDE / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}")
    if path is None:
        raise Missing(name)
    return path


def timed(sdd: Sdd, *command: str) -> Callable[[int], Run]:
    """A side that runs a program in the repository of `sdd`."""
    return lambda _: run(command, sdd.root, sdd.environ)


def set_empty_hooks(sdd: Sdd) -> None:
    """Two hooks of a commit that only exit, in place of any other."""
    for event in ("pre-commit", "post-commit"):
        _no_hooks(sdd).joinpath(event).write_text(_HOOK)
        sdd.root.joinpath(".git/hooks", event).chmod(0o755)


def set_prek(sdd: Sdd) -> None:
    """prek with one local hook that exits, in place of any other. Raises Missing."""
    prek = program("prek")
    _no_hooks(sdd)
    (sdd.root / ".pre-commit-config.yaml").write_text(_PREK)
    run(("git", "add", "--all", ".pre-commit-config.yaml"), sdd.root, sdd.environ)
    sdd.commit("Configure prek", hooks=False)
    run((prek, "install"), sdd.root, sdd.environ)


def _no_hooks(sdd: Sdd) -> Path:
    hooks = sdd.root / ".git/hooks"
    for path in hooks.glob("*"):
        path.unlink()
    return hooks


def grep(sdd: Sdd, words: str) -> Run:
    """ripgrep with each of the words. Raises Missing."""
    patterns = [part for word in words.split() for part in ("-e", word)]
    return run((program("rg"), "--ignore-case", *patterns, "docs"), sdd.root, sdd.environ)


@contextmanager
def served(sdd: Sdd) -> Iterator[Callable[[str], Run]]:
    """`sdd mcp`, until the block ends, and a function that searches with a call to it."""
    with subprocess.Popen(
        (COMMAND, "mcp"), cwd=sdd.root, env=dict(sdd.environ),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as server:  # fmt: skip

        def ask(method: str, parameters: Mapping[str, object]) -> bytes:
            assert server.stdin and server.stdout
            sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
            server.stdin.write(json.dumps(sent).encode() + b"\n")
            server.stdin.flush()
            return server.stdout.readline()

        def search(words: str) -> Run:
            started = time.perf_counter()
            found = ask("tools/call", {"name": "search", "arguments": {"query": words}})
            seconds = time.perf_counter() - started
            status = Path(f"/proc/{server.pid}/status")
            lines = status.read_text().splitlines() if status.exists() else []
            kilobytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
            return Run(seconds, max(kilobytes, default=0) * 1024, found.decode())

        client = {"name": "benchmarks", "version": "1"}
        first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        if b'"result"' not in ask("initialize", first):
            raise ProcessFailed("sdd mcp did not begin")
        yield search
        server.stdin.close() if server.stdin else None
