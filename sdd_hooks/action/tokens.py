"""The tokens of a job: each is sent to its own host, by git and by HTTP, and to no other."""

# Governing: ADR-0019 (a token belongs to one host), ADR-0024 (the action is a command)

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.urls import parse_endpoint

if TYPE_CHECKING:
    from sdd_hooks.forges.protocol import ForgeClientFactory
    from sdd_hooks.forges.registry import CiJob
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Secret
    from sdd_hooks.remote.response import RateLimitRule
    from sdd_hooks.trackers.source import TrackerSource

JOB_TOKEN, TRACKER_TOKEN = "SDD_TOKEN", "SDD_TRACKER_TOKEN"
"""The variables that hold the tokens."""
# Some runners set every input of an action a second time.
_DUPLICATES = ("INPUT_TOKEN", "INPUT_TRACKER-TOKEN", "INPUT_TRACKER_TOKEN")

DISPLAY_NAME = "the token of the job"
"""What messages call it."""

_EMPTY: Mapping[str, str] = MappingProxyType({})
_COUNT = "GIT_CONFIG_COUNT"


class Tokens(NamedTuple):
    """The tokens of a job, "" for one that was not given.

    `token` belongs to the forge that runs the job, `tracker_token` to the tracker.
    """

    token: str = ""
    tracker_token: str = ""

    def __repr__(self) -> str:
        return "Tokens()"


def take_tokens(environ: MutableMapping[str, str]) -> Tokens:
    """Remove the tokens from the environment, so that no child process inherits them."""
    names = (JOB_TOKEN, TRACKER_TOKEN, *_DUPLICATES)
    values = [environ.pop(name, "").strip() for name in names]
    return Tokens(*values[:2])


def select_tracker_token(
    tokens: Tokens,
    source: TrackerSource,
    sources: Sequence[TrackerSource],
    ci_job: CiJob | None,
) -> Secret | None:
    """The token that belongs to the tracker of `source`, with its name for messages, if any.

    `tracker_token` belongs to the tracker of the repository (the first of all `sources`; without
    one, that of the first module that has one), and to other sources on the same host.
    """
    # Imported here because it imports what a review does not need.
    from sdd_hooks.remote.credentials import Secret

    if tokens.tracker_token and _tracker_host(source) == _tracker_host(sources[0]):
        return Secret(tokens.tracker_token, TRACKER_TOKEN)
    if ci_job is None or not tokens.token:
        return None
    forge_host = (ci_job.name, parse_endpoint(ci_job.context.web_url))
    return Secret(tokens.token, DISPLAY_NAME) if _tracker_host(source) == forge_host else None


def git_access(ci_job: CiJob | None, token: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    """Variables with which git sends the token to the host of the job, and to no other host.

    They are added to `environ`, whose own git configuration stays in force. Empty without a token
    and outside a job. How git takes a header for one host:
    https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpextraHeader
    """
    endpoint = parse_endpoint(ci_job.context.web_url) if ci_job else None
    if ci_job is None or endpoint is None or not token or not ci_job.context.web_url.isprintable():
        return _EMPTY
    credentials = b64encode(f"{ci_job.vendor.git_user}:{token}".encode()).decode()
    section = f"http.{ci_job.context.web_url.rstrip('/')}/"
    settings = (
        # The checkout may have configured another header, and a host refuses two.
        (f"{section}.extraHeader", ""),
        (f"{section}.extraHeader", f"Authorization: Basic {credentials}"),
        (f"{section}.followRedirects", "false"),
    )
    first = _count_settings(environ)
    variables = {_COUNT: str(first + len(settings))}
    for number, (key, value) in enumerate(settings, first):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def client_factory(token: str, on_wait: Callable[[str], None] | None = None) -> ForgeClientFactory:
    """A factory of API clients that send the token ("": none) to the host of the job.

    `on_wait` is called with a line about each wait.
    """

    def connect(
        api: str,
        *,
        label: str,
        headers: Callable[[Secret], Mapping[str, str]],
        rate_limit: RateLimitRule | None = None,
        advice: str = "",
    ) -> Client:
        # Imported here because it imports httpx.
        from sdd_hooks.remote.client import Access, Client, Waiting
        from sdd_hooks.remote.credentials import Secret

        secret = Secret(token, DISPLAY_NAME) if token else None
        access = Access(headers(secret) if secret else _EMPTY, secret, advice)
        waiting = Waiting(on_wait=on_wait)
        return Client(api, label=label, access=access, rate_limit=rate_limit, waiting=waiting)

    return connect


def _tracker_host(source: TrackerSource) -> tuple[str, object]:
    """A tracker by its registered name and the endpoint of its host."""
    return source.tracker.name, parse_endpoint(source.tracker.location.url)


def _count_settings(environ: Mapping[str, str]) -> int:
    """How many git settings the environment has; git refuses a count that is no number."""
    count = environ.get(_COUNT, "")
    return int(count) if count.isascii() and count.isdecimal() and len(count) < 10 else 0
