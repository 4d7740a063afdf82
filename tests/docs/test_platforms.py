"""`docs/platforms.md` names what has no wheel for musl, and a command that installs the rest."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

TOP = Path(__file__).parents[2]
ALPINE = (TOP / "docs/platforms.md").read_text("utf-8").partition("\n## Alpine\n")[2]


def test_the_command_for_alpine_installs_what_the_table_does_not_name() -> None:
    declared = map(Requirement, requires("sdd-hooks") or ())
    here = {
        one.name.lower() for one in declared if not one.marker or one.marker.evaluate({"extra": ""})
    }
    missing = set(re.findall(r"^\| (\S+) \|", ALPINE, re.MULTILINE)) - {"package"}
    (command,) = re.findall(r"/pip install (?!--)(.*)$", ALPINE, re.MULTILINE)
    installed = {Requirement(word.strip("'")).name.lower() for word in command.split()}
    assert installed == here - missing
    assert {"sqlite-vec", "google-re2"} <= here & missing
