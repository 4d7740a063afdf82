"""Why a connection failed, in words for people."""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from typing import NamedTuple

import httpx

from sdd_hooks.text.display import one_line

LATER = "try again later"
BETWEEN = "check its URL, and what is between here and there"


class Failure(NamedTuple):
    """`why` it failed and what to do. `passing` says that another try may help, `sent` that the
    host may have got the request."""

    why: str
    advice: str = LATER
    passing: bool = True
    sent: bool = True


def failure_of(error: httpx.HTTPError) -> Failure:
    """What an error of the HTTP library means. Nothing of a request's headers is in it."""
    sent = not isinstance(
        error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
    )
    if isinstance(error, httpx.ConnectTimeout):
        # What drops one packet drops the next: whoever is offline does not wait four times.
        return Failure("no connection in time", "check the network and its URL", False, sent)
    if isinstance(error, httpx.TimeoutException):
        return Failure("no answer in time", sent=sent)
    if isinstance(error, httpx.ProxyError):
        return Failure(
            "the proxy refuses the connection", "check HTTPS_PROXY and ALL_PROXY", False, sent
        )
    if isinstance(error, httpx.UnsupportedProtocol):
        return Failure("no such protocol", "check its URL", False, False)
    for cause in () if sent else _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Failure(
                f"its certificate is not trusted ({one_line(cause.verify_message)})",
                "set SSL_CERT_FILE to a file with the certificate of its authority",
                passing=False,
                sent=False,
            )
        if isinstance(cause, ssl.SSLError):
            why = one_line(cause.reason or type(cause).__name__)
            return Failure(f"TLS fails ({why})", "check its URL", passing=False, sent=False)
        if isinstance(cause, socket.gaierror):
            return Failure("its name is not known", "check the network and its URL", False, False)
        if isinstance(cause, OSError) and cause.strerror:
            return Failure(one_line(cause.strerror).lower(), sent=False)
    if isinstance(error, httpx.RemoteProtocolError):
        return Failure("its answer is not whole", sent=sent)
    return Failure("the connection ended before the answer did", sent=sent)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The errors that led to this one, the last first."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
