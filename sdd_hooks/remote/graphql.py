"""Ask a GraphQL API, and turn the errors in its answers into ours."""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sdd_hooks.errors import Missing, RemoteError

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

# What vendors write as the `type` or the `code` of an error.
ACCESS = ("forbidden", "unauth", "authentication", "insufficient_scopes", "access_denied")
MISSING = ("not_found", "not found")


def execute(
    client: Client,
    path: str,
    query: str,
    variables: Mapping[str, object],
    *,
    idempotent: bool = True,
) -> dict[str, Any]:
    """The `data` of the answer to `query`. Without `again` it changes something: see `Client.send`.

    Errors may come with 200 or with 400. Raises what the client raises, rate limits included as
    far as its `limits` know them; AccessRefused and Missing for an error that says so; RemoteError
    with the first message for any other. Nothing of an answer with errors is returned.
    """
    asked = {"query": query, "variables": dict(variables)}
    answer = client.send("POST", path, asked, allow=(400,), idempotent=idempotent)
    found = answer.json()
    errors = found.get("errors") if isinstance(found, dict) else None
    if errors:
        raise _error(client, errors[0] if isinstance(errors, list) else errors)
    data = found.get("data") if isinstance(found, dict) else None
    if answer.status == 400 or not isinstance(data, dict):
        raise RemoteError(f"{client.label} answers a question with no data ({answer.status})")
    return data


def _error(client: Client, error: object) -> RemoteError:
    fields = error if isinstance(error, dict) else {"message": error}
    message = fields.get("message")
    said = (client.redact(message) if isinstance(message, str) else "") or "no reason given"
    extensions = fields.get("extensions")
    extensions = extensions if isinstance(extensions, dict) else {}
    kinds = " ".join(
        str(place.get(name, "")).lower()
        for place in (fields, extensions)
        for name in ("type", "code")
    )
    if any(word in kinds for word in ACCESS):
        return client.access_refused(said)
    if any(word in kinds for word in MISSING):
        return Missing(f"{client.label}: {said}")
    return RemoteError(f"{client.label}: {said}")
