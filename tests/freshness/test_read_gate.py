"""Tiers 2 and 3: the index is refreshed when a session or a reader begins."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from threading import Thread

import apsw
import pytest

from sdd_hooks.embedding.rates import RateKey, record_rate
from sdd_hooks.engines.protocol import Counts, Query, SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import IndexDamaged, NotIndexed, StorageError
from sdd_hooks.freshness.read_gate import (
    FreshnessReport,
    last_touched,
    open_fresh_index,
    prime,
    refresh_if_stale,
)
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.system.locks import hold_lock
from tests.support.clock import set_touched, touched_at
from tests.support.models import make_model
from tests.support.oracle import assert_index_matches_scratch
from tests.support.repos import Repo

NOW = 1_800_000_000.0
ONE = "docs/adrs/ADR-0001-tokens.md"
TWO = "docs/adrs/ADR-0002-caches.md"
HOUR = 3600.0


@pytest.fixture
def shop(repo: Repo, tmp_path: Path) -> Repo:
    """A decision and a source file, indexed and embedded, last touched at NOW."""
    (tmp_path / "model").mkdir()
    folder = make_model(tmp_path / "model")
    repo.commit(
        "Start",
        {
            ".gitignore": ".sdd/\n",
            "CLAUDE.md": configured(folder),
            ONE: "# ADR-0001: Tokens\n\nEach user has a token.\n",
            "src/session.py": "def session(user):\n    return user\n",
        },
    )
    project = repo.project()
    refresh(project, collections=project.collections)
    embed(repo)
    set_touched(repo, NOW)
    return repo


def configured(model: Path, freshness: str = "") -> str:
    return (
        f"### SDD Configuration\n\n#### Search\n\n- **Embed Model**: {model}\n\n"
        f"#### Index Freshness\n\n{freshness}\n"
    )


def embed(repo: Repo) -> None:
    with closing(open_engine(repo.project())) as engine:
        engine.embed()


def session_report(
    repo: Repo, after: float, environ: dict[str, str] | None = None
) -> FreshnessReport:
    """The report of a session that begins `after` seconds after NOW."""
    return prime(repo.project(environ), NOW + after)


def read_report(repo: Repo, after: float) -> FreshnessReport:
    """The report of a reader that begins `after` seconds after NOW."""
    return refresh_if_stale(repo.project(), NOW + after, touched_at(repo))


# Tier 2


def test_a_session_refreshes_after_the_prime_interval(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Caches\n\nA page is in the cache.\n")
    for after in (0.0, 59.9, 60.0):
        assert session_report(shop, after) == FreshnessReport()
        assert touched_at(shop) == NOW
    done = session_report(shop, 60.1)
    assert done.notes[0] == "Refreshed index (1 added, 0 updated, 0 removed across all collections)"
    assert done.warnings == ()
    assert touched_at(shop) != NOW
    assert_index_matches_scratch(shop)


def test_a_session_has_no_note_when_nothing_changed(shop: Repo) -> None:
    done = session_report(shop, 61)
    assert (done.notes, done.warnings) == ((), ())
    assert done.refresh is not None
    assert done.refresh.total == Counts()
    assert touched_at(shop) != NOW


def test_a_time_in_the_future_makes_a_scan_due(shop: Repo) -> None:
    set_touched(shop, NOW + 1e6)
    assert session_report(shop, 0).refresh is not None


def test_the_configuration_sets_the_prime_interval(shop: Repo, tmp_path: Path) -> None:
    shop.write("CLAUDE.md", configured(tmp_path / "model", "- **Prime Interval**: 10m"))
    assert session_report(shop, 600).refresh is None
    assert session_report(shop, 601).refresh is not None


def test_a_session_counts_unembedded_chunks(shop: Repo) -> None:
    """Whether or not a scan was due, and at the rate of the last embed once one was measured."""
    shop.write(TWO, "# ADR-0002: Caches\n\nA page is in the cache.\n")
    words = "or wait for the next mutation command to backfill)"
    environ = {"XDG_CACHE_HOME": str(shop.root.parent / "cache")}
    done = session_report(shop, 61, environ)
    usual = f"1 chunks unembedded — run `sdd index embed` (≈1s on this machine, foreground; {words}"
    assert done.notes[1:] == (usual,)
    set_touched(shop, NOW)
    record_rate(RateKey("qmd", "other", "cpu"), 100, 900.0, environ)
    assert session_report(shop, 1, environ).notes == (usual,)
    record_rate(RateKey("embedded", "other", "cpu"), 100, 700.0, environ)
    record_rate(RateKey("embedded", "model", "cuda"), 100, 250.0, environ)
    assert session_report(shop, 1, environ).notes == (usual.replace("≈1s", "≈3s"),)
    embed(shop)
    assert session_report(shop, 1, environ) == FreshnessReport()


def test_a_session_counts_the_chunks_of_an_index_that_was_never_embedded(repo: Repo) -> None:
    """With a model that is missing, too."""
    model = "### SDD Configuration\n\n- **Embed Model**: no-such-model\n"
    repo.commit("Start", {".gitignore": ".sdd/\n", "CLAUDE.md": model, ONE: "# ADR-0001: X\n"})
    environ = {"XDG_CACHE_HOME": str(repo.root.parent / "cache")}
    project = repo.project(environ)
    refresh(project, collections=project.collections)
    (note,) = prime(project, time.time()).notes
    start = "1 chunks unembedded — run `sdd index embed` (≈1s on this machine, foreground; or wait"
    assert note.startswith(start)


def test_a_refresh_that_fails_is_a_warning_of_the_session(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    done = session_report(shop, 61)
    names = "repo-adrs, repo-code, repo-issues, repo-specs"
    assert done == FreshnessReport(
        warnings=(f"Index refresh failed for {names} — run `sdd index update` manually",)
    )


def test_a_session_without_an_index_has_an_empty_report(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("Start", {ONE: "# ADR-0001: X\n"})
    assert session_report(repo, 0) == FreshnessReport()
    assert not (repo.root / ".sdd").exists()
    (repo.root / ".sdd/search").mkdir(parents=True)
    assert session_report(repo, 0) == FreshnessReport()


def test_a_session_rebuilds_a_damaged_index(shop: Repo) -> None:
    for path in (shop.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"no index")
    assert last_touched(shop.project()) is None
    done = session_report(shop, 0)
    assert done.notes[0].startswith("Refreshed index (2 added, 0 updated, 0 removed")
    assert "set aside as index.db.aside-1" in done.notes[1]
    assert_index_matches_scratch(shop)


@pytest.mark.parametrize("forged", ["soon", b"\x00", float("inf"), -1e300, 1e300, None])
def test_a_forged_time_makes_a_scan_due(shop: Repo, forged: object) -> None:
    index = apsw.Connection(str(shop.root / ".sdd/search/index.db"))
    index.execute("UPDATE facts SET value = ? WHERE name = 'touched'", (forged,))
    index.close()
    done = read_report(shop, 0)
    assert done.refresh is not None
    assert done.notes == ()
    found = touched_at(shop)
    assert found is not None
    assert abs(found - time.time()) < 600


# Tier 3


def test_a_reader_refreshes_a_stale_index(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Caches\n")
    for after in (0.0, 2 * HOUR - 0.1, 2 * HOUR):
        assert read_report(shop, after) == FreshnessReport()
        assert touched_at(shop) == NOW
    done = read_report(shop, 2 * HOUR + 0.1)
    assert done.notes == ("Index was 2 hours stale — refreshed before running.",)
    assert_index_matches_scratch(shop)


def test_a_reader_notes_the_refresh_even_when_nothing_changed(shop: Repo) -> None:
    assert read_report(shop, 50 * HOUR).notes == (
        "Index was 2 days stale — refreshed before running.",
    )


def test_the_configuration_sets_the_staleness_threshold(shop: Repo, tmp_path: Path) -> None:
    shop.write("CLAUDE.md", configured(tmp_path / "model", "- **Staleness Threshold**: 30m"))
    assert read_report(shop, 29 * 60) == FreshnessReport()
    assert read_report(shop, 31 * 60).notes == (
        "Index was 31 minutes stale — refreshed before running.",
    )


def test_an_index_of_unknown_age_is_refreshed_without_a_note(shop: Repo) -> None:
    """A wrong clock made its age unknown."""
    set_touched(shop, NOW + 1e6)
    shop.write(TWO, "# ADR-0002: Caches\n")
    assert read_report(shop, 0).notes == ()
    assert_index_matches_scratch(shop)


def test_a_refresh_that_fails_is_a_warning_of_the_reader(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    (warning,) = read_report(shop, 3 * HOUR).warnings
    assert warning.startswith("Index refresh failed for repo-adrs, ")
    with open_fresh_index(shop.project(), NOW + 3 * HOUR) as (engine, freshness):
        assert freshness == FreshnessReport(warnings=(warning,))
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE]


def test_a_reader_knows_that_a_refresh_has_failed(shop: Repo) -> None:
    """As on a full disk, after which the index is not old."""
    project = shop.project()
    shop.write(TWO, "# ADR-0002: Caches\n")
    state, request = (shop.root / ".sdd/search" / name for name in ("hook", "again"))
    state.unlink()
    (state / "x").mkdir(parents=True)
    with pytest.raises(StorageError):
        refresh(project)
    assert request.exists()
    (state / "x").rmdir()
    state.rmdir()
    # As if the next one had been killed.
    running = request.rename(request.with_name("refreshing"))
    with open_fresh_index(project, NOW) as (engine, _):
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE, TWO]
    assert not request.exists() and not running.exists()
    assert state.is_file()


def test_a_reader_waits_for_a_refresh_that_runs(shop: Repo) -> None:
    """As after a switch to another branch, of which the background refreshes the index."""
    (running := shop.root / ".sdd/search/refreshing").touch()
    project, reports = shop.project(), list[FreshnessReport]()

    def read() -> None:
        with open_fresh_index(project, NOW) as (_, report):
            reports.append(report)

    reader = Thread(target=read)
    with hold_lock(shop.root / ".sdd/search/lock", 0):
        reader.start()
        reader.join(0.1)
        assert not reports
        running.unlink()
    reader.join()
    assert reports == [FreshnessReport()]


def test_a_reader_waits_only_briefly_for_another_refresh(shop: Repo) -> None:
    with hold_lock(shop.root / ".sdd/search/lock", 0):
        assert read_report(shop, 3 * HOUR) == FreshnessReport()
    assert (shop.root / ".sdd/search/again").exists()


def test_a_reader_sees_the_refreshed_index(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Caches\n")
    project = shop.project()
    with open_fresh_index(project, NOW + HOUR) as (engine, freshness):
        assert freshness == FreshnessReport()
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE]
    with open_fresh_index(project, NOW + 3 * HOUR) as (engine, freshness):
        assert freshness.notes == ("Index was 3 hours stale — refreshed before running.",)
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE, TWO]


def test_a_missing_index_is_reported_by_the_reader(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("Start", {ONE: "# ADR-0001: X\n"})
    project = repo.project()
    assert refresh_if_stale(project, NOW, None) == FreshnessReport()
    with pytest.raises(NotIndexed), open_fresh_index(project, NOW):
        pass
    assert not (repo.root / ".sdd").exists()


def test_a_renamed_repository_is_refreshed_before_it_is_read(shop: Repo) -> None:
    moved = Repo(shop.root.rename(shop.root.with_name("moved")))
    with open_fresh_index(moved.project(), NOW) as (engine, _):
        assert "moved-adrs" in engine.bookmarks()


def test_damage_that_a_reader_finds_is_repaired_at_the_next_event(shop: Repo) -> None:
    index = shop.root / ".sdd/search/index.db"
    index.write_bytes(index.read_bytes().replace(b"Each user", b"Each loser"[:9]))
    with (
        pytest.raises(IndexDamaged, match="run `sdd index update`"),
        open_fresh_index(shop.project(), NOW) as (engine, _),
    ):
        engine.search(Query((SubQuery("lex", "token"),)))
    header = (shop.root / ".sdd/search/hook").read_text().split("\n")[0]
    assert header.split(" ")[3] == "1", "the hooks start sdd"
    done = refresh(shop.project())
    assert "set aside as index.db.aside-1 and rebuilt" in done.notes[0]
    assert_index_matches_scratch(shop)
