"""Issues of due reviews in each tracker on loopback: one for each date, once only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.support.loopback import CannedResponse
from tests.support.repos import Repo
from tests.support.sprint_sites import SprintSite, sprint_site

RECORD = "---\nstatus: accepted\n{}: 2020-01-31\n---\n# ADR-{:04d}: {}\n\n## Decision\n\nWe do.\n"
RECORDS = {
    "docs/adrs/ADR-0002-mail.md": RECORD.format("review-by", 2, "Mail *now*"),
    "docs/adrs/ADR-0003-queue.md": RECORD.format("expires", 3, "Queue"),
}


def create(repo: Repo, site: SprintSite) -> list[tuple[str, bool]]:
    done = run(repo.root, "adr", "review-due", "--create", "--json", env=site.environ)
    assert done.code == 0, done
    issues: list[dict[str, Any]] = json.loads(done.out)["issues"]
    return [(one["id"], one["created"]) for one in issues]


@pytest.mark.parametrize("kind", ["github", "gitlab", "gitea", "jira", "linear"])
def test_each_date_gets_one_issue(kind: str, tmp_path: Path) -> None:
    with sprint_site(kind, tmp_path) as site:
        site.repo.commit("Decide", RECORDS)
        first = create(site.repo, site)
        assert ([new for _, new in first], len(site.ids())) == ([True, True], 2)
        again = [(id, False) for id, _ in first]
        assert create(site.repo, site) == again
        # A clone knows the issues by their bodies alone.
        clone = Repo(tmp_path / "clone")
        site.repo.git("clone", "-q", str(site.repo.root), str(clone.root))
        assert create(clone, site) == again
        assert len(site.ids()) == 2


def test_a_listing_that_does_not_have_a_new_issue_yet(tmp_path: Path) -> None:
    with sprint_site("jira", tmp_path) as site:
        site.repo.commit("Decide", RECORDS)
        empty = {"issues": [], "isLast": True, "total": 0}
        site.server.faults.append(
            lambda request: CannedResponse(200, empty) if "/search" in request.path else None
        )
        first = create(site.repo, site)
        assert create(site.repo, site) == [(id, False) for id, _ in first]
        assert len(site.ids()) == 2
