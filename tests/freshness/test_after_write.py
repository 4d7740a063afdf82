"""Tier 1: what a command wrote can be found when it reports."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.after_write import after_mutation, containing
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.system.locks import held
from tests.support.clock import look_at, looked_at
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo, in_environment

ONE = "docs/adrs/ADR-0001-sqlite.md"
TWO = "docs/adrs/ADR-0002-redis.md"
SPEC = "docs/openspec/specs/login/spec.md"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """Decisions, a specification, code and an issue, all of it indexed."""
    repo.commit(
        "Start",
        {
            ".gitignore": ".sdd/\n",
            ONE: "# ADR-0001: SQLite\n\nSessions are kept in SQLite.\n",
            SPEC: "# SPEC-0001: Login\n\nSomebody logs in.\n",
            "src/app.py": "def login(name):\n    return name\n",
        },
    )
    repo.write(".sdd/issues/7.md", "# Sessions expire\n")
    project = repo.project()
    refresh(project, collections=project.collections)
    return repo


def mutated(repo: Repo, *paths: str) -> tuple[str, ...]:
    project = repo.project()
    return after_mutation(project, containing(project, paths))


def test_a_path_belongs_to_the_collections_that_hold_it(shop: Repo) -> None:
    project = shop.project()
    for paths, names in (
        ([ONE, TWO], ["repo-adrs"]),
        ([SPEC, "src/new.py"], ["repo-specs", "repo-code"]),
        ([".sdd/issues/9.md"], ["repo-issues"]),
        (["notes.txt", "/etc/passwd", "../x.md", ""], []),
        ([], []),
    ):
        assert [one.name for one in containing(project, paths)] == names


def test_what_was_written_is_indexed_in_silence(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Redis\n\nPages are cached.\n")
    shop.write(ONE, "# ADR-0001: SQLite\n\nChanged.\n")
    assert mutated(shop, ONE, TWO) == ()
    assert_index_matches_scratch(shop)
    shop.remove(TWO)
    assert mutated(shop, TWO) == ()
    assert_index_matches_scratch(shop)


def test_only_the_collections_that_hold_it_are_looked_at(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Redis\n")
    shop.write("src/new.py", "x = 1\n")
    mutated(shop, TWO)
    assert TWO in documents(shop)
    assert "src/new.py" not in documents(shop)
    mutated(shop, "src/new.py")
    assert_index_matches_scratch(shop)


def test_a_narrow_look_says_nothing_about_the_rest(shop: Repo) -> None:
    """Else whoever writes a decision a day would never have stale code refreshed."""
    look_at(shop, 1000.0)
    shop.write(".sdd/issues/8.md", "# More\n")
    assert mutated(shop, ".sdd/issues/8.md") == ()
    shop.write(TWO, "# ADR-0002: Redis\n")
    assert mutated(shop, TWO) == ()
    assert looked_at(shop) == 1000.0
    assert mutated(shop, TWO, SPEC, "src/app.py") == ()
    assert looked_at(shop) != 1000.0


def test_a_collection_that_is_not_indexed_is_not_made(shop: Repo, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "some")
    repo.commit("Start", {".gitignore": ".sdd/\n", ONE: "# ADR-0001: X\n", "a.py": "x = 1\n"})
    project = repo.project()
    refresh(project, collections=project.select(("adrs",)))
    assert mutated(repo, "a.py", SPEC) == ()
    with closing(open_engine(project)) as engine:
        assert list(engine.bookmarks()) == ["some-adrs"]


def test_where_nothing_is_indexed_nothing_happens(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("Start", {ONE: "# ADR-0001: X\n"})
    assert mutated(repo, ONE) == ()
    assert not (repo.root / ".sdd").exists()
    (repo.root / ".sdd/search").mkdir(parents=True)
    assert mutated(repo, ONE) == ()


def test_an_index_that_was_lost_is_made_again_whole(shop: Repo) -> None:
    for path in (shop.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"no index")
    shop.write(TWO, "# ADR-0002: Redis\n")
    (note,) = mutated(shop, TWO)
    assert "set aside as index.db.aside-1" in note
    assert "src/app.py" in documents(shop)
    assert_index_matches_scratch(shop)


def test_a_refresh_that_fails_is_one_warning(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    shop.write(TWO, "# ADR-0002: Redis\n")
    assert mutated(shop, TWO) == (
        "Index refresh failed for repo-adrs — run `sdd index update` manually",
    )
    assert mutated(shop, TWO, "src/app.py") == (
        "Index refresh failed for repo-adrs, repo-code — run `sdd index update` manually",
    )
    lock.rmdir()
    assert mutated(shop, TWO) == ()
    assert_index_matches_scratch(shop)


def test_an_interruption_is_nobodys_to_swallow(shop: Repo) -> None:
    project = shop.project()

    class Interrupted(dict[str, str]):
        """An environment that somebody presses Ctrl-C over."""

        def get(self, *_: object) -> str:  # type: ignore[override]
            raise KeyboardInterrupt

    shop.write(TWO, "# ADR-0002: Redis\n")
    with pytest.raises(KeyboardInterrupt):
        after_mutation(in_environment(project, Interrupted(os.environ)), project.select(("adrs",)))


def test_a_refresh_that_goes_on_takes_it_over(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Redis\n")
    with held(shop.root / ".sdd/search/lock", 0):
        assert mutated(shop, TWO) == ()
    assert (shop.root / ".sdd/search/again").exists()
