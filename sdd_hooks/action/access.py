"""How the token of a job reaches the host that runs it, for git and for its API, and no other."""

# Governing: ADR-0019 (a token belongs to one host), ADR-0024 (the action is a command)

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from sdd_hooks.forges.protocol import ForgeClientFactory
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.remote.urls import parse_endpoint

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Secret
    from sdd_hooks.remote.response import RateLimitRule

NAMED = "the token of the job"
"""What people call it, in messages."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_COUNT = "GIT_CONFIG_COUNT"


def access(ci_job: CiJob | None, token: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    """What git's environment has to have besides for the token to be sent to the job's own host.

    `environ` is what it is added to, whose own configuration stays. Nothing without a token, and
    outside a job. How git is given a header for one host alone:
    https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpextraHeader
    """
    end = parse_endpoint(ci_job.context.web_url) if ci_job else None
    if ci_job is None or end is None or not token or not ci_job.context.web_url.isprintable():
        return _NOTHING
    pair = b64encode(f"{ci_job.vendor.git_user}:{token}".encode()).decode()
    section = f"http.{ci_job.context.web_url.rstrip('/')}/"
    settings = (
        # The checkout may have left a header of its own, and a host refuses two.
        (f"{section}.extraHeader", ""),
        (f"{section}.extraHeader", f"Authorization: Basic {pair}"),
        (f"{section}.followRedirects", "false"),
    )
    first = _configured(environ)
    added = {_COUNT: str(first + len(settings))}
    for number, (key, value) in enumerate(settings, first):
        added[f"GIT_CONFIG_KEY_{number}"] = key
        added[f"GIT_CONFIG_VALUE_{number}"] = value
    return added


def connect_with(token: str, tell: Callable[[str], None] | None = None) -> ForgeClientFactory:
    """Clients of the API of a job's own host that carry its token, "" for none.

    `tell` is given each wait as a line.
    """

    def connect(
        api: str,
        *,
        label: str,
        headers: Callable[[Secret], Mapping[str, str]],
        limits: RateLimitRule | None = None,
        advice: str = "",
    ) -> Client:
        # Not before it is needed: it brings httpx.
        from sdd_hooks.remote.client import Client
        from sdd_hooks.remote.credentials import Secret

        secret = Secret(token, NAMED) if token else None
        return Client(
            api,
            label=label,
            headers=headers(secret) if secret else _NOTHING,
            secret=secret,
            advice=advice,
            limits=limits,
            tell=tell,
        )

    return connect


def _configured(environ: Mapping[str, str]) -> int:
    """How many settings the environment has already; git refuses a number that is none."""
    told = environ.get(_COUNT, "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) < 10 else 0
