"""Files of other users of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_OTHER_USER = 65534


def foreign_file(path: Path, mode: int) -> None:
    """Create a file with the text `foreign` that belongs to another user."""
    if os.geteuid():
        pytest.skip("only root can change the owner of a file")
    path.write_text("foreign")
    os.chown(path, _OTHER_USER, _OTHER_USER)
    path.chmod(mode)
