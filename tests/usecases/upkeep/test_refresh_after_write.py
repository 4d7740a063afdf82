"""Tier 1: a command refreshes the collections that it wrote before it reports."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.usecases.upkeep.refresh import collections_containing, refresh_after_write
from tests.support.clock import set_touched, touched_at
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
            SPEC: "# SPEC-0001: Login\n\nA user logs in.\n",
            "src/app.py": "def login(name):\n    return name\n",
        },
    )
    repo.write(".sdd/issues/7.md", "# Sessions expire\n")
    project = repo.project()
    refresh(project, collections=project.collections)
    return repo


def refresh_written(repo: Repo, *paths: str) -> tuple[str, ...]:
    project = repo.project()
    return refresh_after_write(project, collections_containing(project, paths))


def test_a_path_belongs_to_the_collections_that_contain_it(shop: Repo) -> None:
    project = shop.project()
    for paths, names in (
        ([ONE, TWO], ["repo-adrs"]),
        ([SPEC, "src/new.py"], ["repo-specs", "repo-code"]),
        ([".sdd/issues/9.md"], ["repo-issues"]),
        (["notes.txt", "/etc/passwd", "../x.md", ""], []),
        ([], []),
    ):
        assert [one.name for one in collections_containing(project, paths)] == names


def test_written_files_are_indexed_without_a_warning(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Redis\n\nPages are cached.\n")
    shop.write(ONE, "# ADR-0001: SQLite\n\nChanged.\n")
    assert refresh_written(shop, ONE, TWO) == ()
    assert_index_matches_scratch(shop)
    shop.remove(TWO)
    assert refresh_written(shop, TWO) == ()
    assert_index_matches_scratch(shop)


def test_only_the_collections_that_contain_the_files_are_refreshed(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Redis\n")
    shop.write("src/new.py", "x = 1\n")
    refresh_written(shop, TWO)
    assert TWO in documents(shop)
    assert "src/new.py" not in documents(shop)
    refresh_written(shop, "src/new.py")
    assert_index_matches_scratch(shop)


def test_a_refresh_of_some_collections_does_not_touch_the_index(shop: Repo) -> None:
    """Otherwise a user who writes a decision a day would never get stale code refreshed."""
    set_touched(shop, 1000.0)
    shop.write(".sdd/issues/8.md", "# More\n")
    assert refresh_written(shop, ".sdd/issues/8.md") == ()
    shop.write(TWO, "# ADR-0002: Redis\n")
    assert refresh_written(shop, TWO) == ()
    assert touched_at(shop) == 1000.0
    assert refresh_written(shop, TWO, SPEC, "src/app.py") == ()
    assert touched_at(shop) != 1000.0


def test_a_collection_that_is_not_indexed_is_not_created(shop: Repo, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "some")
    repo.commit("Start", {".gitignore": ".sdd/\n", ONE: "# ADR-0001: X\n", "a.py": "x = 1\n"})
    project = repo.project()
    refresh(project, collections=project.select(("adrs",)))
    assert refresh_written(repo, "a.py", SPEC) == ()
    with closing(open_engine(project)) as engine:
        assert list(engine.bookmarks()) == ["some-adrs"]


def test_without_an_index_nothing_happens(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("Start", {ONE: "# ADR-0001: X\n"})
    assert refresh_written(repo, ONE) == ()
    assert not (repo.root / ".sdd").exists()
    (repo.root / ".sdd/search").mkdir(parents=True)
    assert refresh_written(repo, ONE) == ()


def test_an_index_that_was_lost_is_rebuilt_whole(shop: Repo) -> None:
    for path in (shop.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"no index")
    shop.write(TWO, "# ADR-0002: Redis\n")
    (note,) = refresh_written(shop, TWO)
    assert "set aside as index.db.aside-1" in note
    assert "src/app.py" in documents(shop)
    assert_index_matches_scratch(shop)


def test_a_refresh_that_fails_is_one_warning(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    shop.write(TWO, "# ADR-0002: Redis\n")
    assert refresh_written(shop, TWO) == (
        "Index refresh failed for repo-adrs — run `sdd index update` manually",
    )
    assert refresh_written(shop, TWO, "src/app.py") == (
        "Index refresh failed for repo-adrs, repo-code — run `sdd index update` manually",
    )
    lock.rmdir()
    assert refresh_written(shop, TWO) == ()
    assert_index_matches_scratch(shop)


def test_an_interruption_is_raised(shop: Repo) -> None:
    project = shop.project()

    class Interrupted(dict[str, str]):
        """An environment whose first read is interrupted by Ctrl-C."""

        def get(self, *_: object) -> str:  # type: ignore[override]
            raise KeyboardInterrupt

    shop.write(TWO, "# ADR-0002: Redis\n")
    with pytest.raises(KeyboardInterrupt):
        refresh_after_write(
            in_environment(project, Interrupted(os.environ)), project.select(("adrs",))
        )


def test_a_running_refresh_also_does_the_work_of_this_one(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Redis\n")
    with hold_lock(shop.root / ".sdd/search/lock", 0):
        assert refresh_written(shop, TWO) == ()
    assert (shop.root / ".sdd/search/again").exists()
