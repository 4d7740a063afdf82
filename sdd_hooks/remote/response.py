"""The response of a host, and the rate limits that it announces. Imports no HTTP library."""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from functools import cached_property
from urllib.parse import urlsplit

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json
from sdd_hooks.text.display import one_line

NO_CONTENT = frozenset({204, 205})


@dataclass(frozen=True)
class Response:
    """A response. The names of `headers` are in lower case, `url` is the one that was requested."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Json:
        """The body as JSON.

        A body that is no JSON is None for a failure and for 204, and raises RemoteError for any
        other success: the HTML page of a proxy must not pass for an empty list.
        """
        document, is_json = self._document
        if is_json:
            return document
        if not self._must_have_body:
            return None
        url = urlsplit(self.url)
        raise RemoteError(
            f"{url.netloc} answers with something that is not JSON "
            f"({one_line(url.path)[:200]}): check the URL, and proxies on the way"
        )

    @property
    def is_whole(self) -> bool:
        """Whether the body of a success is not just the beginning of a JSON document."""
        is_begun = self.body.lstrip()[:1] in {b"", b"[", b"{"}
        return not (self._must_have_body and is_begun) or self._document[1]

    @property
    def _must_have_body(self) -> bool:
        return 200 <= self.status < 300 and self.status not in NO_CONTENT

    @cached_property
    def _document(self) -> tuple[Json, bool]:
        """The body as JSON, and whether it is JSON."""
        try:
            return jsonlib.loads(self.body), True
        except (ValueError, RecursionError):
            return None, False

    def header_number(self, name: str) -> int | None:
        """The number in the header `name`; None for a missing header or another value."""
        value = self.headers.get(name, "").strip()
        is_number = value.isascii() and value.isdecimal() and len(value) < 10
        return int(value) if is_number else None


@dataclass(frozen=True)
class RateLimit:
    """A response that announces a rate limit.

    `until` is the time of the next request by the host's clock (epoch seconds), None if unknown.
    """

    until: float | None = None


RateLimitRule = Callable[[Response, float], "RateLimit | None"]
"""Recognises a vendor's rate limit in a response, given the host's time (epoch seconds).

It is called for every response. The client recognises 429, and 403 and 503 with `Retry-After`,
without a rule.
"""


def parse_retry_after(response: Response, now: float) -> float | None:
    """The time in `Retry-After`, which has seconds or a date; None without a valid one.

    `now` and the result are by the host's clock (epoch seconds).
    """
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return now + float(value[:10])
    return parse_http_date(value)


def out_of_quota(
    response: Response,
    prefix: str = "x-ratelimit",
    statuses: frozenset[int] = frozenset({403, 429}),
) -> RateLimit | None:
    """The limit of a response with `{prefix}-remaining: 0`, until the time of `{prefix}-reset`.

    That header has epoch seconds or milliseconds. None for a response with another status: the
    last request within the quota succeeds.
    """
    if response.status not in statuses:
        return None
    if response.headers.get(f"{prefix}-remaining", "").strip() != "0":
        return None
    reset = response.headers.get(f"{prefix}-reset", "").strip()
    if not (reset.isascii() and reset.isdigit()) or len(reset) > 13:
        return RateLimit()
    return RateLimit(float(reset) / (1000 if len(reset) == 13 else 1))


def parse_http_date(value: str) -> float | None:
    """A date of an HTTP header as epoch seconds; None for any other value.

    A date without a zone is in UTC, the only zone of RFC 9110.
    """
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
