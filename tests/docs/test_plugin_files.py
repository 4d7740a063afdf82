"""The skills and references of the plug-in are those that scripts/plugin-files makes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sdd_hooks

PLUGIN = Path(sdd_hooks.__file__).parent / "plugin"
ROOT = PLUGIN.parents[1]


def test_the_skills_and_references_are_made_from_the_code(tmp_path: Path) -> None:
    """A command without an entry in scripts/plugin/skills.yaml gets a brief skill."""
    subprocess.run([sys.executable, str(ROOT / "scripts/plugin-files"), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.md")}
    committed = {
        path.relative_to(PLUGIN): path.read_text()
        for folder in ("skills", "references")
        for path in (PLUGIN / folder).rglob("*.md")
    }
    different = {
        path for path in made.keys() | committed.keys() if made.get(path) != committed.get(path)
    }
    assert different == set(), "run .venv/bin/python scripts/plugin-files"
