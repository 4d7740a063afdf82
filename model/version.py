"""The version of the distribution, which hatchling reads."""

from __future__ import annotations

import os

_FILES = "1.0.0"


def version() -> str:
    """Return the version: that of the files, marked if the build gets none."""
    return _FILES if os.environ.get("SDD_MODEL_FILES") else f"{_FILES}+empty"
