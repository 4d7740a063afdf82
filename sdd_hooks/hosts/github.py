"""GitHub's REST and GraphQL APIs: what its forge adapter and its tracker adapter share."""

# Governing: ADR-0018 (tracker issues as files), ADR-0023 (one comment, posted to the host that runs
# the job), SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.remote.json_fields import rows, text

if TYPE_CHECKING:
    from sdd_hooks.remote.credentials import Secret
    from sdd_hooks.remote.response import RateLimit, Response

LABEL = "GitHub"
CLOUD = "https://github.com"
CLOUD_API = "https://api.github.com"
API_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
PAGE_SIZE = 100
"""Entries of one page of a REST listing, the most that GitHub allows."""

_SECONDARY_LIMIT_SECONDS = 60.0
"""How long to wait for a secondary limit without a time, as GitHub's guide recommends."""


def token_headers(secret: Secret) -> Mapping[str, str]:
    """The header that carries a token."""
    return {"Authorization": f"Bearer {secret.value}"}


def api_url(web_url: str) -> str:
    """The address of the REST API of a host. The cloud's has a separate host; a server's is below
    `/api`."""
    scheme, _, host = web_url.partition("://")
    is_cloud = web_url == CLOUD or host.endswith(".ghe.com")
    return f"{scheme}://api.{host}" if is_cloud else f"{web_url}/api/v3"


def graphql_url(api: str) -> str:
    """The URL of the GraphQL API that belongs to the REST API at `api`.

    The cloud serves both on `api.github.com`; a server has `/api/v3` beside `/api/graphql`.
    """
    return f"{api.removesuffix('/v3')}/graphql"


def rate_limit(response: Response, now: float) -> RateLimit | None:
    """Recognise GitHub's quota, its secondary limits, and the limits of GraphQL (200 with errors).

    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    from sdd_hooks.remote.response import RateLimit, out_of_quota

    if response.status == 200:
        # Other responses are large, and need not be parsed.
        if not response.url.endswith("/graphql") or b"RATE_LIMIT" not in response.body:
            return None
        kinds = {text(error, "type") for error in rows(response.json(), "errors")}
        if not kinds & {"RATE_LIMITED", "RATE_LIMIT"}:
            return None
        return out_of_quota(response, statuses=frozenset({200})) or RateLimit()
    # GraphQL returns a quota of 0 to requests without a token.
    if response.status not in {403, 429} or response.headers.get("x-ratelimit-limit") == "0":
        return None
    if b"secondary rate limit" in response.body or b"abuse detection" in response.body:
        return RateLimit(now + _SECONDARY_LIMIT_SECONDS)
    return out_of_quota(response)
