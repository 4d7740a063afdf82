"""The benchmark of finding and reading records: its facts, its work trees and its scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.discovery.__main__ import main
from benchmarks.discovery.facts import FACTS, HALVES, read_facts
from sdd_hooks.artifacts.languages import STATUSES
from tests.support.repos import Repo

RECORD = "# {}\n\n## Status\n\n{}\n\n## Context\n\nWe did.\n\n## Decision\n\nWe do.\n"


def test_the_facts_are_consistent_and_no_owner_is_in_both_halves() -> None:
    lines = [json.loads(line) for line in FACTS.read_text("utf-8").splitlines()]
    facts = list(read_facts())
    assert len({one.name.lower() for one in facts}) == len(facts)
    for known, fields in zip(facts, lines, strict=True):
        collections = fields["collections"]
        assert len(known.records) == sum(len(one["files"]) for one in collections), known.name
        assert known.records or fields["others"], known.name
        assert not known.records.keys() & {*fields["others"], *known.either}, known.name
        assert known.readings.keys() <= known.records.keys(), known.name
        assert {one.status for one in known.readings.values()} <= {*STATUSES, "none", None}
        assert {one.kind for one in known.records.values()} <= {"adr", "spec"}
        assert len(known.commit) == 40
    halves = {one.name.partition("/")[0].lower(): one.half for one in facts}
    assert {*halves.values()} == {*HALVES}
    assert all(one.half == halves[one.name.partition("/")[0].lower()] for one in facts)


def test_what_is_missed_false_and_misread_is_counted_by_layout(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "docs/adr/0001-a.md": RECORD.format("1. Use A", "Accepted"),
        "docs/adr/0002-b.md": RECORD.format("2. Use B", "Superseded by 0001"),
        "docs/adr/0003-not-one.md": RECORD.format("3. Not one", "Accepted"),
        "docs/adr/0003-keiner.md": RECORD.format("3. Keiner", "Accepted"),
        "src/a.py": "x = 1\n",
    }
    fields = {"repository": "some/a", "commit": repo.commit("Start", files), "half": "held"}
    (tmp_path / "some+a").symlink_to(repo.root / ".git")
    numbered = {"kind": "adr", "layout": "numbered", "folder": "docs/adr"}
    slugs = {"kind": "adr", "layout": "slugs", "folder": "", "files": ["notes/x.md"]}
    known = {
        **fields,
        "collections": [{**numbered, "files": ["0001-a.md", "0002-b.md"]}, slugs],
        "either": ["docs/adr/0003-keiner.md"],
        "readings": {
            "docs/adr/0001-a.md": ["Use A", "accepted", "2026-01-02"],
            "docs/adr/0002-b.md": ["Use B", "superseded", None],
        },
    }
    facts = tmp_path / "facts.jsonl"
    absent = {**known, "repository": "some/absent"}
    facts.write_text(f"{json.dumps(known)}\n{json.dumps(absent)}\n")
    options = ["--facts", str(facts), "--half", "held", "--misses", "held"]
    assert main([str(tmp_path), *options]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "missed some/a: notes/x.md",
        "false some/a: docs/adr/0003-not-one.md",
        "misread some/a: docs/adr/0001-a.md: date is read as '', and is '2026-01-02'",
        *["", "1 repositories (held), 1 absent.", ""],
        "| layout | records | found | missed | listed | false | share found | share false |",
        "|---|---|---|---|---|---|---|---|",
        "| numbered | 2 | 2 | 0 | 3 | 1 | 1.000 | 0.333 |",
        "| slugs | 1 | 0 | 1 | 0 | 0 | 0.000 |  |",
        "| all | 3 | 2 | 1 | 3 | 1 | 0.667 | 0.333 |",
        "",
        "| read | records | right | share |",
        "|---|---|---|---|",
        "| title | 2 | 2 | 1.000 |",
        "| status | 2 | 2 | 1.000 |",
        "| date | 1 | 0 | 0.000 |",
    ]
    assert main([str(tmp_path / "nowhere"), *options]) == 1
