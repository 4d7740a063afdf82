"""A loopback GitHub with one pull request, opened as a forge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sdd_hooks.forges.github.vendor import VENDOR
from sdd_hooks.forges.protocol import Forge, JobContext
from tests.support.github_forge import JOB, FakeGitHubForge, serving_forge
from tests.support.machines import ClientFactory


@dataclass
class GitHubHarness:
    """The fake GitHub, the number of its pull request, and the factory of clients."""

    forge: FakeGitHubForge
    client_factory: ClientFactory
    number: int
    _opened: dict[str | None, Forge] = field(default_factory=dict)

    def open(self, token: str | None = JOB) -> Forge:
        """The forge for a job with the token; the same object for the same token."""
        if token not in self._opened:
            run = JobContext(self.forge.url, self.forge.api, self.forge.home, "pull_request")
            self._opened[token] = VENDOR.open(run, self.client_factory.forge_clients(token))
        return self._opened[token]


@contextmanager
def github_harness() -> Iterator[GitHubHarness]:
    """A harness with a pull request from the repository itself."""
    with serving_forge() as forge, ClientFactory(1_795_000_000.0) as client_factory:
        yield GitHubHarness(forge, client_factory, forge.add_pull())
