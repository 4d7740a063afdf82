"""Repositories with decisions in which the hooks of the review report findings."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from tests.support.repos import Repo

ONE = "docs/adrs/ADR-0001-sqlite.md"
OLD = "docs/adrs/ADR-0002-files.md"
APP = "src/app.py"


def adr(number: int, title: str, status: str = "accepted", *edges: str) -> str:
    lines = ["---", f"status: {status}", *edges, "---", "", f"# ADR-{number:04}: {title}", ""]
    return "\n".join([*lines, "## Decision Outcome", "", f"{title}, always and everywhere.", ""])


RECORDS = {
    ".gitignore": ".sdd/\n",
    ONE: adr(1, "Keep sessions in SQLite", "accepted", "supersedes: [ADR-0002]"),
    OLD: adr(2, "Keep sessions in files", "superseded"),
    APP: "def login(name):\n    return name\n",
    "notes.txt": "1\n",
}
BROKEN = "# Governing: ADR-0099 (nothing)\n"


def repository(root: Path) -> Repo:
    """Two decisions, the second superseded by the first, and a source file."""
    repo = Repo.init(root)
    repo.commit("Start", RECORDS)
    return repo


def stage(repo: Repo, path: str, content: str) -> None:
    repo.write(path, content)
    repo.git("add", path)


def hook(
    repo: Repo,
    action: str,
    *arguments: str,
    stdin: bytes = b"",
    environ: Mapping[str, str] = os.environ,
    cwd: str = "",
) -> tuple[int, str]:
    """The exit code of a hook, and its output."""
    stderr = io.StringIO()
    context = HookContext(repo.root / cwd, environ, stderr, io.BytesIO(stdin))
    code = run_hook(action, arguments, context)
    return code, stderr.getvalue()
