"""A project on a fake GitLab, opened as a tracker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdd_hooks.trackers.gitlab.tracker import GitLabTracker
from sdd_hooks.trackers.gitlab.vendor import VENDOR
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.protocol import IssuePage, Since, TrackerLocation
from tests.support.gitlab import FakeGitLab, serving_gitlab
from tests.support.loopback import Server
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.fetching import START

PAGE = 100


PROJECT = "/api/v4/projects/acme%2Ftools%2Fshop"


HOME = "acme/tools/shop"


class GitLabHarness:
    """A fake GitLab, its server, and trackers of its project acme/tools/shop."""

    def __init__(self, gitlab: FakeGitLab, server: Server) -> None:
        self.gitlab, self.server = gitlab, server
        self.client_factory = ClientFactory(START + 86_400.0)
        gitlab.now = float(START)
        gitlab.token = TOKEN

    @property
    def now(self) -> float:
        return self.gitlab.now

    def open(self, owner: str = "acme/tools", project: str = "shop") -> GitLabTracker:
        environment = self.client_factory.environment("GitLab")
        tracker = VENDOR.open(TrackerLocation(self.server.url, owner, project), environment)
        assert isinstance(tracker, GitLabTracker)
        return tracker

    def pages(
        self, since: Since | None = None, notes: dict[str, str] | None = None
    ) -> list[IssuePage]:
        return list(self.open().fetch(since or Since(), {} if notes is None else notes))

    def pulls(self, since: Since | None = None) -> dict[str, LinkedPull]:
        """The merge requests of a fetch; the last occurrence of each counts."""
        return {pull.number: pull for page in self.pages(since) for pull in page.pulls}

    def requested_paths(self) -> list[str]:
        """The paths of the requests below the project."""
        paths = (request.path.removeprefix(f"{PROJECT}/") for request in self.server.requests)
        return sorted(paths)


@contextmanager
def open_harness() -> Iterator[GitLabHarness]:
    with serving_gitlab() as (gitlab, server):
        harness = GitLabHarness(gitlab, server)
        with harness.client_factory:
            yield harness
