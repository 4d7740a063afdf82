"""GitHub as a tracker, in the cloud and as Enterprise Server: addresses, tokens, rate limits."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.remote.json_fields import rows, text
from sdd_hooks.remote.runners import is_giteas
from sdd_hooks.remote.urls import parse_endpoint, parse_remote
from sdd_hooks.trackers.declared_project import no_address, whose
from sdd_hooks.trackers.github.details import LABEL
from sdd_hooks.trackers.github.tracker import GitHubTracker
from sdd_hooks.trackers.protocol import Around, Machine, Vendor, Where

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Sources
    from sdd_hooks.remote.response import Answer, Wait

CLOUD = "https://github.com"

_HOSTS = frozenset({"github.com", "www.github.com", "ssh.github.com", "api.github.com"})
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_PROJECT = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII)
_SECONDARY_LIMIT_SECONDS = 60.0
"""How long to wait for a secondary limit without a time, as GitHub's guide recommends."""


def rate_limit(answer: Answer, now: float) -> Wait | None:
    """Recognise GitHub's quota, its secondary limits, and the limits of GraphQL (200 with errors).

    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    from sdd_hooks.remote.response import Wait, out_of_quota

    if answer.status == 200:
        # Other responses are large, and need not be parsed.
        if not answer.url.endswith("/graphql") or b"RATE_LIMIT" not in answer.body:
            return None
        kinds = {text(error, "type") for error in rows(answer.json(), "errors")}
        if not kinds & {"RATE_LIMITED", "RATE_LIMIT"}:
            return None
        return out_of_quota(answer, statuses=frozenset({200})) or Wait()
    # GraphQL returns a quota of 0 to requests without a token.
    if answer.status not in {403, 429} or answer.headers.get("x-ratelimit-limit") == "0":
        return None
    if b"secondary rate limit" in answer.body or b"abuse detection" in answer.body:
        return Wait(now + _SECONDARY_LIMIT_SECONDS)
    return out_of_quota(answer)


def _sources(environ: Mapping[str, str]) -> Sources:
    """The places where tokens of GitHub are found."""
    from sdd_hooks.remote.credentials import Sources, Variables

    server, home = ("GITHUB_SERVER_URL",), ("github.com",)
    # In a Gitea job GITHUB_SERVER_URL is the Gitea, and GH_TOKEN does not belong to it.
    token_hosts = () if is_giteas(environ) else server
    return Sources(
        variables=(
            Variables(("GITHUB_TOKEN",), hosts=server, homes=home),
            Variables(("GH_TOKEN",), hosts=token_hosts, homes=home),
            Variables(("GH_ENTERPRISE_TOKEN",), hosts=("GH_HOST",)),
        ),
        headers=lambda secret: {"Authorization": f"Bearer {secret.value}"},
        advice="set GITHUB_TOKEN, or run `gh auth login`",
        git=True,
        commands=lambda host: (("gh", "auth", "token", "--hostname", host),),
        site=_site,
    )


def _site(host: str) -> str:
    """The host whose tokens the API on `host` accepts."""
    site = host.removeprefix("api.")
    return site if site == "github.com" or site.endswith(".ghe.com") else host


def _open(where: Where, machine: Machine) -> GitHubTracker:
    """Open a repository. The cloud's API has a separate host; a server's API is below `/api`."""
    scheme, _, host = where.url.partition("://")
    if where.url == CLOUD or host.endswith(".ghe.com"):
        api = f"{scheme}://api.{host}"
        graphql = f"{api}/graphql"
    else:
        api, graphql = f"{where.url}/api/v3", f"{where.url}/api/graphql"
    return GitHubTracker(
        where, machine.connect(api, _sources(machine.around.environ), rate_limit), graphql
    )


def _declared(settings: TrackerSettings, around: Around) -> Where:
    """The declared repository, completed from its URL, then from an origin on the same host."""
    declared = parse_remote(settings.url) if settings.url else None
    if settings.url:
        url = _base(settings.url)
    elif around.origin is not None and not (settings.owner and settings.repo):
        url = _base(around.origin.web)
    else:
        url = CLOUD
    origin = around.origin if around.origin and _base(around.origin.web) == url else None
    remotes = [remote for remote in (declared, origin) if remote is not None and remote.owner]
    owner = settings.owner or next((remote.owner for remote in remotes), "")
    project = settings.repo or next((remote.name for remote in remotes), "")
    return whose(LABEL, url, owner, project, owners=_OWNER, projects=_PROJECT)


def _base(url: str) -> str:
    """The web address of the host. Raises SddError for an invalid address."""
    endpoint = parse_endpoint(url)
    if endpoint is None:
        raise no_address(LABEL)
    return CLOUD if endpoint.host in _HOSTS else str(endpoint)


def _detected(around: Around) -> Where | None:
    """The repository of an origin on github.com; None for other origins."""
    origin = around.origin
    if origin is None or origin.host not in _HOSTS:
        return None
    if not _OWNER.fullmatch(origin.owner) or not _PROJECT.fullmatch(origin.name):
        return None
    return Where(CLOUD, origin.owner, origin.name)


VENDOR = Vendor(
    LABEL,
    _open,
    _declared,
    _detected,
    tokens=("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN"),
)
