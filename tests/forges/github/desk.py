"""A loopback GitHub with one pull request, and our forge opened on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sdd_hooks.forges.github.vendor import VENDOR
from sdd_hooks.forges.protocol import Forge, JobContext
from tests.support.github_forge import JOB, FakeGitHubForge, serving_forge
from tests.support.machines import Workplace


@dataclass
class Desk:
    """The forge, its pull request, and what clients waited."""

    forge: FakeGitHubForge
    workplace: Workplace
    number: int
    _opened: dict[str | None, Forge] = field(default_factory=dict)

    def open(self, token: str | None = JOB) -> Forge:
        """The forge as a job with that token has it; the same one each time."""
        if token not in self._opened:
            run = JobContext(self.forge.url, self.forge.api, self.forge.home, "pull_request")
            self._opened[token] = VENDOR.open(run, self.workplace.forge_clients(token))
        return self._opened[token]


@contextmanager
def desk() -> Iterator[Desk]:
    """One, with a pull request of the repository's own."""
    with serving_forge() as forge, Workplace(1_795_000_000.0) as workplace:
        yield Desk(forge, workplace, forge.add_pull())
