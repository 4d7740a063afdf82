"""Jira, Cloud and Server or Data Center: where it is, and who may ask it how often."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.remote.json_fields import epoch
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.declared_project import no_address
from sdd_hooks.trackers.jira.payloads import LABEL, PROJECT_KEY
from sdd_hooks.trackers.jira.project import Jira
from sdd_hooks.trackers.jira.site import HOME, Site
from sdd_hooks.trackers.protocol import Around, Machine, Vendor, Where

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Secret, Sources
    from sdd_hooks.remote.response import Answer, Wait

HOSTS = ("JIRA_URL", "JIRA_BASE_URL")
"""Environment variables that say where Jira is, and so whose its token is."""

_PAGE = re.compile(r"/(?:browse|projects|secure|rest)(?:/.*)?\Z")
_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*", re.ASCII)


def rate_limit(answer: Answer, now: float) -> Wait | None:  # noqa: ARG001
    """Jira's limits, until when as a time: https://developer.atlassian.com/cloud/jira/platform/rate-limiting/"""
    from sdd_hooks.remote.response import Wait

    if answer.status != 429:
        return None
    return Wait(epoch(answer.headers.get("x-ratelimit-reset", "")))


def _sources() -> Sources:
    """Where Jira's tokens are. A personal access token is a server's, and each has its own."""
    from sdd_hooks.remote.credentials import Sources, Variables

    return Sources(
        variables=(
            Variables(("JIRA_EMAIL", "JIRA_API_TOKEN"), hosts=HOSTS, homes=(f"*{HOME}",)),
            Variables(("JIRA_PAT",), hosts=HOSTS),
        ),
        headers=_headers,
        advice="set JIRA_EMAIL and JIRA_API_TOKEN, or JIRA_PAT for a server of your own",
    )


def _headers(secret: Secret) -> Mapping[str, str]:
    if not secret.user:
        return {"Authorization": f"Bearer {secret.value}"}
    both = b64encode(f"{secret.user}:{secret.value}".encode()).decode("ascii")
    return {"Authorization": f"Basic {both}"}


def _open(where: Where, machine: Machine) -> Jira:
    return Jira(Site(where.url, machine.connect(where.url, _sources(), rate_limit)), where.project)


def _declared(settings: TrackerSettings, around: Around) -> Where:
    """What the settings say; the address may come from the environment."""
    key = settings.project_key.strip().upper()
    if not key:
        raise SddError(f"{LABEL} needs to know which project: add Project Key to `#### Tracker`")
    if not PROJECT_KEY.fullmatch(key):
        shown = one_line(settings.project_key)[:100]
        raise SddError(f"{shown!r} is no key of a project in {LABEL}: correct Project Key")
    told = (around.environ.get(name, "").strip() for name in HOSTS)
    url = settings.url.strip() or next(filter(None, told), "")
    if not url:
        raise SddError(f"{LABEL} needs to know where it is: add URL to `#### Tracker`")
    return Where(_base(url), "", key)


def _base(url: str) -> str:
    """The address of a Jira, of which any page of it may be given. Raises SddError for no address.

    A server may be below a path; Cloud never is.
    """
    url = url if "://" in url else f"https://{url}"
    end = parse_endpoint(url)
    path = "" if end is None or end.host.endswith(HOME) else re.split("[?#]", url)[0]
    path = _PAGE.sub("", "/" + path.partition("://")[2].partition("/")[2]).rstrip("/")
    if end is None or not _PATH.fullmatch(path):
        raise no_address(LABEL)
    return f"{end}{path}"


VENDOR = Vendor(LABEL, _open, _declared, tokens=("JIRA_API_TOKEN", "JIRA_PAT"))
