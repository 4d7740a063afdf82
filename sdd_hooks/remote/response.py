"""What a host answered, and whether that is a rate limit. Imports no HTTP library."""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from sdd_hooks.errors import RemoteError
from sdd_hooks.text.display import one_line

NO_CONTENT = frozenset({204, 205})


@dataclass(frozen=True)
class Response:
    """What a host answered. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON.

        Where it is none: None for a failure or for 204, RemoteError for any other success. A page
        of HTML from something on the way must not pass for an empty list.
        """
        try:
            return jsonlib.loads(self.body)
        except (ValueError, RecursionError):
            pass
        if not 200 <= self.status < 300 or self.status in NO_CONTENT:
            return None
        where = urlsplit(self.url)
        raise RemoteError(
            f"{where.netloc} answers with something that is no JSON "
            f"({one_line(where.path)[:200]}): check the URL, and what is between here and there"
        )

    def header_number(self, name: str) -> int | None:
        """The number in the header `name`; None where there is none, or no sensible one."""
        said = self.headers.get(name, "").strip()
        return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else None


@dataclass(frozen=True)
class RateLimit:
    """That an answer is a rate limit. `until` is when to come back, by the host's clock (epoch
    seconds); None if it does not say."""

    until: float | None = None


RateLimitRule = Callable[[Response, float], "RateLimit | None"]
"""What a vendor's rate limit looks like, given an answer and the host's time, beside what all have
in common: 429, and 403 or 503 with `Retry-After`. Called for every answer."""


def parse_retry_after(answer: Response, now: float) -> float | None:
    """When `Retry-After` says to come back, in seconds or as a date; `now` and the result are by
    the host's clock (epoch seconds). None where it does not say, or nothing that makes sense."""
    value = answer.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return now + float(value[:10])
    return parse_http_date(value)


def out_of_quota(
    answer: Response, prefix: str = "x-ratelimit", statuses: frozenset[int] = frozenset({403, 429})
) -> RateLimit | None:
    """The limit of an answer that says `{prefix}-remaining: 0`, until what `{prefix}-reset` says.

    That is in epoch seconds or milliseconds. None for an answer with another status: what came
    just before the limit was answered all the same.
    """
    if answer.status not in statuses:
        return None
    if answer.headers.get(f"{prefix}-remaining", "").strip() != "0":
        return None
    reset = answer.headers.get(f"{prefix}-reset", "").strip()
    if not (reset.isascii() and reset.isdigit()) or len(reset) > 13:
        return RateLimit()
    return RateLimit(float(reset) / (1000 if len(reset) == 13 else 1))


def parse_http_date(value: str) -> float | None:
    """A date as HTTP headers have it, as epoch seconds; None for anything else.

    One without a zone is UTC, as RFC 9110 has all of them.
    """
    try:
        found = parsedate_to_datetime(value)
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
