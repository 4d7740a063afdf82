"""Tiers 2 and 3: a session or a reader begins, and the index is as fresh as it has to be."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sdd_hooks.embedding.rates import RateKey, record_rate
from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import NotIndexed
from sdd_hooks.freshness.read_gate import Freshness, fresh_index, last_look, on_entry, prime
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.system.locks import held
from tests.support.clock import look_at, looked_at
from tests.support.models import make_model
from tests.support.oracle import assert_index_matches_scratch
from tests.support.repos import Repo

NOW = 1_800_000_000.0
ONE = "docs/adrs/ADR-0001-tokens.md"
TWO = "docs/adrs/ADR-0002-caches.md"
HOUR = 3600.0


@pytest.fixture
def shop(repo: Repo, tmp_path: Path) -> Repo:
    """A decision and a source file, indexed and embedded, last looked at NOW."""
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
    look_at(repo, NOW)
    return repo


def configured(model: Path, freshness: str = "") -> str:
    return (
        f"### SDD Configuration\n\n#### Search\n\n- **Embed Model**: {model}\n\n"
        f"#### Index Freshness\n\n{freshness}\n"
    )


def embed(repo: Repo) -> None:
    with closing(open_engine(repo.project())) as engine:
        engine.embed()


def primed(repo: Repo, after: float, environ: dict[str, str] | None = None) -> Freshness:
    """What a session says that begins so many seconds after NOW."""
    return prime(repo.project(environ), NOW + after)


def entered(repo: Repo, after: float) -> Freshness:
    """What a reader says that begins so many seconds after NOW."""
    return on_entry(repo.project(), NOW + after, looked_at(repo))


# Tier 2


def test_a_session_looks_when_the_last_look_was_not_just_before(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Caches\n\nA page is in the cache.\n")
    for after in (0.0, 59.9, 60.0):
        assert primed(shop, after) == Freshness()
        assert looked_at(shop) == NOW
    done = primed(shop, 60.1)
    assert done.notes[0] == "Refreshed index (1 added, 0 updated, 0 removed across all collections)"
    assert done.warnings == ()
    assert looked_at(shop) != NOW
    assert_index_matches_scratch(shop)


def test_a_session_is_silent_where_nothing_changed(shop: Repo) -> None:
    done = primed(shop, 61)
    assert (done.notes, done.warnings) == ((), ())
    assert done.refresh is not None
    assert done.refresh.total == Counts()
    assert looked_at(shop) != NOW


def test_a_clock_that_was_wrong_does_not_keep_a_session_from_looking(shop: Repo) -> None:
    look_at(shop, NOW + 1e6)
    assert primed(shop, 0).refresh is not None


def test_the_interval_can_be_chosen(shop: Repo, tmp_path: Path) -> None:
    shop.write("CLAUDE.md", configured(tmp_path / "model", "- **Prime Interval**: 10m"))
    assert primed(shop, 600).refresh is None
    assert primed(shop, 601).refresh is not None


def test_a_session_counts_what_is_unembedded(shop: Repo) -> None:
    """Whether or not it was time to look; with the seconds once they were measured here."""
    shop.write(TWO, "# ADR-0002: Caches\n\nA page is in the cache.\n")
    words = "or wait for the next mutation command to backfill)"
    environ = {"XDG_CACHE_HOME": str(shop.root.parent / "cache")}
    done = primed(shop, 61, environ)
    assert done.notes[1:] == (f"1 chunks unembedded — run `sdd index embed` (foreground; {words}",)
    look_at(shop, NOW)
    with closing(open_engine(shop.project())) as engine:
        model, device = engine.status().model, engine.device()
    record_rate(RateKey("embedded", model, device), 100, 250.0, environ)
    estimated = "(≈3s on this machine, foreground;"
    assert primed(shop, 1, environ).notes == (
        f"1 chunks unembedded — run `sdd index embed` {estimated} {words}",
    )
    embed(shop)
    assert primed(shop, 1, environ) == Freshness()


def test_an_index_that_was_never_embedded_is_counted_too(repo: Repo) -> None:
    """A model that is not there cannot be asked how fast it would be."""
    model = "### SDD Configuration\n\n- **Embed Model**: no-such-model\n"
    repo.commit("Start", {".gitignore": ".sdd/\n", "CLAUDE.md": model, ONE: "# ADR-0001: X\n"})
    project = repo.project()
    refresh(project, collections=project.collections)
    (note,) = prime(project, time.time()).notes
    assert note.startswith("1 chunks unembedded — run `sdd index embed` (foreground; or wait")


def test_a_session_goes_on_though_the_refresh_fails(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    done = primed(shop, 61)
    names = "repo-adrs, repo-code, repo-issues, repo-specs"
    assert done == Freshness(
        warnings=(f"Index refresh failed for {names} — run `sdd index update` manually",)
    )


def test_a_session_where_nothing_is_indexed(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("Start", {ONE: "# ADR-0001: X\n"})
    assert primed(repo, 0) == Freshness()
    assert not (repo.root / ".sdd").exists()
    (repo.root / ".sdd/search").mkdir(parents=True)
    assert primed(repo, 0) == Freshness()


def test_a_session_heals_a_damaged_index(shop: Repo) -> None:
    for path in (shop.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"no index")
    assert last_look(shop.project()) is None
    done = primed(shop, 0)
    assert done.notes[0].startswith("Refreshed index (2 added, 0 updated, 0 removed")
    assert "set aside as index.db.aside-1" in done.notes[1]
    assert_index_matches_scratch(shop)


@pytest.mark.parametrize("forged", ["soon", b"\x00", float("inf"), -1e300, 1e300, None])
def test_a_time_that_somebody_forged_makes_a_look_due(shop: Repo, forged: object) -> None:
    index = apsw.Connection(str(shop.root / ".sdd/search/index.db"))
    index.execute("UPDATE facts SET value = ? WHERE name = 'touched'", (forged,))
    index.close()
    done = entered(shop, 0)
    assert done.refresh is not None
    assert done.notes == ()
    found = looked_at(shop)
    assert found is not None
    assert abs(found - time.time()) < 600


# Tier 3


def test_a_reader_refreshes_an_index_that_is_stale(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Caches\n")
    for after in (0.0, 2 * HOUR - 0.1, 2 * HOUR):
        assert entered(shop, after) == Freshness()
        assert looked_at(shop) == NOW
    done = entered(shop, 2 * HOUR + 0.1)
    assert done.notes == ("Index was 2 hours stale — refreshed before running.",)
    assert_index_matches_scratch(shop)


def test_a_reader_says_so_whether_or_not_anything_changed(shop: Repo) -> None:
    assert entered(shop, 50 * HOUR).notes == ("Index was 2 days stale — refreshed before running.",)


def test_the_threshold_can_be_chosen(shop: Repo, tmp_path: Path) -> None:
    shop.write("CLAUDE.md", configured(tmp_path / "model", "- **Staleness Threshold**: 30m"))
    assert entered(shop, 29 * 60) == Freshness()
    assert entered(shop, 31 * 60).notes == (
        "Index was 31 minutes stale — refreshed before running.",
    )


def test_an_index_of_unknown_age_is_refreshed_without_a_word(shop: Repo) -> None:
    """Its clock was wrong; nobody knows how old it is."""
    look_at(shop, NOW + 1e6)
    shop.write(TWO, "# ADR-0002: Caches\n")
    assert entered(shop, 0).notes == ()
    assert_index_matches_scratch(shop)


def test_a_reader_goes_on_though_the_refresh_fails(shop: Repo) -> None:
    lock = shop.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    (warning,) = entered(shop, 3 * HOUR).warnings
    assert warning.startswith("Index refresh failed for repo-adrs, ")
    with fresh_index(shop.project(), NOW + 3 * HOUR) as (engine, freshness):
        assert freshness == Freshness(warnings=(warning,))
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE]


def test_a_reader_does_not_wait_long_for_another_refresh(shop: Repo) -> None:
    with held(shop.root / ".sdd/search/lock", 0):
        assert entered(shop, 3 * HOUR) == Freshness()
    assert (shop.root / ".sdd/search/again").exists()


def test_a_reader_sees_what_the_refresh_brought(shop: Repo) -> None:
    shop.write(TWO, "# ADR-0002: Caches\n")
    project = shop.project()
    with fresh_index(project, NOW + HOUR) as (engine, freshness):
        assert freshness == Freshness()
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE]
    with fresh_index(project, NOW + 3 * HOUR) as (engine, freshness):
        assert freshness.notes == ("Index was 3 hours stale — refreshed before running.",)
        assert [one.path for one in engine.documents("repo-adrs")] == [ONE, TWO]


def test_what_is_not_indexed_is_left_to_the_reader(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("Start", {ONE: "# ADR-0001: X\n"})
    project = repo.project()
    assert on_entry(project, NOW, None) == Freshness()
    with pytest.raises(NotIndexed), fresh_index(project, NOW):
        pass
    assert not (repo.root / ".sdd").exists()
