"""Record the output of a version of bd: python -m tests.trackers.beads.record BD VERSION.

It creates the project of the tests of Beads, and writes `recorded/beads-VERSION.json` with the
output of `bd list`, with and without an envelope, and of `bd export`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sdd_hooks.trackers.beads.program import environment
from tests.support.beads import RealBd, bd_with_home
from tests.support.repos import Repo

RECORDED = Path(__file__).parent / "recorded"

_LISTED = ("list", "--json", "--all", "-n", "0")


def record(program: str, version: str) -> None:
    """Create the project with `program`, and record its output."""
    with tempfile.TemporaryDirectory() as directory:
        bd = bd_with_home(program, Path(directory) / "home")
        Path(directory, "home").mkdir()
        repo = Repo.init(Path(directory) / "shop")
        init_args = ("init", "--prefix", "shop", "--quiet")
        help = _output_of(bd, repo.root, ("init", "--help"), {})
        bd(repo.root, *init_args, *(o for o in ("--skip-agents", "--skip-hooks") if o in help))
        _create_project(bd, repo.root)
        exported = _output_of(bd, repo.root, ("export",), {})
        outputs = {
            "list": _output_of(bd, repo.root, _LISTED, {"BD_JSON_ENVELOPE": "0"}),
            "envelope": _output_of(bd, repo.root, _LISTED, {"BD_JSON_ENVELOPE": "1"}),
            "export": exported,
        }
    RECORDED.mkdir(exist_ok=True)
    text = json.dumps({"version": version, **outputs}, indent=1)
    (RECORDED / f"beads-{version}.json").write_text(f"{text}\n")


def _create_project(bd: RealBd, root: Path) -> None:
    epic = _id(bd(root, "create", "Implement the shop", "-t", "epic", "--json"))
    first = _id(bd(root, "create", "First", "-d", "Said of SPEC-0003.", "-t", "bug", "-p", "0",
                   "-l", "b,a", "--json"))  # fmt: skip
    second = _id(bd(root, "create", "Second", "-d", "Two\nlines  ", "--design", "Drawn.",
                    "--acceptance", "- it works", "-a", "ada", "--json"))  # fmt: skip
    third = _id(bd(root, "create", "Third", "--json"))
    bd(root, "dep", "add", second, first)
    bd(root, "dep", "add", second, epic, "-t", "parent-child")
    bd(root, "dep", "add", third, second, "-t", "related")
    bd(root, "update", second, "--notes", "Noted.")
    bd(root, "update", third, "-s", "in_progress")
    bd(root, "close", first, "-r", "It is there.")


def _output_of(bd: RealBd, root: Path, args: tuple[str, ...], variables: dict[str, str]) -> str:
    return subprocess.run(
        [bd.program, *args],
        cwd=root,
        env={**environment(bd.environ), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _id(created: str) -> str:
    match = re.search(r'"id": *"([^"]+)"', created)
    assert match, created
    return match[1]


if __name__ == "__main__":
    record(*sys.argv[1:])
