"""Gitea and Forgejo: where a server and a repository of it are, and whose token goes there."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json, number, rows, text
from sdd_hooks.remote.runners import is_giteas
from sdd_hooks.remote.urls import RemoteUrl, parse_endpoint
from sdd_hooks.trackers.declared_project import missing, no_address, whose
from sdd_hooks.trackers.gitea.repository import LABEL, Gitea
from sdd_hooks.trackers.protocol import Around, Machine, Vendor, Where

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Secret, Sources
    from sdd_hooks.remote.response import Answer

API = "/api/v1"

_HOSTS = frozenset({"codeberg.org", "gitea.com"})
_NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}", re.ASCII)
_ADDRESS = re.compile(
    r"(https?://[^/?#]*)((?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)*)/*", re.ASCII | re.IGNORECASE
)
_URLS = ("GITEA_URL", "GITEA_SERVER_URL")
_RUNNER = ("GITHUB_SERVER_URL", "GITHUB_API_URL")
_SIGN_IN = "Only signed in user is allowed to call APIs."
"""What a server says that shows nothing to strangers."""
_REFUSALS = range(400, 500)
_LARGEST = 1_000_000
"""Bytes of tea's configuration that are read."""


def _sources(environ: Mapping[str, str]) -> Sources:
    """Where Gitea's tokens are. A token of one server means nothing on another, so that none goes
    to a host that the environment does not name."""
    from sdd_hooks.remote.credentials import Sources, Variables

    variables = [Variables(("GITEA_TOKEN",), hosts=_URLS)]
    if is_giteas(environ):
        variables.append(Variables(("GITHUB_TOKEN",), hosts=_RUNNER))
    return Sources(
        variables=tuple(variables),
        headers=_headers,
        advice="set GITEA_TOKEN and GITEA_URL, or run `tea login add` (a wrong token may look like"
        " a missing repository)",
        git=True,
        stored=_tea,
    )


def _headers(secret: Secret) -> dict[str, str]:
    """With a user it may be a password, and a token is taken as one, too."""
    if not secret.user:
        return {"Authorization": f"token {secret.value}"}
    pair = f"{secret.user}:{secret.value}".encode()
    return {"Authorization": f"Basic {b64encode(pair).decode()}"}


def _tea(host: str, environ: Mapping[str, str]) -> Secret | None:
    """The token that tea, Gitea's own program, keeps for a host."""
    from sdd_hooks.remote.credentials import Secret

    for path in _tea_files(environ):
        for login in rows(_yaml(path), "logins"):
            where = parse_endpoint(text(login, "url"))
            token = text(login, "token")
            if where is not None and where.netloc == host and token:
                return Secret(token, "tea")
    return None


def _tea_files(environ: Mapping[str, str]) -> list[Path]:
    """Where tea keeps its logins, on Linux and on macOS."""
    home = environ.get("HOME", "")
    folders = [environ.get("XDG_CONFIG_HOME", "")]
    folders += [f"{home}/.config", f"{home}/Library/Application Support"] if home else []
    return [Path(folder, "tea", "config.yml") for folder in folders if folder.startswith("/")]


def _yaml(path: Path) -> object:
    """What a file of YAML says; None where it is none."""
    import yaml

    try:
        with path.open("rb") as file:
            return yaml.safe_load(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _open(where: Where, machine: Machine) -> Gitea:
    """One repository."""
    sources = _sources(machine.around.environ)
    return Gitea(where, machine.connect(f"{where.url}{API}", sources))


def _declared(settings: TrackerSettings, around: Around) -> Where:
    """What the settings say, filled in from the origin."""
    found = _here(around)
    owner = settings.owner or (found.owner if found else "")
    project = settings.repo or (found.project if found else "")
    url = found.url if found else ""
    if settings.url:
        # Some write the address of the repository.
        url = re.sub(rf"/{re.escape(owner)}/{re.escape(project)}\Z", "", _base(settings.url))
        if not url:
            raise no_address(LABEL)
    if not url:
        raise missing(LABEL, "URL")
    return whose(LABEL, url, owner, project, owners=_NAME, projects=_NAME)


def _base(url: str) -> str:
    """The address of a server for people, which may be below a path; "" for what is none."""
    found = _ADDRESS.fullmatch(url if "://" in url else f"https://{url}")
    end = parse_endpoint(found[1]) if found else None
    return f"{end}{found[2]}" if found and end else ""


def _of(origin: RemoteUrl | None) -> Where | None:
    """The repository that an origin is, on whatever host; None where it cannot be one."""
    if origin is None:
        return None
    *above, owner, project = ["", *origin.path.split("/")]
    if not _NAME.fullmatch(owner) or not _NAME.fullmatch(project):
        return None
    # By http there may be a server below a path; by ssh a path means nothing for the web.
    below = "/".join(above) if origin.scheme in {"http", "https"} else ""
    return Where(f"{origin.web}{below}", owner, project)


def _detected(around: Around) -> Where | None:
    """The repository of an origin whose host is named like a Gitea, or by the environment."""
    origin = around.origin
    if origin is None:
        return None
    by_name = origin.host in _HOSTS or origin.host.partition(".")[0] == "gitea"
    return _here(around) if by_name or _named(around) else None


def _here(around: Around) -> Where | None:
    """The repository of the origin. Where its server is the environment knows better: an address
    for ssh says nothing about the web."""
    found = _of(around.origin)
    return found and found._replace(url=_named(around) or found.url)


def _named(around: Around) -> str:
    """The address of the origin's server, where the environment has it, else ""."""
    names = (*_URLS, _RUNNER[0]) if is_giteas(around.environ) else _URLS
    for name in names:
        url = _base(around.environ.get(name, ""))
        found = parse_endpoint(url)
        if found is not None and around.origin is not None and found.host == around.origin.host:
            return url
    return ""


def _asked(around: Around, machine: Machine) -> Where | None:
    """The repository of an origin whose host answers as a Gitea or a Forgejo does."""
    where = _of(around.origin)
    if where is None:
        return None
    client = machine.connect(f"{where.url}{API}", None)
    try:
        version = client.get("version", allow=_REFUSALS)
        if text(_json(version), "message") == _SIGN_IN:
            return where
        if not text(_json(version), "version"):
            return None
        # Others have a version at the same address; nobody else has these settings.
        settings = client.get("settings/api", allow=_REFUSALS)
        return where if number(_json(settings), "max_response_items") else None
    finally:
        client.close()


def _json(answer: Answer) -> Json:
    """What a host says, whoever it is; None for what is no JSON."""
    try:
        return answer.json()
    except RemoteError:
        return None


VENDOR = Vendor(
    LABEL,
    _open,
    _declared,
    _detected,
    _asked,
    aliases=("Forgejo", "Codeberg"),
    tokens=("GITEA_TOKEN", "GITHUB_TOKEN"),
)
