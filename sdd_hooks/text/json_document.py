"""The JSON that other programs read: one object with a schema version."""

# Governing: SPEC-0005 REQ "Output"

from __future__ import annotations

from collections.abc import Mapping

SCHEMA_VERSION = 1


def json_document(data: Mapping[str, object]) -> str:
    """Format `data` as one JSON object in ASCII, `schema_version` first, with a final newline."""
    import json

    return json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=2) + "\n"
