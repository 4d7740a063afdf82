"""The real parser of mermaid for tests, as `scripts/install-mermaid` installs it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import run_program
from tests.support.waiting import TIMEOUT

ROOT = Path(__file__).resolve().parents[2]
MISSING = "needs the real mermaid: scripts/install-mermaid .cache/mermaid"


def installed_mermaid() -> Path:
    """The directory of mermaid and its Node: `SDD_MERMAID`, else `.cache/mermaid`.

    Skips the test without it. An empty variable disables these tests.
    """
    named = os.environ.get("SDD_MERMAID")
    directory = Path(named) if named else ROOT / ".cache/mermaid"
    if named == "" or not (directory / "node_modules/mermaid").is_dir():
        pytest.skip(MISSING)
    return directory


def parse_diagrams(directory: Path, diagrams: Sequence[str]) -> list[dict[str, Any]]:
    """Parse diagrams: the type, direction, ids of nodes and edges of each, or its error."""
    script = Path(__file__).with_name("mermaid.mjs")
    done = run_program(
        str(directory / "bin/node"),
        str(script),
        str(directory),
        timeout=TIMEOUT,
        input=json.dumps(list(diagrams)),
    )
    parsed: list[dict[str, Any]] = json.loads(done.stdout)
    return parsed
