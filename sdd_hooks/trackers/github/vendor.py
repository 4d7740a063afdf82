"""GitHub as a tracker, in the cloud and as Enterprise Server: addresses, tokens, rate limits."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.hosts.gitea import is_gitea_job
from sdd_hooks.hosts.github import CLOUD, LABEL, api_url, graphql_url, rate_limit, token_headers
from sdd_hooks.remote.urls import parse_endpoint, parse_remote
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.github.tracker import GitHubTracker
from sdd_hooks.trackers.hosted import checked_location, invalid_url
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import TokenSources

_HOSTS = frozenset({"github.com", "www.github.com", "ssh.github.com", "api.github.com"})
_OWNER = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_PROJECT = lazy_regex(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII)


def _sources(environ: Mapping[str, str]) -> TokenSources:
    """The places where tokens of GitHub are found."""
    from sdd_hooks.remote.credentials import TokenSources, TokenVariables

    server, home = ("GITHUB_SERVER_URL",), ("github.com",)
    # In a Gitea job GITHUB_SERVER_URL is the Gitea, and GH_TOKEN does not belong to it.
    token_hosts = () if is_gitea_job(environ) else server
    return TokenSources(
        variables=(
            TokenVariables(("GITHUB_TOKEN",), hosts=server, homes=home),
            TokenVariables(("GH_TOKEN",), hosts=token_hosts, homes=home),
            TokenVariables(("GH_ENTERPRISE_TOKEN",), hosts=("GH_HOST",)),
        ),
        headers=token_headers,
        advice="set GITHUB_TOKEN, or run `gh auth login`",
        git=True,
        commands=lambda host: (("gh", "auth", "token", "--hostname", host),),
        site=_site,
    )


def _site(host: str) -> str:
    """The host whose tokens the API on `host` accepts."""
    site = host.removeprefix("api.")
    return site if site == "github.com" or site.endswith(".ghe.com") else host


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> GitHubTracker:
    """Open a repository."""
    api = api_url(location.url)
    client = environment.connect(api, _sources(environment.repository.environ), rate_limit)
    return GitHubTracker(location, client, graphql_url(api))


def _locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
    """The declared repository, completed from its URL, then from an origin on the same host."""
    declared = parse_remote(settings.url) if settings.url else None
    if settings.url:
        url = _base(settings.url)
    elif not (settings.owner and settings.repo) and repository.origin is not None:
        url = _base(repository.origin.web_base)
    else:
        url = CLOUD
    remote = declared if declared is not None and declared.owner else None
    if remote is None and not (settings.owner and settings.repo):
        origin = repository.origin
        remote = origin if origin is not None and _base(origin.web_base) == url else None
    owner = settings.owner or (remote.owner if remote else "")
    project = settings.repo or (remote.name if remote and remote.owner else "")
    location = TrackerLocation(url, owner, project)
    return checked_location(LABEL, location, owners=_OWNER, projects=_PROJECT)


def _base(url: str) -> str:
    """The web address of the host. Raises SddError for an invalid address."""
    endpoint = parse_endpoint(url)
    if endpoint is None:
        raise invalid_url(LABEL)
    return CLOUD if endpoint.host in _HOSTS else str(endpoint)


def _detect(repository: TrackedRepository) -> TrackerLocation | None:
    """The repository of an origin on github.com; None for other origins."""
    origin = repository.origin
    if origin is None or origin.host not in _HOSTS:
        return None
    if not _OWNER.fullmatch(origin.owner) or not _PROJECT.fullmatch(origin.name):
        return None
    return TrackerLocation(CLOUD, origin.owner, origin.name)


VENDOR = TrackerVendor(
    LABEL,
    _open,
    _locate,
    _detect,
    token_variables=("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN"),
    token_sources=_sources,
)
