"""The input `page`: an audit as a page, for the next step of the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.action.steps import Step, step
from tests.action.test_job import DECISION, GITHUB
from tests.support.repos import Repo

MEMORY = "## SDD Configuration\n\n#### Tracker\n\n- **Type**: none\n"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    files = {"CLAUDE.md": MEMORY, ".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-x.md": DECISION}
    repo.commit("Start", files)
    return repo


def ran(repo: Repo, command: str, page: str, event: str = "push") -> Step:
    env = {**GITHUB, "GITHUB_EVENT_NAME": event, "SDD_PAGE": page}
    return step(repo.root, repo.root.parent / "step", command, env=env)


def test_the_page_is_written_after_the_command(shop: Repo) -> None:
    done = ran(shop, "update", "site")
    page = shop.root / "site/index.html"
    assert (done.code, done.errors, done.outputs["page"]) == (0, [], str(page))
    assert "Tokens" in page.read_text(encoding="utf-8")
    rows = done.summary.splitlines()
    assert "| update | documents: 1 added |" in rows
    assert any(row.startswith("| page | page of 1 record: 0 critical, ") for row in rows), rows


def test_a_file_outside_of_the_repository(shop: Repo, tmp_path: Path) -> None:
    done = ran(shop, "update", str(tmp_path / "out/page.html"))
    assert done.outputs["page"] == str(tmp_path / "out/page.html")
    assert (tmp_path / "out/page.html").is_file()


@pytest.mark.parametrize("page", ["site", "site/log", "site/index.html", "site/log.html"])
def test_a_link_of_a_pull_request_is_not_followed(shop: Repo, tmp_path: Path, page: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (shop.root / "site").symlink_to(tmp_path / "elsewhere")
    done = ran(shop, "update", page)
    assert done.code != 0
    (error,) = done.errors
    assert "is a link, and none is followed" in error
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert done.outputs["page"] == ""


def test_a_path_that_leaves_the_repository_is_refused(shop: Repo) -> None:
    assert "leaves the repository" in ran(shop, "update", "../site").errors[0]


def test_the_findings_do_not_fail_the_job(shop: Repo) -> None:
    shop.write("docs/adrs/ADR-0001-y.md", DECISION)
    done = ran(shop, "update", "site")
    assert done.code == 0
    assert "2 critical" in done.summary
