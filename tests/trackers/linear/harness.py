"""A team of a loopback Linear, opened as a tracker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sdd_hooks.trackers.linear.tracker import LinearTracker
from sdd_hooks.trackers.linear.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackerLocation
from tests.support.linear import Workspace, linear
from tests.support.loopback import Server
from tests.support.machines import TOKEN, Workplace
from tests.trackers.faults import START


class Bench:
    """A workspace, its server, and the team ENG of it as a tracker."""

    def __init__(self, workspace: Workspace, server: Server) -> None:
        self.workspace, self.server = workspace, server
        self.workplace = Workplace(START + 86_400.0)
        workspace.now = float(START)
        workspace.key = f"Bearer {TOKEN}"

    @property
    def now(self) -> float:
        return self.workspace.now

    def open(self, team: str = "ENG", owner: str = "acme") -> LinearTracker:
        machine = self.workplace.machine("Linear")
        environ = {"LINEAR_API_URL": f"{self.server.url}/graphql"}
        machine = machine._replace(repository=machine.repository._replace(environ=environ))
        found = VENDOR.open(TrackerLocation("https://linear.app", owner, team), machine)
        assert isinstance(found, LinearTracker)
        return found

    def asked(self) -> list[Any]:
        """The variables of every question."""
        return [json.loads(request.body)["variables"] for request in self.server.asked]


@contextmanager
def opened() -> Iterator[Bench]:
    with linear() as (workspace, server):
        bench = Bench(workspace, server)
        with bench.workplace:
            yield bench


PULL = {
    "status": "open",
    "draft": False,
    "number": 12,
    "branch": "ada/eng-1-x",
    "updatedAt": "2026-05-02T10:00:00.000Z",
}
