"""The failures of a connection, described for messages."""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.http_library import httpx
from sdd_hooks.text.display import one_line

LATER = "try again later"
CHECK_PROXIES = "check its URL, and proxies on the way"


class Failure(NamedTuple):
    """A request without a response. `why` and `advice` are parts of a message.

    `is_transient` says that a retry may succeed, `was_sent` that the host may have received the
    request.
    """

    why: str
    advice: str = LATER
    is_transient: bool = True
    was_sent: bool = True


_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
_BY_TYPE: tuple[tuple[type[httpx.HTTPError], Failure], ...] = (
    # A host that drops one packet drops the next one: an offline user waits once.
    (
        httpx.ConnectTimeout,
        Failure("no connection in time", "check the network and its URL", is_transient=False),
    ),
    (httpx.TimeoutException, Failure("no answer in time")),
    (
        httpx.ProxyError,
        Failure(
            "the proxy refuses the connection",
            "check HTTPS_PROXY and ALL_PROXY",
            is_transient=False,
        ),
    ),
    (
        httpx.UnsupportedProtocol,
        Failure("no such protocol", "check its URL", is_transient=False, was_sent=False),
    ),
)


def describe_failure(error: httpx.HTTPError) -> Failure:
    """The failure behind an error of the HTTP library; it contains no header of the request."""
    was_sent = not isinstance(error, _NOT_SENT)
    for kind, failure in _BY_TYPE:
        if isinstance(error, kind):
            return failure._replace(was_sent=failure.was_sent and was_sent)
    failures = () if was_sent else map(_connection_failure, _causes(error))
    known = next(filter(None, failures), None)
    if known is not None:
        return known
    if isinstance(error, httpx.RemoteProtocolError):
        return Failure("its answer is not whole", was_sent=was_sent)
    return Failure("the connection ended before the answer did", was_sent=was_sent)


def _connection_failure(cause: BaseException) -> Failure | None:
    """The failure of a connection that was not established; None for an unknown cause."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return Failure(
            f"its certificate is not trusted ({one_line(cause.verify_message)})",
            "set SSL_CERT_FILE to a file with the certificate of its authority",
            is_transient=False,
            was_sent=False,
        )
    if isinstance(cause, ssl.SSLError):
        why = f"TLS fails ({one_line(cause.reason or type(cause).__name__)})"
        return Failure(why, "check its URL", is_transient=False, was_sent=False)
    if isinstance(cause, socket.gaierror):
        advice = "check the network and its URL"
        return Failure("its name is not known", advice, is_transient=False, was_sent=False)
    if isinstance(cause, OSError) and cause.strerror:
        return Failure(one_line(cause.strerror).lower(), was_sent=False)
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The errors that led to this one, the last first."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
