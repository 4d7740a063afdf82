"""Queries to a GraphQL API, and the errors in its responses."""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

# Parts of the `type` or the `code` of an error, as vendors write them.
_ACCESS = ("forbidden", "unauth", "authentication", "insufficient_scopes", "access_denied")
_MISSING = ("not_found", "not found")


def execute(
    client: Client,
    path: str,
    query: str,
    variables: Mapping[str, object],
    *,
    idempotent: bool = True,
) -> dict[str, Json]:
    """The `data` of the response to `query`. A query that is not `idempotent` changes something.

    A response with errors may have the status 200 or 400; nothing of it is returned. Raises what
    the client raises, AccessRefused and Missing for an error of such a kind, and RemoteError with
    the first message for any other error.
    """
    payload = {"query": query, "variables": dict(variables)}
    response = client.send("POST", path, payload, allow=(400,), idempotent=idempotent)
    document = response.json()
    errors = document.get("errors") if isinstance(document, dict) else None
    if errors:
        raise _error(client, errors[0] if isinstance(errors, list) else errors)
    data = document.get("data") if isinstance(document, dict) else None
    if response.status == 400 or not isinstance(data, dict):
        raise RemoteError(f"{client.label} answers a query without data ({response.status})")
    return data


def _error(client: Client, error: Json) -> RemoteError:
    fields = error if isinstance(error, dict) else {"message": error}
    message = fields.get("message")
    reason = (client.redact(message) if isinstance(message, str) else "") or "no reason given"
    extensions = fields.get("extensions")
    extensions = extensions if isinstance(extensions, dict) else {}
    kinds = " ".join(
        str(part.get(name, "")).lower()
        for part in (fields, extensions)
        for name in ("type", "code")
    )
    if any(word in kinds for word in _ACCESS):
        return client.access_refused(reason)
    if any(word in kinds for word in _MISSING):
        return Missing(f"{client.label}: {reason}")
    return RemoteError(f"{client.label}: {reason}")
