"""Whose host an origin is that no vendor knows by name: the host is asked, without a token."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Detection"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.system.user_cache import read_cached, write_cached
from sdd_hooks.trackers.detection import Candidates, HostProbe
from sdd_hooks.trackers.protocol import TrackerClientFactory, TrackerEnvironment

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Sources
    from sdd_hooks.remote.response import RateLimitRule

CACHE = "tracker-hosts"
DAY = 86400.0
KNOWN_FOR = 30 * DAY
"""Seconds for which a host is what it said it is."""
NOBODYS_FOR = DAY
"""Seconds for which a host that is nobody's is not asked again."""
SILENT_FOR = 3600.0
"""Seconds for which a host that does not answer is not asked again."""
KEPT_FOR = 365 * DAY
"""Seconds for which an answer is kept after that, for when the host does not answer."""


def asking(environment: TrackerEnvironment, now: float, *, online: bool = True) -> HostProbe:
    """Ask the host of the origin, unless somebody did a while ago; `now` is in epoch seconds.

    What was learnt is kept in the person's cache. Not `online`, only that is looked at.
    """
    environ = environment.repository.environ
    untold = TrackerEnvironment(environment.repository, _without_token(environment))

    def ask(candidates: Candidates) -> str | None:
        origin = environment.repository.origin
        if origin is None:
            return None
        kept = _kept(read_cached(CACHE, environ), now)
        before, until = kept.get(origin.web, ("", now))
        if online and until <= now:
            name, lasts = _asked(candidates, untold)
            # A host that is out of reach stays what it was.
            before = before if name is None else name
            write_cached(CACHE, {**kept, origin.web: (before, now + lasts)}, environ)
        return before if before in dict(candidates) else None

    return ask


def _asked(candidates: Candidates, environment: TrackerEnvironment) -> tuple[str | None, float]:
    """Who the host says it is, and for how many seconds that holds.

    "" is nobody here, None is no answer.
    """
    for name, vendor in candidates:
        try:
            if vendor.probe(environment.repository, environment) is not None:
                return name, KNOWN_FOR
        except (AccessRefused, Missing):
            continue
        except RemoteError:
            return None, SILENT_FOR
    return "", NOBODYS_FOR


def _kept(facts: dict[str, object], now: float) -> dict[str, tuple[str, float]]:
    """What is remembered of each host: a name or "", and until when that holds or held."""
    kept = {}
    for host, fact in facts.items():
        if not (isinstance(fact, list) and len(fact) == 2):
            continue
        name, until = fact
        valid = isinstance(name, str) and isinstance(until, (int, float))
        # The longest that one of ours holds: a clock may have been wrong.
        if valid and now - KEPT_FOR < until <= now + KNOWN_FOR:
            kept[host] = (name, float(until))
    return kept


def _without_token(environment: TrackerEnvironment) -> TrackerClientFactory:
    def connect(api: str, sources: Sources | None, limits: RateLimitRule | None = None) -> Client:  # noqa: ARG001
        return environment.connect(api, None, limits)

    return connect
