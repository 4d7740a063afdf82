"""`sdd work`: the brief of an issue, the check of its branch, and tidying up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import one_line, run
from tests.planning.work.shop import COPY, FILES
from tests.support.repos import Repo

TASKS = """\
# Tasks

## 1. Resolve user sessions (SPEC-0001)

- [ ] 1.1 Session lookup parses the user id
"""
BRANCH = "feature/tasks-sessions-1-resolve-user-sessions-spec-0001"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository whose tracker is a file of tasks, with an index."""
    repo = Repo.init(tmp_path_factory.mktemp("work") / "shop")
    repo.commit("Start", {**FILES, "docs/openspec/specs/sessions/tasks.md": TASKS})
    assert run(repo.root, "index").code == 0
    return repo


def test_the_brief_is_markdown(shop: Repo) -> None:
    done = run(shop.root, "work", "tasks-sessions-1")
    assert done.code == 0
    assert done.out.startswith("# tasks-sessions-1: Resolve user sessions (SPEC-0001)\n")
    assert f"- Branch: `{BRANCH}`, starts from `main`\n" in done.out
    assert "- `parseUserID` in `internal/auth/parse.go:10-17`, score " in done.out


def test_the_brief_as_json(shop: Repo) -> None:
    run(shop.root, "issues", "sync")
    data = run(shop.root, "work", "#tasks-sessions-1", "--json").json
    assert data["schema_version"] == 1
    assert data["branch"]["name"] == BRANCH
    assert [one["name"] for one in data["requirements"]] == ["Session lookup"]
    assert data["existing"][0]["message"].startswith("TYPE_IMPORTED: tasks-sessions-1 will import")
    assert data["siblings"] == {"files": [], "definitions": [], "pulls": [], "unread": []}


def test_the_trace_of_a_skipped_sync_is_in_verbose_alone(shop: Repo) -> None:
    run(shop.root, "issues", "sync")
    plain = run(shop.root, "work", "tasks-sessions-1")
    assert "skipped" not in plain.out + plain.err
    traced = run(shop.root, "--verbose", "work", "tasks-sessions-1")
    assert "issues sync skipped: tasks.md was synced" in traced.err


def test_work_check_and_finish(shop: Repo) -> None:
    assert run(shop.root, "work", "tasks-sessions-1", "--worktree").code == 0
    checkout = Repo(shop.root / f".claude/worktrees/{BRANCH}")
    checkout.commit("Work", {"internal/api/user.go": COPY})
    found = run(checkout.root, "work", "--check")
    assert found.code == 1
    assert "duplicate-definition `internal/api/user.go:5`" in found.out
    data = run(checkout.root, "work", "--check", "--base", "main", "--json")
    assert data.code == 1
    assert data.json["duplicates"][0]["existing"]["symbol"] == "parseUserID"
    refused = run(shop.root, "work", "tasks-sessions-1", "--finish")
    assert one_line(refused, 1).startswith(f"{BRANCH} is not merged: `main` lacks its commits")
    shop.git("merge", "--quiet", BRANCH)
    done = run(shop.root, "work", "tasks-sessions-1", "--finish")
    assert done.out == (
        f"{BRANCH} is merged, as git says\nRemoved the worktree {checkout.root}\n"
        f"Deleted the branch {BRANCH}\n"
    )
    assert not checkout.root.exists()


def test_a_repository_without_an_index_is_told_to_index(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    repo.commit("Start", {**FILES, "docs/openspec/specs/sessions/tasks.md": TASKS})
    done = run(repo.root, "work", "tasks-sessions-1", "--json")
    assert done.code == 4
    assert "sdd index" in done.json["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "name the issue: sdd work 42"),
        (("7", "--check", "--finish"), "--worktree, --check and --finish exclude each other"),
        (("7", "--base", "main"), "--base belongs to --check"),
    ],
)
def test_wrong_usage(shop: Repo, arguments: tuple[str, ...], reason: str) -> None:
    done = run(shop.root, "work", *arguments)
    assert done.code == 2
    assert reason in done.err
