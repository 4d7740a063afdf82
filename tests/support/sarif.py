"""SARIF for tests, as scanners write it."""

from __future__ import annotations

import json
from typing import Any

Fields = dict[str, Any]


def result(path: str, line: int = 0, rule: str = "eval", **fields: Any) -> Fields:
    """A result at a place; `line` 0 for the file as a whole."""
    place: Fields = {"artifactLocation": {"uri": path}}
    if line:
        place["region"] = {"startLine": line}
    located = {"locations": [{"physicalLocation": place}]} if path else {}
    return {"ruleId": rule, "message": {"text": f"Mind {rule}."}, **located, **fields}


def sarif(*results: object, tool: str = "Semgrep", rules: object = (), **run: Any) -> str:
    """A file with one run."""
    driver = {"name": tool, "rules": list(rules) if isinstance(rules, tuple) else rules}
    found = {"tool": {"driver": driver}, "results": list(results), **run}
    return json.dumps({"version": "2.1.0", "runs": [found]})
