"""The action fills the organisation's index on a real server, and a laptop reads it by meaning."""

# Governing: SPEC-0033 REQ "Search everywhere", SPEC-0012 REQ "Devices and caches"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.commands import Done, run
from tests.support.external import record
from tests.support.postgres_server import PostgresServer
from tests.support.repos import Repo

pytest.importorskip("psycopg")

MODEL = Path(__file__).resolve().parents[3] / "shared/models/all-MiniLM-L6-v2"
SETTINGS = "## SDD Configuration\n\n#### Search\n\n- **Engine**: postgres\n- **Embed Model**: {}\n"
DECISIONS = {
    "docs/adrs/ADR-0001-cars.md": record(
        "ADR-0001: Lease automobiles", "Each automobile is leased for three years."
    ),
    "docs/adrs/ADR-0002-logs.md": record("ADR-0002: Rotate logs", "Logs are rotated each night."),
    "docs/adrs/ADR-0003-store.md": record(
        "ADR-0003: Use a remote dictionary as the in-memory store",
        "We run Valkey, the fork of Redis, as the in-memory store.",
    ),
}
QUESTION = "rent vehicles"
"""Shares no word with the record that it means."""


@dataclass(frozen=True)
class Filled:
    """A repository whose job has run, the results of the job, and a laptop without an index."""

    server: PostgresServer
    database: str
    jobs: tuple[Done, Done]
    laptop: Repo

    def read(self, *arguments: str) -> Done:
        dsn = self.server.dsn(self.database, "ci_reader")
        return run(self.laptop.root, *arguments, env={"SDD_POSTGRES_DSN": dsn})


@pytest.fixture(scope="module", params=["pgserver", "citus"])
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Filled]:
    if not MODEL.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    server: PostgresServer = request.getfixturevalue(request.param)
    folder = tmp_path_factory.mktemp("filled")
    database = server.database()
    roles = ("ci_owner", "ci_writer", "ci_reader")
    server.sql(
        *(f"CREATE ROLE {role} LOGIN" for role in roles),
        f"GRANT CREATE ON DATABASE {database} TO ci_owner",
        "CREATE EXTENSION vector",
        database=database,
    )
    memory = {"CLAUDE.md": SETTINGS.format(MODEL), ".gitignore": ".sdd/\n"}
    fleet = Repo.init(folder / "fleet")
    fleet.git("remote", "add", "origin", "https://git.example/acme/fleet.git")
    fleet.commit("Start", {**memory, **DECISIONS})
    for arguments in (
        ("init",),
        ("grant", "write", "ci_writer", "git.example/acme/fleet"),
        ("grant", "read", "ci_reader", "--all"),
    ):
        dsn = server.dsn(database, "ci_owner")
        done = run(folder, "org", *arguments, env={"SDD_POSTGRES_DSN": dsn})
        assert done.code == 0, done.err
    job = {"SDD_POSTGRES_DSN": server.dsn(database, "ci_writer")}
    first, again = (run(fleet.root, "ci", "embed", env=job) for _ in range(2))
    laptop = Repo.init(folder / "laptop")
    files = {
        "src/cars.py": "import redis\n\nredis.Redis()\n",
        "requirements.txt": "redis==5.0.1\n",
    }
    laptop.commit("Start", {"CLAUDE.md": SETTINGS.format(MODEL), **files})
    yield Filled(server, database, (first, again), laptop)
    server.drop_database(database)
    server.sql(*(f"DROP ROLE {one}" for one in roles))


def test_the_job_indexes_and_embeds_once(filled: Filled) -> None:
    first, again = filled.jobs
    assert (first.code, again.code) == (0, 0), first.err + again.err
    assert "documents: 3 added" in first.out + first.err
    assert "nothing to embed" in again.out + again.err
    status = filled.read("org", "status", "--json").json["repositories"]
    assert [(one["name"], one["documents"], one["pending"]) for one in status] == [
        ("git.example/acme/fleet", 3, 0)
    ]


def test_a_laptop_searches_by_meaning(filled: Filled) -> None:
    done = filled.read("search", "--everywhere", "--kind", "adrs", QUESTION)
    assert "fleet:ADR-0001" in done.out.splitlines()[0], done.out + done.err
    assert "fleet: refreshed" in done.out
    assert not (filled.laptop.root / ".sdd/search/index.sqlite").exists()


def test_a_laptop_is_primed_by_meaning(filled: Filled) -> None:
    done = filled.read("prime", "--everywhere", QUESTION)
    assert done.code == 0, done.err
    assert done.out.index("automobile is leased") >= 0
    assert "fleet: refreshed" in done.out


def test_what_the_code_of_a_laptop_shows_is_decided_by_meaning(filled: Filled) -> None:
    """The record names the technology of the candidate neither in its title nor as its choice."""
    done = filled.read("discover", "--everywhere", "--json")
    assert done.code == 0, done.err
    (decided,) = done.json["skipped"]
    assert (decided["id"], decided["record"]["id"]) == ("redis", "fleet:ADR-0003")
    assert decided["reason"] == "cosine"
    assert decided["cosine"] >= 0.7
    assert done.json["candidates"] == []
