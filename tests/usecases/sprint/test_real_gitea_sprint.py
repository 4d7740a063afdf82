"""A sprint on the real Gitea, from stories to merged pull requests and closed issues."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.support.gitea_server import NEEDED, RealGitea, gitea_program, running_gitea
from tests.support.repos import Repo
from tests.support.sprint_sites import MEMORY, SPEC, SPEC_TEXT, SPECS
from tests.support.waiting import until

PROGRAM = gitea_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)


def clone(gitea: RealGitea, name: str, root: Path) -> Repo:
    """A clone with a specification, pushed, whose pushes carry the token of alice."""
    repo = Repo.init(root / "shop")
    settings = (
        f"- **Type**: gitea\n- **URL**: {gitea.url}\n- **Owner**: alice\n- **Repo**: {name}\n"
    )
    files = {
        "CLAUDE.md": MEMORY + settings,
        ".gitignore": ".sdd/\n",
        f"{SPECS}/sessions/spec.md": SPEC_TEXT,
        f"{SPECS}/sessions/design.md": "# Design\n",
        "docs/adrs/ADR-0001-use-python.md": "# ADR-0001: Use Python\n\nstatus: accepted\n",
    }
    repo.commit("Begin", files)
    repo.git("remote", "add", "origin", f"{gitea.url}/alice/{name}.git")
    push(gitea, repo, name, "main")
    repo.git("fetch", "--quiet", "origin")
    return repo


def push(gitea: RealGitea, repo: Repo, name: str, branch: str) -> None:
    address = gitea.url.replace("://", f"://alice:{gitea.tokens['alice']}@")
    repo.git("push", "--quiet", "--force", f"{address}/alice/{name}.git", branch)


@pytest.fixture(scope="module")
def gitea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealGitea]:
    assert PROGRAM is not None
    with running_gitea(PROGRAM, tmp_path_factory.mktemp("gitea")) as server:
        yield server


def variables(gitea: RealGitea, repo: Repo) -> dict[str, str]:
    token = gitea.tokens["alice"]
    return {"HOME": str(repo.root.parent), "GITEA_URL": gitea.url, "GITEA_TOKEN": token}


def run_json(gitea: RealGitea, repo: Repo, *arguments: str) -> Any:
    done = run(repo.root, *arguments, "--json", env=variables(gitea, repo))
    assert done.code == 0, done.err + done.out
    return done.json


def test_a_sprint(gitea: RealGitea, tmp_path: Path) -> None:
    name = gitea.repository(auto_init=False)
    home = f"/repos/alice/{name}"
    repo = clone(gitea, name, tmp_path)
    sdd = partial(run_json, gitea, repo)

    def issue(title: str, body: str) -> str:
        made = gitea.call("POST", f"{home}/issues", {"title": title, "body": body})
        return str(made["number"])

    epic = issue("Implement sessions", SPEC)
    stories = [issue(f"Story {one}", f"For {SPEC}.\r\n") for one in ("one", "two")]
    sdd("index")
    organized = sdd("organize", SPEC, "--depth", "contents")
    assert len(organized["changes"]) == 5
    assert [one["title"] for one in gitea.call("GET", f"{home}/milestones")] == [
        "Implement sessions"
    ]
    body = gitea.call("GET", f"{home}/issues/{stories[0]}")["body"]
    assert body == (
        f"For {SPEC}.\r\n\r\n### Branch\r\n\r\n`feature/{stories[0]}-story-one`\r\n\r\n"
        f"### PR Convention\r\n\r\n- `Closes #{stories[0]}`\r\n- `Part of #{epic} ({SPEC})`"
    )

    numbers = []
    for story in stories:
        branch = f"feature/{story}-story"
        repo.git("switch", "--quiet", "--create", branch, "main")
        repo.commit(f"Story {story}", {f"shop/{story}.py": f"story_{story} = 1\n"})
        push(gitea, repo, name, branch)
        repo.git("switch", "--quiet", "main")
        payload = {"title": f"Story {story}", "body": f"Closes #{story}", "head": branch}
        made = gitea.call("POST", f"{home}/pulls", {**payload, "base": "main"})
        numbers.append(made["number"])
    for number in numbers:
        # The server looks for conflicts in the background.
        until(lambda n=number: gitea.call("GET", f"{home}/pulls/{n}")["mergeable"])

    report = sdd("review", SPEC)
    assert report["order"]["tiers"] == [numbers]
    assert [one["closes"] for one in report["pull_requests"]] == [[one] for one in stories]
    assert {one["checks"]["state"] for one in report["pull_requests"]} == {"none"}
    first = run(repo.root, "review", SPEC, "--merge", "--json", env=variables(gitea, repo)).json[
        "merge"
    ]
    # The second one may still wait for the server to look for conflicts with the first.
    until(
        lambda: all(
            one["merged"] or one["mergeable"]
            for one in (gitea.call("GET", f"{home}/pulls/{number}") for number in numbers)
        )
    )
    second = sdd("review", SPEC, "--merge")["merge"]
    assert sorted(first["merged"] + second["merged"]) == numbers
    for story in stories:
        assert gitea.call("GET", f"{home}/issues/{story}")["state"] == "closed"
        cached = (repo.root / f".sdd/issues/{story}.md").read_text()
        assert "\nstatus: merged\n" in cached or "\nstatus: closed\n" in cached
    hits = run(repo.root, "search", "Story one", "--kind", "issues", env=variables(gitea, repo)).out
    assert f".sdd/issues/{stories[0]}.md" in hits
    assert sdd("review", SPEC, "--merge")["merge"]["merged"] == []
    assert sdd("organize", SPEC, "--depth", "contents")["changes"] == []


def test_a_plan_becomes_an_issue_that_a_merge_closes(gitea: RealGitea, tmp_path: Path) -> None:
    name = gitea.repository(auto_init=False)
    home = f"/repos/alice/{name}"
    repo = clone(gitea, name, tmp_path)
    sdd = partial(run_json, gitea, repo)
    sdd("index")
    for _ in range(2):
        sdd("plan", SPEC, "--create")
    (story,) = gitea.call("GET", f"{home}/issues?type=issues")
    assert story["title"] == "Sessions expire"
    number = str(story["number"])
    brief = sdd("work", number)
    assert brief["requirements"][0]["name"] == "Sessions expire"

    branch = brief["branch"]["name"]
    repo.git("switch", "--quiet", "--create", branch, "main")
    code = f'# Governing: {SPEC} REQ "Sessions expire"\nLIMIT = 3600\n'
    repo.commit("Expire sessions", {"shop/sessions.py": code})
    assert sdd("work", "--check")["findings"] == []
    push(gitea, repo, name, branch)
    repo.git("switch", "--quiet", "main")
    payload = {"title": "Expire sessions", "body": f"Closes #{number}", "head": branch}
    pull = gitea.call("POST", f"{home}/pulls", {**payload, "base": "main"})["number"]
    # The server looks for conflicts in the background.
    until(lambda: gitea.call("GET", f"{home}/pulls/{pull}")["mergeable"])
    assert sdd("review", SPEC, "--merge")["merge"]["merged"] == [pull]
    assert gitea.call("GET", f"{home}/issues/{number}")["state"] == "closed"
    assert "\nstatus: open" not in (repo.root / f".sdd/issues/{number}.md").read_text()
    (hit, *_) = sdd("search", "Sessions expire", "--kind", "issues")["groups"][0]["hits"]
    assert hit["path"] == f".sdd/issues/{number}.md"
