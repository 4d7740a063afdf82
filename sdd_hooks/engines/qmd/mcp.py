"""The state of qmd's index as data, which qmd tells over MCP alone.

The Model Context Protocol is JSON-RPC 2.0: https://modelcontextprotocol.io/specification. Over
stdio each message is a line; over HTTP a `tools/call` is one POST.
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Index status"

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sdd_hooks.engines.qmd.daemon import Daemon, running
from sdd_hooks.engines.qmd.group import finish
from sdd_hooks.engines.qmd.http import NoAnswer, post
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.output import complaint
from sdd_hooks.engines.qmd.process import Place, command, environment
from sdd_hooks.errors import EngineUnavailable

_CALL = 2

MESSAGES: tuple[Mapping[str, object], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "sdd", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0",
        "id": _CALL,
        "method": "tools/call",
        "params": {"name": "status", "arguments": {}},
    },
)


@dataclass(frozen=True)
class IndexStatus:
    """The index as qmd counts it, in documents; `pending` lack a vector of the model in use."""

    documents: int
    pending: int
    has_vectors: bool
    collections: Mapping[str, int]


class _Told(Exception):
    """The answer is here: the server need not go on."""

    def __init__(self, status: IndexStatus) -> None:
        super().__init__()
        self.status = status


def index_status(
    qmd: Installation, place: Place, environ: Mapping[str, str], deadline: float
) -> IndexStatus:
    """The state of the index, from its daemon where one runs, else from a server for this once.

    Raises EngineUnavailable when there is no answer within `deadline` seconds, or none like it.
    """
    daemon = running(place, environ)
    if daemon is not None:
        return _from_daemon(daemon, deadline)
    return _from_stdio(qmd, place, environ, deadline)


def parse_status(line: str) -> IndexStatus | None:
    """The state of the index in one JSON-RPC message; None for any other text."""
    try:
        message = json.loads(line)
        result = message["result"]["structuredContent"]
        collections = {str(one["name"]): int(one["documents"]) for one in result["collections"]}
        documents, pending = int(result["totalDocuments"]), int(result["needsEmbedding"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    if message.get("id") != _CALL or min(documents, pending, *collections.values()) < 0:
        return None
    return IndexStatus(documents, pending, bool(result.get("hasVectorIndex")), collections)


def _from_daemon(daemon: Daemon, deadline: float) -> IndexStatus:
    accept = "application/json, text/event-stream"
    try:
        answer = post(daemon.port, "/mcp", MESSAGES[-1], deadline, Accept=accept)
    except NoAnswer as error:
        raise EngineUnavailable(f"qmd's daemon does not tell its status: {error}") from None
    # One JSON document, or the same as the data of a server-sent event.
    for line in answer.text.splitlines():
        status = parse_status(line.removeprefix("data:"))
        if status is not None:
            return status
    said = complaint("", answer.text)
    raise EngineUnavailable(f"qmd's daemon does not tell its status: {answer.status}, {said}")


def _from_stdio(
    qmd: Installation, place: Place, environ: Mapping[str, str], deadline: float
) -> IndexStatus:
    def listen(line: str) -> None:
        status = parse_status(line)
        if status is not None:
            raise _Told(status)

    try:
        done = finish(
            "qmd mcp",
            command(qmd, "mcp"),
            place.root,
            environment(qmd, place, environ),
            deadline,
            listen,
            "".join(f"{json.dumps(message)}\n" for message in MESSAGES).encode(),
        )
    except _Told as told:
        return told.status
    raise EngineUnavailable(f"qmd does not tell its status: {complaint(done.out, done.err)}")
