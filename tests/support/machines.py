"""What a tracker is opened with in a test: a client of a loopback server that waits in no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.forges.protocol import ForgeClientFactory
from sdd_hooks.remote.client import Client, RateLimitRule
from sdd_hooks.remote.credentials import Secret, Sources
from sdd_hooks.trackers.protocol import RepositoryContext, TrackerEnvironment

TOKEN = "t0ken-that-nobody-may-see"
SOURCE = "SOME_TOKEN"


@dataclass
class Workplace:
    """Where trackers and forges are opened; on leaving it as a context they are disconnected.

    `waits` are the seconds that their clients waited for, one each, while `now` (epoch seconds)
    went on; `told` is what they said about it.
    """

    now: float
    waits: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    _clients: list[Client] = field(default_factory=list)

    def __enter__(self) -> Workplace:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    def machine(
        self, label: str, *, token: str | None = TOKEN, user: str = ""
    ) -> TrackerEnvironment:
        """Connects to any host with `token`, None for none, as something outside a repository."""

        def connect(
            api: str, sources: Sources | None, limits: RateLimitRule | None = None
        ) -> Client:
            secret = Secret(token, SOURCE, user) if token and sources else None
            headers = sources.headers(secret) if sources and secret else {}
            return self.client(
                api,
                label=label,
                secret=secret,
                headers=headers,
                limits=limits,
                advice=sources.advice if sources else "",
            )

        return TrackerEnvironment(RepositoryContext(Path("/nonexistent"), (), None, {}), connect)

    def client(
        self,
        api: str,
        *,
        label: str,
        secret: Secret | None = None,
        headers: Mapping[str, str],
        limits: RateLimitRule | None = None,
        advice: str = "",
    ) -> Client:
        """A client that waits in no time."""
        client = Client(
            api,
            label=label,
            headers=headers,
            secret=secret,
            advice=advice,
            limits=limits,
            clock=lambda: self.now,
            sleep=self._sleep,
            tell=self.told.append,
        )
        self._clients.append(client)
        return client

    def connecting(self, token: str | None) -> ForgeClientFactory:
        """Makes the clients of forges, which carry that token to any host."""
        secret = Secret(token, "SDD_TOKEN") if token else None

        def connect(
            api: str,
            *,
            label: str,
            headers: Callable[[Secret], Mapping[str, str]],
            limits: RateLimitRule | None = None,
            advice: str = "",
        ) -> Client:
            carried = headers(secret) if secret else {}
            return self.client(
                api, label=label, secret=secret, headers=carried, limits=limits, advice=advice
            )

        return connect

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
