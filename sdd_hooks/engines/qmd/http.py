"""Talk to a server on this machine: one request, within a deadline and a size."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Daemon"

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

HOST = "127.0.0.1"

LARGEST = 20_000_000
"""Bytes taken of an answer: hundreds of results are a hundredth of that."""

_BLOCK = 1 << 16


class NoAnswer(Exception):
    """Nobody answered, not in time, or not in HTTP. `str(error)` says which, in a few words."""


@dataclass(frozen=True)
class Answer:
    """The status of an answer and its body as text."""

    status: int
    text: str


def get(port: int, path: str, deadline: float) -> Answer:
    """`GET path` from this machine's `port`, in at most `deadline` seconds. Raises NoAnswer."""
    return _ask(port, "GET", path, None, {}, deadline)


def post(port: int, path: str, body: object, deadline: float, **headers: str) -> Answer:
    """`POST path` with `body` as JSON, in at most `deadline` seconds. Raises NoAnswer."""
    data = json.dumps(body).encode()
    return _ask(port, "POST", path, data, {"Content-Type": "application/json", **headers}, deadline)


def _ask(
    port: int,
    method: str,
    path: str,
    body: bytes | None,
    headers: Mapping[str, str],
    deadline: float,
) -> Answer:
    # Of the standard library: the client that the rest uses takes 100 ms to import, and a warm
    # daemon answers in 30. It asks no proxy.
    from http.client import HTTPConnection, HTTPException

    until = time.monotonic() + deadline
    late = f"it did not answer within {deadline:g} s"
    connection = HTTPConnection(HOST, port, timeout=deadline)
    try:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        data = bytearray()
        while block := response.read1(_BLOCK):
            data += block
            if len(data) > LARGEST:
                raise NoAnswer(f"it answered with more than {LARGEST} bytes")
            if time.monotonic() > until:
                raise NoAnswer(late)
    except TimeoutError:
        raise NoAnswer(late) from None
    except (OSError, HTTPException, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise NoAnswer(f"it cannot be reached ({reason})") from None
    finally:
        connection.close()
    return Answer(response.status, data.decode("utf-8", "replace"))
