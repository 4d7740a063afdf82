"""Jira Cloud, Server and Data Center as trackers: addresses, tokens, rate limits."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.hosted import invalid_url
from sdd_hooks.trackers.jira.payloads import LABEL, PROJECT_KEY
from sdd_hooks.trackers.jira.site import CLOUD_DOMAIN, JiraSite
from sdd_hooks.trackers.jira.tracker import INDEXING_SECONDS, JiraTracker
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.credentials import Secret, TokenSources
    from sdd_hooks.remote.response import RateLimit, Response

URL_VARIABLES = ("JIRA_URL", "JIRA_BASE_URL")
"""Environment variables with the address of Jira, to which its token belongs."""

_PAGE = lazy_regex(r"/(?:browse|projects|secure|rest)(?:/.*)?\Z")
_PATH = lazy_regex(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*", re.ASCII)


def rate_limit(response: Response, now: float) -> RateLimit | None:  # noqa: ARG001
    """Recognise Jira's limits: 429, until `X-RateLimit-Reset`.

    https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
    """
    from sdd_hooks.remote.response import RateLimit

    if response.status != 429:
        return None
    return RateLimit(parse_epoch(response.headers.get("x-ratelimit-reset", "")))


def _sources() -> TokenSources:
    """The places where tokens of Jira are found. A personal access token belongs to one server."""
    from sdd_hooks.remote.credentials import TokenSources, TokenVariables

    return TokenSources(
        variables=(
            TokenVariables(
                ("JIRA_EMAIL", "JIRA_API_TOKEN"), hosts=URL_VARIABLES, homes=(f"*{CLOUD_DOMAIN}",)
            ),
            TokenVariables(("JIRA_PAT",), hosts=URL_VARIABLES),
        ),
        headers=_headers,
        advice="set JIRA_EMAIL and JIRA_API_TOKEN, or JIRA_PAT for a server of your own",
    )


def _headers(secret: Secret) -> Mapping[str, str]:
    if not secret.user:
        return {"Authorization": f"Bearer {secret.value}"}
    pair = b64encode(f"{secret.user}:{secret.value}".encode()).decode("ascii")
    return {"Authorization": f"Basic {pair}"}


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> JiraTracker:
    client = environment.connect(location.url, _sources(), rate_limit)
    return JiraTracker(JiraSite(location.url, client), location.project)


def _locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
    """The declared project; the environment may supply the address."""
    key = settings.project_key.strip().upper()
    if not key:
        raise SddError(
            f"{LABEL} needs to know which project: write `- **Project Key**: SHOP` under"
            " `#### Tracker`, with the letters before the number of your issues"
        )
    if not PROJECT_KEY.fullmatch(key):
        shown = one_line(settings.project_key)[:100]
        raise SddError(
            f"Project Key cannot be {shown!r} in {LABEL}: write the letters before the number of"
            " an issue, such as `- **Project Key**: SHOP`"
        )
    urls = (repository.environ.get(name, "").strip() for name in URL_VARIABLES)
    url = settings.url.strip() or next(filter(None, urls), "")
    if not url:
        raise SddError(
            f"{LABEL} needs to know where it is: write `- **URL**: https://acme.atlassian.net`"
            " under `#### Tracker`, with the address of your site"
        )
    return TrackerLocation(_base(url), "", key)


def _base(url: str) -> str:
    """The address of a Jira site from the address of any of its pages. Raises SddError if invalid.

    A server may be below a path; Cloud never is.
    """
    url = url if "://" in url else f"https://{url}"
    endpoint = parse_endpoint(url)
    is_server = endpoint is not None and not endpoint.host.endswith(CLOUD_DOMAIN)
    path = re.split("[?#]", url)[0] if is_server else ""
    path = _PAGE.sub("", "/" + path.partition("://")[2].partition("/")[2]).rstrip("/")
    if endpoint is None or not _PATH.fullmatch(path):
        raise invalid_url(LABEL)
    return f"{endpoint}{path}"


VENDOR = TrackerVendor(
    LABEL,
    _open,
    _locate,
    token_variables=("JIRA_API_TOKEN", "JIRA_PAT"),
    hides_comments=False,
    group_kind="epic",
    listing_delay=INDEXING_SECONDS,
    closing="{}",
)
