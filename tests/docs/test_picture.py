"""The picture of the README is of what the program does now."""

from __future__ import annotations

import subprocess
import sys

from tests.docs.pages import TOP


def test_the_picture_is_current() -> None:
    command = [sys.executable, str(TOP / "scripts" / "picture"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
