"""The real bd (Beads) for tests, in a temporary home, and a fake bd with canned output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.system.processes import find_executable
from sdd_hooks.trackers.beads.program import environment
from sdd_hooks.trackers.beads.tracker import BeadsTracker
from tests.support.repos import Repo

ROOT = Path(__file__).resolve().parents[2]
MISSING = "needs the real bd: scripts/install-bd .cache/bd"

# Records each call, and prints the output in `answers.json` for its first argument.
_PROGRAM = """\
#!{python}
import json, os, sys
from pathlib import Path
directory = Path(__file__).parent
with (directory / "calls.jsonl").open("a") as file:
    call = {{"args": sys.argv[1:], "cwd": os.getcwd(), "environ": dict(os.environ)}}
    file.write(json.dumps(call) + chr(10))
answer = json.loads((directory / "answers.json").read_text()).get(sys.argv[1], {{}})
sys.stdout.write(answer.get("out", ""))
sys.stderr.write(answer.get("err", ""))
sys.exit(answer.get("code", 0))
"""


@dataclass(frozen=True)
class FakeBd:
    """A fake program `bd` in `directory` with canned output."""

    directory: Path

    def respond(self, command: str, out: str = "", err: str = "", code: int = 0) -> None:
        """Set the output and the exit status of `bd command`."""
        path = self.directory / "answers.json"
        answers = json.loads(path.read_text()) if path.exists() else {}
        answers[command] = {"out": out, "err": err, "code": code}
        path.write_text(json.dumps(answers))

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls so far: `args`, `cwd` and `environ`."""
        path = self.directory / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def install_fake_bd(directory: Path) -> FakeBd:
    """Create `directory` with a fake `bd` that prints nothing."""
    directory.mkdir(parents=True)
    program = directory / "bd"
    program.write_text(_PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    (directory / "answers.json").write_text("{}")
    return FakeBd(directory)


def installed() -> str | None:
    """The path of the real bd; None if it is missing or disabled.

    `SDD_BD` may name its directory; empty disables these tests. Otherwise it is searched in
    `.cache/bd`, then on `PATH`.
    """
    configured = os.environ.get("SDD_BD")
    if configured == "":
        return None
    directory = Path(configured) if configured else ROOT / ".cache/bd"
    if configured or (directory / "bin/bd").exists():
        return str((directory / "bin/bd").absolute())
    return find_executable("bd", os.environ)


@dataclass(frozen=True)
class RealBd:
    """The program and its environment: a temporary home, telemetry disabled."""

    program: str
    environ: Mapping[str, str]

    def __call__(self, root: Path, *args: str) -> str:
        """Run `bd args` in `root`. Returns its output; fails with it for an error status."""
        done = subprocess.run(
            [self.program, *args],
            cwd=root,
            env=environment(self.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"bd {' '.join(args)}: {done.stdout}{done.stderr}"
        return done.stdout

    def tracker(self, root: Path, clock: Callable[[], float] | None = None) -> BeadsTracker:
        """The tracker of a repository."""
        return (
            BeadsTracker(root, self.environ, clock) if clock else BeadsTracker(root, self.environ)
        )


def bd_with_home(program: str, home: Path) -> RealBd:
    """The real bd with `home` as its home directory."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("BD_", "BEADS_", "XDG_"))}
    path = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    changed = {"HOME": str(home), "PATH": path, "BD_DISABLE_METRICS": "1", "BD_ACTOR": "ada"}
    return RealBd(program, {**inherited, **changed})


@pytest.fixture(scope="session")
def real_bd(isolated_environment: None, tmp_path_factory: pytest.TempPathFactory) -> RealBd:
    """The real bd; skips the test if it is missing."""
    program = installed()
    if program is None:
        pytest.skip(MISSING)
    return bd_with_home(program, tmp_path_factory.mktemp("bd-home"))


@pytest.fixture(scope="session")
def empty_beads(real_bd: RealBd, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository after `bd init`, which takes seconds and is run once."""
    repo = Repo.init(tmp_path_factory.mktemp("beads") / "shop")
    init(real_bd, repo.root)
    return repo.root


def init(bd: RealBd, root: Path) -> None:
    """Run `bd init` in a repository, without hooks."""
    bd(root, "init", "--prefix", "shop", "--quiet", "--skip-hooks")


@pytest.fixture
def beads(empty_beads: Path, tmp_path: Path) -> Repo:
    """A repository with an empty `.beads/`."""
    shutil.copytree(empty_beads, tmp_path / "shop")
    return Repo(tmp_path / "shop")
