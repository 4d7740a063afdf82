"""Read the status of qmd's index, which qmd offers as data only over the Model Context Protocol.

The protocol is JSON-RPC 2.0 (https://modelcontextprotocol.io/specification), a message a line.
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Index status"

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation, qmd_program, run_program
from sdd_hooks.engines.qmd.output import first_error_line
from sdd_hooks.errors import EngineUnavailable

_CALL_ID = 2

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
        "id": _CALL_ID,
        "method": "tools/call",
        "params": {"name": "status", "arguments": {}},
    },
)


@dataclass(frozen=True)
class QmdStatus:
    """The index in documents, all and by collection; `pending` have no vector of qmd's model."""

    documents: int
    pending: int
    collections: Mapping[str, int]


class _StatusReceived(Exception):
    """The server has sent the status: `run_program` ends it."""

    def __init__(self, status: QmdStatus) -> None:
        super().__init__()
        self.status = status


def read_status(
    qmd: Installation, folder: IndexFolder, environ: Mapping[str, str], timeout: float
) -> QmdStatus:
    """Read the status of the index from a server that is started for this.

    Raises EngineUnavailable when there is no valid response within `timeout` seconds.
    """

    def on_line(line: str) -> None:
        status = parse_status(line)
        if status is not None:
            raise _StatusReceived(status)

    program = qmd_program(qmd, folder, "mcp", environ=environ)
    messages = "".join(f"{json.dumps(message)}\n" for message in MESSAGES).encode()
    try:
        done = run_program(program, timeout, on_line, messages)
    except _StatusReceived as received:
        return received.status
    error_line = first_error_line(done.out, done.err)
    raise EngineUnavailable(f"qmd does not report its status: {error_line}")


def parse_status(line: str) -> QmdStatus | None:
    """Parse the status in a JSON-RPC message. Returns None for any other text."""
    try:
        message = json.loads(line)
        content = message["result"]["structuredContent"]
        collections = {
            str(entry["name"]): int(entry["documents"]) for entry in content["collections"]
        }
        documents, pending = int(content["totalDocuments"]), int(content["needsEmbedding"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    if message.get("id") != _CALL_ID or min(documents, pending, *collections.values()) < 0:
        return None
    return QmdStatus(documents, pending, collections)
