"""The real bd (Beads) for tests, in a home of its own, and one that says what it is told to."""

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

from sdd_hooks.system.processes import executable
from sdd_hooks.trackers.beads.program import environment
from sdd_hooks.trackers.beads.tracker import BeadsTracker
from tests.support.repos import Repo

ROOT = Path(__file__).resolve().parents[2]
MISSING = "needs the real bd: scripts/install-bd .cache/bd"

# Writes down how it was called, and answers as `answers.json` says for its first argument.
_PROGRAM = """\
#!{python}
import json, os, sys
from pathlib import Path
here = Path(__file__).parent
with (here / "asked.jsonl").open("a") as file:
    told = {{"args": sys.argv[1:], "cwd": os.getcwd(), "environ": dict(os.environ)}}
    file.write(json.dumps(told) + chr(10))
answer = json.loads((here / "answers.json").read_text()).get(sys.argv[1], {{}})
sys.stdout.write(answer.get("out", ""))
sys.stderr.write(answer.get("err", ""))
sys.exit(answer.get("code", 0))
"""


@dataclass(frozen=True)
class Recorded:
    """A program `bd` in `directory` that says what it is told to."""

    directory: Path

    def says(self, command: str, out: str = "", err: str = "", code: int = 0) -> None:
        """From now on `bd command` prints this and ends with this status."""
        path = self.directory / "answers.json"
        answers = json.loads(path.read_text()) if path.exists() else {}
        answers[command] = {"out": out, "err": err, "code": code}
        path.write_text(json.dumps(answers))

    @property
    def asked(self) -> list[dict[str, Any]]:
        """How it was called so far: `args`, `cwd` and `environ`."""
        path = self.directory / "asked.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def recorded_bd(directory: Path) -> Recorded:
    """A `bd` in `directory`, which is made; it says nothing so far."""
    directory.mkdir(parents=True)
    program = directory / "bd"
    program.write_text(_PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    made = Recorded(directory)
    (directory / "answers.json").write_text("{}")
    return made


def installed() -> str | None:
    """The real bd: in the directory that `SDD_BD` names, empty for none at all; else in
    `.cache/bd`, else on `PATH`."""
    named = os.environ.get("SDD_BD")
    if named == "":
        return None
    made = Path(named) if named else ROOT / ".cache/bd"
    if named or (made / "bin/bd").exists():
        return str((made / "bin/bd").absolute())
    return executable("bd", os.environ)


@dataclass(frozen=True)
class RealBd:
    """The program, and what to run it in: a home of its own, and no word to its makers."""

    program: str
    environ: Mapping[str, str]

    def __call__(self, root: Path, *args: str) -> str:
        """What `bd args` prints in `root`. Fails with what it said."""
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


def real(program: str, home: Path) -> RealBd:
    """A bd with `home` for what it keeps."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BD_", "BEADS_", "XDG_"))}
    path = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"HOME": str(home), "PATH": path, "BD_DISABLE_METRICS": "1", "BD_ACTOR": "ada"}
    return RealBd(program, {**kept, **own})


@pytest.fixture(scope="session")
def real_bd(isolated_environment: None, tmp_path_factory: pytest.TempPathFactory) -> RealBd:
    """The real bd; where there is none, the test is skipped and says what it needs."""
    program = installed()
    if program is None:
        pytest.skip(MISSING)
    return real(program, tmp_path_factory.mktemp("bd-home"))


@pytest.fixture(scope="session")
def empty_beads(real_bd: RealBd, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which `bd init` was run: seconds, so it is done once."""
    repo = Repo.init(tmp_path_factory.mktemp("beads") / "shop")
    init(real_bd, repo.root)
    return repo.root


def init(bd: RealBd, root: Path) -> None:
    """Run `bd init` in a repository, with nothing for others than bd itself."""
    bd(root, "init", "--prefix", "shop", "--quiet", "--skip-hooks")


@pytest.fixture
def beads(empty_beads: Path, tmp_path: Path) -> Repo:
    """A repository with a `.beads/` of its own and no issue."""
    shutil.copytree(empty_beads, tmp_path / "shop")
    return Repo(tmp_path / "shop")
