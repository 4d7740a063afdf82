"""`sdd check`: targets, candidates, the index, reports and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands import FILES, on_terminal, one_line, run
from tests.reporting.test_json import VALIDATOR
from tests.support.clock import set_touched
from tests.support.repos import Repo

RULED = """\
---
status: accepted
---
# ADR-0002: Parse with care

## Decision Outcome

```sdd-rule
forbid regex: eval\\(
in: src/**
severity: MUST
message: Parse it.
```
"""
OLD = "---\nstatus: superseded by ADR-0001\n---\n# ADR-0003: Old way\n"
REPOSITORY = {
    **FILES,
    "docs/adrs/ADR-0002-parse.md": RULED,
    "docs/adrs/ADR-0003-old.md": OLD,
    "src/parse.py": '# Governing: ADR-0001 (the index), SPEC-0001 REQ "Typo tolerance"\n',
    "src/old.py": "# Governing: ADR-0003\nimport json\n",
    ".gitignore": ".sdd/\n",
}


@pytest.fixture
def checked(repo: Repo) -> Repo:
    repo.commit("Start", REPOSITORY)
    assert run(repo.root, "index", "add").code == 0
    return repo


def report(repo: Repo, *args: str) -> dict[str, object]:
    done = run(repo.root, "check", *args, "--json", "--fail-on", "never")
    assert (done.code, done.err) == (0, ""), done
    document = json.loads(done.out)
    VALIDATOR.validate(document)
    return document


def found(document: dict[str, object]) -> list[tuple[str, str, int]]:
    findings = document["findings"]
    assert isinstance(findings, list)
    return [(one["rule"], one["path"], one["line"]) for one in findings]


def test_a_file_that_departs_from_nothing(checked: Repo) -> None:
    done = run(checked.root, "check", "src/parse.py")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("all clear: 1 file checked\n")


def test_the_report_says_which_records_it_read_and_why(checked: Repo) -> None:
    checked.write("src/loops.py", "# Governing: ADR-0002\ndef parse_all(): ...\n")
    checked.write("qzx.py", "")
    said = run(checked.root, "check", "src/loops.py").out
    assert "ADR-0002 (Parse with care): named at src/loops.py:1" in said
    (first, *_) = report(checked, "src/loops.py")["references"]["ranked"]  # type: ignore[index]
    assert first["evidence"][0] == {
        "kind": "names",
        "detail": "named at src/loops.py:1",
        "path": "src/loops.py",
        "line": 1,
    }
    assert "no specification was read: none is named" in run(checked.root, "check", "qzx.py").out


def test_an_edit_that_is_not_committed(checked: Repo) -> None:
    checked.write("src/parse.py", "eval(x)\n")
    document = report(checked, "src/parse.py")
    assert found(document) == [("decision-rule/ADR-0002", "src/parse.py", 1)]
    checked.write("src/new.py", "eval(x)\n")
    assert found(report(checked, "src/new.py")) == [("decision-rule/ADR-0002", "src/new.py", 1)]
    assert run(checked.root, "check", "src/new.py", "--fail-on", "critical").code == 3 - 2


def test_a_superseded_and_an_unknown_reference(checked: Repo) -> None:
    checked.write("src/old.py", "# Governing: ADR-0003, ADR-0009\n")
    document = report(checked, "src/old.py")
    assert found(document) == [
        ("dangling-reference", "src/old.py", 1),
        ("superseded-reference", "src/old.py", 1),
    ]


def test_a_record_that_is_new_and_not_indexed_exists(checked: Repo) -> None:
    """Scenario "A new record that is not indexed yet" of SPEC-0002."""
    checked.write("docs/adrs/ADR-0009-new.md", "# ADR-0009: New\n")
    checked.write("src/old.py", "# Governing: ADR-0009\n")
    assert found(report(checked, "src/old.py")) == []
    assert found(report(checked, "ADR-0009")) == []


def test_a_directory_and_the_repository(checked: Repo) -> None:
    assert found(report(checked, "src")) == [("superseded-reference", "src/old.py", 1)]
    checked.write("docs/openspec/specs/other/spec.md", "# SPEC-0002: Other\n")
    assert found(report(checked)) == [
        ("spec-pair", "docs/openspec/specs/other/spec.md", 0),
        ("superseded-reference", "src/old.py", 1),
    ]


def test_a_decision_with_the_files_that_cite_it_and_break_it(checked: Repo) -> None:
    """Scenario "A decision rule" of SPEC-0002."""
    checked.write("src/deep/a.py", "eval(x)\n")
    assert found(report(checked, "ADR-0002")) == [("decision-rule/ADR-0002", "src/deep/a.py", 1)]
    assert found(report(checked, "adr 3")) == [("superseded-reference", "src/old.py", 1)]
    assert found(report(checked, "ADR-0001")) == []


def test_a_specification_with_its_requirements(checked: Repo) -> None:
    more = "\n### Requirement: {0}\n\nIt MUST {0}.\n\n#### Scenario: {0} it\n\n- **WHEN** x\n"
    spec = FILES["docs/openspec/specs/search/spec.md"]
    text = spec + more.format("Ranking order") + more.format("Empty results")
    checked.write("docs/openspec/specs/search/spec.md", text)
    checked.write("src/rank.py", '# Implements: SPEC-0001 REQ "Ranking order"\n')
    document = report(checked, "SPEC-0001")
    (gap,) = found(document)
    assert gap[0] == "requirement-coverage"
    assert document["findings"][0]["evidence"] == "### Requirement: Empty results"  # type: ignore[index]


def test_cited_records_come_first_and_eight_are_read(checked: Repo) -> None:
    """Scenario "A repository of 300 records" of SPEC-0002."""
    for number in range(10, 40):
        checked.write(f"docs/adrs/ADR-00{number}-x.md", f"# ADR-00{number}: Tolerance {number}\n")
    assert run(checked.root, "index", "update").code == 0
    document = report(checked, "src/parse.py")
    ranked = document["references"]["ranked"]  # type: ignore[index]
    assert len(ranked) == 8
    assert [(one["id"], one["referenced"]) for one in ranked[:3]] == [
        ("ADR-0001", True),
        ("SPEC-0001", True),
        (ranked[2]["id"], False),
    ]


READS = """
import sys
opened = set()
def hook(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        opened.add(str(args[0]).rpartition("/")[2])
sys.addaudithook(hook)
sys.argv = ["sdd", "check", *sys.argv[1:]]
from sdd_hooks.cli.entry import main
code = main()
sys.stdout.flush()
print("\\n".join(sorted(opened)), file=sys.stderr)
sys.exit(code)
"""


def opened_by(where: Path, *args: str) -> set[str]:
    """The names of the files that `sdd check` opens."""
    done = subprocess.run(
        [sys.executable, "-c", READS, *args], cwd=where, capture_output=True, check=True
    )
    return set(done.stderr.decode().splitlines())


def test_no_record_but_the_candidates_is_read(checked: Repo) -> None:
    names = [f"ADR-{number:04}-outbox.md" for number in range(10, 60)]
    for name in names:
        text = f"# {name[:8]}: Outbox {name}\n\n- Status: accepted\n\nThe outbox is swept.\n"
        checked.write(f"docs/adrs/{name}", text)
    checked.write("src/outbox.py", "# Governing: ADR-0012\ndef sweep_outbox():\n    ...\n")
    checked.commit("More")
    assert run(checked.root, "index", "update").code == 0
    opened = opened_by(checked.root, "src/outbox.py")
    records = [name for name in opened if name.startswith("ADR-")]
    # ADR-0002 states a rule for src/.
    assert len(set(records) - {"ADR-0002-parse.md"}) == 8
    assert "ADR-0012-outbox.md" in records
    assert "outbox.py" in opened


def test_a_stale_index_is_refreshed_and_the_header_says_so(checked: Repo) -> None:
    set_touched(checked, time.time() - 3 * 3600)
    checked.write("docs/adrs/ADR-0004-zebra.md", "# ADR-0004: Zebras cross the road\n")
    checked.write("src/zebra.py", "def cross_road_of_zebras(): ...\n")
    document = report(checked, "src/zebra.py")
    header = document["tree"]["header"]  # type: ignore[index]
    assert header[0] == "Index was 3 hours stale — refreshed before running."
    ids = [one["id"] for one in document["references"]["ranked"]]  # type: ignore[index]
    assert ids[0] == "ADR-0004"
    set_touched(checked, time.time() - 3 * 3600)
    shown = run(checked.root, "check", "src/zebra.py").out
    assert shown.startswith("Index was 3 hours stale — refreshed before running.\n")
    assert "stale" not in run(checked.root, "check", "src/zebra.py").out


def test_chunks_without_a_vector(checked: Repo) -> None:
    header = report(checked, "src")["tree"]["header"]  # type: ignore[index]
    (line,) = header
    assert line.endswith(
        " chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs"
    )


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("src/none.py",), 2, "src/none.py is no file, no directory and no id such as"),
        (("ADR-0042",), 2, "no record has the id ADR-0042: did you mean ADR-0002?"),
        (("--module", "web"), 2, "no module 'web'"),
        (("src", "--judge", "no-such-model"), 6, "no-such-model"),
    ],
)
def test_errors_are_one_line(checked: Repo, args: tuple[str, ...], code: int, message: str) -> None:
    assert message in one_line(run(checked.root, "check", *args), code)


def test_every_format_has_the_finding(checked: Repo) -> None:
    from sdd_hooks.reporting.registry import FORMATS

    for form in FORMATS:
        done = run(checked.root, "check", "src", "--format", form)
        assert (done.code, done.err) == (0, ""), form
        assert "ADR-0003" in done.out, form
        assert "src/old.py" in done.out, form


def test_findings_are_grouped_by_module(repo: Repo) -> None:
    modules = (
        "## Architecture Context\n\n### Workspace Modules\n\n"
        "| Module | Root |\n|---|---|\n| api | services/api |\n"
    )
    repo.commit("Start", {**REPOSITORY, "CLAUDE.md": modules, "services/api/a.py": "x = 1\n"})
    repo.write("services/api/a.py", "# Governing: ADR-0003\n")
    assert run(repo.root, "index", "add").code == 0
    out = run(repo.root, "check", "--format", "markdown").out
    assert "### Repository\n" in out
    assert "### api\n" in out
    assert "| Repository | 0 | 1 | 0 |\n| api | 0 | 1 | 0 |\n| All | 0 | 2 | 0 |\n" in out
    shown = run(repo.root, "check").out
    assert "repository: 1 warning\napi: 1 warning\n" in shown
    only = report(repo, "--module", "api")
    assert found(only) == [("superseded-reference", "services/api/a.py", 1)]


def test_a_terminal_gets_the_first_step(checked: Repo) -> None:
    code, out = on_terminal(checked.root, "", "check", "src", env={"NO_COLOR": "1"})
    assert code == 0
    assert "Begin with src/old.py:1: ADR-0003 is superseded" in out.replace("\r\n", "\n")


def test_a_baseline_of_an_audit_counts_for_a_check(checked: Repo) -> None:
    checked.write("src/lost.py", "# Governing: ADR-0999\n")
    known = ("--baseline", "known.json")
    written = run(checked.root, "audit", *known, "--write-baseline")
    assert written.code == 0, written.err
    checked.write("src/more.py", "# Governing: ADR-0998\n")
    document = report(checked, "src", *known)
    assert ("dangling-reference", "src/more.py", 1) in found(document)
    assert not [one for one in found(document) if one[1] == "src/lost.py"]
    # A check of a file says nothing about entries elsewhere, and one of the tree does.
    checked.write("src/lost.py", "")
    assert not [one for one in found(report(checked, "src/more.py", *known)) if "stale" in one[0]]
    stale = [one for one in found(report(checked, *known)) if one[0] == "stale-baseline"]
    assert [path for _, path, _ in stale] == ["known.json"]
    failing = run(checked.root, "check", "src/more.py", *known, "--fail-on", "critical")
    assert failing.code == 1
    accepted = run(checked.root, "check", "src/more.py", *known, "--write-baseline")
    assert accepted.code == 0
    assert run(checked.root, "check", "src/more.py", *known, "--fail-on", "info").code == 0


def test_a_repository_without_records_is_told_so(repo: Repo) -> None:
    repo.commit("Start", {"src/a.py": "x = 1\n"})
    assert run(repo.root, "index", "add").code == 0
    done = run(repo.root, "check")
    assert done.code == 0
    assert "note: there is no decision and no specification to check against" in done.out
