"""A small evaluation set with the clone of its repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.repos import Repo

EVALUATOR = """
import os, subprocess

ENV = {**os.environ, "GIT_AUTHOR_NAME": "e", "GIT_AUTHOR_EMAIL": "e@example.org",
       "GIT_COMMITTER_NAME": "e", "GIT_COMMITTER_EMAIL": "e@example.org"}


def git(cwd, *args, check=True):
    done = subprocess.run(["git", *args], cwd=cwd, env=ENV, capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"git {args[0]}: {done.stderr}")
    return done.stdout


def apply_change(case, clone, where):
    for path in case["files"]:
        os.makedirs(os.path.dirname(os.path.join(where, path)), exist_ok=True)
        with open(os.path.join(where, path), "w") as handle:
            handle.write(git(clone, "show", f"{case['commit']}:{path}"))
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", case["title"])
"""
RECORDS = {
    "docs/adr/0001-outbox.md": "# 1. Sweep the outbox\n\n## Decision\n\nAn `OutboxSweeper` sends"
    " what is left in the outbox under a lease, in `src/outbox/`.\n",
    "docs/adr/0002-storage.md": "# 2. Keep orders in PostgreSQL\n\n## Decision\n\nOrders and their"
    " invoices are kept in PostgreSQL, one schema for each service.\n",
}
SWEEPER = "class OutboxSweeper:\n    def sweep(self, outbox, lease):\n        outbox.send(lease)\n"


class SmallSet(NamedTuple):
    """The folder of the set, that of the clones, and the clone of its only repository."""

    folder: Path
    clones: Path
    clone: Repo


def small_set(directory: Path) -> SmallSet:
    """Create a set of one change with a known record and one ordinary commit."""
    clone = Repo.init(directory / "clones/one+a")
    parent = clone.commit("Decide", RECORDS)
    commit = clone.commit("Sweep the outbox (ADR-0001)", {"src/outbox/sweeper.py": SWEEPER})
    orders = clone.commit("Count orders", {"src/orders.py": "def count_orders():\n    return 0\n"})
    known = {
        "id": "one/a@1", "repo": "one/a", "kind": "commit", "leaks": False, "commit": commit,
        "parent": parent, "title": "Sweep the outbox", "files": ["src/outbox/sweeper.py"],
        "expected": ["docs/adr/0001-outbox.md"], "adr_dirs": ["docs/adr"],
    }  # fmt: skip
    ordinary = {
        "repo": "one/a", "commit": orders, "title": "Count orders", "record_dirs": ["docs/adr"],
        "labels": {"docs/adr/0001-outbox.md": "unrelated", "docs/adr/0002-storage.md": "governs"},
        "others": [],
    }  # fmt: skip
    folder = directory / "dev"
    folder.mkdir()
    (folder / "evaluate.py").write_text(EVALUATOR)
    write_lines(folder / "cases.dev.jsonl", known)
    write_lines(folder / "ordinary.dev.jsonl", ordinary)
    return SmallSet(folder, directory / "clones", clone)


def write_lines(path: Path, *lines: dict[str, Any]) -> None:
    """Write objects to a file, one line each."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
