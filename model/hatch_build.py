"""Put the files of the model into the wheel: they are not in the repository.

The variable `SDD_MODEL_FILES` names the folder that has them. Every file must be the one of
`SHA256SUMS`. Without the variable the wheel has no model, and its version says so.
"""

# Governing: ADR-0046 (the default model is a distribution)

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "SDD_MODEL_FILES"
SUMS = "SHA256SUMS"
TARGET = "sdd_hooks_model/all-MiniLM-L6-v2"


class ModelFiles(BuildHookInterface[Any]):
    """Adds the files of `SHA256SUMS`, and that file, to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Add the files to the build. Raises SystemExit for one that is missing or another."""
        given = os.environ.get(VARIABLE, "")
        if not given:
            return
        sums = Path(self.root, SUMS)
        included = {str(sums): f"{TARGET}/{SUMS}"}
        for line in sums.read_text(encoding="ascii").splitlines():
            digest, name = line.split()
            path = Path(given, name).resolve()
            if not path.is_file() or _digest(path) != digest:
                raise SystemExit(f"{VARIABLE}: {path} is not the file of {sums}")
            included[str(path)] = f"{TARGET}/{name}"
        build_data["force_include"].update(included)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
