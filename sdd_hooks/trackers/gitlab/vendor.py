"""GitLab, in its cloud and on hosts of one's own: where it is, and who may ask it how often."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sdd_hooks.remote.json_fields import field, text
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.trackers.declared_project import no_address, whose
from sdd_hooks.trackers.gitlab.listing import LABEL
from sdd_hooks.trackers.gitlab.project import GitLab
from sdd_hooks.trackers.protocol import Around, Machine, Vendor, Where

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Secret, Sources
    from sdd_hooks.remote.response import Answer, Wait
    from sdd_hooks.remote.urls import RemoteUrl

CLOUD = "https://gitlab.com"
LARGEST_STORE = 100_000
"""Bytes of the file in which `glab` keeps its tokens, and much more than it has."""

_HOSTS = frozenset({"gitlab.com", "www.gitlab.com", "altssh.gitlab.com"})
_NAME = r"(?!\.{1,2}(?:/|\Z))[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}"
_OWNER = re.compile(rf"{_NAME}(?:/{_NAME}){{0,20}}", re.ASCII)
_PROJECT = re.compile(_NAME, re.ASCII)


def rate_limit(answer: Answer, _now: float) -> Wait | None:
    """GitLab's limits: 429, until `RateLimit-Reset` where there is no `Retry-After`.

    https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/
    """
    from sdd_hooks.remote.response import out_of_quota

    return out_of_quota(answer, "ratelimit", frozenset({429}))


def _sources(environ: Mapping[str, str]) -> Sources:
    """Where GitLab's tokens are."""
    from sdd_hooks.remote.credentials import Sources, Variables

    advice = "set GITLAB_TOKEN to a token with the scope read_api, or run `glab auth login`"
    if environ.get("CI_JOB_TOKEN") and not environ.get("GITLAB_TOKEN"):
        advice = (
            "CI_JOB_TOKEN cannot read issues, set GITLAB_TOKEN to a token with the scope read_api"
        )
    return Sources(
        variables=(
            Variables(
                ("GITLAB_TOKEN",), hosts=("GITLAB_HOST", "CI_SERVER_URL"), homes=("gitlab.com",)
            ),
        ),
        headers=_headers,
        advice=advice,
        git=True,
        stored=stored_by_glab,
    )


def _headers(secret: Secret) -> Mapping[str, str]:
    """Tokens that OAuth made are not taken where those are that people made."""
    if secret.user == "oauth2":
        return {"Authorization": f"Bearer {secret.value}"}
    return {"PRIVATE-TOKEN": secret.value}


def stored_by_glab(host: str, environ: Mapping[str, str]) -> Secret | None:
    """The token that `glab auth login` keeps for a host; None where there is none.

    https://docs.gitlab.com/cli/configuration/
    """
    from sdd_hooks.remote.credentials import Secret

    for path in _stores(environ):
        kept = field(_read_store(path), "hosts", host)
        value = text(kept, "token").strip()
        if value:
            oauth = str(field(kept, "is_oauth2")).lower() == "true"
            return Secret(value, "glab", "oauth2" if oauth else "")
    return None


def _stores(environ: Mapping[str, str]) -> list[Path]:
    """Where `glab` may keep its configuration, the first before the others."""
    named = [Path(environ["GLAB_CONFIG_DIR"])] if environ.get("GLAB_CONFIG_DIR") else []
    if not named and environ.get("XDG_CONFIG_HOME"):
        named = [Path(environ["XDG_CONFIG_HOME"], "glab-cli")]
    if not named and environ.get("HOME"):
        home = Path(environ["HOME"])
        named = [home / ".config/glab-cli", home / "Library/Application Support/glab-cli"]
    return [path / "config.yml" for path in named if path.is_absolute()]


def _read_store(path: Path) -> object:
    """What is in the file; None where it is no such file."""
    import yaml

    try:
        if not path.is_file() or path.stat().st_size > LARGEST_STORE:
            return None
        # It writes its tokens as `!!null glpat-…`, so that they are not printed.
        plain = re.sub(r"!!null[ ]+(?=\S)", "", path.read_text(encoding="utf-8"))
        return yaml.safe_load(plain)
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _open(where: Where, machine: Machine) -> GitLab:
    sources = _sources(machine.around.environ)
    return GitLab(where, machine.connect(f"{where.url}/api/v4", sources, rate_limit))


def _declared(settings: TrackerSettings, around: Around) -> Where:
    """What the settings say, filled in from their URL, then from an origin on the same host."""
    origin = around.origin
    if settings.url:
        url, path = _parts(settings.url)
    elif origin is not None and not (settings.owner and settings.repo):
        url, path = _web(origin), ""
    else:
        url, path = CLOUD, ""
    if settings.owner and settings.repo:
        # What the address has besides is where GitLab is on its host.
        below = path.removesuffix(f"{settings.owner}/{settings.repo}").strip("/")
        url, path = f"{url}/{below}" if below else url, ""
    elif "/" not in path and origin is not None and _web(origin) == url:
        path = origin.path
    owner = settings.owner or path.rpartition("/")[0]
    project = settings.repo or path.rpartition("/")[2]
    return whose(LABEL, url, owner, project, owners=_OWNER, projects=_PROJECT)


def _parts(url: str) -> tuple[str, str]:
    """The address of a host, and a path on it. Raises SddError for what is no address."""
    found = parse_endpoint(url)
    path = urlsplit(url).path.strip("/").removesuffix(".git") if found else ""
    if found is None or (path and not _OWNER.fullmatch(path)):
        raise no_address(LABEL)
    return CLOUD if found.host in _HOSTS else str(found), path


def _web(origin: RemoteUrl) -> str:
    """The address of an origin's host for people."""
    return CLOUD if origin.host in _HOSTS else origin.web


def _detected(around: Around) -> Where | None:
    """The project that an origin on a host called GitLab is."""
    origin = around.origin
    if origin is None or not _is_project(origin):
        return None
    first, _, rest = origin.host.partition(".")
    named = origin.host in _HOSTS or (first == "gitlab" and rest != "")
    return Where(_web(origin), origin.owner, origin.name) if named else None


def _asked(around: Around, machine: Machine) -> Where | None:
    """The project, where the host of the origin answers as GitLab does, to nobody in particular."""
    origin = around.origin
    if origin is None or not _is_project(origin):
        return None
    client = machine.connect(f"{origin.web}/api/v4", None)
    try:
        answer = client.get("version", allow=(401, 403, 404))
    finally:
        client.close()
    told = "x-gitlab-meta" in answer.headers
    return Where(origin.web, origin.owner, origin.name) if told else None


def _is_project(origin: RemoteUrl) -> bool:
    return bool(_OWNER.fullmatch(origin.owner) and _PROJECT.fullmatch(origin.name))


VENDOR = Vendor(LABEL, _open, _declared, _detected, _asked, tokens=("GITLAB_TOKEN",))
