"""The rows D1 to D10 of the requirements, each shown by the commands themselves.

The numbers in the names and comments are those of the rows.
"""

import json

import pytest

from tests.cli.commands import FILES, run

FLOAT = "Avoid using FLOAT for currency, use DECIMAL instead"
JWT = "Standard JWT Auth Flow"
KB = ".sdd/knowledge"


def read(root, name):
    return json.loads((root / KB / name).read_text())


def learn(root, *args):
    return run(root, "knowledge", "learn", *args, "--json").json


@pytest.fixture
def ready(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "init", "--no-hooks").code == 0
    return repo.root


def test_d4_3_init_creates_the_empty_index(ready):
    assert (ready / KB / "index.json").read_text() == '{ "patterns": {}, "lessons": {} }\n'
    before = (ready / KB / "index.json").stat()
    assert run(ready, "init", "--no-hooks").out.startswith("nothing to change\n")
    assert (ready / KB / "index.json").stat() == before


def test_d1_1_d2_1_d2_2_d7_state(ready):
    """D7.1 to D7.10: the file, and each field in its order."""
    options = {
        "project-name": "shop",
        "tech": "language=Go",
        "architecture-style": "layered",
        "project-structure-convention": "one package for each domain",
        "current-stage": "design",
        "current-feature": "user-auth",
        "completed-features": "health-monitoring",
        "active-patterns": "auth-jwt-flow",
        "applied-lessons": "db-index-fk",
    }
    given = [part for name, value in options.items() for part in (f"--{name}", value)]
    assert run(ready, "knowledge", "save", *given).code == 0
    saved = json.loads((ready / ".sdd/context/context.json").read_text())
    assert saved == {
        "project_name": "shop",
        "tech_stack": {"language": "Go"},
        "architecture_style": "layered",
        "project_structure_convention": "one package for each domain",
        "current_stage": "design",
        "current_feature": "user-auth",
        "completed_features": ["health-monitoring"],
        "active_patterns": ["auth-jwt-flow"],
        "applied_lessons": ["db-index-fk"],
    }
    assert "user-auth" in (ready / ".sdd/context/summary.md").read_text()
    assert json.loads(run(ready, "knowledge", "load", "--json").out)["context"] == saved


def test_d7_save_without_options_takes_what_the_repository_shows(repo):
    go = {"go.mod": "module m\n\nrequire github.com/go-chi/chi/v5 v5.0.0\n"}
    go["cmd/m/main.go"] = 'package main\n\nimport "github.com/go-chi/chi/v5"\n'
    go["cmd/m/main_test.go"] = "package main\n"
    repo.commit("Start", go)
    run(repo.root, "knowledge", "save", "--tech", "language=Go 1.22")
    lines = [
        "- **Tech stack**: language: Go 1.22, web-server: chi",
        "- **Project structure convention**: code in cmd, tests in cmd",
    ]
    assert run(repo.root, "knowledge", "save").out.splitlines()[1:] == lines
    saved = json.loads((repo.root / ".sdd/context/context.json").read_text())
    assert saved["tech_stack"] == {"language": "Go 1.22", "web-server": "chi"}
    assert saved["current_feature"] == saved["current_stage"] == ""


def test_d1_3_d2_3_d3_d6_lessons(ready):
    """D3.6 to D3.10, D4.1, D6.11 to D6.17: a lesson, its file and its line in the index."""
    data = learn(
        ready,
        FLOAT,
        "--tags",
        "database,money",
        "--trigger",
        "designing-money",
        "--context",
        "Sums were off by a cent",
        "--id",
        "float-currency",
    )
    assert data["saved"] == [
        {"type": "lesson", "id": "float-currency", "file": f"{KB}/lessons/float-currency.json"}
    ]
    assert read(ready, "lessons/float-currency.json") == {
        "id": "float-currency",
        "tags": ["database", "money"],
        "trigger": "designing-money",
        "context": "Sums were off by a cent",
        "advice": FLOAT,
    }
    assert read(ready, "index.json")["lessons"] == {
        "float-currency": {
            "tags": ["database", "money"],
            "trigger": "designing-money",
            "summary": FLOAT,
            "file": "lessons/float-currency.json",
        }
    }


def test_d1_2_d2_4_d3_d6_patterns(ready):
    """D3.1 to D3.5, D6.1, D6.4 to D6.10: a pattern, found by a tag for another feature."""
    fields = {
        "id": "auth-jwt-flow",
        "name": JWT,
        "tags": ["auth", "jwt", "api"],
        "problem": "Stateless login",
        "solution": "A short access token",
        "example": "src/auth/jwt.go",
    }
    given = json.dumps(fields).encode()
    assert run(ready, "knowledge", "pattern-save", "--input", "-", stdin=given).code == 0
    assert read(ready, "patterns/auth-jwt-flow.json") == fields
    assert read(ready, "index.json")["patterns"] == {
        "auth-jwt-flow": {
            "tags": ["auth", "jwt", "api"],
            "summary": f"{JWT}: Stateless login",
            "file": "patterns/auth-jwt-flow.json",
        }
    }
    found = run(ready, "knowledge", "lookup", "--tags", "admin,auth", "--json").json
    assert [one["entry"] for one in found["entries"]] == [fields]


def test_d2_3_d2_4_the_usage_of_the_seed(ready):
    assert run(ready, "knowledge", "learn", FLOAT).code == 0
    done = run(ready, "knowledge", "pattern-save", JWT)
    assert done.code == 0
    assert "has no solution yet" in done.err
    assert set(read(ready, "index.json")["patterns"]) == {"standard-jwt-auth-flow"}


def test_d1_4_d2_5_d10_rules(ready):
    """D10.5 to D10.7: analysed, compared, appended under the heading of the seed."""
    (ready / "project_rules.md").write_text("# Rules\n\n- Use tabs for indentation.\n")
    done = run(ready, "knowledge", "rule-update", "Always use camelCase for JSON fields")
    assert done.out == "added to project_rules.md: Always use camelCase for JSON fields\n"
    assert (ready / "project_rules.md").read_text() == (
        "# Rules\n\n- Use tabs for indentation.\n\n## Evolved Conventions\n\n"
        "- Always use camelCase for JSON fields\n"
    )
    same = run(ready, "knowledge", "rule-update", "JSON fields use camelCase")
    assert same.out == "nothing to change: project_rules.md:7 says it\n"
    refused = run(ready, "knowledge", "rule-update", "Never use tabs for indentation")
    assert refused.code == 1
    assert "project_rules.md:3 contradicts it" in refused.err
    forced = run(ready, "knowledge", "rule-update", "Never use tabs for indentation", "--force")
    assert forced.code == 0


def test_d2_6_d4_4_reindex_and_repair(ready):
    learn(ready, FLOAT)
    before = (ready / KB / "index.json").read_text()
    (ready / KB / "index.json").write_text("{")
    done = run(ready, "knowledge", "lookup", "--tags", "currency")
    assert "rebuilt from 1 entry" in done.err
    assert (ready / KB / "index.json").read_text() == before
    (ready / KB / "index.json").unlink()
    assert run(ready, "knowledge", "reindex").out == "indexed 0 patterns and 1 lessons\n"
    assert (ready / KB / "index.json").read_text() == before


def test_d4_2_a_deletion_removes_file_and_line(ready):
    learn(ready, FLOAT, "--id", "x")
    assert run(ready, "knowledge", "delete", "x").code == 2
    assert run(ready, "knowledge", "delete", "x", "--yes").out == f"deleted {KB}/lessons/x.json\n"
    assert not (ready / KB / "lessons/x.json").exists()
    assert read(ready, "index.json") == {"patterns": {}, "lessons": {}}
    assert run(ready, "knowledge", "delete", "x", "--yes").code == 2


def test_d5_lookup(ready):
    """D5.1 to D5.5; `tests/knowledge/test_lookup.py` counts the files."""
    learn(ready, FLOAT, "--tags", "money", "--trigger", "designing-money")
    for phase, count in (("designing-*", 1), ("planning-*", 0), ("designing-money", 1)):
        found = run(ready, "knowledge", "lookup", "--tags", "money", "--phase", phase, "--json")
        assert len(found.json["entries"]) == count
    nothing = run(ready, "knowledge", "lookup", "--tags", "unknown")
    assert (nothing.code, nothing.out) == (0, "no pattern or lesson matches\n")


def test_d6_3_json_is_valid_for_special_characters(ready):
    text = 'Quote "x" and \\ and\ttab\nline \u2028 \x01 end'
    learn(ready, text, "--id", "odd", "--tags", "text")
    assert read(ready, "lessons/odd.json")["advice"] == text


def test_d8_d10_the_session_log_and_finish(ready):
    """D8.1 to D8.7, D8.9, D10.1 to D10.4."""
    gaps = {
        "correction": "Assumed a password login, but SSO is required",
        "drift": "The spec lacked the field currency",
        "obstacle": "The vendor API rejects more than 10 requests",
        "surprise": "Prisma createMany does not return records",
        "guardrail": "The response DTO had wrapper fields",
    }
    for kind, text in gaps.items():
        assert (
            run(ready, "knowledge", "log", text, "--event", kind, "--tags", f"t-{kind}").code == 0
        )
    assert run(ready, "knowledge", "log", "Task 1 is done", "--event", "task").code == 0
    log = ready / ".sdd/logs/session.md"
    assert len(log.read_text().splitlines()) == 2 + 2 * len(gaps) + 1
    shown = run(ready, "knowledge", "finish", "--json").json
    assert (len(shown["rows"]), shown["written"]) == (len(gaps), False)
    assert "Task 1 is done" in log.read_text()
    done = run(ready, "knowledge", "finish", "--yes", "--json").json
    assert len(done["saved"]) == len(gaps)
    assert log.read_text() == ""
    lessons = read(ready, "index.json")["lessons"].values()
    assert {one["trigger"].rpartition("-t-")[0] for one in lessons} == {
        "designing",
        "implementing",
        "guard-check",
    }
    assert run(ready, "knowledge", "finish", "--yes").out == "no drafts: nothing to record\n"


def test_d8_8_d9_3_d9_4_d9_11_a_repetition_is_merged_and_becomes_a_rule(ready):
    learn(ready, FLOAT, "--tags", "money,float", "--id", "float-currency")
    again = learn(ready, "Never use FLOAT for currency: use DECIMAL", "--tags", "money,sql")
    assert [one["id"] for one in again["merged"]] == ["float-currency"]
    assert (again["saved"], again["promoted"]) == ([], [FLOAT])
    assert read(ready, "index.json")["lessons"]["float-currency"]["tags"] == [
        "money",
        "float",
        "sql",
    ]
    third = learn(ready, FLOAT, "--tags", "money")
    assert third["promoted"] == []
    assert (ready / "project_rules.md").read_text().count(FLOAT) == 1


def test_d9_triage_of_drafts(ready):
    """D9.1, D9.2, D9.5 to D9.10, D9.12 to D9.14: each action with its file and its line."""
    learn(ready, "Form errors belong beside their fields", "--tags", "form,ui", "--id", "p-003")
    drafts = [
        {"advice": "Errors of a form belong beside their fields", "tags": ["form", "a11y"]},
        {"advice": "Always use camelCase naming", "tags": ["naming"]},
        {"advice": "Prisma has no returning in a batch", "tags": ["prisma", "orm"]},
        {"name": "Tokens", "problem": "The user-auth table needs a column", "solution": "x"},
    ]
    given = json.dumps(drafts).encode()
    shown = run(ready, "knowledge", "triage", "-", stdin=given)
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.out.splitlines()]
    assert table[0] == ["#", "Type", "Title", "Action", "Reason"]
    assert [row[3:] for row in table[2:6]] == [
        ["MERGE into p-003", "50% overlap with existing"],
        ["PROMOTE to rules", "Project-wide, not feature-bound"],
        ["SAVE (new)", "Domain-specific (Prisma + ORM)"],
        ["SKIP", "Feature-specific detail"],
    ]
    assert set(read(ready, "index.json")["lessons"]) == {"p-003"}
    done = run(ready, "knowledge", "triage", "-", "--yes", stdin=given)
    assert done.code == 0
    index = read(ready, "index.json")
    assert set(index["lessons"]) == {"p-003", "prisma-returning-batch"}
    assert index["patterns"] == {}
    assert index["lessons"]["p-003"]["tags"] == ["form", "ui", "a11y"]
    assert "- Always use camelCase naming\n" in (ready / "project_rules.md").read_text()


def test_d9_9_rows_are_overridden_by_answers(ready):
    drafts = json.dumps([{"advice": "Prisma hint", "tags": ["prisma"]}] * 1).encode()
    answer = ("knowledge", "triage", "-", "--answer", "1=SKIP", "--json")
    data = run(ready, *answer, stdin=drafts).json
    assert (data["rows"][0]["action"], data["written"], data["saved"]) == ("SKIP", True, [])
    wrong = run(ready, "knowledge", "triage", "-", "--answer", "7=SKIP", stdin=drafts)
    assert wrong.code == 2
    assert "the rows are 1 to 1" in wrong.err


def test_d10_8_d10_9_other_commands_consult_it(ready):
    """A decision mentions what was learned while designing, a plan while planning, a check while
    guarding."""
    assert run(ready, "index", "add").code == 0
    learn(ready, "Support SSO", "--tags", "auth", "--id", "sso", "--trigger", "designing-auth")
    learn(
        ready, "Parse ids once", "--tags", "parse", "--id", "ids", "--trigger", "guard-check-code"
    )
    drafted = run(ready, "adr", "Choose an auth provider", "--dry-run")
    assert "note: lesson sso: Support SSO" in drafted.err
    learn(
        ready, "One story per page", "--tags", "search", "--id", "p", "--trigger", "planning-tasks"
    )
    assert "lesson p: One story per page" in run(ready, "plan", "SPEC-0001").out
    checked = run(ready, "check", "src/parse.py")
    assert "note: lesson ids: Parse ids once" in checked.err
