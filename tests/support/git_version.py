"""The git on PATH, for tests of what only newer releases do."""

from __future__ import annotations

import re

import pytest

from tests.support.programs import run_program


def git_version() -> tuple[int, ...]:
    """Its major and minor version."""
    text = run_program("git", "version").stdout
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


def needs_git(*version: int) -> pytest.MarkDecorator:
    """Skip the test with an older git."""
    wanted = ".".join(map(str, version))
    return pytest.mark.skipif(git_version() < version, reason=f"needs git {wanted}")
