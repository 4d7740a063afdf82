"""`sdd adr import`: what records of other tools say is added to their frontmatter."""

from __future__ import annotations

import json
import resource

import pytest

from tests.cli.commands import run
from tests.support.repos import Repo

OLD, NEW = "doc/adr/0001-use-rest.md", "doc/adr/0002-use-grpc.md"
FILES = {
    OLD: "# 1. Use REST\n\nDate: 2016-02-12\n\n## Status\n\nSuperceded by [2. Use gRPC]"
    "(0002-use-grpc.md)\n\n## Context\n\nCalls.\n\n## Decision\n\nREST.\n",
    NEW: "# 2. Use gRPC\n\nDate: 12/02/2016\n\n## Status\n\nAccepted\n\n## Context\n\n"
    + "Calls are slow. " * 90
    + "\n\n## Decision\n\ngRPC.\n\n## Applies To\n\n- `src/rpc/`\n",
}


@pytest.fixture
def records(repo: Repo) -> Repo:
    repo.commit("Start", {**FILES, ".gitignore": ".sdd/\n"})
    return repo


def test_records_are_taken_over(records: Repo) -> None:
    assert run(records.root, "index", "add").code == 0
    done = run(records.root, "adr", "import")
    assert done.out.splitlines() == [
        f"{OLD}  ADR-0001  adr-tools",
        "  status: superseded by ADR-0002  (line 7: Superceded by [2. Use gRPC](0002-use-grpc.md))",
        "  date: 2016-02-12  (line 3: 2016-02-12)",
        f"{NEW}  ADR-0002  adr-tools",
        "  status: accepted  (line 7: Accepted)",
        "  supersedes: [ADR-0001]  (Superceded by [2. Use gRPC](0002-use-grpc.md))",
        "  applies-to: [src/rpc/]  (line 19: src/rpc/)",
        "  not understood: line 3: 12/02/2016 (no known form of a date)",
        "2 records: 5 values added to 2 records, 1 text not understood",
    ]
    assert records.git("diff", "--numstat") == f"5\t0\t{OLD}\n6\t0\t{NEW}"
    assert (records.root / OLD).read_text().endswith(f"---\n\n{FILES[OLD]}")
    data = run(records.root, "adr", "import", "--json").json
    assert data["changes"] == []
    assert [one["not_understood"] for one in data["records"]] == [
        [],
        [{"line": 9, "text": "12/02/2016", "reason": "no known form of a date"}],
    ]
    (edge,) = run(records.root, "show", "ADR-0002", "--json").json["edges"]
    assert (edge["kind"], edge["target"]) == ("supersedes", "ADR-0001")


def test_a_dry_run_shows_the_diff(records: Repo) -> None:
    done = run(records.root, "adr", "import", OLD, "--dry-run")
    assert "+status: superseded by ADR-0002\n" in done.out
    assert "not understood: line 7: Superceded by [2. Use gRPC](0002-use-grpc.md) (the edge" in (
        done.out
    )
    assert records.git("status", "--porcelain") == ""


def test_a_report_in_markdown(records: Repo) -> None:
    records.write("doc/adr/0003-a.md", "# 3. A\n\n- Status: fab|ulous <b>\n\n## Decision\n\nA.\n")
    out = run(records.root, "adr", "import", "--format", "markdown", "--dry-run").out
    assert f"| `{OLD}` | adr-tools | status | superseded by ADR-0002 | 7 |" in out.splitlines()
    assert "| `doc/adr/0003-a.md` | 3 | fab\\|ulous \\<b> | no known status |" in out


def test_a_failure_half_way_leaves_everything_as_it_was(records: Repo) -> None:
    limit = (1_000, 1_000)
    done = run(
        records.root,
        *("adr", "import"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert done.code != 0
    assert f"cannot write {records.root / NEW}" in done.err
    assert records.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "nothing has no Markdown file: name another path"),
        ("../outside", "../outside has no Markdown file"),
        (".gitignore", ".gitignore has no Markdown file"),
    ],
)
def test_paths_without_records(records: Repo, path: str, message: str) -> None:
    done = run(records.root, "adr", "import", path)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_directory_that_is_not_declared(records: Repo) -> None:
    memory = "## Architecture Context\n\n- Architecture Decision Records are only in `doc/adr/`\n"
    records.commit(
        "More", {"CLAUDE.md": memory, "old/0007-x.md": FILES[OLD].replace("1.", "7.", 1)}
    )
    done = run(records.root, "adr", "import", "old")
    assert "note: old: no directory of decisions of this project: declare it" in done.err
    text = (records.root / "old/0007-x.md").read_text()
    assert text.startswith("---\nstatus: superseded by ADR-0002\n")
    assert records.git("status", "--porcelain") == "M old/0007-x.md"
    assert json.loads(run(records.root, "adr", "import", "old", "--json").out)["changes"] == []
