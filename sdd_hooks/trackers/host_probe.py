"""Find out which vendor the unknown host of an origin belongs to, by requests without a token."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Detection"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.system.user_cache import read_cached, write_cached
from sdd_hooks.trackers.detection import Candidates, HostProbe
from sdd_hooks.trackers.protocol import TrackerEnvironment

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import TokenSources
    from sdd_hooks.remote.response import RateLimitRule

CACHE = "tracker-hosts"
"""The name of the file in the user's cache: a vendor ("" for none) and a time for each host."""
DAY_SECONDS = 86400.0
KNOWN_SECONDS = 30 * DAY_SECONDS
"""Seconds for which the vendor of a host is not probed again."""
UNKNOWN_SECONDS = DAY_SECONDS
"""Seconds for which a host of no vendor is not probed again."""
UNREACHABLE_SECONDS = 3600.0
"""Seconds for which a host that does not respond is not probed again."""
STALE_SECONDS = 365 * DAY_SECONDS
"""Seconds for which an expired result is used while the host does not respond."""


def cached_probe(environment: TrackerEnvironment, now: float, *, online: bool = True) -> HostProbe:
    """A probe of the origin's host whose results are cached for the user.

    `now` is in epoch seconds. Without `online` the probe only reads the cache.
    """
    environ = environment.repository.environ
    anonymous = _without_token(environment)

    def probe(candidates: Candidates) -> str | None:
        origin = environment.repository.origin
        if origin is None:
            return None
        hosts = _parse_cache(read_cached(CACHE, environ), now)
        vendor, until = hosts.get(origin.web_base, ("", now))
        if online and until <= now:
            name, valid_seconds = _probe(candidates, anonymous)
            # An unreachable host keeps its last result.
            vendor = vendor if name is None else name
            hosts[origin.web_base] = (vendor, now + valid_seconds)
            write_cached(CACHE, hosts, environ)
        return vendor if vendor in dict(candidates) else None

    return probe


def _probe(candidates: Candidates, environment: TrackerEnvironment) -> tuple[str | None, float]:
    """The registered name of the host's vendor, and for how many seconds it is valid.

    "" is a host of no vendor, None an unreachable one.
    """
    for name, vendor in candidates:
        try:
            if vendor.probe(environment.repository, environment) is not None:
                return name, KNOWN_SECONDS
        except (AccessRefused, Missing):
            continue
        except RemoteError:
            return None, UNREACHABLE_SECONDS
    return "", UNKNOWN_SECONDS


def _parse_cache(facts: dict[str, object], now: float) -> dict[str, tuple[str, float]]:
    """The vendor of each cached host, and until when that is or was valid (epoch seconds)."""
    hosts = {}
    for host, fact in facts.items():
        if not (isinstance(fact, list) and len(fact) == 2):
            continue
        name, until = fact
        is_valid = isinstance(name, str) and isinstance(until, (int, float))
        # A time beyond the longest validity comes from a clock that was wrong.
        if is_valid and now - STALE_SECONDS < until <= now + KNOWN_SECONDS:
            hosts[host] = (name, float(until))
    return hosts


def _without_token(environment: TrackerEnvironment) -> TrackerEnvironment:
    """The same environment with a factory of clients that send no token."""

    def connect(
        api: str,
        sources: TokenSources | None,  # noqa: ARG001
        rate_limit: RateLimitRule | None = None,
    ) -> Client:
        return environment.connect(api, None, rate_limit)

    return environment._replace(connect=connect)
