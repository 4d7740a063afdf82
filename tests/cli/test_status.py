"""`sdd status`: the status of a decision or a specification is changed where it stands."""

import pytest

from tests.cli.commands import ADR, FILES, WORKSPACE, run

PATH = "docs/adrs/ADR-0001-sqlite.md"
NEWER = "# ADR-0002: PostgreSQL\n\n## Status\n\nProposed\n\n## Decision\n\nWe move.\n"


@pytest.fixture
def indexed(repo):
    repo.commit("Start", {**FILES, "docs/adrs/ADR-0002-postgresql.md": NEWER})
    assert run(repo.root, "index", "add").code == 0
    return repo


def test_the_status_changes_and_the_index_follows(indexed):
    done = run(indexed.root, "status", "adr-1", "superseded", "--by", "2")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"ADR-0001: accepted → superseded ({PATH})\n"
    text = (indexed.root / PATH).read_text()
    assert text == ADR.replace("status: accepted", "status: superseded by ADR-0002")
    assert run(indexed.root, "search", "ADR-0001", "--json").hits[0]["status"] == "superseded"


def test_a_dry_run_shows_the_diff_and_writes_nothing(indexed):
    done = run(indexed.root, "status", "ADR-0002", "accepted", "--dry-run")
    assert done.code == 0
    assert "-Proposed\n+Accepted\n" in done.out
    assert indexed.git("status", "--porcelain") == ""


def test_json(indexed):
    data = run(indexed.root, "status", "ADR-0002", "Accepted", "--json").json
    assert (data["id"], data["before"], data["status"]) == ("ADR-0002", "proposed", "accepted")
    assert data["changed"] is True
    again = run(indexed.root, "status", "ADR-0002", "accepted", "--json").json
    assert again["changed"] is False
    assert (
        run(indexed.root, "status", "ADR-0002", "accepted").out == "ADR-0002 is accepted already\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ADR-0002", "implemented"), "'implemented' is not a status of an ADR: use one of prop"),
        (("ADR-0001", "proposed"), "an ADR that is accepted cannot become proposed"),
        (("ADR-0003", "accepted"), "ADR-0003 does not exist: did you mean ADR-0002"),
        (("ADR-0001", "superseded", "--by", "1"), "1 cannot supersede ADR-0001: name another"),
        (("ADR-0002", "accepted", "--by", "1"), "--by names what supersedes an artifact"),
    ],
)
def test_what_is_refused(indexed, arguments, message):
    done = run(indexed.root, "status", *arguments)
    assert (done.code, done.out) == (2 if "does not exist" in message else 1, "")
    assert done.err.startswith("sdd: ")
    assert message in done.err
    assert indexed.git("status", "--porcelain") == ""


def test_without_an_index_and_in_a_module(repo):
    repo.commit("Start", WORKSPACE)
    done = run(repo.root, "status", "1", "deprecated", "--module", "api")
    assert (done.code, done.err) == (0, "")
    assert "status: deprecated" in (repo.root / "services/api/docs/adrs/ADR-0001-x.md").read_text()


def test_a_failed_refresh_is_a_warning(indexed):
    lock = indexed.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    done = run(indexed.root, "status", "ADR-0002", "accepted")
    assert done.code == 0
    name = f"{indexed.root.name}-adrs"
    warning = f"Index refresh failed for {name} — run `sdd index update` manually"
    assert done.err == f"warning: {warning}\n"


def test_what_waits_is_listed_the_longest_first(repo):
    dated = "---\nstatus: {}\ndate: {}\n{}---\n\n# {}\n"
    repo.commit(
        "Propose",
        {
            "docs/adrs/0001-a.md": dated.format("accepted", "2020-01-01", "", "Queues"),
            "docs/adrs/0002-b.md": dated.format("proposed", "2025-01-01", "", "Topics"),
            "docs/adrs/0003-c.md": dated.format(
                "proposed", "2024-01-01", "decision-makers: [Ada, Grace]\n", "Streams"
            ),
            "docs/adrs/0004-d.md": "---\nstatus: proposed\n---\n\n# Logs\n",
        },
    )
    data = run(repo.root, "status", "--waiting", "--json").json["waiting"]
    assert [one["id"] for one in data] == ["ADR-0003", "ADR-0002", "ADR-0004"]
    assert data[0]["people"] == "Ada, Grace"
    assert data[0]["days"] - data[1]["days"] == 366
    # The first commit tells when, and by whom.
    assert (data[2]["since"], data[2]["people"]) == tuple(
        repo.git("log", "-1", "--format=%as|%an").strip().split("|")
    )
    lines = run(repo.root, "status", "--waiting").out.splitlines()
    assert lines[0].split("  ")[:2] == ["ADR-0003", "proposed"]
    assert run(repo.root, "status", "--waiting", "ADR-0001").code == 2
    assert "Missing argument 'STATUS'" in run(repo.root, "status", "ADR-0001").err
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Review\n\n- **Review Within**: 30\n")
    repo.write("docs/adrs/0005-e.md", dated.format("proposed", "2026-06-01", "", "Old"))
    repo.commit("Propose caches (#12)")
    overdue = run(repo.root, "status", "--waiting", "--json").json["waiting"]
    assert all(one["overdue"] for one in overdue) and not any(one["overdue"] for one in data)
    assert {one["id"]: one["pull_request"] for one in overdue}["ADR-0005"] == "#12"
    line = "ADR-0003 is proposed for "
    end = " days (`Review Within` is 30): decide it, Ada, Grace"
    for arguments in (["prime"], ["audit"], ["status", "--waiting"]):
        shown = " ".join(run(repo.root, *arguments).out.split())
        assert "overdue" in shown if "--waiting" in arguments else line in shown and end in shown
    repo.git("rm", "--quiet", "docs/adrs/000[2-5]*")
    assert run(repo.root, "status", "--waiting").out == "nothing waits for a decision\n"
