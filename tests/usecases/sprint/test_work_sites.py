"""`sdd work` with each tracker, and the forge that hosts the pull requests of its repository."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.planning.work.brief import WorkBrief
from sdd_hooks.usecases.sprint.work import WorkRequest, write_brief
from sdd_hooks.usecases.sprint.work_finish import NotMerged, finish_work
from tests.support.loopback import CannedResponse
from tests.support.pull_host import HostedPull
from tests.support.repos import Repo
from tests.support.sprint_sites import TOKEN, SprintSite, sprint_site

CLOSES = {
    "github": "Closes #{id}",
    "gitea": "Closes #{id}",
    "gitlab": "Closes #{id}",
    "jira": "{id}",
    "linear": "{id}",
    "beads": "bd close {id}",
    "tasks-md": "Closes {id}",
}
CLOCK = "class Clock:\n    def now(self):\n        return 1\n"


@contextmanager
def indexed_site(kind: str, root: Path) -> Iterator[SprintSite]:
    with sprint_site(kind, root) as site:
        project = site.project()
        refresh(project, project.select(("adrs", "specs", "code")))
        yield site


# On every tracker, `test_whole_sprint.py` goes from the brief to the merge.
@pytest.fixture(params=["github", "beads", "tasks-md"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SprintSite]:
    with indexed_site(request.param, tmp_path) as site:
        yield site


@pytest.fixture
def gitea(tmp_path: Path) -> Iterator[SprintSite]:
    with indexed_site("gitea", tmp_path) as site:
        yield site


def brief(site: SprintSite, id: str, *, worktree: bool = False) -> WorkBrief:
    project = site.project()
    request = WorkRequest(id, None, worktree)
    return write_brief(project, [site.source(project)], request, site.now, site.callbacks())


def test_from_the_brief_to_the_merge(site: SprintSite) -> None:
    site.branch("feature/clock", {"shop/clock.py": CLOCK}, "Clock")
    story = site.add("Expire sessions (SPEC-0003)", "SPEC-0003")
    sibling = site.host.open(HostedPull(901, "Clock", "", "feature/clock"))
    before = site.writes()
    result = brief(site, story, worktree=True)
    found = result
    assert (result.warnings, site.writes()) == ((), before)
    assert [one.name for one in found.requirements] == ["Sessions expire"]
    assert "open_session" in {one.symbol for one in found.existing}
    assert found.pull.splitlines()[0] == CLOSES[site.name].format(id=story)
    assert [(one.name, one.branch, one.files) for one in found.siblings.siblings] == [
        ("#901", "feature/clock", ("shop/clock.py",))
    ]
    (clock, *_) = found.siblings.definitions
    assert (clock.symbol, clock.status, clock.sibling) == ("Clock", "open", "#901")
    assert sibling.head

    checkout = Repo(site.repo.root / found.branch.worktree)
    checkout.commit("Expire", {"shop/expiry.py": "def expire():\n    return 2\n"})
    project = site.project()
    sources = [site.source(project)]
    with pytest.raises(NotMerged):
        finish_work(project, sources, story, site.now, site.callbacks())
    # The forge makes one commit of the branch, which has none of its own then.
    checkout.commit("Expire more", {"shop/later.py": "def later():\n    return 3\n"})
    site.repo.git("merge", "--quiet", "--squash", found.branch.name)
    site.repo.git("commit", "--quiet", "-m", "Expire sessions (#902)")
    site.repo.git("push", "--quiet", str(site.bare), "main")
    site.repo.git("fetch", "--quiet", str(site.bare), "main:refs/remotes/origin/main")
    done = finish_work(site.project(), sources, story, site.now, site.callbacks())
    assert (done.merged_by, done.deleted_branch, done.warnings) == ("git", found.branch.name, ())
    assert not checkout.root.exists()


def test_a_forge_that_fails_is_a_warning_without_a_secret(gitea: SprintSite) -> None:
    story = gitea.add("Expire sessions (SPEC-0003)", "SPEC-0003")
    brief(gitea, story)
    # The issues were synced a moment ago: every request is one to the forge.
    gitea.server.fail(*[CannedResponse(403)] * 20)
    result = brief(gitea, story)
    (warning,) = result.warnings
    assert "open pull requests of" in warning
    assert TOKEN not in warning
    assert result.requirements
