"""A project on a loopback GitLab, opened as a tracker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdd_hooks.trackers.gitlab.tracker import GitLabTracker
from sdd_hooks.trackers.gitlab.vendor import VENDOR
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.protocol import IssuePage, Since, TrackerLocation
from tests.support.gitlab import GitLab as LoopbackGitLab
from tests.support.gitlab import gitlab
from tests.support.loopback import Server
from tests.support.machines import TOKEN, Workplace
from tests.trackers.faults import START

PAGE = 100


PROJECT = "/api/v4/projects/acme%2Ftools%2Fshop"


HOME = "acme/tools/shop"


class Bench:
    """A GitLab, its server, and the project acme/tools/shop there as a tracker."""

    def __init__(self, there: LoopbackGitLab, server: Server) -> None:
        self.gitlab, self.server = there, server
        self.workplace = Workplace(START + 86_400.0)
        there.now = float(START)
        there.token = TOKEN

    @property
    def now(self) -> float:
        return self.gitlab.now

    def open(self, owner: str = "acme/tools", project: str = "shop") -> GitLabTracker:
        machine = self.workplace.machine("GitLab")
        found = VENDOR.open(TrackerLocation(self.server.url, owner, project), machine)
        assert isinstance(found, GitLabTracker)
        return found

    def pages(
        self, since: Since | None = None, notes: dict[str, str] | None = None
    ) -> list[IssuePage]:
        return list(self.open().fetch(since or Since(), {} if notes is None else notes))

    def pulls(self, since: Since | None = None) -> dict[str, LinkedPull]:
        """The merge requests that a fetch brings, as they came last."""
        return {pull.number: pull for page in self.pages(since) for pull in page.pulls}

    def asked(self) -> list[str]:
        """What was asked for, in the project."""
        paths = (request.path.removeprefix(f"{PROJECT}/") for request in self.server.asked)
        return sorted(paths)


@contextmanager
def opened() -> Iterator[Bench]:
    with gitlab() as (there, server):
        bench = Bench(there, server)
        with bench.workplace:
            yield bench
