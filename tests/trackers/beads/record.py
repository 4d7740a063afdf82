"""Record what a version of bd prints: python -m tests.trackers.beads.record BD VERSION.

It makes the project that the tests of Beads know, and writes `recorded/beads-VERSION.json`: for
each command what it printed, in its own form and in the envelope where it has one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sdd_hooks.trackers.beads.program import environment
from tests.support.beads import RealBd, real
from tests.support.repos import Repo

RECORDED = Path(__file__).parent / "recorded"

_LISTED = ("list", "--json", "--all", "-n", "0")


def record(program: str, version: str) -> None:
    """Make the project with `program`, and write down what it says of it."""
    with tempfile.TemporaryDirectory() as directory:
        bd = real(program, Path(directory) / "home")
        Path(directory, "home").mkdir()
        repo = Repo.init(Path(directory) / "shop")
        given = ("init", "--prefix", "shop", "--quiet")
        help = _said(bd, repo.root, ("init", "--help"), {})
        bd(repo.root, *given, *(o for o in ("--skip-agents", "--skip-hooks") if o in help))
        _make(bd, repo.root)
        exported = _said(bd, repo.root, ("export",), {})
        answers = {
            "list": _said(bd, repo.root, _LISTED, {"BD_JSON_ENVELOPE": "0"}),
            "envelope": _said(bd, repo.root, _LISTED, {"BD_JSON_ENVELOPE": "1"}),
            "export": exported,
        }
    RECORDED.mkdir(exist_ok=True)
    text = json.dumps({"version": version, **answers}, indent=1)
    (RECORDED / f"beads-{version}.json").write_text(f"{text}\n")


def _make(bd: RealBd, root: Path) -> None:
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


def _said(bd: RealBd, root: Path, args: tuple[str, ...], variables: dict[str, str]) -> str:
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
    found = re.search(r'"id": *"([^"]+)"', created)
    assert found, created
    return found[1]


if __name__ == "__main__":
    record(*sys.argv[1:])
