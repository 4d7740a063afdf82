"""What programs read: one JSON object, with the version of its form."""

# Governing: SPEC-0005 REQ "Output"

from __future__ import annotations

from collections.abc import Mapping

SCHEMA_VERSION = 1


def json_document(data: Mapping[str, object]) -> str:
    """The data as one JSON object of ASCII characters, and a line end."""
    import json

    return json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=2) + "\n"
