"""A loopback GitHub with one pull request, and our forge opened on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from sdd_hooks.forges.github import VENDOR
from sdd_hooks.forges.protocol import Forge, Run
from sdd_hooks.remote.client import Client, Limits
from sdd_hooks.remote.credentials import Secret
from tests.support.github_forge import JOB, GitHubForge, serving_forge
from tests.support.machines import Workplace

MARKER = "<!-- sdd-review -->"


def is_ours(body: str) -> bool:
    return body.split("\n", 1)[0].rstrip("\r") == MARKER


@dataclass
class Desk:
    """The forge, its pull request, and what clients waited."""

    forge: GitHubForge
    workplace: Workplace
    number: int
    _opened: dict[str | None, Forge] = field(default_factory=dict)

    def open(self, token: str | None = JOB) -> Forge:
        """The forge as a job with that token has it; the same one each time."""
        if token not in self._opened:
            run = Run(self.forge.url, self.forge.api, self.forge.home, "pull_request")
            self._opened[token] = VENDOR.open(run, self.connect(token))
        return self._opened[token]

    def connect(self, token: str | None = JOB) -> Callable[..., Client]:
        """Makes clients for any API, with that token."""
        secret = Secret(token, "SDD_TOKEN") if token else None

        def connect(
            api: str,
            *,
            label: str,
            headers: Callable[[Secret], Mapping[str, str]],
            limits: Limits | None = None,
            advice: str = "",
        ) -> Client:
            carried = headers(secret) if secret else {}
            return self.workplace.client(
                api, label=label, secret=secret, headers=carried, limits=limits, advice=advice
            )

        return connect


@contextmanager
def desk() -> Iterator[Desk]:
    """One, with a pull request of the repository's own."""
    with serving_forge() as forge, Workplace(1_795_000_000.0) as workplace:
        yield Desk(forge, workplace, forge.add_pull())
