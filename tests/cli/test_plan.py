"""`sdd plan`: the plan of a specification on a repository with Go code and tasks.md."""

from __future__ import annotations

import json
import time

import pytest

from tests.cli.commands import WORKSPACE, one_line, run
from tests.support.clock import set_touched
from tests.support.repos import Repo

SPECS = "docs/openspec/specs"
SPEC = """\
---
status: approved
---
# SPEC-0003: Sessions

### Requirement: User session management

The service MUST manage user sessions: store a session, and load it again.

#### Scenario: A known user

- WHEN a user returns
- THEN the session is loaded from the store

### Requirement: Nine hues

A palette MUST have nine hues.

### Requirement: Mail delivery

A mail MUST be delivered twice at most.
"""
STORE = """\
package session

// Store keeps the sessions of users.
type Store struct{ sessions map[string]Session }

// SaveSession stores the session of a user.
func (s *Store) SaveSession(user string, session Session) { s.sessions[user] = session }

// LoadSession loads the session of a user from the store.
func (s *Store) LoadSession(user string) Session { return s.sessions[user] }
"""
FILES = {
    ".gitignore": ".sdd/\n",
    "CLAUDE.md": "### SDD Configuration\n\n#### Tracker\n\n- **Type**: tasks.md\n",
    f"{SPECS}/sessions/spec.md": SPEC,
    f"{SPECS}/sessions/design.md": "# SPEC-0003: Design\n",
    "internal/session/store.go": STORE,
    "internal/session/store_test.go": STORE.replace("Store", "TestStore"),
    "internal/mail/send.go": '// Implements: SPEC-0003 REQ "Mail delivery"\npackage mail\n',
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add").code == 0
    return repo


def test_a_plan_as_markdown(shop: Repo) -> None:
    done = run(shop.root, "plan", "SPEC-0003")
    assert done.code == 0
    out = done.out
    assert out.startswith("# Plan of SPEC-0003: Sessions\n")
    assert "2 stories, 1 of its requirements implemented." in out
    assert "| 1 | User session management | XS (" in out
    assert "extend `internal/session/store.go`: `Store` (lines 3–4), `Store.SaveSession` (" in out
    assert "store_test.go" not in out
    assert "- Mail delivery: `internal/mail/send.go:1`" in out
    assert "from scratch" in out
    # Within five minutes the issues are not synced again, which only the log says.
    again = run(shop.root, "plan", "SPEC-0003", "--verbose")
    assert ": issues sync skipped: tasks.md was synced " in again.err
    assert "sync skipped" not in run(shop.root, "plan", "SPEC-0003").err


def test_a_plan_for_programs(shop: Repo) -> None:
    plan = run(shop.root, "plan", f"{SPECS}/sessions/spec.md", "--dry-run", "--json").json
    assert (plan["schema_version"], plan["spec"], plan["tracker"]) == (1, "SPEC-0003", "tasks.md")
    first, second = plan["stories"]
    assert [one["name"] for one in first["requirements"]] == ["User session management"]
    assert first["existing"][0]["path"] == "internal/session/store.go"
    assert first["size"]["points"] < first["size"]["points_from_scratch"]
    assert (second["existing"], second["issue"]) == ([], None)
    assert plan["implemented"][0]["places"] == ["internal/mail/send.go:1"]
    create = plan["changes"]["create"]
    assert [one["title"] for one in create] == ["User session management", "Nine hues"]
    assert "extend `internal/session/store.go`" in create[0]["body"]
    assert not (shop.root / SPECS / "sessions/tasks.md").exists()


def test_issues_are_created_and_found_by_a_search(shop: Repo) -> None:
    assert run(shop.root, "issues", "sync").code == 0
    assert run(shop.root, "index", "add", "--kind", "issues").code == 0
    done = run(shop.root, "plan", "SPEC-0003", "--create")
    path = f"{SPECS}/sessions/tasks.md"
    assert (done.code, done.out) == (
        0,
        f"created tasks-sessions-1: User session management {path}\n"
        f"created tasks-sessions-2: Nine hues {path}\n",
    )
    text = (shop.root / path).read_text()
    again = run(shop.root, "plan", "SPEC-0003", "--create")
    assert again.out == "nothing to create: every story of SPEC-0003 has its issue\n"
    assert (shop.root / path).read_text() == text
    found = run(shop.root, "search", "palette with nine hues", "--kind", "issues", "--json")
    assert found.hits[0]["path"] == ".sdd/issues/tasks-sessions-2.md"
    data = json.loads(run(shop.root, "plan", "SPEC-0003", "--create", "--json").out)
    assert (data["created"], data["changed"], data["missing"], data["error"]) == ([], [], 0, None)


def test_a_failure_has_its_exit_code_and_says_how_to_go_on(shop: Repo) -> None:
    run(shop.root, "plan", "SPEC-0003")
    shop.write(f"{SPECS}/sessions/tasks.md", "## 1. Old\n\n```\n")
    done = run(shop.root, "plan", "SPEC-0003", "--create")
    assert done.code == 8
    assert done.out.startswith("stopped, 2 stories without an issue: ")
    assert "run `sdd plan SPEC-0003 --create` again: it creates only what is missing" in done.out
    data = json.loads(run(shop.root, "plan", "SPEC-0003", "--create", "--json").out)
    assert (data["missing"], data["error"]["code"]) == (2, "unsupported")


def test_a_stale_index_is_refreshed_first(shop: Repo) -> None:
    set_touched(shop, time.time() - 3 * 3600)
    shop.write("internal/palette/hues.go", "package palette\n\nfunc NineHues() int { return 9 }\n")
    done = run(shop.root, "plan", "SPEC-0003")
    assert "> Index was 3 hours stale — refreshed before running." in done.out
    assert "extend `internal/palette/hues.go`: `NineHues`" in done.out


def test_without_a_tracker_a_plan_is_made_and_nothing_created(shop: Repo) -> None:
    shop.write("CLAUDE.md", "# Shop\n")
    done = run(shop.root, "plan", "SPEC-0003")
    assert done.code == 0
    assert "note: no issues are compared: no tracker is known for " in done.err
    for option in ("--create", "--dry-run"):
        assert "no tracker is known" in one_line(run(shop.root, "plan", "SPEC-0003", option), 1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SPEC-0009", "SPEC-0009 does not exist: did you mean SPEC-0005, "),
        ("ADR-0001", "ADR-0001 is a decision: name a specification, which has requirements"),
        ("SPEC-0004", "SPEC-0004 is deprecated: plan the specification that replaces it"),
        ("SPEC-0005", f"SPEC-0005 has no requirements: write `### Requirement: NAME` in {SPECS}/c"),
    ],
)
def test_what_cannot_be_planned_is_refused(shop: Repo, name: str, message: str) -> None:
    shop.write("docs/adrs/ADR-0001-x.md", "# ADR-0001: X\n")
    shop.write(f"{SPECS}/b/spec.md", SPEC.replace("0003", "0004").replace("approved", "deprecated"))
    shop.write(f"{SPECS}/c/spec.md", "# SPEC-0005: C\n")
    assert one_line(run(shop.root, "plan", name), 2).startswith(message)


def test_a_specification_of_a_module(repo: Repo) -> None:
    spec = SPEC.replace("approved", "draft")
    repo.commit(
        "Start",
        {
            **WORKSPACE,
            **FILES,
            "CLAUDE.md": WORKSPACE["CLAUDE.md"] + FILES["CLAUDE.md"],
            "services/api/docs/openspec/specs/sessions/spec.md": spec,
            "services/api/docs/openspec/specs/sessions/design.md": "# D\n",
        },
    )
    assert run(repo.root, "index", "add").code == 0
    plan = run(repo.root, "plan", "SPEC-0003", "--module", "api", "--json").json
    assert (plan["spec"], plan["module"], plan["status"]) == ("[api]/SPEC-0003", "api", "draft")
    assert plan["path"] == "services/api/docs/openspec/specs/sessions/spec.md"
