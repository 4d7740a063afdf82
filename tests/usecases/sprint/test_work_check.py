"""The check of a finished branch: what it writes again, and where it departs from the brief."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

import pytest

from sdd_hooks.errors import Missing, RepositoryError
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.planning.work.branch_check import BranchCheck, check_data, check_lines
from sdd_hooks.planning.work.brief import WorkBrief
from sdd_hooks.trackers.sync import sync
from sdd_hooks.usecases.sprint.work import WorkRequest, write_brief
from sdd_hooks.usecases.sprint.work_check import BranchCheckRequest, check_branch, find_issue_id
from tests.planning.work.shop import COPY, FILES
from tests.usecases.shop import NOW, Shop

BRANCH = "feature/7-resolve-user-sessions-by-token"
DEFAULT = BranchCheckRequest()
CLIENT = """\
// Implements: SPEC-0001 REQ "Session lookup"
package api

import "example.com/shop/internal/session"

type Client struct {
\tstore *session.Store
}

func (c *Client) User(token string) (int64, error) {
\treturn c.store.Load(token)
}
"""


def check(work: Shop, request: BranchCheckRequest = DEFAULT) -> BranchCheck:
    source = work.source()

    def write(id: str, branch: str) -> WorkBrief:
        request = WorkRequest(id, needs_index=False, branch=branch)
        return write_brief(work.repo.project(), [source], request, NOW, work.callbacks)

    return check_branch(work.repo.project(), [source.folder], request, write)


def branch(work: Shop, files: Mapping[str, str], name: str = BRANCH) -> None:
    work.repo.git("switch", "--quiet", "--create", name, "main")
    work.repo.commit("Work", files)


def rules(found: BranchCheck) -> list[tuple[str, str]]:
    return [(one.rule, one.path) for one in found.findings]


def test_the_branch_of_the_work_is_no_sibling_whatever_its_name(work: Shop) -> None:
    branch(work, {"internal/api/client.go": CLIENT}, "feature/other")
    found = check(work, BranchCheckRequest(issue="7"))
    assert [rule for rule, _ in rules(found) if rule.startswith("sibling")] == []


def test_a_new_definition_that_exists_is_reported_with_the_one_to_import(work: Shop) -> None:
    branch(work, {"internal/api/user.go": COPY, "internal/api/client.go": CLIENT})
    found = check(work)
    assert found.fails
    assert rules(found) == [("duplicate-definition", "internal/api/user.go")]
    (finding,) = found.findings
    assert (finding.line, finding.severity) == (5, "warning")
    assert finding.message == (
        "`ParseUserId` duplicates `parseUserID` in `internal/auth/parse.go:10-17` (92% of the code"
        " is the same): import `func parseUserID(text string) (int64, error)`"
    )
    text = "\n".join(check_lines(found))
    assert text.startswith("# 1 finding: 3 new definitions in 2 files\n\n")
    assert "- **warning** duplicate-definition `internal/api/user.go:5`: `ParseUserId`" in text


def test_a_branch_that_imports_what_exists_is_fine_and_tells_the_others(work: Shop) -> None:
    branch(work, {"internal/api/client.go": CLIENT})
    found = check(work)
    assert not found.fails
    assert (found.issue, found.branch, found.files, found.added) == ("7", BRANCH, 1, 2)
    assert set(found.messages) == {
        "TYPE_IMPORTED: #7 will import Store from internal/session/store.go",
        "TYPE_IMPORTED: #7 will import Store.Load from internal/session/store.go",
        "TYPE_CREATED: #7 created Client in internal/api/client.go",
    }
    assert "\n".join(check_lines(found)).startswith(
        "# Nothing to mend: 2 new definitions in 1 file"
    )


def test_a_definition_of_the_branch_is_nothing_to_import(work: Shop) -> None:
    branch(work, {"internal/api/client.go": CLIENT})
    project = work.repo.project()
    refresh(project, collections=project.collections)
    assert not [one for one in check(work).messages if "will import Client" in one]


SECOND = "package api\n\nfunc parseUserID(raw []byte) (int64, error) {\n\treturn f(raw), nil\n}\n"
USES = "package api\n\n{}\n\nfunc handle() int64 {{\n\t{}\n\treturn 1\n}}\n"
AUTH, CALL = 'import "example.com/shop/internal/auth"', 'id, _ := auth.parseUserID("1")'
IMPORTING = USES.format(AUTH, CALL)
OTHERS = (SECOND, USES.format(AUTH, "// as parseUserID does"), USES.format("", CALL))


@pytest.mark.parametrize("text", [IMPORTING, *OTHERS])
def test_what_the_branch_imports_is_announced_and_nothing_else(work: Shop, text: str) -> None:
    branch(work, {"internal/api/client.go": CLIENT, "internal/api/user.go": text})
    found = check(work)
    assert any("import parseUserID" in one for one in found.messages) == (text == IMPORTING)
    assert [rule for rule, _ in rules(found)] == ["duplicate-definition"] * (text == SECOND)
    assert all(one.message.endswith(", or give the new one its own name") for one in found.findings)


def test_departures_from_the_brief_are_findings(work: Shop) -> None:
    repo = work.repo
    repo.git("switch", "--quiet", "--create", "feature/8-expiry")
    repo.commit(
        "Sibling", {"internal/session/client.go": "package session\n\ntype Client struct {\n}\n"}
    )
    repo.commit("Edit", {"internal/session/renew.go": FILES["internal/session/renew.go"] + "\n"})
    work.backend.pull("12", "8", branch="feature/8-expiry")
    changed = {
        "internal/api/client.go": CLIENT.replace("Session lookup", "Other"),
        "internal/session/renew.go": FILES["internal/session/renew.go"] + "\n// x\n",
        "docs/adrs/ADR-0001-sessions.md": FILES["docs/adrs/ADR-0001-sessions.md"] + "\nMore.\n",
    }
    branch(work, changed, "feature/7-mine")
    found = check(work)
    assert rules(found) == [
        ("protected-path", "docs/adrs/ADR-0001-sessions.md"),
        ("sibling-type", "internal/api/client.go"),
        ("branch-name", ""),
        ("requirement-not-named", "docs/openspec/specs/sessions/spec.md"),
        ("sibling-file", "internal/session/renew.go"),
    ]
    assert "CONFLICT_ALERT: #7 also needs internal/session/renew.go" in found.messages
    assert check_data(found)["issue"] == "7"


def test_edits_that_are_not_committed_are_not_checked_and_named(work: Shop) -> None:
    branch(work, {"internal/api/client.go": CLIENT})
    work.repo.write("internal/session/store.go", FILES["internal/session/store.go"] + "\n")
    assert "Edits that are not committed were not checked" in check(work).notes


def test_without_an_issue_definitions_are_checked_alone(work: Shop) -> None:
    branch(work, {"internal/api/user.go": COPY}, "topic")
    found = check(work)
    assert rules(found) == [("duplicate-definition", "internal/api/user.go")]
    assert found.notes == ("The branch names no issue: only its definitions were checked",)
    branch(work, {}, "feature/999-unknown")
    unknown = check(work)
    assert "Only definitions were checked, without the brief of 999" in unknown.notes[0]
    with pytest.raises(Missing):
        check(work, BranchCheckRequest("999"))


def test_without_an_index_the_rest_of_the_brief_is_compared(work: Shop) -> None:
    shutil.rmtree(work.repo.root / ".sdd/search")
    branch(work, {"internal/api/user.go": COPY}, "feature/7-mine")
    found = check(work)
    assert [rule for rule, _ in rules(found)] == [
        "duplicate-definition",
        "branch-name",
        "requirement-not-named",
    ]


def test_an_unknown_base_is_an_error(work: Shop) -> None:
    with pytest.raises(RepositoryError, match="nowhere"):
        check(work, BranchCheckRequest(base="nowhere"))


def test_the_name_of_a_branch_begins_with_the_id_of_an_issue(work: Shop) -> None:
    work.backend.add("tasks-shop-1", "First")
    work.backend.add("bd-a1b2.1", "Second")
    folder = work.source().folder
    tracker = work.open()
    sync(tracker, folder, clock=lambda: NOW)
    tracker.disconnect()
    ids = {
        "feature/7-resolve": "7",
        "feature/tasks-shop-1-first": "tasks-shop-1",
        "bd-a1b2.1-second": "bd-a1b2.1",
        "feature/SHOP-12-new": "SHOP-12",
        "feature/99": "99",
        "main": "",
        "feature/7up": "",
        "": "",
    }
    assert {name: find_issue_id(name, [folder]) for name in ids} == ids
