"""The files in folders of hooks, and their report."""

from __future__ import annotations

import os
from pathlib import Path

from sdd_hooks.githooks.install import InstallReport
from sdd_hooks.githooks.shims import EVENTS
from sdd_hooks.project.repository import Repository
from tests.support.repos import Repo


def place(repo: Repo) -> Repository:
    return repo.repository


def states(report: InstallReport) -> dict[str, str]:
    return {hook.event: hook.state for hook in report.hooks}


def every(state: str) -> dict[str, str]:
    return dict.fromkeys(EVENTS, state)


def changed(report: InstallReport) -> list[str]:
    return [hook.event for hook in report.hooks if hook.changed]


def foreign(repo: Repo, event: str, script: str, mode: int = 0o755) -> Path:
    hook = repo.write(f".git/hooks/{event}", script)
    hook.chmod(mode)
    return hook


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its content and mode; a symlink with its target."""
    return {
        one.name: (
            os.fsencode(one.readlink()) if one.is_symlink() else one.read_bytes(),
            one.lstat().st_mode,
        )
        for one in folder.iterdir()
    }
