"""A team of a fake Linear, opened as a tracker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdd_hooks.trackers.linear.tracker import LinearTracker
from sdd_hooks.trackers.linear.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackerLocation
from tests.support.linear import FakeLinear, serving_linear
from tests.support.loopback import Server
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.fetching import START


class LinearHarness:
    """A fake Linear, its server, and trackers of its team ENG."""

    def __init__(self, workspace: FakeLinear, server: Server) -> None:
        self.workspace, self.server = workspace, server
        self.client_factory = ClientFactory(START + 86_400.0)
        workspace.now = float(START)
        workspace.key = f"Bearer {TOKEN}"

    @property
    def now(self) -> float:
        return self.workspace.now

    def open(self, team: str = "ENG", owner: str = "acme") -> LinearTracker:
        environment = self.client_factory.environment("Linear")
        environ = {"LINEAR_API_URL": f"{self.server.url}/graphql"}
        environment = environment._replace(
            repository=environment.repository._replace(environ=environ)
        )
        tracker = VENDOR.open(TrackerLocation("https://linear.app", owner, team), environment)
        assert isinstance(tracker, LinearTracker)
        return tracker


@contextmanager
def open_harness() -> Iterator[LinearHarness]:
    with serving_linear() as (workspace, server):
        harness = LinearHarness(workspace, server)
        with harness.client_factory:
            yield harness


PULL = {
    "status": "open",
    "draft": False,
    "number": 12,
    "branch": "ada/eng-1-x",
    "updatedAt": "2026-05-02T10:00:00.000Z",
}
