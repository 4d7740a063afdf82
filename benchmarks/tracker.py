"""A repository whose issues are on a GitHub on loopback, in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.process import Run, run
from benchmarks.sdd import COMMAND, Sdd
from benchmarks.workbench import Workbench

ISSUES = ".sdd/issues"
SYNC = ("issues", "sync")
LATENCY = 0.1
"""Seconds before a response of the tracker begins, like the latency of a network."""
_ROOT = Path(__file__).parent.parent
_MEMORY = """# Shop

## SDD Configuration

#### Tracker

- **Type**: github
- **URL**: {url}
- **Owner**: acme
- **Repo**: shop
"""


class RequestCounts(NamedTuple):
    """The number of requests: for pages of the listing, and others."""

    listings: int
    others: int


@dataclass(frozen=True)
class Tracked:
    """The repository, the address of its GitHub, and how many issues that has."""

    sdd: Sdd
    url: str
    count: int
    _server: subprocess.Popen[str]

    def sync(self) -> Run:
        """Sync the issues that changed since the last sync."""
        return run([COMMAND, *SYNC], self.sdd.root, self.sdd.environ)

    def first_sync(self) -> Run:
        """Sync all issues, without existing files."""
        self.sdd.forget()
        return self.sync()

    def bare_loop(self) -> Run:
        """Request and decode the pages of a first sync."""
        listing = f"{self.url}/api/v3/repos/acme/shop/issues"
        return run([sys.executable, "-m", "benchmarks.bare_loop", listing], _ROOT, self.sdd.environ)

    def files(self) -> int:
        """The number of issues that are stored as files."""
        return sum(1 for _ in (self.sdd.root / ISSUES).glob("*.md"))

    def count_new_requests(self) -> RequestCounts:
        """The requests to GitHub since the last call."""
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write("\n")
        self._server.stdin.flush()
        return RequestCounts(**json.loads(self._server.stdout.readline()))


@contextmanager
def tracked(bench: Workbench, count: int, latency: float = LATENCY) -> Iterator[Tracked]:
    """A new repository, and a GitHub with `count` issues until the block ends.

    Each of its responses begins after `latency` seconds.
    """
    command = [sys.executable, "-m", "benchmarks.github_server", str(count), str(latency)]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        url = server.stdout.readline().strip()
        found = bench.sdd(f"issues-{count}-{latency:g}")
        found.root.mkdir()
        (found.root / "CLAUDE.md").write_text(_MEMORY.format(url=url))
        (found.root / ".gitignore").write_text(".sdd/\n")
        subprocess.run(["git", "init", "--quiet"], cwd=found.root, env=found.environ, check=True)
        # Without a token GitHub refuses the query for the number of issues.
        token = {"GITHUB_TOKEN": "loopback", "GITHUB_SERVER_URL": url}
        yield Tracked(Sdd(found.root, {**found.environ, **token}), url, count, server)
        server.stdin.close() if server.stdin else None
