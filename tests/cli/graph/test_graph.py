import json

import pytest

from tests.cli.commands import run
from tests.drift.graphs import adr
from tests.support.repos import Repo
from tests.usecases.drift.test_graph import FILES, ONE

IMPACT = """\
ADR-0001  Store events
├─ ─[extended-by]─ ─► ADR-0002  Title 2
│ └─ ─[implemented-by]─ ─► SPEC-0003  Capability 3
│   └─ ─[governs]─ ─► src/pay/a.go:1  REQ "Once"
└─ ─[governs]─ ─► src/b.go:1
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    return repo


def test_impact_as_a_drawing_and_as_an_object(shop: Repo) -> None:
    assert run(shop.root, "graph", "impact", "ADR-0001").out == IMPACT
    data = run(shop.root, "graph", "impact", "ADR-0001", "--json").json
    assert data["schema_version"] == 1
    assert data["query"] == {"verb": "impact", "id": "ADR-0001", "path": ONE}
    assert [one["id"] for one in data["results"]] == [
        "ADR-0002",
        "src/b.go",
        "SPEC-0003",
        "src/pay/a.go",
    ]
    assert all(type(edge["derived"]) is bool for one in data["results"] for edge in one["edges"])
    assert run(shop.root, "graph", "impact", "ADR-0001", "--format", "json").json == data


def test_files_that_a_record_names(shop: Repo) -> None:
    """Scenario "A named file" of SPEC-0021."""
    body = "## Context\n\nNo `src/b.go`.\n\n## Decision\n\nBuild with `tools/x.sh`, [so](../..)."
    record = {"docs/adrs/ADR-0009-x.md": adr(9, body=body), "tools/x.sh": ""}
    shop.commit("Name", record)
    sentence = "“Build with `tools/x.sh`, [so](../..).”"
    drawn = run(shop.root, "graph", "impact", "ADR-0009").out
    assert drawn == f"ADR-0009  Title 9\n└──[names]──► tools/x.sh  {sentence}\n"
    drawn = run(shop.root, "graph", "impact", "./tools/x.sh").out
    assert drawn == f"┌─ ─[named-by]─ ─► ADR-0009  Title 9  {sentence}\ntools/x.sh\n"
    (found,) = run(shop.root, "graph", "impact", "src/b.go", "--json").json["results"]
    assert (found["id"], found["edges"][0]["sentence"]) == ("ADR-0001", None)
    (found,) = run(shop.root, "graph", "impact", "tools/x.sh", "--json").json["results"]
    assert (found["edges"][0]["line"], found["path"]) == (13, "docs/adrs/ADR-0009-x.md")
    assert run(shop.root, "graph", "impact", "ADR-0009", "--scope", "src").out.count("tools") == 0


@pytest.mark.parametrize("form", ["text", "markdown", "mermaid", "json"])
def test_the_same_input_gives_the_same_bytes(shop: Repo, form: str) -> None:
    outputs = {
        run(shop.root, "graph", verb, "ADR-0002", "--format", form).out
        for verb in ("chain", "chain")
    }
    assert len(outputs) == 1
    (out,) = outputs
    assert "ADR-0002" in out
    assert out.endswith("\n")


def test_exit_codes(shop: Repo) -> None:
    assert run(shop.root, "graph", "validate").out == "5 nodes, 4 edges, 4 derived: no problem\n"
    assert run(shop.root, "graph", "cycles").out == "No cycles detected.\n"
    unknown = run(shop.root, "graph", "ancestors", "ADR-0009")
    assert (unknown.code, unknown.out) == (2, "")
    assert unknown.err == "sdd: ADR-0009 does not exist: did you mean ADR-0002, ADR-0001?\n"
    assert run(shop.root, "graph", "ancestors", "ADR-0009", "--json").json["error"] == {
        "code": "unknown-artifact",
        "message": "ADR-0009 does not exist: did you mean ADR-0002, ADR-0001?",
        "exit_code": 2,
    }
    shop.write(ONE, adr(1, "extends: [ADR-0002]"))
    invalid = run(shop.root, "graph", "validate")
    message = (
        f"error: {ONE}:3: artifacts form a cycle: ADR-0001 extends ADR-0002 extends ADR-0001:"
        " remove one of these edges"
    )
    assert (invalid.code, invalid.out.splitlines()[0]) == (1, message)
    assert run(shop.root, "graph", "validate", "--format", "markdown").code == 1
    cycles = run(shop.root, "graph", "cycles")
    assert (cycles.code, cycles.out) == (1, "ADR-0001 extends ADR-0002 extends ADR-0001\n")
    assert run(shop.root, "graph", "chain", "SPEC-0003").code == 1


def test_orphans_in_tables(shop: Repo) -> None:
    assert run(shop.root, "graph", "orphans").out == (
        "1 of 3 source files without a governing comment\n  src/c.go\n\n"
        "0 specifications that no code cites\n\n"
        "0 decisions that no specification implements and no code cites\n"
    )
    for number in range(60):
        shop.write(f"src/deep/er/{number}.go", "package deep\n")
    many = run(shop.root, "graph", "orphans", "--format", "markdown").out
    assert "| src/deep/ | 60 |" in many
    files = run(shop.root, "graph", "orphans", "--json").json["results"]
    assert len(files["code_files_without_governing"]) == 61


def test_backfill_shows_a_diff_and_writes_on_request(shop: Repo) -> None:
    shown = run(shop.root, "graph", "backfill").out
    assert "+governs: [SPEC-0003]" in shown.splitlines()
    assert shop.git("status", "--porcelain") == ""
    assert run(shop.root, "graph", "backfill", "--reject").out == (
        "1 edge will not be proposed again\n"
    )
    assert run(shop.root, "graph", "backfill").out == "no edges to propose\n"
    assert run(shop.root, "graph", "backfill", "--reset").code == 0
    done = run(shop.root, "graph", "backfill", "ADR-0001", "--apply", "--json").json
    assert done["written"] == [ONE]
    assert shop.git("diff", "--name-only") == ONE
    both = run(shop.root, "graph", "backfill", "--apply", "--reject")
    assert (both.code, both.err.split(":")[1]) == (
        2,
        " choose one of --apply, --reject and --reset",
    )
    assert run(shop.root, "graph", "backfill", "--edge", "ADR-0001").code == 2


def test_ids_are_completed(shop: Repo) -> None:
    words = {
        "COMP_WORDS": "sdd graph impact adr-",
        "COMP_CWORD": "3",
        "_SDD_COMPLETE": "bash_complete",
    }
    out = run(shop.root, env=words).out
    assert [line.partition(",")[2] for line in out.splitlines()] == ["ADR-0001", "ADR-0002"]


def test_an_unreadable_file_is_a_note(shop: Repo) -> None:
    shop.write("src/large.go", "// Governing: ADR-0001\n" + "x\n" * 5_000_000)
    done = run(shop.root, "graph", "validate")
    assert "note: left out src/large.go: larger than" in done.err
    assert json.loads(run(shop.root, "graph", "validate", "--json").out)["notes"]


def test_artifacts_without_edges(repo: Repo) -> None:
    repo.commit("Start", {f"docs/adrs/ADR-000{n}-x.md": adr(n) for n in (1, 2, 3)})
    done = run(repo.root, "graph", "validate")
    assert done.out == "3 nodes, 0 edges, 0 derived: no problem\n"
    assert "`sdd graph backfill` proposes" in done.err
    for verb in ("validate", "orphans", "cycles", "impact ADR-0001"):
        refused = run(repo.root, "graph", *verb.split(), "--format", "markdown", "--json")
        assert (refused.code, refused.json["error"]["code"]) == (2, "usage")
