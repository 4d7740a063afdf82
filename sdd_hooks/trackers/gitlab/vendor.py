"""GitLab as a tracker, in the cloud and self-managed: addresses, tokens, rate limits."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sdd_hooks.hosts.gitlab import API_PATH, CLOUD, LABEL, NAME_PATTERN, rate_limit
from sdd_hooks.remote.json_fields import field, text
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.gitlab.tracker import GitLabTracker
from sdd_hooks.trackers.hosted import checked_location, invalid_url
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Secret, TokenSources
    from sdd_hooks.remote.urls import RemoteUrl

_HOSTS = frozenset({"gitlab.com", "www.gitlab.com", "altssh.gitlab.com"})
_OWNER = lazy_regex(rf"{NAME_PATTERN}(?:/{NAME_PATTERN}){{0,20}}", re.ASCII)
_PROJECT = lazy_regex(NAME_PATTERN, re.ASCII)


def _sources(environ: Mapping[str, str]) -> TokenSources:
    """The places where tokens of GitLab are found."""
    from sdd_hooks.remote.credentials import TokenSources, TokenVariables

    advice = "set GITLAB_TOKEN to a token with the scope read_api, or run `glab auth login`"
    if environ.get("CI_JOB_TOKEN") and not environ.get("GITLAB_TOKEN"):
        advice = (
            "CI_JOB_TOKEN cannot read issues, set GITLAB_TOKEN to a token with the scope read_api"
        )
    return TokenSources(
        variables=(
            TokenVariables(
                ("GITLAB_TOKEN",), hosts=("GITLAB_HOST", "CI_SERVER_URL"), homes=("gitlab.com",)
            ),
        ),
        headers=_headers,
        advice=advice,
        git=True,
        stored=_stored,
    )


def _headers(secret: Secret) -> Mapping[str, str]:
    """OAuth tokens and personal tokens are accepted in different headers."""
    if secret.user == "oauth2":
        return {"Authorization": f"Bearer {secret.value}"}
    return {"PRIVATE-TOKEN": secret.value}


def _stored(host: str, environ: Mapping[str, str]) -> Secret | None:
    """The token that `glab auth login` stores for a host; None if there is none.

    https://docs.gitlab.com/cli/configuration/
    """
    from sdd_hooks.remote.credentials import Secret, read_store

    for path in _glab_files(environ):
        # glab writes tokens as `!!null glpat-…` so that they are not printed.
        entry = field(read_store(path, rb"!!null[ ]+(?=\S)"), "hosts", host)
        value = text(entry, "token").strip()
        if value:
            oauth = str(field(entry, "is_oauth2")).lower() == "true"
            return Secret(value, "glab", "oauth2" if oauth else "")
    return None


def _glab_files(environ: Mapping[str, str]) -> list[Path]:
    """The files in which glab may store its configuration, in the order of precedence."""
    folders = [Path(environ["GLAB_CONFIG_DIR"])] if environ.get("GLAB_CONFIG_DIR") else []
    if not folders and environ.get("XDG_CONFIG_HOME"):
        folders = [Path(environ["XDG_CONFIG_HOME"], "glab-cli")]
    if not folders and environ.get("HOME"):
        home = Path(environ["HOME"])
        folders = [home / ".config/glab-cli", home / "Library/Application Support/glab-cli"]
    return [folder / "config.yml" for folder in folders if folder.is_absolute()]


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> GitLabTracker:
    sources = _sources(environment.repository.environ)
    return GitLabTracker(
        location, environment.connect(f"{location.url}{API_PATH}", sources, rate_limit)
    )


def _locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
    """The declared project, completed from its URL, then from an origin on the same host."""
    origin = repository.origin
    if settings.url:
        url, path = _split_url(settings.url)
    elif origin is not None and not (settings.owner and settings.repo):
        url, path = _web(origin), ""
    else:
        url, path = CLOUD, ""
    if settings.owner and settings.repo:
        # The rest of the path is the path of GitLab on its host.
        below = path.removesuffix(f"{settings.owner}/{settings.repo}").strip("/")
        url, path = f"{url}/{below}" if below else url, ""
    elif "/" not in path and origin is not None and _web(origin) == url:
        path = origin.path
    owner = settings.owner or path.rpartition("/")[0]
    project = settings.repo or path.rpartition("/")[2]
    location = TrackerLocation(url, owner, project)
    return checked_location(LABEL, location, owners=_OWNER, projects=_PROJECT)


def _split_url(url: str) -> tuple[str, str]:
    """The address of a host, and a path on it. Raises SddError for an invalid address."""
    endpoint = parse_endpoint(url)
    path = urlsplit(url).path.strip("/").removesuffix(".git") if endpoint else ""
    if endpoint is None or (path and not _OWNER.fullmatch(path)):
        raise invalid_url(LABEL)
    return CLOUD if endpoint.host in _HOSTS else str(endpoint), path


def _web(origin: RemoteUrl) -> str:
    """The web address of an origin's host."""
    return CLOUD if origin.host in _HOSTS else origin.web_base


def _detect(repository: TrackedRepository) -> TrackerLocation | None:
    """The project of an origin on gitlab.com or a host called `gitlab.…`."""
    origin = repository.origin
    if origin is None or not _is_project(origin):
        return None
    first, _, rest = origin.host.partition(".")
    is_gitlab = origin.host in _HOSTS or (first == "gitlab" and rest != "")
    return TrackerLocation(_web(origin), origin.owner, origin.name) if is_gitlab else None


def _probe(
    repository: TrackedRepository, environment: TrackerEnvironment
) -> TrackerLocation | None:
    """The project of an origin whose host sends GitLab's headers, without a token."""
    origin = repository.origin
    if origin is None or not _is_project(origin):
        return None
    client = environment.connect(f"{origin.web_base}{API_PATH}", None)
    try:
        response = client.get("version", allow=(401, 403, 404))
    finally:
        client.close()
    is_gitlab = "x-gitlab-meta" in response.headers
    return TrackerLocation(origin.web_base, origin.owner, origin.name) if is_gitlab else None


def _is_project(origin: RemoteUrl) -> bool:
    return bool(_OWNER.fullmatch(origin.owner) and _PROJECT.fullmatch(origin.name))


VENDOR = TrackerVendor(
    LABEL,
    _open,
    _locate,
    _detect,
    _probe,
    token_variables=("GITLAB_TOKEN",),
    token_sources=_sources,
)
