"""What people would use instead of sdd, and the floor of the machine: the other sides."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.process import ProcessFailed, Run, run
from benchmarks.sdd import COMMAND, Sdd

BESIDE = Path(__file__).parent.parent / ".cache/beside"
"""Where `scripts/install-beside` has put the programs that are not on PATH."""
LOOP = 5_000_000
PYTHON_EXITS = (sys.executable, "-c", "")
GIT_GREP = ("git", "grep", "--files-without-match", "zebrano")
_HOOK = "#!/bin/sh\nexit 0\n"
_PREK = (
    "repos:\n- repo: local\n  hooks:\n  - {id: exits, name: exits, language: system,"
    " entry: 'true', always_run: true, pass_filenames: false}\n"
)
# The dimensions of semble's model are those of potion-code-16M, whose weights a hub has.
_STAND_IN = """
import sys, numpy
from model2vec import StaticModel
from tokenizers import Tokenizer
tokens = Tokenizer.from_file(sys.argv[1])
shape = (tokens.get_vocab_size(), 256)
vectors = numpy.random.default_rng(1).random(shape, dtype=numpy.float32) - 0.5
StaticModel(vectors, tokens).save_pretrained(sys.argv[2])
"""


class Missing(Exception):
    """A program beside which sdd is measured is not on this machine."""


def program(name: str) -> str:
    """The path of a program, installed beside or on PATH. Raises Missing."""
    path = shutil.which(name, path=f"{BESIDE / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}")
    if path is None:
        raise Missing(name)
    return path


def pace(sdd: Sdd) -> dict[str, Callable[[int], Run]]:
    """What does not depend on sdd: how fast this machine is now."""
    loop = (sys.executable, "-I", "-S", "-c", f"for _ in range({LOOP}): pass")
    commands = {
        f"a loop of {LOOP:,} rounds in Python": loop,
        "`git status`": ("git", "status", "--short"),
        "a process that exits": ("true",),
        "a Python that exits": PYTHON_EXITS,
    }
    return {name: partial(timed, sdd, command) for name, command in commands.items()}


def timed(sdd: Sdd, command: tuple[str, ...], _number: int = 0) -> Run:
    """A program in the repository of `sdd`."""
    return run(command, sdd.root, sdd.environ)


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


class Semble:
    """semble in a repository, with a model of random vectors: its times are right, its hits not."""

    def __init__(self, sdd: Sdd, models: Path, content: str) -> None:
        """Raises Missing where semble, or the tokenizer of a model, is not there."""
        self._command = (program("semble"), "search", "--content", content)
        self._root, folder = sdd.root, sdd.root.with_name(f"semble-{sdd.root.name}")
        folder.mkdir()
        tokenizer = next(iter(models.rglob("tokenizer.json")), None)
        if tokenizer is None:
            raise Missing("semble's model")
        python = str(BESIDE / "python/bin/python")
        made = (python, "-c", _STAND_IN, str(tokenizer), str(folder / "model"))
        subprocess.run(made, check=True, capture_output=True)
        model = {"SEMBLE_MODEL_NAME": str(folder / "model"), "HF_HUB_OFFLINE": "1"}
        self._environ = {**sdd.environ, **model, "HOME": str(folder)}

    def search(self, words: str) -> Run:
        """Search, with the index that an earlier search left."""
        return run((*self._command, words, "."), self._root, self._environ)

    def first_index(self) -> Run:
        """A search without an index, which writes it."""
        shutil.rmtree(Path(self._environ["HOME"]) / ".cache", ignore_errors=True)
        return self.search("zebrano")


@contextmanager
def served(sdd: Sdd) -> Iterator[Callable[[str], Run]]:
    """`sdd mcp`, until the block ends, and a function that searches with a call to it."""
    with subprocess.Popen(
        (COMMAND, "mcp"), cwd=sdd.root, env=dict(sdd.environ),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as server:  # fmt: skip

        def ask(method: str, parameters: dict[str, object]) -> bytes:
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
            peak = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
            return Run(seconds, *(peak or [0]), found.decode())

        client = {"name": "benchmarks", "version": "1"}
        first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        if b'"result"' not in ask("initialize", first):
            raise ProcessFailed("sdd mcp did not begin")
        yield search
        server.stdin.close() if server.stdin else None
