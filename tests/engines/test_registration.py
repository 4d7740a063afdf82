"""An engine from outside: a distribution of its own, one entry point, no other file changed."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import run
from tests.support.abacus import CHOICE, install_abacus
from tests.support.repos import Repo


def test_an_engine_from_outside_is_used_when_it_is_chosen(repo: Repo, tmp_path: Path) -> None:
    env = install_abacus(tmp_path / "lib")
    record = "# ADR-0001: Count on beads\n\n## Decision\n\nBeads, not digits.\n"
    repo.commit("Start", {"CLAUDE.md": CHOICE, "docs/adrs/ADR-0001-beads.md": record})

    def sdd(*args: str) -> str:
        done = run(repo.root, *args, env=env)
        assert (done.code, done.err) == (0, "")
        return done.out

    assert "repo-adrs" in sdd("index", "update", "--kind", "adrs")
    assert "docs/adrs/ADR-0001-beads.md:1-1" in sdd("search", "beads")
    assert "No relevant" in sdd("search", "rods")
    assert not (repo.root / ".sdd/search/index.db").exists()
