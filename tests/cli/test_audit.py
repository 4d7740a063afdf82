"""`sdd audit`: the report, its formats, the baseline, and the exit codes."""

from __future__ import annotations

import json
import time

import pytest

from sdd_hooks.reporting.registry import FORMATS
from tests.cli.commands import Done, one_line, run
from tests.drift.audit.repositories import adr, named_files
from tests.support.clock import set_touched
from tests.support.repos import Repo

MEMORY_TEXT = "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
FAIL_ON = "\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: warning\n"
FILES = {
    "CLAUDE.md": MEMORY_TEXT,
    **named_files(range(1, 6)),
    "docs/adrs/ADR-0006-mail.md": adr(6, "proposed", "2024-01-02"),
    "src/path1/more.py": "# Governing: ADR-0006 (why)\n",
    **{f"src/mail/part{number}.py": "def send(): ...\n" for number in range(5)},
}
WARNING = "docs/adrs/ADR-0006-mail.md"


@pytest.fixture
def audited(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add").code == 0
    return repo


def rules(done: Done) -> list[tuple[str, str]]:
    return [(one["rule"], one["path"]) for one in done.json["findings"]]


def test_the_report(audited: Repo) -> None:
    done = run(audited.root, "audit", "--json")
    assert (done.code, done.err) == (0, "")
    assert rules(done) == [("stale-artifact/not-accepted", WARNING), ("coverage-gap", "src/mail")]
    found = done.json["audit"]
    assert (found["adrs"], found["specs"], found["source_files"]) == (6, 0, 11)
    assert found["coverage"]["cited"] == 6
    assert [one["severity"] for one in found["actions"]] == ["warning", "info"]
    assert {one["id"]: one["counts"]["total"] for one in found["categories"]} == {
        "code-vs-spec": 0,
        "code-vs-adr": 0,
        "adr-vs-spec": 0,
        "coverage-gaps": 1,
        "stale-artifacts": 1,
        "policy-violations": 0,
        "security": 0,
        "templates": 0,
    }


def test_uncommitted_and_untracked_files_count(audited: Repo) -> None:
    audited.write("src/mail/new.py", "# Governing: ADR-0009\n")
    done = run(audited.root, "audit", "--json")
    assert ("dangling-reference", "src/mail/new.py") in rules(done)


SCOPES = {
    "src": ["src/mail"],
    "src/mail": ["src/mail"],
    "src/path1": [],
    "docs": [WARNING],
    WARNING: [WARNING],
    "adr-6": [WARNING],
    "ADR-0001": [],
}


def test_a_scope(audited: Repo) -> None:
    for scope, expected in SCOPES.items():
        done = run(audited.root, "audit", scope, "--json")
        assert [path for _, path in rules(done)] == expected, scope


def test_an_unknown_scope(audited: Repo) -> None:
    assert "is no file, no directory and no id" in one_line(run(audited.root, "audit", "gone"), 2)
    assert "no record has the id ADR-0099" in one_line(run(audited.root, "audit", "ADR-99"), 2)


def test_a_stale_index_is_refreshed_and_the_header_says_so(audited: Repo) -> None:
    note = "Index was 3 hours stale — refreshed before running."
    set_touched(audited, time.time() - 3 * 3600 - 60)
    shown = run(audited.root, "audit", "--format", "terminal").out.splitlines()
    assert shown[:2] == ["audit of the whole repository", f"  {note}"]
    assert note not in run(audited.root, "audit").out
    set_touched(audited, time.time() - 3 * 3600 - 60)
    assert f"> {note}\n" in run(audited.root, "audit", "--format", "markdown").out


def test_fail_on(audited: Repo) -> None:
    for severity, code in (("critical", 0), ("warning", 1), ("info", 1), ("never", 0)):
        assert run(audited.root, "audit", "--fail-on", severity).code == code
    audited.write(
        "CLAUDE.md",
        MEMORY_TEXT + FAIL_ON,
    )
    assert run(audited.root, "audit").code == 1


def test_every_format_has_the_findings(audited: Repo) -> None:
    for form in FORMATS:
        done = run(audited.root, "audit", "--format", form)
        assert (done.code, done.err) == (0, ""), form
        assert "ADR-0006 is proposed since 2024-01-02" in done.out, form
        assert run(audited.root, "audit", "--format", form).out == done.out, form


def test_the_rules_are_described(audited: Repo) -> None:
    sarif = json.loads(run(audited.root, "audit", "--format", "sarif").out)
    described = {
        one["id"]: one["help"]["text"] for one in sarif["runs"][0]["tool"]["driver"]["rules"]
    }
    assert {"stale-artifact", "adr-against-spec", "coverage-gap", "stale-baseline"} <= set(
        described
    )
    assert all(text not in (id, "") for id, text in described.items())


def test_a_baseline_from_the_first_run_to_the_last_entry(audited: Repo) -> None:
    known = ("--baseline", "known.json")
    assert "does not exist: write it with" in one_line(run(audited.root, "audit", *known), 2)
    written = run(audited.root, "audit", *known, "--write-baseline", "--fail-on", "info")
    assert (written.code, written.err) == (0, "wrote 2 findings to known.json\n")

    clean = run(audited.root, "audit", *known, "--fail-on", "info", "--json")
    assert (clean.code, rules(clean)) == (0, [])
    assert clean.json["audit"]["baseline"] == {"path": "known.json", "known": 2}

    audited.write("src/path2/x.py", "# Governing: ADR-0009\n")
    new = run(audited.root, "audit", *known, "--fail-on", "info", "--json")
    assert (new.code, rules(new)) == (1, [("dangling-reference", "src/path2/x.py")])

    audited.write("src/path2/x.py", "")
    audited.write(WARNING, adr(6, "accepted"))
    stale = run(audited.root, "audit", *known, "--fail-on", "warning", "--json")
    assert (stale.code, rules(stale)) == (1, [("stale-baseline", "known.json")])
    elsewhere = run(audited.root, "audit", "src", *known, "--json")
    assert rules(elsewhere) == []


def test_the_texts_of_a_baseline_are_no_references(audited: Repo) -> None:
    audited.write("src/path2/x.py", "# Governing: ADR-0099\n")
    spec = "# SPEC-0001: X\n\n### Requirement: A B\n\nIt MUST hold.\n"
    audited.write("docs/openspec/specs/x/spec.md", spec)
    known = ("--baseline", "known.json")
    assert run(audited.root, "audit", *known, "--write-baseline").code == 0
    assert rules(run(audited.root, "audit", *known, "--json")) == []


def test_options_that_contradict_each_other(audited: Repo) -> None:
    assert "--write-baseline needs a file" in run(audited.root, "audit", "--write-baseline").err
    assert run(audited.root, "audit", "--json", "--format", "sarif").code == 2


def test_a_workspace_has_a_summary_by_module(repo: Repo) -> None:
    table = (
        "\n### Workspace Modules\n\n| Module | Root | Description |\n|---|---|---|\n"
        "| api | services/api | The API |\n"
    )
    repo.commit(
        "Start",
        {
            **FILES,
            "CLAUDE.md": MEMORY_TEXT + table,
            "services/api/docs/adrs/ADR-0001-x.md": adr(1, "proposed", "2024-01-02"),
            "services/api/src/x.py": "# Governing: [api]/ADR-0001\n",
        },
    )
    assert run(repo.root, "index", "add").code == 0
    done = run(repo.root, "audit", "--json")
    modules = {one["name"]: one["counts"]["total"] for one in done.json["audit"]["modules"]}
    assert modules == {"api": 1, "": 2}
    only = run(repo.root, "audit", "--module", "api", "--json")
    assert [path for _, path in rules(only)] == ["services/api/docs/adrs/ADR-0001-x.md"]
    assert run(repo.root, "audit", "--module", "web").code == 2


def test_a_page_beside_the_report(audited: Repo) -> None:
    plain = run(audited.root, "audit", "--fail-on", "warning")
    done = run(audited.root, "audit", "--fail-on", "warning", "--html", "site")
    assert (done.code, done.out) == (1, plain.out)
    page = audited.root / "site/index.html"
    assert done.err == f"wrote the page to {page}\n"
    assert "#/record/ADR-&#48;006" in page.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written(audited: Repo) -> None:
    message = one_line(run(audited.root, "audit", "--html", "CLAUDE.md/x.html"), 2)
    assert message.startswith("the page was not written to ")
