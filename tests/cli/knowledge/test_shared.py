"""Committed patterns and lessons are found by `sdd search` and `sdd prime`."""

import json

import pytest

from tests.cli.commands import FILES, run

MEMORY = "# Shop\n\n### SDD Configuration\n\n#### Knowledge\n\n- **Path**: docs/knowledge\n"
ADVICE = "Round monetary amounts half to even"


@pytest.fixture
def shared(repo):
    repo.commit(files={**FILES, "CLAUDE.md": MEMORY})
    assert run(repo.root, "index", "add").code == 0
    learned = run(
        repo.root, "knowledge", "learn", ADVICE, "--tags", "money,rounding", "--json"
    ).json
    assert learned["place"] == "docs/knowledge"
    return repo


def test_a_search_finds_it_after_the_write(shared):
    """The write refreshed the index, before any commit."""
    groups = run(shared.root, "search", "rounding of monetary amounts", "--json").json["groups"]
    (hits,) = [group["hits"] for group in groups if group["kind"] == "knowledge"]
    assert hits[0]["title"] == ADVICE
    assert hits[0]["path"].startswith("docs/knowledge/lessons/round-monetary-amounts")
    report = run(shared.root, "search", "monetary amounts").out
    assert "### 4. Matching Patterns and Lessons\n\n- **Round monetary amounts" in report
    only = run(shared.root, "search", "--kind", "knowledge", "monetary", "--json")
    assert [hit["title"] for hit in only.hits] == [ADVICE]


def test_prime_has_it_with_a_topic_and_without(shared):
    name = f"round-monetary-amounts-half-even-{digest(shared)}"
    line = f"**lesson {name}** (implementing-money): {ADVICE}"
    for arguments in (("prime",), ("prime", "monetary", "amounts")):
        out = run(shared.root, *arguments).out
        assert f"### Patterns and Lessons\n\n- {line}" in out
        data = json.loads(run(shared.root, *arguments, "--json").out)
        assert data["knowledge"][0]["tags"] == ["money", "rounding"]


def digest(repo):
    (path,) = (repo.root / "docs/knowledge/lessons").iterdir()
    return path.stem.rpartition("-")[2]


def test_a_deletion_takes_it_out_of_the_index(shared):
    (path,) = (shared.root / "docs/knowledge/lessons").iterdir()
    assert run(shared.root, "knowledge", "delete", path.stem, "--yes").code == 0
    assert run(shared.root, "search", "--kind", "knowledge", "monetary", "--json").hits == []
