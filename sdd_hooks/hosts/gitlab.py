"""GitLab's REST API: what its forge adapter and its tracker adapter share."""

# Governing: ADR-0018 (tracker issues as files), ADR-0023 (one comment, posted to the host that runs
# the job), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdd_hooks.remote.response import RateLimit, Response

LABEL = "GitLab"
CLOUD = "https://gitlab.com"
API_PATH = "/api/v4"
PAGE_SIZE = 100
"""Entries of one page of a listing, the most that GitLab allows."""
NAME_PATTERN = r"(?!\.{1,2}(?:/|\Z))[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}"
"""Matches the path of one group or project; `.` and `..` are not allowed."""


def rate_limit(response: Response, _now: float) -> RateLimit | None:
    """Recognise GitLab's limit: 429, until `RateLimit-Reset` where there is no `Retry-After`.

    https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/
    """
    from sdd_hooks.remote.response import out_of_quota

    return out_of_quota(response, "ratelimit", frozenset({429}))
