"""The real act and actionlint, as `scripts/install-act` builds them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Literal

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def program(name: Literal["act", "actionlint"]) -> Path:
    """The program to test with. Skips the test where the program is missing.

    It is in the directory that `SDD_ACT` names (empty: missing), else in `.cache/act`, else on
    `PATH`.
    """
    named = os.environ.get("SDD_ACT")
    path: str | None = None
    if named != "":
        installed = Path(named or _ROOT / ".cache/act", "bin", name)
        path = str(installed) if installed.is_file() else None if named else shutil.which(name)
    if path is None:
        pytest.skip(f"needs {name}: scripts/install-act .cache/act")
    return Path(path)
