"""A terminal in which the examples of the pages are run, and scenes to run them in."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from sdd_hooks.system.user_cache import write_cached
from tests.support.gguf_model import make_gguf
from tests.support.qmd import MISSING, installed
from tests.support.repos import ISOLATION

COLUMNS = 90
HOME = "/home/ada"
SHOP = Path(__file__).parent / "shop"
MODEL = Path(__file__).resolve().parents[3] / "shared" / "models" / "all-MiniLM-L6-v2"

# What the extras bring: without them an example looks the same wherever it is run.
EXTRAS = ("huggingface_hub", "onnxruntime", "tokenizers", "llm", "cgg")

_ERASED = re.compile(r"[^\n]*\r?\x1b\[K")


class Terminal:
    """A shell with a home of its own, in which `sdd` is the one under test, without its extras.

    What it shows is what a person sees in a window of 90 columns without colours. The directory
    that stands for the home appears as `/home/ada`.
    """

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.home.mkdir(parents=True, exist_ok=True)
        self.directory = self.home
        self.status = 0
        commands = str(Path(sys.executable).parent)
        self.environ = {
            **ISOLATION,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PATH": f"{commands}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin",
            "TERM": "xterm",
            "NO_COLOR": "1",
            "GIT_PAGER": "cat",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "color.ui",
            "GIT_CONFIG_VALUE_0": "false",
            "PYTHONPATH": str(self._without_extras()),
        }

    def run(self, command: str) -> str:
        """Run a command as if typed. Returns what is shown; its status and `cd` are kept."""
        here = self.home / ".directory"
        script = f"(exit {self.status})\n{command}\nstatus=$?; pwd >{here}; exit $status"
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        process = subprocess.Popen(
            ["sh", "-c", script],
            cwd=self.directory,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        shown = _read(ours)
        os.close(ours)
        self.status = process.wait(timeout=60)
        if here.exists():
            self.directory = Path(here.read_text(encoding="utf-8").strip())
            here.unlink()
        text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
        return _ERASED.sub("", text).replace(str(self.home), HOME)

    def _without_extras(self) -> Path:
        folder = self.home / ".without"
        folder.mkdir()
        for name in EXTRAS:
            missing = f"raise ModuleNotFoundError('No module named {name}', name={name!r})\n"
            (folder / f"{name}.py").write_text(missing, encoding="utf-8")
        return folder


def shop(terminal: Terminal) -> None:
    """A repository with four decisions, one specification and two source files."""
    shutil.copytree(SHOP, terminal.home / "shop", ignore=shutil.ignore_patterns("__pycache__"))
    terminal.run("cd shop && git init -q -b main && git add . && git commit -q -m 'The shop'")


def initialised(terminal: Terminal) -> None:
    """The shop, set up, with its hooks installed."""
    shop(terminal)
    terminal.run("sdd init --yes && git add . && git commit -q -m 'Set up sdd'")


def indexed(terminal: Terminal) -> None:
    """The shop, set up and indexed."""
    initialised(terminal)
    terminal.run("sdd index")


def model(terminal: Terminal) -> None:
    """The shop, indexed, on a machine with the extra `local` and a model in a folder."""
    if not MODEL.is_dir():
        pytest.skip("needs ../shared/models beside the checkout")
    indexed(terminal)
    for name in ("onnxruntime", "tokenizers"):
        (terminal.home / ".without" / f"{name}.py").unlink()
    terminal.run(f"mkdir ~/models && ln -s {MODEL} ~/models/all-MiniLM-L6-v2")


def qmd(terminal: Terminal) -> None:
    """The shop, set up, on a machine with the real qmd and a model in a file."""
    directory = installed()
    if directory is None:
        pytest.skip(MISSING)
    initialised(terminal)
    terminal.environ["PATH"] = f"{directory}:{terminal.environ['PATH']}"
    now = time.time()
    write_cached("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, terminal.environ)
    found = sorted(MODEL.glob("*.gguf"))
    path = found[0] if found else make_gguf(terminal.home / "tiny.gguf")
    terminal.run(f"mkdir ~/models && ln -s {path} ~/models/all-MiniLM-L6-v2.gguf")


SCENES = {
    "home": lambda _terminal: None,
    "shop": shop,
    "initialised": initialised,
    "indexed": indexed,
    "model": model,
    "qmd": qmd,
}


def _read(descriptor: int) -> bytes:
    shown = b""
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            # Linux says so when nobody has the other end any more.
            return shown
        if not data:
            return shown
        shown += data
