"""GitHub, in its cloud and as Enterprise Server: where it is, and who may ask it how often."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.remote.json_fields import rows, text
from sdd_hooks.remote.runners import is_giteas
from sdd_hooks.remote.urls import parse_endpoint, parse_remote
from sdd_hooks.trackers.declared_project import no_address, whose
from sdd_hooks.trackers.github.repository import LABEL, GitHub
from sdd_hooks.trackers.protocol import Around, Machine, Vendor, Where

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Sources
    from sdd_hooks.remote.response import Answer, Wait

CLOUD = "https://github.com"

_HOSTS = frozenset({"github.com", "www.github.com", "ssh.github.com", "api.github.com"})
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_PROJECT = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII)
_SECONDARY = 60.0
"""Seconds to wait for a secondary limit that does not say how long, as GitHub's guide has it."""


def rate_limit(answer: Answer, now: float) -> Wait | None:
    """GitHub's quota, its secondary limits, and GraphQL's, which come as 200 with errors.

    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    from sdd_hooks.remote.response import Wait, out_of_quota

    if answer.status == 200:
        # Other answers are large, and are not looked through.
        if not answer.url.endswith("/graphql") or b"RATE_LIMIT" not in answer.body:
            return None
        kinds = {text(error, "type") for error in rows(answer.json(), "errors")}
        if not kinds & {"RATE_LIMITED", "RATE_LIMIT"}:
            return None
        return out_of_quota(answer, statuses=frozenset({200})) or Wait()
    # A quota of none at all is what those without a token have of GraphQL.
    if answer.status not in {403, 429} or answer.headers.get("x-ratelimit-limit") == "0":
        return None
    if b"secondary rate limit" in answer.body or b"abuse detection" in answer.body:
        return Wait(now + _SECONDARY)
    return out_of_quota(answer)


def _sources(environ: Mapping[str, str]) -> Sources:
    """Where GitHub's tokens are."""
    from sdd_hooks.remote.credentials import Sources, Variables

    server, home = ("GITHUB_SERVER_URL",), ("github.com",)
    # In a job of Gitea's that variable names the Gitea, which GH_TOKEN has nothing to do with.
    around = () if is_giteas(environ) else server
    return Sources(
        variables=(
            Variables(("GITHUB_TOKEN",), hosts=server, homes=home),
            Variables(("GH_TOKEN",), hosts=around, homes=home),
            Variables(("GH_ENTERPRISE_TOKEN",), hosts=("GH_HOST",)),
        ),
        headers=lambda secret: {"Authorization": f"Bearer {secret.value}"},
        advice="set GITHUB_TOKEN, or run `gh auth login`",
        git=True,
        commands=lambda host: (("gh", "auth", "token", "--hostname", host),),
        site=_site,
    )


def _site(host: str) -> str:
    """The host whose tokens the API on `host` takes."""
    below = host.removeprefix("api.")
    return below if below == "github.com" or below.endswith(".ghe.com") else host


def _open(where: Where, machine: Machine) -> GitHub:
    """One repository. The API of the cloud is on a host of its own, that of a server below /api."""
    scheme, _, host = where.url.partition("://")
    if where.url == CLOUD or host.endswith(".ghe.com"):
        api = f"{scheme}://api.{host}"
        graphql = f"{api}/graphql"
    else:
        api, graphql = f"{where.url}/api/v3", f"{where.url}/api/graphql"
    return GitHub(
        where, machine.connect(api, _sources(machine.around.environ), rate_limit), graphql
    )


def _declared(settings: TrackerSettings, around: Around) -> Where:
    """What the settings say, filled in from their URL, then from an origin on the same host."""
    named = parse_remote(settings.url) if settings.url else None
    if settings.url:
        url = _base(settings.url)
    elif around.origin is not None and not (settings.owner and settings.repo):
        url = _base(around.origin.web)
    else:
        url = CLOUD
    origin = around.origin if around.origin and _base(around.origin.web) == url else None
    places = [place for place in (named, origin) if place is not None and place.owner]
    owner = settings.owner or next((place.owner for place in places), "")
    project = settings.repo or next((place.name for place in places), "")
    return whose(LABEL, url, owner, project, owners=_OWNER, projects=_PROJECT)


def _base(url: str) -> str:
    """The address of the host for people. Raises SddError for what is no address."""
    found = parse_endpoint(url)
    if found is None:
        raise no_address(LABEL)
    return CLOUD if found.host in _HOSTS else str(found)


def _detected(around: Around) -> Where | None:
    """The repository that an origin on github.com is."""
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
