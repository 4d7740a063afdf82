"""The brief of an issue: what it has, and that issues and index are fresh before it is written."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from sdd_hooks.errors import Missing, NotIndexed, RemoteError
from sdd_hooks.planning.work.branches import WorktreeRefused
from sdd_hooks.planning.work.brief import WorkBrief
from sdd_hooks.planning.work.brief_report import brief_data, brief_lines
from sdd_hooks.trackers.protocol import Tracker
from sdd_hooks.usecases.sprint.work import WorkRequest, write_brief
from tests.planning.work.shop import COPY, FILES
from tests.support.clock import set_touched
from tests.support.repos import Repo
from tests.usecases.shop import NOW, Shop


def brief(work: Shop, *, worktree: bool = False, now: float = NOW) -> WorkBrief:
    request = WorkRequest("7", None, worktree)
    return write_brief(work.repo.project(), [work.source()], request, now, work.callbacks)


def refuse() -> Tracker:
    raise RemoteError("the tracker is down")


def markdown(found: WorkBrief) -> str:
    return "\n".join(brief_lines(found))


def test_the_brief_has_the_requirement_that_the_issue_names_in_full(work: Shop) -> None:
    found = brief(work)
    (requirement,) = found.requirements
    assert (requirement.spec, requirement.name) == ("SPEC-0001", "Session lookup")
    assert requirement.is_named
    assert (requirement.first_line, requirement.last_line) == (10, 18)
    assert [one.name for one in requirement.scenarios] == ["Unknown token"]
    text = markdown(found)
    assert "### SPEC-0001 REQ “Session lookup”" in text
    assert "- WHEN a token is unknown\n- THEN the request is refused" in text
    assert "30 minutes" not in text


def test_an_issue_that_names_no_requirement_gets_all_of_its_specification(work: Shop) -> None:
    work.backend.edit("7", title="Sessions", body="SPEC-0001")
    found = brief(work)
    assert [one.name for one in found.requirements] == ["Session lookup", "Session expiry"]
    assert not any(one.is_named for one in found.requirements)
    assert "The issue names no requirement of SPEC-0001: all of them are here." in markdown(found)


def test_the_brief_names_what_governs_the_work_and_why(work: Shop) -> None:
    result = brief(work)
    reasons = {one.id: one.reason for one in result.governing}
    assert reasons["SPEC-0001"] == "the issue names it"
    assert reasons["ADR-0001"] == "SPEC-0001 implements it"
    assert any("SPEC-0099 does not exist" in one for one in result.warnings)


def test_existing_code_comes_with_path_lines_signature_and_the_message(work: Shop) -> None:
    existing = {one.symbol: one for one in brief(work).existing}
    parse = existing["parseUserID"]
    assert (parse.path, parse.first_line, parse.last_line) == ("internal/auth/parse.go", 10, 17)
    assert parse.signature == "func parseUserID(text string) (int64, error)"
    assert parse.score >= 0.3
    assert parse.announcement("#7") == (
        "TYPE_IMPORTED: #7 will import parseUserID from internal/auth/parse.go"
    )
    assert "Store.Load" in existing


def test_conventions_are_what_most_files_beside_the_code_import(work: Shop) -> None:
    found = {one.directory: one for one in brief(work).conventions}
    errs = found["internal/session"]
    assert (errs.name, errs.uses, errs.files) == ("example.com/shop/internal/errs", 3, 3)


def test_branch_and_pull_request_follow_the_conventions(work: Shop) -> None:
    found = brief(work)
    assert found.branch.name == "feature/7-resolve-user-sessions-by-token"
    assert (found.branch.base, found.branch.exists, found.branch.checked_out) == (
        "main",
        False,
        False,
    )
    assert found.pull == "Closes #7\nPart of #9 (SPEC-0001, SPEC-0099)"
    assert found.blocked_by == ("8",)
    assert "**Blocked by** #8: not closed yet" in markdown(found)


def test_the_branch_that_the_issue_writes_down_has_precedence(work: Shop) -> None:
    work.backend.edit("7", body="### Branch\n\n`feature/7-mine`\n")
    assert brief(work).branch.name == "feature/7-mine"


@pytest.mark.parametrize("name", ["-x/../..", "feature/7..lock", "main", "feature/70-x", "a b"])
def test_another_branch_than_that_of_the_issue_is_not_taken(work: Shop, name: str) -> None:
    work.backend.edit("7", body=f"### Branch\n\n`{name}`\n")
    assert brief(work).branch.name == "feature/7-resolve-user-sessions-by-token"


def test_siblings_are_branches_and_pull_requests_of_issues(work: Shop) -> None:
    repo = work.repo
    repo.git("switch", "--quiet", "--create", "feature/8-expiry")
    repo.commit(
        "Expire",
        {"internal/session/store.go": FILES["internal/session/store.go"] + "\n// more\n"}
        | {"internal/session/clock.go": "package session\n\ntype Clock interface {\n\tNow()\n}\n"},
    )
    repo.git("switch", "--quiet", "main")
    work.backend.pull("12", "8", branch="feature/8-expiry")
    work.backend.pull("13", "9", branch="elsewhere", files=("web/app.ts",))
    now = 1_767_400_000.0
    set_touched(repo, now)
    manifest = brief(work, now=now).siblings
    assert {one.path: one.siblings for one in manifest.files} == {
        "internal/session/clock.go": ("#12",),
        "internal/session/store.go": ("#12",),
        "web/app.ts": ("#13",),
    }
    (clock,) = manifest.definitions
    assert (clock.symbol, clock.path, clock.status, clock.is_type) == (
        "Clock",
        "internal/session/clock.go",
        "open",
        True,
    )
    assert [(one.name, one.branch) for one in manifest.siblings] == [
        ("#12", "feature/8-expiry"),
        ("#13", "elsewhere"),
    ]
    assert manifest.unread == (
        "the definitions of #13 are not known, since its head is not in this clone: `git fetch`"
        " its branch",
    )


@pytest.mark.parametrize("branch", ["feature/7-other", "fix/7", "elsewhere"])
def test_the_branches_and_pull_requests_of_the_issue_are_no_siblings(
    work: Shop, branch: str
) -> None:
    work.repo.git("switch", "--quiet", "--create", branch)
    work.repo.commit("Resolve", {"internal/session/own.go": "package session\n"})
    work.repo.git("switch", "--quiet", "main")
    if branch == "elsewhere":
        work.backend.pull("12", "7", branch=branch)
    set_touched(work.repo, 1_767_400_000.0)
    assert brief(work, now=1_767_400_000.0).siblings.siblings == ()


def test_the_sections_of_the_manifest_have_the_names_that_workers_look_for(work: Shop) -> None:
    work.backend.pull("12", "8", branch="gone", files=("web/app.ts",))
    text = markdown(brief(work))
    assert "## Files Currently Being Modified by Siblings\n\n- `web/app.ts`: #12" in text
    assert "## In-Progress Sibling PRs" in text
    assert "| #12 | #8 | gone | 1 | open |" in text


def test_definitions_of_merged_work_can_be_imported_now(work: Shop) -> None:
    work.backend.pull("5", "8", status="merged", files=("internal/session/store.go",))
    found = brief(work).siblings
    assert [(one.symbol, one.status) for one in found.definitions] == [("Store", "merged")]
    assert found.siblings == ()


def test_issues_are_synced_unless_that_was_done_within_five_minutes(
    work: Shop, debug_log: io.StringIO
) -> None:
    brief(work)
    assert work.notes == ["Syncing 3 issues from Fake…"]
    work.backend.edit("8", status="closed")
    again = brief(work, now=NOW + 290)
    assert work.notes == ["Syncing 3 issues from Fake…"]
    assert "issues sync skipped: Fake was synced 4 minutes ago" in debug_log.getvalue()
    assert again.blocked_by == ("8",)
    work.backend.now += 400
    work.backend.edit("8", status="closed")
    assert brief(work, now=NOW + 310).blocked_by == ()


def test_a_stale_index_is_refreshed_and_the_brief_says_so(work: Shop) -> None:
    found = brief(work, now=NOW + 7300)
    assert found.notes[0] == "Index was 2 hours stale — refreshed before running."
    assert f"> {found.notes[0]}" in markdown(found)


def test_a_tracker_that_fails_delays_nothing(work: Shop) -> None:
    brief(work)
    request = WorkRequest("7")
    result = write_brief(
        work.repo.project(), [work.source(open=refuse)], request, NOW + 400, work.callbacks
    )
    assert "Issues sync failed — degrading to live tracker queries for this run" in result.warnings
    assert result.requirements


def test_an_unknown_issue_and_a_missing_index_are_errors(work: Shop) -> None:
    request = WorkRequest("77")
    with pytest.raises(Missing, match="77"):
        write_brief(work.repo.project(), [work.source()], request, NOW, work.callbacks)
    shutil.rmtree(work.repo.root / ".sdd/search")
    with pytest.raises(NotIndexed):
        brief(work)


def test_an_issue_that_is_done_and_an_epic_have_a_note(work: Shop) -> None:
    work.backend.edit("7", status="closed", labels=("epic",))
    assert brief(work).notes[:2] == (
        "Issue 7 is closed already",
        "Issue 7 is an epic: its stories are what is built",
    )


def test_an_issue_without_a_specification_has_a_note(work: Shop) -> None:
    work.backend.edit("7", title="Sessions", body="Soon.")
    found = brief(work)
    assert found.notes[0].startswith("Issue 7 names no specification")
    assert found.requirements == ()


def test_without_an_index_a_brief_can_do_without_existing_code(work: Shop) -> None:
    shutil.rmtree(work.repo.root / ".sdd/search")
    request = WorkRequest("7", needs_index=False)
    result = write_brief(work.repo.project(), [work.source()], request, NOW, work.callbacks)
    assert result.notes == ("No collections found for shop. Run `sdd index` first.",)
    assert (result.existing, len(result.requirements)) == ((), 1)


def test_a_worktree_is_created_once(work: Shop) -> None:
    path = ".claude/worktrees/feature/7-resolve-user-sessions-by-token"
    found = brief(work, worktree=True).branch
    assert (found.worktree, found.checked_out, found.exists) == (path, True, True)
    checkout = Repo(work.repo.root / path)
    assert checkout.git("branch", "--show-current") == found.name
    checkout.write("internal/new.go", COPY)
    assert brief(work, worktree=True).branch == found
    assert (checkout.root / "internal/new.go").exists()


def test_a_worktree_that_git_does_not_ignore_is_a_note(work: Shop) -> None:
    work.repo.commit("Ignore less", {".gitignore": ".sdd/\n"})
    notes = brief(work, worktree=True).notes
    assert any("does not ignore" in one and "`.claude/`" in one for one in notes)


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("- **Base Dir**: ../elsewhere", "outside the repository"),
        ("- **Base Dir**: link", "leads out of the repository through a link"),
        ("- **Base Dir**: .git/x", "outside the repository"),
    ],
)
def test_a_worktree_stays_within_the_repository_and_the_limit(
    work: Shop, tmp_path: Path, setting: str, reason: str
) -> None:
    (tmp_path / "outside").mkdir()
    work.repo.link("link", tmp_path / "outside")
    work.repo.write("CLAUDE.md", f"### SDD Configuration\n\n#### Worktrees\n\n{setting}\n")
    with pytest.raises(WorktreeRefused, match=reason):
        brief(work, worktree=True)
    assert work.repo.git("branch", "--list", "feature/*") == ""
    assert not list((tmp_path / "outside").iterdir())


def test_no_more_worktrees_are_created_than_agents_may_work(work: Shop, tmp_path: Path) -> None:
    work.repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Worktrees\n\n- **Max Agents**: 1\n")
    work.repo.worktree(tmp_path / "other", "other")
    with pytest.raises(WorktreeRefused, match="1 other worktree in use"):
        brief(work, worktree=True)


def test_a_hostile_issue_stays_text(work: Shop) -> None:
    title = "x](http://evil) `rm` <script>\x1b[31m | #1"
    work.backend.edit("7", title=title, body="# Heading\n\x1b[2J<!-- sdd -->\n")
    found = brief(work)
    text = markdown(found)
    assert "\x1b" not in text
    assert "\n# Heading" not in text
    assert "> # Heading" in text
    assert "`rm` \\<script>" in text
    data = brief_data(found)
    assert data["issue"]["title"] == title  # type: ignore[index]
