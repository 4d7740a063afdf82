"""The tiers know no engine: an event, a command and the library refresh the index of qmd, too."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from sdd_hooks.engines.qmd.engine import QmdEngine
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.system.user_cache import write_cached
from sdd_hooks.usecases.upkeep.refresh import collections_containing, refresh_after_write
from tests.cli.commands import Done, run
from tests.support.clock import touch
from tests.support.qmd import RealQmd
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

ONE = "docs/adrs/ADR-0001-sqlite.md"
TWO = "docs/adrs/ADR-0002-redis.md"
REDIS = "# ADR-0002: Cache pages in Redis\n\nPages are cached in Redis.\n"


@dataclass(frozen=True)
class Shop:
    """A repository whose decisions and code are indexed by qmd."""

    repo: Repo
    qmd: RealQmd

    @property
    def environ(self) -> Mapping[str, str]:
        return self.qmd.environ

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

    def set_touched(self, moment: float) -> None:
        """Let the engine compare every collection, without a change, at `moment`."""
        project = self.repo.project(self.environ)
        touch(QmdEngine(project, self.qmd.installation, clock=lambda: moment), self.repo)


@pytest.fixture
def shop(repo: Repo, real_qmd: RealQmd) -> Shop:
    found = Shop(repo, real_qmd)
    # A recorded release: no registry is asked for a newer one.
    now = time.time()
    write_cached("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, found.environ)
    repo.commit(
        "Start",
        {
            ".gitignore": ".sdd/\n",
            "CLAUDE.md": "### SDD Configuration\n\n#### Search\n\n- **Engine**: qmd\n",
            ONE: "# ADR-0001: SQLite\n\nSessions are kept in SQLite.\n",
            "src/app.py": "def login(name):\n    return name\n",
        },
    )
    found.sdd("index", "add", "--kind", "adrs")
    found.sdd("index", "add", "--kind", "code")
    return found


def test_an_event_a_command_and_the_library_refresh_the_index(shop: Shop) -> None:
    shop.repo.write(TWO, REDIS)
    shop.set_touched(1000.0)
    project = shop.repo.project(shop.environ)
    assert refresh_after_write(project, collections_containing(project, [TWO])) == ()
    assert "ADR-0002" in shop.sdd("search", "--json", "redis", "pages").out
    shop.repo.write(ONE, "# ADR-0001: Files\n\nSessions are kept in plain files.\n")
    shop.repo.git("commit", "--quiet", "--all", "-m", "Change")
    assert shop.hook("post-commit") == ""
    assert "plain files" in shop.sdd("search", "plain", "files").out
    shop.repo.write(TWO, REDIS.replace("cached", "held"))
    shop.set_touched(time.time() - 3 * 3600 - 60)
    done = shop.sdd("search", "held", "pages")
    assert "note: Index was 3 hours stale — refreshed before running." in done.err
    assert "ADR-0002: Cache pages in Redis" in done.out
