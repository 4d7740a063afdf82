"""What trackers and forges are opened with in a test: clients whose waits take no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.forges.protocol import ForgeClientFactory
from sdd_hooks.remote.client import Access, Client, Waiting
from sdd_hooks.remote.credentials import Secret, TokenSources
from sdd_hooks.remote.response import RateLimitRule
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerEnvironment
from tests.support.fake_clock import FakeClock

TOKEN = "t0ken-that-must-not-be-shown"
SOURCE = "SOME_TOKEN"


@dataclass
class ClientFactory:
    """Opens trackers and forges. At the end of its context their clients are closed.

    `waits` are the seconds of each wait, by which `now` (epoch seconds) advances. `wait_lines` are
    the lines about them. `alarms` end requests when `pass_time` is called.
    """

    now: float
    waits: list[float] = field(default_factory=list)
    wait_lines: list[str] = field(default_factory=list)
    alarms: FakeClock = field(default_factory=FakeClock)
    _clients: list[Client] = field(default_factory=list)

    def __enter__(self) -> ClientFactory:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    def environment(
        self, label: str, *, token: str | None = TOKEN, user: str = ""
    ) -> TrackerEnvironment:
        """An environment outside a repository, whose clients send `token` (None for none)."""

        def connect(
            api: str, sources: TokenSources | None, rate_limit: RateLimitRule | None = None
        ) -> Client:
            access = Access()
            if sources:
                secret = Secret(token, SOURCE, user) if token else None
                headers = sources.headers(secret) if secret else {}
                access = Access(headers, secret, sources.advice)
            return self.client(api, label, access, rate_limit)

        return TrackerEnvironment(
            TrackedRepository(Path("/nonexistent"), (), lambda: None, {}), connect
        )

    def client(
        self, api: str, label: str, access: Access, rate_limit: RateLimitRule | None = None
    ) -> Client:
        """A client whose waits take no time."""
        waiting = Waiting(
            clock=lambda: self.now,
            sleep=self._sleep,
            on_wait=self.wait_lines.append,
            alarm=self.alarms.alarm,
        )
        client = Client(api, label=label, access=access, rate_limit=rate_limit, waiting=waiting)
        self._clients.append(client)
        return client

    def forge_clients(self, token: str | None) -> ForgeClientFactory:
        """A factory of clients that send this token to any host."""
        secret = Secret(token, "SDD_TOKEN") if token else None

        def connect(
            api: str,
            *,
            label: str,
            headers: Callable[[Secret], Mapping[str, str]],
            rate_limit: RateLimitRule | None = None,
            advice: str = "",
        ) -> Client:
            access = Access(headers(secret) if secret else {}, secret, advice)
            return self.client(api, label, access, rate_limit)

        return connect

    def pass_time(self, seconds: float) -> None:
        """Advance the clock while a response is on its way."""
        self.now += seconds
        self.alarms.advance(seconds)

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
