"""The picture of the README is of what the program does now."""

from __future__ import annotations

import sys

from tests.docs.pages import TOP
from tests.support.programs import run_program


def test_the_picture_is_current() -> None:
    command = [sys.executable, str(TOP / "scripts" / "picture"), "--check"]
    done = run_program(*command, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
