"""Whole reviews of real repositories, as the command prints them."""

import json
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import pytest

from sdd_hooks.text.display import printable_line
from tests.cli.commands import ADR, FILES, on_terminal, run
from tests.reporting.test_json import VALIDATOR
from tests.support.repos import Repo

HOSTILE = os.fsdecode(b"src/a\x1b[31m\n`caf\xe9`](x).py")

BEFORE = {
    **FILES,
    "docs/adrs/ADR-0002-json.md": ADR.replace("ADR-0001", "ADR-0002").replace(
        "status: accepted", "status: superseded"
    ),
}
AFTER = {
    HOSTILE: "# Governing: ADR-0099\n",
    "src/old.py": "# Governing: ADR-0002 (the index)\nimport json\n",
    "src/page.js": "// sdd-ignore: dangling-reference (it is an example)\n// Governing: ADR-0098\n",
    "docs/openspec/specs/search/spec.md": FILES["docs/openspec/specs/search/spec.md"] + "\nMore.\n",
}


class Changed(NamedTuple):
    """A repository, and the commit before its last."""

    root: Path
    base: str


@pytest.fixture
def changed(tmp_path: Path) -> Changed:
    repo = Repo.init(tmp_path / "repo")
    base = repo.commit("Begin", BEFORE)
    message = "Keep what people search for\n\nAs [ADR-0097](http://example.org) <b>says</b>."
    repo.commit(message, AFTER)
    return Changed(repo.root, base)


def test_the_json_of_a_real_review_matches_its_schema(changed):
    document = run(changed.root, "review", "--base", changed.base, "--json").json
    VALIDATOR.validate(document)
    assert document["base"] == changed.base
    assert document["files"] == len(AFTER)
    shown = HOSTILE.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    assert shown in {finding["path"] for finding in document["findings"]}
    assert [finding["reason"] for finding in document["suppressed"]] == ["it is an example"]
    second = run(changed.root, "review", "--base", changed.base, "--json").json
    assert second == document


def test_a_review_of_what_is_staged_matches_the_schema(changed):
    repo = Repo(changed.root)
    repo.write("src/new.py", "# Governing: ADR-0096\n")
    repo.git("add", "--all")
    document = run(changed.root, "review", "--staged", "--json").json
    VALIDATOR.validate(document)
    assert document["head"] == ""
    assert [finding["path"] for finding in document["findings"]] == ["src/new.py"]


def test_the_sarif_of_a_real_review_is_valid(changed, official):
    done = run(changed.root, "review", "--base", changed.base, "--format", "sarif")
    log = json.loads(done.out)
    assert official.accepts(log)
    places = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
    ]
    assert os.fsencode(HOSTILE) in map(unquote_to_bytes, places)


def test_the_report_has_no_control_characters_of_the_repository(changed):
    code, out = on_terminal(changed.root, "", "review", "--base", changed.base)
    assert code == 0
    assert f"  {printable_line(HOSTILE)}:1  dangling-reference\n" in out
    assert "\x1b[31m\n" not in out
    assert "1 suppressed\n" in out


def test_colour_needs_a_terminal_and_the_consent_of_the_environment(changed):
    command = ("review", "--base", changed.base)
    plain_text = run(changed.root, *command).out
    _, coloured = on_terminal(changed.root, "", *command, env={"TERM": "xterm"})
    _, refused = on_terminal(changed.root, "", *command, env={"TERM": "xterm", "NO_COLOR": "1"})
    assert "\x1b[1;31mcritical (" in coloured
    # On a slow machine, a line of progress is shown and erased.
    assert "\x1b" not in refused.replace("\x1b[K", "")
    assert "\x1b" not in plain_text
