"""Linear as a tracker: the declared team, the address of the API, tokens, rate limits.

The API has one public address. Another address (a recording proxy, a server in a test) can only be
set in the environment, as `LINEAR_API_URL`, and not by files of a repository.
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sdd_hooks.errors import SddError
from sdd_hooks.remote.json_fields import rows, text
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.linear.tracker import LABEL, LinearTracker
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

WEB = "https://linear.app"
API = "https://api.linear.app/graphql"
API_VARIABLE = "LINEAR_API_URL"

_TEAM = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_WORKSPACE = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_BUDGETS = ("x-ratelimit-requests", "x-ratelimit-endpoint-requests", "x-ratelimit-complexity")


def rate_limit(response: Response, _now: float) -> RateLimit | None:
    """Recognise Linear's limits: an error RATELIMITED, until the spent budgets are reset.

    https://linear.app/developers/rate-limiting
    """
    from sdd_hooks.remote.response import RateLimit, out_of_quota

    if response.status not in {400, 429} or b"RATELIMITED" not in response.body:
        return None
    codes = {text(error, "extensions", "code") for error in rows(response.json(), "errors")}
    if "RATELIMITED" not in codes:
        return None
    spent = (out_of_quota(response, budget, frozenset({response.status})) for budget in _BUDGETS)
    ends = [wait.until for wait in spent if wait is not None and wait.until is not None]
    return RateLimit(max(ends)) if ends else RateLimit()


def _sources() -> TokenSources:
    """The places where tokens of Linear are found."""
    from sdd_hooks.remote.credentials import TokenSources, TokenVariables

    return TokenSources(
        variables=(
            TokenVariables(("LINEAR_API_KEY",), hosts=(API_VARIABLE,), homes=("api.linear.app",)),
        ),
        headers=_headers,
        advice="set LINEAR_API_KEY to a key from Linear's settings, Security & access",
    )


def _headers(secret: Secret) -> Mapping[str, str]:
    """An API key is sent without a scheme; any other token is an OAuth token."""
    is_api_key = secret.value.startswith("lin_api_")
    return {"Authorization": secret.value if is_api_key else f"Bearer {secret.value}"}


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> LinearTracker:
    api = environment.repository.environ.get(API_VARIABLE, "").strip() or API
    return LinearTracker(location, environment.connect(api, _sources(), rate_limit))


def _locate(settings: TrackerSettings, _around: TrackedRepository) -> TrackerLocation:
    """The team of `Team ID`: its key, or its UUID. An origin does not identify a team."""
    team = settings.team_id.strip()
    if not team:
        raise SddError(f"{LABEL} needs a Team ID: write `- **Team ID**: ENG` under `#### Tracker`")
    if not _TEAM.fullmatch(team):
        raise SddError(
            f"Team ID cannot be {one_line(team)[:100]!r}: write the key of a team, such as"
            " `- **Team ID**: ENG`, or its UUID"
        )
    return TrackerLocation(WEB, _workspace(settings), team)


def _workspace(settings: TrackerSettings) -> str:
    """The workspace as in addresses of Linear, "" if it is not declared."""
    try:
        parts = urlsplit(settings.url)
        from_url = parts.path.split("/")[1:2] if parts.hostname == "linear.app" else []
    except ValueError:
        from_url = []
    workspace = settings.owner or "".join(from_url)
    return workspace if _WORKSPACE.fullmatch(workspace) else ""


VENDOR = TrackerVendor(
    LABEL,
    _open,
    _locate,
    token_variables=("LINEAR_API_KEY",),
    hides_comments=False,
    group_kind="project",
    closing="{}",
)
