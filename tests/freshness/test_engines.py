"""The tiers are the same with every engine: through commands, hooks and the library."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.qmd.engine import QmdEngine
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.system.user_cache import write_cached
from tests.cli.commands import Done, run
from tests.support.clock import embedded_at, touch
from tests.support.qmd import RealQmd
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

ONE = "docs/adrs/ADR-0001-sqlite.md"
TWO = "docs/adrs/ADR-0002-redis.md"
REDIS = "# ADR-0002: Cache pages in Redis\n\nPages are cached in Redis.\n"

LIBRARY = """
import json, os, sys, time
from dataclasses import asdict
from pathlib import Path
from sdd_hooks.freshness.read_gate import prime
from sdd_hooks.usecases.upkeep.refresh import refresh_after_write, collections_containing
from sdd_hooks.project.project import load_project

project = load_project(Path.cwd(), os.environ)
if sys.argv[1] == "prime":
    done = prime(project, time.time())
    print(json.dumps([done.notes, done.warnings]))
else:
    written = collections_containing(project, sys.argv[2:])
    print(json.dumps(refresh_after_write(project, written)))
"""


@dataclass(frozen=True)
class Shop:
    """A repository whose decisions and code are indexed by one of the engines."""

    repo: Repo
    qmd: RealQmd | None

    @property
    def environ(self) -> Mapping[str, str]:
        return self.qmd.environ if self.qmd else os.environ

    def sdd(self, *arguments: str) -> Done:
        done = run(self.repo.root, *arguments, env=self.environ)
        assert done.code == 0, done
        return done

    def hook(self, event: str, *arguments: str) -> str:
        """Run a hook of git, without its limits of time. Returns what it prints on stderr."""
        stderr = io.StringIO()
        context = HookContext(self.repo.root, self.environ, stderr, seconds=TIMEOUT)
        now = time.time()
        # The clock stands still: on a slow machine, too, no refresh is left to the background.
        assert run_hook(event, arguments, context, clock=lambda: now) == 0
        return stderr.getvalue()

    def library(self, *arguments: str) -> object:
        """What the library returns in a process that finds the engine."""
        done = subprocess.run(
            [sys.executable, "-c", LIBRARY, *arguments],
            cwd=self.repo.root,
            env=dict(self.environ),
            capture_output=True,
            check=False,
        )
        assert done.stderr == b""
        return json.loads(done.stdout)

    def set_touched(self, moment: float) -> None:
        """Let the engine compare every collection, without a change, at `moment`."""
        engine: Engine
        if self.qmd:
            project = self.repo.project(self.environ)
            engine = QmdEngine(project, self.qmd.installation, clock=lambda: moment)
        else:
            engine = embedded_at(self.repo, moment)
        touch(engine, self.repo)


@pytest.fixture(params=["embedded", "qmd"])
def shop(request: pytest.FixtureRequest, repo: Repo) -> Shop:
    chosen = request.param
    found = Shop(repo, request.getfixturevalue("real_qmd") if chosen == "qmd" else None)
    if found.qmd:
        # A recorded release: no registry is asked for a newer one.
        now = time.time()
        write_cached("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, found.environ)
    repo.commit(
        "Start",
        {
            ".gitignore": ".sdd/\n",
            "CLAUDE.md": f"### SDD Configuration\n\n#### Search\n\n- **Engine**: {chosen}\n",
            ONE: "# ADR-0001: SQLite\n\nSessions are kept in SQLite.\n",
            "src/app.py": "def login(name):\n    return name\n",
        },
    )
    found.sdd("index", "add", "--kind", "adrs")
    found.sdd("index", "add", "--kind", "code")
    return found


def freshness(err: str) -> list[str]:
    """The lines about the freshness of the index, which are the same for every engine."""
    others = ("unembedded", "not indexed and not searched")
    return [line for line in err.splitlines() if not any(text in line for text in others)]


def test_tier_1(shop: Shop) -> None:
    shop.repo.write(TWO, REDIS)
    shop.set_touched(1000.0)
    assert shop.library("mutation", TWO) == []
    assert "ADR-0002" in shop.sdd("search", "--json", "redis", "pages").out
    shop.repo.write(ONE, "# ADR-0001: Files\n\nSessions are kept in plain files.\n")
    shop.repo.git("commit", "--quiet", "--all", "-m", "Change")
    assert shop.hook("post-commit") == ""
    assert "plain files" in shop.sdd("search", "plain", "files").out


def test_tier_2(shop: Shop) -> None:
    shop.repo.git("checkout", "--quiet", "-b", "topic")
    shop.repo.commit("Redis", {TWO: REDIS})
    line = "Refreshed index ({} added, 0 updated, {} removed across all collections)"
    head = shop.repo.head()
    moved = ("post-checkout", head, head, "1")
    assert freshness(shop.hook(*moved)) == ["sdd: " + line.format(1, 0)]
    assert freshness(shop.hook(*moved)) == []
    shop.repo.git("checkout", "--quiet", "main")
    assert freshness(shop.hook("post-merge", "0")) == ["sdd: " + line.format(0, 1)]

    shop.repo.write(TWO, REDIS)
    assert not any("Refreshed" in note for note in shop.library("prime")[0])  # type: ignore[index]
    shop.set_touched(time.time() - 61)
    notes, warnings = shop.library("prime")  # type: ignore[misc]
    assert notes[0] == line.format(1, 0)
    assert re.fullmatch(
        r"\d+ chunks unembedded — run `sdd index embed` \(≈\d+s on this machine, foreground;"
        r" or wait for the next mutation command to backfill\)",
        notes[-1],
    )
    assert warnings == []


def test_tier_3(shop: Shop) -> None:
    shop.repo.write(TWO, REDIS)
    assert freshness(shop.sdd("search", "sqlite").err) == []
    assert "ADR-0002" not in shop.sdd("search", "redis", "pages").out
    shop.set_touched(time.time() - 3 * 3600 - 60)
    done = shop.sdd("search", "redis", "pages")
    assert freshness(done.err) == ["note: Index was 3 hours stale — refreshed before running."]
    assert "ADR-0002: Cache pages in Redis" in done.out
    assert freshness(shop.sdd("search", "redis", "pages").err) == []
