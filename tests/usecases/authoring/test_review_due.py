"""Issues of due reviews in each tracker on loopback: one for each date, once only."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.commands import run
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.github import FakeGitHub, serving_github
from tests.support.gitlab import serving_gitlab
from tests.support.jira import FakeJira, serving_jira
from tests.support.linear import serving_linear
from tests.support.loopback import CannedResponse, Server
from tests.support.repos import Repo

RECORD = "---\nstatus: accepted\n{}: 2020-01-31\n---\n# ADR-{:04d}: {}\n\n## Decision\n\nWe do.\n"
RECORDS = {
    ".gitignore": ".sdd/\n",
    "docs/adrs/ADR-0001-mail.md": RECORD.format("review-by", 1, "Mail *now*"),
    "docs/adrs/ADR-0002-queue.md": RECORD.format("expires", 2, "Queue"),
}


class Tracker(NamedTuple):
    """A tracker on loopback: its settings, the variables with its token, and its issues."""

    settings: str
    environ: Mapping[str, str]
    server: Server
    count: Callable[[], int]


@contextmanager
def github() -> Iterator[Tracker]:
    fake = FakeGitHub(time.time(), token="t", checked=False)
    with serving_github(fake) as server:
        settings = f"GitHub\n- **URL**: {server.url}\n- **Owner**: acme\n- **Repo**: shop"
        environ = {"GITHUB_TOKEN": "t", "GITHUB_SERVER_URL": server.url}
        yield Tracker(settings, environ, server, lambda: len(fake.items))


@contextmanager
def gitlab() -> Iterator[Tracker]:
    with serving_gitlab() as (fake, server):
        fake.now = time.time()
        settings = f"GitLab\n- **URL**: {server.url}\n- **Owner**: acme/tools\n- **Repo**: shop"
        environ = {"GITLAB_TOKEN": "secret", "GITLAB_HOST": server.url}
        yield Tracker(settings, environ, server, lambda: len(fake.issues))


@contextmanager
def gitea() -> Iterator[Tracker]:
    fake = FakeGitea(time.time(), token="t", checked=False)
    with serving_gitea(fake) as server:
        settings = f"Gitea\n- **URL**: {server.url}\n- **Owner**: acme\n- **Repo**: shop"
        environ = {"GITEA_TOKEN": "t", "GITEA_URL": server.url}
        yield Tracker(settings, environ, server, lambda: len(fake.items))


@contextmanager
def jira() -> Iterator[Tracker]:
    fake = FakeJira(time.time())
    with serving_jira(fake) as server:
        settings = f"Jira\n- **URL**: {server.url}\n- **Project Key**: SHOP"
        environ = {"JIRA_EMAIL": "a@b.example", "JIRA_API_TOKEN": "t", "JIRA_URL": server.url}
        yield Tracker(settings, environ, server, lambda: len(fake.issues))


@contextmanager
def linear() -> Iterator[Tracker]:
    with serving_linear() as (fake, server):
        fake.now = time.time()
        environ = {"LINEAR_API_KEY": fake.key, "LINEAR_API_URL": f"{server.url}/graphql"}
        yield Tracker("Linear\n- **Team ID**: ENG", environ, server, lambda: len(fake.issues))


def create(repo: Repo, tracker: Tracker) -> list[tuple[str, bool]]:
    done = run(repo.root, "adr", "review-due", "--create", "--json", env=tracker.environ)
    assert done.code == 0, done
    issues: list[dict[str, Any]] = json.loads(done.out)["issues"]
    return [(one["id"], one["created"]) for one in issues]


@pytest.mark.parametrize("open_tracker", [github, gitlab, gitea, jira, linear])
def test_each_date_gets_one_issue(repo: Repo, open_tracker: Any, tmp_path: Path) -> None:
    with open_tracker() as tracker:
        memory = f"### SDD Configuration\n\n#### Tracker\n\n- **Type**: {tracker.settings}\n"
        repo.commit("Start", {**RECORDS, "CLAUDE.md": memory})
        first = create(repo, tracker)
        assert ([new for _, new in first], tracker.count()) == ([True, True], 2)
        again = [(id, False) for id, _ in first]
        assert create(repo, tracker) == again
        # A clone knows the issues by their bodies alone.
        clone = Repo(tmp_path / "clone")
        repo.git("clone", "-q", str(repo.root), str(clone.root))
        assert create(clone, tracker) == again
        assert tracker.count() == 2


def test_a_listing_that_does_not_have_a_new_issue_yet(repo: Repo) -> None:
    with jira() as tracker:
        memory = f"### SDD Configuration\n\n#### Tracker\n\n- **Type**: {tracker.settings}\n"
        repo.commit("Start", {**RECORDS, "CLAUDE.md": memory})
        empty = {"issues": [], "isLast": True, "total": 0}
        tracker.server.faults.append(
            lambda request: CannedResponse(200, empty) if "/search" in request.path else None
        )
        first = create(repo, tracker)
        assert create(repo, tracker) == [(id, False) for id, _ in first]
        assert tracker.count() == 2
