"""Make the client of a tracker: the address of its API, with the secret that belongs there."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Credentials"

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sdd_hooks.remote.client import Client
from sdd_hooks.remote.credentials import Sources, advice, find_secret
from sdd_hooks.remote.response import RateLimitRule
from sdd_hooks.remote.urls import RemoteUrl


def connect(
    api: str,
    sources: Sources | None,
    limits: RateLimitRule | None = None,
    *,
    label: str,
    around_origin: RemoteUrl | None,
    root: Path,
    environ: Mapping[str, str],
    tell: Callable[[str], None] | None = None,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], object] | None = None,
) -> Client:
    """A client for the API at the address `api`; it asks nobody for anything yet.

    Without `sources` no token is sent and no failure waited for: that is to see who is there.
    `label` is what people call the tracker. `around_origin` and `root` are the repository's.
    Raises RemoteError for an address that is none, or has somebody's name or password in it.
    """
    if sources is None:
        return Client(api, label=label, patience=0.0, clock=clock, sleep=sleep, tell=tell)
    secret = find_secret(sources, api, around_origin=around_origin, root=root, environ=environ)
    return Client(
        api,
        label=label,
        headers=sources.headers(secret) if secret else {},
        secret=secret,
        advice=advice(sources, api, around_origin=around_origin, environ=environ),
        limits=limits,
        clock=clock,
        sleep=sleep,
        tell=tell,
    )
