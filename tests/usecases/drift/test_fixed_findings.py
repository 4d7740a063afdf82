"""A finding that failed, was fixed and is gone is logged as a draft of a lesson."""

from dataclasses import replace

import pytest

from sdd_hooks.config.configuration import Configuration
from sdd_hooks.findings import Finding, RuleDescription, SuppressedFinding, identify_findings
from sdd_hooks.knowledge.session_log import read_log
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.usecases.drift.fixed_findings import CheckRun, draft_fixed
from tests.cli.commands import run
from tests.knowledge.bases import base_of

DTO = Finding("api/user.go", 3, "dto-match-openapi", "warning", "the DTO has extra fields", "x")
RULE = RuleDescription("dto-match-openapi", "warning", "DTOs", "A DTO must match the schema.")
EMPTY = ReviewOutcome("", "", "", 1)


@pytest.fixture
def ready(repo):
    repo.commit(files={"api/user.go": "package api\n"})
    (repo.root / ".sdd/knowledge").mkdir(parents=True)
    return repo


def check(repo, *findings, scope="check .", suppressed=()):
    outcome = replace(EMPTY, findings=identify_findings(findings, {}), suppressed=suppressed)
    run = CheckRun(scope, outcome, lambda: (RULE,))
    return draft_fixed(repo.repository, Configuration(), run, 1_700_000_000.0)


def events(repo):
    return read_log(base_of(repo).own_root).events


def test_fail_fix_pass_is_a_draft(ready):
    assert check(ready, DTO) == ()
    assert check(ready, DTO) == ()
    (note,) = check(ready)
    assert note == (
        "1 finding fixed since the last run (dto-match-openapi): `sdd knowledge finish` offers a"
        " draft lesson"
    )
    (event,) = events(ready)
    assert (event.kind, event.text) == ("guardrail", "api/user.go: the DTO has extra fields")
    assert event.fields == {
        "advice": "A DTO must match the schema.",
        "tags": "dto-match-openapi, go",
        "trigger": "guard-check-code",
    }
    assert check(ready) == ()


def test_one_event_for_each_rule(ready):
    check(ready, DTO, replace(DTO, line=9, evidence="y"))
    assert "2 findings fixed" in check(ready)[0]
    assert [event.text for event in events(ready)] == [
        "api/user.go: the DTO has extra fields (and 1 more)"
    ]


def test_what_was_not_fixed_is_no_draft(ready):
    """Suppressed, edited but still there, not looked at, deleted, or only information."""
    check(ready, DTO)
    assert check(ready, suppressed=(SuppressedFinding(DTO, "reason"),)) == ()
    check(ready, DTO)
    assert check(ready, replace(DTO, evidence="changed")) == ()
    assert check(ready, Finding("", 0, "incomplete", "warning", "not checked: x")) == ()
    check(ready, replace(DTO, severity="info"))
    assert check(ready) == ()
    check(ready, DTO)
    ready.remove("api/user.go")
    assert check(ready) == ()
    assert events(ready) == ()


def test_runs_of_another_scope_are_apart(ready):
    check(ready, DTO, scope="check a")
    assert check(ready, scope="check b") == ()
    check(ready, DTO, scope="check b")
    assert check(ready, scope="check a")
    assert check(ready, scope="check b") == ()


def test_nothing_happens_without_a_knowledge_base_or_in_ci(ready, repo):
    in_ci = ready.repository._replace(environ={**ready.repository.environ, "CI": "true"})
    outcome = replace(EMPTY, findings=identify_findings([DTO], {}))
    run = CheckRun("x", outcome, tuple)
    assert draft_fixed(in_ci, Configuration(), run, 0.0) == ()
    assert not (repo.root / ".sdd/review").exists()
    (repo.root / ".sdd/knowledge").rmdir()
    assert check(ready, DTO) == ()
    assert not (repo.root / ".sdd/review").exists()


def test_a_damaged_file_of_findings_is_replaced(ready):
    for text in ("{", "[]", '{"check .": 3}', '{"check .": {"a": []}}', "[" * 100_000):
        ready.write(".sdd/review/findings.json", text)
        assert check(ready, DTO) == ()
    assert check(ready)


def test_a_check_on_the_command_line_offers_it(repo):
    repo.commit(
        files={
            "docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n\n## Decision\n\nY.\n",
            "src/a.py": "# Governing: ADR-0009\nx = 1\n",
        }
    )
    assert run(repo.root, "init", "--no-hooks").code == 0
    assert run(repo.root, "index", "add").code == 0
    assert "ADR-0009" in run(repo.root, "check", "src/a.py").out
    repo.write("src/a.py", "# Governing: ADR-0001\nx = 1\n")
    done = run(repo.root, "check", "src/a.py")
    assert "`sdd knowledge finish` offers a draft lesson" in done.err
    drafted = run(repo.root, "knowledge", "finish", "--json").json
    assert [row["type"] for row in drafted["rows"]] == ["lesson"]


def test_a_review_on_the_command_line_offers_it(repo):
    repo.commit(files={"docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n\n## Decision\n\nY.\n"})
    assert run(repo.root, "init", "--no-hooks").code == 0
    repo.git("checkout", "-q", "-b", "work")
    repo.commit(files={"src/a.py": "# Governing: ADR-0009\nx = 1\n"})
    assert "ADR-0009" in run(repo.root, "review", "--base", "main").out
    repo.commit(files={"src/a.py": "# Governing: ADR-0001\nx = 1\n"})
    # Reviews of something else than the checked-out branch are apart.
    older = run(repo.root, "review", "--base", "main", "--head", "HEAD~1")
    assert "ADR-0009" in older.out
    assert "draft lesson" not in older.err
    # A range without the fixed file is no evidence that it was fixed.
    repo.commit(files={"src/b.py": "y = 1\n"})
    assert "draft lesson" not in run(repo.root, "review", "--base", "HEAD~1").err
    done = run(repo.root, "review", "--base", "main")
    assert "`sdd knowledge finish` offers a draft lesson" in done.err
