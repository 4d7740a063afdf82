"""Gitea and Forgejo as trackers: addresses of servers and repositories, and tokens."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.hosts.gitea import API_PATH, LABEL, is_gitea_job
from sdd_hooks.remote.json_fields import Json, number, rows, text
from sdd_hooks.remote.urls import RemoteUrl, parse_endpoint
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.gitea.tracker import GiteaTracker
from sdd_hooks.trackers.hosted import checked_location, invalid_url, missing_setting
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Secret, TokenSources
    from sdd_hooks.remote.response import Response

_HOSTS = frozenset({"codeberg.org", "gitea.com"})
_NAME = lazy_regex(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII)
_ADDRESS = lazy_regex(
    r"(https?://[^/?#]*)((?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)*)/*", re.ASCII | re.IGNORECASE
)
_URLS = ("GITEA_URL", "GITEA_SERVER_URL")
_RUNNER = ("GITHUB_SERVER_URL", "GITHUB_API_URL")
_SIGN_IN = "Only signed in user is allowed to call APIs."
"""The message of a server that refuses every request without a token."""
_REFUSALS = range(400, 500)


def _sources(environ: Mapping[str, str]) -> TokenSources:
    """The places where tokens of Gitea are found.

    A token is valid on one server, so it is sent only to a host that the environment names.
    """
    from sdd_hooks.remote.credentials import TokenSources, TokenVariables

    variables = [TokenVariables(("GITEA_TOKEN",), hosts=_URLS)]
    if is_gitea_job(environ):
        variables.append(TokenVariables(("GITHUB_TOKEN",), hosts=_RUNNER))
    return TokenSources(
        variables=tuple(variables),
        headers=_headers,
        advice="set GITEA_TOKEN and GITEA_URL, or run `tea login add` (a wrong token may look like"
        " a missing repository)",
        git=True,
        stored=_tea,
    )


def _headers(secret: Secret) -> dict[str, str]:
    """Basic authentication for a secret with a user: it may be a password, and the server accepts
    a token as the password, too."""
    if not secret.user:
        return {"Authorization": f"token {secret.value}"}
    pair = f"{secret.user}:{secret.value}".encode()
    return {"Authorization": f"Basic {b64encode(pair).decode()}"}


def _tea(host: str, environ: Mapping[str, str]) -> Secret | None:
    """The token that tea, Gitea's command-line program, stores for a host."""
    from sdd_hooks.remote.credentials import Secret, read_store

    for path in _tea_files(environ):
        for login in rows(read_store(path), "logins"):
            endpoint = parse_endpoint(text(login, "url"))
            token = text(login, "token").strip()
            if endpoint is not None and endpoint.netloc == host and token:
                return Secret(token, "tea")
    return None


def _tea_files(environ: Mapping[str, str]) -> list[Path]:
    """The files in which tea stores its logins, on Linux and on macOS."""
    home = environ.get("HOME", "")
    folders = [environ.get("XDG_CONFIG_HOME", "")]
    folders += [f"{home}/.config", f"{home}/Library/Application Support"] if home else []
    return [Path(folder, "tea", "config.yml") for folder in folders if folder.startswith("/")]


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> GiteaTracker:
    """Open a repository."""
    sources = _sources(environment.repository.environ)
    return GiteaTracker(location, environment.connect(f"{location.url}{API_PATH}", sources))


def _locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
    """The declared repository, completed from the origin."""
    origin = _origin_repository(repository)
    owner = settings.owner or (origin.owner if origin else "")
    project = settings.repo or (origin.project if origin else "")
    url = origin.url if origin else ""
    if settings.url:
        # The URL may be the address of the repository.
        url = re.sub(rf"/{re.escape(owner)}/{re.escape(project)}\Z", "", _base(settings.url))
        if not url:
            raise invalid_url(LABEL)
    if not url:
        raise missing_setting(LABEL, "URL")
    location = TrackerLocation(url, owner, project)
    return checked_location(LABEL, location, owners=_NAME, projects=_NAME)


def _base(url: str) -> str:
    """The web address of a server, which may be below a path; "" for an invalid address."""
    match = _ADDRESS.fullmatch(url if "://" in url else f"https://{url}")
    endpoint = parse_endpoint(match[1]) if match else None
    return f"{endpoint}{match[2]}" if match and endpoint else ""


def _parse_origin(origin: RemoteUrl | None) -> TrackerLocation | None:
    """The repository of an origin on any host; None if its path has no owner and project."""
    if origin is None:
        return None
    *above, owner, project = ["", *origin.path.split("/")]
    if not _NAME.fullmatch(owner) or not _NAME.fullmatch(project):
        return None
    # An HTTP path may include the path of the server; an SSH path does not.
    below = "/".join(above) if origin.scheme in {"http", "https"} else ""
    return TrackerLocation(f"{origin.web_base}{below}", owner, project)


def _detect(repository: TrackedRepository) -> TrackerLocation | None:
    """The repository of an origin whose host is known, called `gitea.…`, or in the environment."""
    origin = repository.origin
    if origin is None:
        return None
    by_name = origin.host in _HOSTS or origin.host.partition(".")[0] == "gitea"
    return _origin_repository(repository) if by_name or _server_from_environ(repository) else None


def _origin_repository(repository: TrackedRepository) -> TrackerLocation | None:
    """The repository of the origin. The environment's address of the server takes precedence: an
    SSH address does not tell the web address."""
    location = _parse_origin(repository.origin)
    return location and location._replace(url=_server_from_environ(repository) or location.url)


def _server_from_environ(repository: TrackedRepository) -> str:
    """The address of the origin's server from the environment, else ""."""
    names = (*_URLS, _RUNNER[0]) if is_gitea_job(repository.environ) else _URLS
    for name in names:
        url = _base(repository.environ.get(name, ""))
        server = parse_endpoint(url)
        if (
            server is not None
            and repository.origin is not None
            and server.host == repository.origin.host
        ):
            return url
    return ""


def _probe(
    repository: TrackedRepository, environment: TrackerEnvironment
) -> TrackerLocation | None:
    """The repository of an origin whose host has the API of Gitea."""
    location = _parse_origin(repository.origin)
    if location is None:
        return None
    client = environment.connect(f"{location.url}{API_PATH}", None)
    try:
        version = client.get("version", allow=_REFUSALS)
        if text(_parse_json(version), "message") == _SIGN_IN:
            return location
        if not text(_parse_json(version), "version"):
            return None
        # Other products have a version at the same path, but not these settings.
        settings = client.get("settings/api", allow=_REFUSALS)
        return location if number(_parse_json(settings), "max_response_items") else None
    finally:
        client.close()


def _parse_json(response: Response) -> Json:
    """The JSON of a response; None for a body that is not JSON."""
    try:
        return response.json()
    except RemoteError:
        return None


VENDOR = TrackerVendor(
    LABEL,
    _open,
    _locate,
    _detect,
    _probe,
    aliases=("Forgejo", "Codeberg"),
    token_variables=("GITEA_TOKEN", "GITHUB_TOKEN"),
    token_sources=_sources,
)
