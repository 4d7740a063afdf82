"""Metadata of the distribution that `pyproject.toml` cannot say: where the model of `local` is.

The package is on no index, where another one may get the name of the model's distribution. So the
extra `local` refers to the folder `model/` of this checkout. The variable `SDD_MODEL_REQUIREMENT`
replaces that by another requirement, such as the URL and the hash of a released wheel; an empty
value leaves the model out.
"""

# Governing: ADR-0046 (the default model is a distribution)

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "SDD_MODEL_REQUIREMENT"


class Extras(MetadataHookInterface):
    """Adds the model to the extra `local` of `tool.hatch.metadata.hooks.custom.extras`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the extras. hatchling calls this for each build."""
        extras = {name: list(lines) for name, lines in self.config["extras"].items()}
        folder = Path(self.root, "model").as_uri()
        model = os.environ.get(VARIABLE, f"sdd-hooks-model @ {folder}")
        if model:
            extras["local"].append(model)
        metadata["optional-dependencies"] = extras
