"""Commands that SIGKILL ends at a random time: those after them end as if nothing had happened."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.freshness.refresh import refresh
from tests.adversarial.conftest import Rounds
from tests.cli.commands import OFFLINE, SCRIPTS, run
from tests.support import warm
from tests.support.laptops import Laptop, SharedRemote
from tests.support.oracle import assert_index_matches_scratch
from tests.support.repos import Repo

COMMANDS = (
    ("index", "add", "--kind", "adrs"),
    ("index", "update", "--kind", "adrs"),
    ("index", "update", "--kind", "adrs", "--full"),
    ("hook", "post-commit"),
    ("index", "embed"),
    ("index", "push"),
    ("index", "pull"),
    ("adr", "Cache pages", "--reserve"),
)
WAITING = {**OFFLINE, "CI": "true"}


def kill(laptop: Laptop, command: Sequence[str], seconds: float, *, alone: bool) -> None:
    """Start a command, and end it after `seconds` with its children, or alone.

    Alone, it is forked with all modules imported: more of its time is that of its own work.
    """
    environ = {**laptop.repo.environment(), **WAITING}
    if alone:
        with suppress(subprocess.TimeoutExpired):
            warm.run(command, laptop.repo.root, environ, b"", seconds)
        return
    null = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    options: Any = {"cwd": laptop.repo.root, "env": environ, "start_new_session": True, **null}
    with subprocess.Popen([str(SCRIPTS / "sdd"), *command], **options) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def test_a_killed_command_leaves_nothing_wrong(rounds: Rounds, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    hub = SharedRemote.make(tmp_path, share="true")
    template = hub.laptop("laptop").repo.root
    names = count()

    def case(chance: random.Random) -> None:
        # A collection has the name of the directory.
        root = tmp_path / f"{next(names)}/laptop"
        shutil.copytree(template, root, symlinks=True)
        laptop = Laptop(repo := Repo(root))
        laptop.write(*range(3, chance.randint(4, 60)))
        if chance.random() < 0.5:
            laptop.embed()
        for _ in range(chance.choice((1, 1, 2))):
            command = chance.choice(COMMANDS)
            if command[1] == "add":
                shutil.rmtree(repo.root / ".sdd")
            repo.write(f"docs/adrs/ADR-0100-{chance.random()}.md", "# ADR-0100: Tea\n\nTea.\n")
            repo.git("add", "--all")
            kill(laptop, command, chance.uniform(0, 2), alone=chance.random() < 0.5)
            repo.git("commit", "--quiet", "--message", "After a kill")
            done = run(repo.root, *command, env=WAITING)
            assert done.code == 0, (command, done)
        project = laptop.project
        refresh(project, collections=project.select(("adrs",)))
        assert_index_matches_scratch(repo)
        report = laptop.embed()
        assert (report.failed, report.remaining) == (0, 0), command
        laptop.push()
        laptop.pull()
        assert laptop.pending == 0, command
        shutil.rmtree(repo.root)

    rounds.run(case)
