"""Whole reviews of real repositories, as the command prints them."""

import json
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import pytest

from tests.cli.commands import ADR, FILES, run
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
