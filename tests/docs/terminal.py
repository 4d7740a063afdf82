"""A terminal that runs the examples of the pages, and the scenes in which they run."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.system.user_cache import write_cached
from tests.support.gguf_model import make_gguf
from tests.support.postgres_server import SUPERUSER, PostgresServer
from tests.support.qmd import MISSING, installed
from tests.support.repos import ISOLATION
from tests.support.warm import install_program

COLUMNS = 90
HOME = "/home/ada"
SHOP = Path(__file__).parent / "shop"
MODEL = Path(__file__).resolve().parents[3] / "shared" / "models" / "all-MiniLM-L6-v2"

# The packages of the extras. Without them an example has the same output on every machine.
EXTRAS = ("huggingface_hub", "onnxruntime", "tokenizers", "llm", "cgg")

_ERASED = re.compile(r"[^\n]*\r?\x1b\[K")


class Terminal:
    """A shell with a temporary home directory, and the `sdd` under test without its extras.

    Its output is that of a terminal with 90 columns and without colours. The home directory appears
    as `/home/ada`, and sdd as installed as docs/getting-started.md says, from `~/sdd-hooks`.
    """

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.home.mkdir(parents=True, exist_ok=True)
        self.directory = self.home
        self.status = 0
        self.fixture: Callable[[str], Any] = pytest.skip
        commands = str(Path(sys.executable).parent)
        warm_commands = self.home / ".commands"
        self.environ = {
            **ISOLATION,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PATH": f"{warm_commands}:{commands}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin",
            "TERM": "xterm",
            "NO_COLOR": "1",
            "GIT_PAGER": "cat",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "color.ui",
            "GIT_CONFIG_VALUE_0": "false",
            "PYTHONPATH": str(self._without_extras()),
        }
        install_program(warm_commands, self.environ)

    def run(self, command: str) -> str:
        """Run a command as if typed. Returns its output; keeps its status and directory."""
        directory_file = self.home / ".directory"
        script = f"(exit {self.status})\n{command}\nstatus=$?; pwd >{directory_file}; exit $status"
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        process = subprocess.Popen(
            ["sh", "-c", script],
            cwd=self.directory,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        shown = _read(controller)
        os.close(controller)
        self.status = process.wait(timeout=60)
        if directory_file.exists():
            self.directory = Path(directory_file.read_text(encoding="utf-8").strip())
            directory_file.unlink()
        text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
        text = _ERASED.sub("", text).replace(str(self.home), HOME)
        return text.replace(sys.prefix, f"{HOME}/.local/share/sdd-hooks")

    def _without_extras(self) -> Path:
        folder = self.home / ".without"
        folder.mkdir()
        for name in EXTRAS:
            missing = f"raise ModuleNotFoundError('No module named {name}', name={name!r})\n"
            (folder / f"{name}.py").write_text(missing, encoding="utf-8")
        self._describe_installation(folder)
        return folder

    def _describe_installation(self, folder: Path) -> None:
        """Write metadata of sdd that say that it was installed from `~/sdd-hooks`."""
        source = self.home / "sdd-hooks"
        source.mkdir()
        package = distribution("sdd-hooks")
        metadata = folder / f"sdd_hooks-{package.version}.dist-info"
        metadata.mkdir()
        for name in ("METADATA", "entry_points.txt"):
            (metadata / name).write_text(package.read_text(name) or "", encoding="utf-8")
        direct = {"url": source.as_uri(), "dir_info": {}}
        (metadata / "direct_url.json").write_text(json.dumps(direct), encoding="utf-8")


def shop(terminal: Terminal) -> None:
    """A repository with four decisions, one specification and two source files."""
    shutil.copytree(SHOP, terminal.home / "shop", ignore=shutil.ignore_patterns("__pycache__"))
    terminal.run("cd shop && git init -q -b main && git add . && git commit -q -m 'The shop'")


def initialised(terminal: Terminal) -> None:
    """The shop, set up, with its hooks installed."""
    _copy_shop(terminal)


def just_indexed(terminal: Terminal) -> None:
    """The shop, set up and indexed at this place, so that what sdd has cached of it is current."""
    _run_set_up(terminal, ("sdd index",))


def indexed(terminal: Terminal) -> None:
    """The shop, set up and indexed."""
    _copy_shop(terminal, "sdd index")


def _run_set_up(terminal: Terminal, commands: tuple[str, ...]) -> None:
    shop(terminal)
    for command in ("sdd init --yes && git add . && git commit -q -m 'Set up sdd'", *commands):
        terminal.run(command)
        assert terminal.status == 0, command


def _copy_shop(terminal: Terminal, *commands: str) -> None:
    """The shop, set up, as it is after the commands. Twenty scenes begin with the same ones."""
    shutil.copytree(_shop_after(commands), terminal.home, symlinks=True, dirs_exist_ok=True)
    # The index has the times of the files that were copied.
    terminal.run("cd shop && git update-index -q --refresh")


@cache
def _shop_after(commands: tuple[str, ...]) -> Path:
    """A home directory with the shop, set up, after the commands. None of its files names it."""
    folder = Path(tempfile.mkdtemp(prefix="sdd-shop-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    terminal = Terminal(folder / "ada")
    _run_set_up(terminal, commands)
    for own in (".commands", ".without", "sdd-hooks"):
        shutil.rmtree(terminal.home / own)
    return terminal.home


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
    # No GPU is looked for, and no thread waits for others of its context by spinning.
    terminal.environ.update(QMD_FORCE_CPU="1", QMD_EMBED_PARALLELISM="2")
    now = time.time()
    write_cached("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, terminal.environ)
    models = sorted(MODEL.glob("*.gguf"))
    path = models[0] if models else make_gguf(terminal.home / "tiny.gguf")
    terminal.run(f"mkdir ~/models && ln -s {path} ~/models/all-MiniLM-L6-v2.gguf")


def handbook(terminal: Terminal) -> None:
    """The shop, set up and indexed, whose team has decisions at `git.example.com`.

    A program in place of ssh runs git's own server in a directory.
    """
    indexed(terminal)
    terminal.run(
        "mkdir -p ~/.served/acme && git init -q -b main ~/.handbook && cd ~/.handbook"
        " && mkdir -p docs/adr"
    )
    record = terminal.home / ".handbook/docs/adr/0012-encrypt-personal-data.md"
    record.write_text(
        "# ADR-0012: Encrypt personal data\n\n## Status\n\nAccepted\n\n## Decision\n\n"
        "We encrypt each address and each email of a customer with the function `seal` before it"
        " is stored.\n",
        encoding="utf-8",
    )
    terminal.run(
        "git add . && git commit -q -m Decide"
        " && git clone -q --bare . ~/.served/acme/handbook.git && cd ~/shop"
    )
    ssh = terminal.home / ".ssh-server"
    ssh.write_text(
        f'#!/bin/sh\nfor command; do :; done\ncd {terminal.home}/.served && eval "$command"\n',
        encoding="utf-8",
    )
    ssh.chmod(0o755)
    terminal.environ.update(GIT_SSH_COMMAND=str(ssh), GIT_SSH_VARIANT="ssh")


def organisation(terminal: Terminal) -> None:
    """The shop with a remote, and a server whose administrator uses psql on its machine."""
    server: PostgresServer = terminal.fixture("pgserver")
    shop(terminal)
    terminal.run("git remote add origin git@git.example.com:acme/shop.git && cd ..")
    terminal.environ["PATH"] = f"{server.programs}:{terminal.environ['PATH']}"
    terminal.environ.update(PGHOST=str(server.folder), PGUSER=SUPERUSER)


def openspec(terminal: Terminal) -> None:
    """An empty repository, and the real OpenSpec."""
    programs = Path(__file__).parents[2] / ".cache/openspec/node_modules/.bin"
    if not (programs / "openspec").exists():
        command = "npm install --prefix .cache/openspec @fission-ai/openspec"
        pytest.skip(f"needs OpenSpec: {command}")
    terminal.environ["PATH"] = f"{terminal.environ['PATH']}:{programs}"
    terminal.environ["OPENSPEC_TELEMETRY"] = "0"
    terminal.run("git init -q shop && cd shop")


SCENES = {
    "openspec": openspec,
    "home": lambda _terminal: None,
    "shop": shop,
    "initialised": initialised,
    "indexed": indexed,
    "just indexed": just_indexed,
    "handbook": handbook,
    "model": model,
    "organisation": organisation,
    "qmd": qmd,
}


def _read(descriptor: int) -> bytes:
    shown = b""
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            # Linux reports the end of the output as an error.
            return shown
        if not data:
            return shown
        shown += data
