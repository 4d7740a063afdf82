"""The rate limits and the addresses of GitHub's APIs."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from sdd_hooks.hosts.github import graphql_url, rate_limit
from sdd_hooks.remote.response import RateLimit, Response

RESET = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1900"}


@pytest.mark.parametrize(
    ("status", "path", "headers", "body", "limit"),
    [
        (403, "/issues", RESET, {}, RateLimit(1900)),
        (429, "/issues", RESET, {}, RateLimit(1900)),
        (403, "/issues", {"x-ratelimit-remaining": "7"}, {}, None),
        (403, "/issues", {**RESET, "x-ratelimit-reset": "soon"}, {}, RateLimit()),
        (403, "/graphql", {**RESET, "x-ratelimit-limit": "0"}, {}, None),
        (
            403,
            "/issues",
            {},
            {"message": "You have exceeded a secondary rate limit."},
            RateLimit(1060),
        ),
        (403, "/issues", {}, {"message": "You have triggered an abuse detection"}, RateLimit(1060)),
        (403, "/issues", {}, {"message": "Resource not accessible"}, None),
        (200, "/graphql", RESET, {"errors": [{"type": "RATE_LIMITED"}]}, RateLimit(1900)),
        (200, "/graphql", {}, {"errors": [{"type": "RATE_LIMITED"}]}, RateLimit()),
        (200, "/graphql", RESET, {"errors": [{"type": "NOT_FOUND"}]}, None),
        (200, "/graphql", RESET, {"data": {"title": "RATE_LIMITED"}}, None),
        (200, "/issues", RESET, [{"body": "RATE_LIMITED"}], None),
    ],
)
def test_a_rate_limit_is_recognised_by_status_headers_and_body(
    status: int, path: str, headers: Mapping[str, str], body: object, limit: RateLimit | None
) -> None:
    content = json.dumps(body).encode()
    answer = Response(status, headers, content, f"https://api.github.com{path}")
    assert rate_limit(answer, 1000.0) == limit


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://git.acme.example/api/v3", "https://git.acme.example/api/graphql"),
        ("https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
    ],
)
def test_the_graphql_api_belongs_to_the_rest_api(api: str, graphql: str) -> None:
    assert graphql_url(api) == graphql
