"""`sdd org`, and `--everywhere` of search, list, prime and discover, against a real server."""

# Governing: SPEC-0033 (organisation)

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.commands import on_terminal, run
from tests.support.postgres_server import PostgresServer
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

PASSWORD = "t0p-s3cret"
CONFIGURATION = """\
## Architecture Context

- Architecture Decision Records are in `docs/adrs/`

### SDD Configuration

#### Search

- **Engine**: postgres
- **Embed Mode**: skip
"""
RETRY = """\
---
status: accepted
date: 2026-02-03
---

# ADR-0011: Retry payments with a growing delay

## Decision Outcome

A payment that fails is sent again after a delay, which doubles each time. We use Kafka.
"""
RENT = """\
---
status: proposed
---

# ADR-0002: Rent bicycles by the hour

## Decision Outcome

A bicycle is rented by the hour, never by the day.
"""
QUEUE = "const { Kafka } = require('kafkajs')\nmodule.exports = new Kafka({})\n"


@dataclass(frozen=True)
class Company:
    """A server, and two repositories whose jobs have indexed them."""

    server: PostgresServer
    database: str
    payments: Repo
    laptop: Repo

    def environ(self, role: str) -> dict[str, str]:
        return {"SDD_POSTGRES_DSN": f"{self.server.dsn(self.database, role)} password={PASSWORD}"}


def repository(folder: Path, name: str, files: dict[str, str]) -> Repo:
    repo = Repo.init(folder / name)
    repo.git("remote", "add", "origin", f"https://git.example/acme/{name}.git")
    repo.commit("Start", {"CLAUDE.md": CONFIGURATION, ".gitignore": ".sdd/\n", **files})
    return repo


@pytest.fixture(scope="module", params=["pgserver", "citus"])
def company(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Company]:
    pytest.importorskip("psycopg")
    server: PostgresServer = request.getfixturevalue(request.param)
    folder = tmp_path_factory.mktemp("company")
    database = server.database()
    roles = ("boss", "pay_ci", "rent_ci", "dev", "guest")
    server.sql(
        *(f"CREATE ROLE {role} LOGIN" for role in roles),
        f"GRANT CREATE ON DATABASE {database} TO boss",
        "CREATE EXTENSION vector",
        database=database,
    )
    payments = repository(folder, "payments", {"docs/adrs/ADR-0011-retry.md": RETRY})
    rental = repository(folder, "rental", {"docs/adrs/ADR-0002-rent.md": RENT})
    laptop = Repo.init(folder / "laptop")
    laptop.commit(
        "Start", {"package.json": '{"dependencies": {"kafkajs": "^2.2.4"}}', "a.js": QUEUE}
    )
    made = Company(server, database, payments, laptop)
    for arguments in (
        ("org", "init"),
        ("org", "grant", "write", "pay_ci", "git.example/acme/payments"),
        ("org", "grant", "write", "rent_ci", "git.example/acme/rental"),
        ("org", "grant", "read", "dev", "--all"),
        ("org", "grant", "read", "guest", "git.example/acme/rental"),
    ):
        done = run(folder, *arguments, env=made.environ("boss"))
        assert done.code == 0, done.err
    for repo, role in ((payments, "pay_ci"), (rental, "rent_ci")):
        done = run(repo.root, "index", env=made.environ(role))
        assert done.code == 0, done.err
    yield made
    server.drop_database(database)
    server.sql(*(f"DROP ROLE {one}" for one in roles))


def test_a_laptop_without_an_index_finds_a_decision(company: Company) -> None:
    found = run(
        company.laptop.root, "search", "--everywhere", "retry a failed payment",
        env=company.environ("dev"),
    )  # fmt: skip
    assert found.code == 0, found.err
    assert "payments:ADR-0011  ADR-0011: Retry payments" in found.out
    assert "(accepted)" in found.out
    assert "payments: refreshed " in found.out
    assert not (company.laptop.root / ".sdd/search").exists()


def test_a_record_that_is_found_by_its_title_shows_what_it_decides(company: Company) -> None:
    found = run(
        company.laptop.root, "search", "--everywhere", "hour bicycles rent",
        env=company.environ("dev"),
    )  # fmt: skip
    title, place, excerpt, *_ = map(str.strip, found.out.splitlines())
    assert title.endswith("rental:ADR-0002  ADR-0002: Rent bicycles by the hour (proposed)")
    assert place.startswith("docs/adrs/ADR-0002-rent.md:")
    assert excerpt == "A bicycle is rented by the hour, never by the day."


def test_json_is_versioned_and_names_the_repository(company: Company) -> None:
    found = run(
        company.laptop.root, "search", "--everywhere", "--json", "retry a failed payment",
        env=company.environ("dev"),
    )  # fmt: skip
    assert found.json["schema_version"] == 1
    hit = found.json["hits"][0]
    assert (hit["repository"], hit["label"], hit["id"], hit["status"], hit["kind"]) == (
        "git.example/acme/payments", "payments:ADR-0011", "ADR-0011", "accepted", "adrs",
    )  # fmt: skip
    (state,) = [one for one in found.json["repositories"] if one["name"] == "payments"]
    assert state["touched"] > 0


def test_records_of_repositories_that_are_not_granted_are_in_no_output(company: Company) -> None:
    environ = company.environ("guest")
    for arguments in (
        ("search", "--everywhere", "--json", "--min-score", "0", "retry payments delay kafka"),
        ("list", "--everywhere", "--json"),
        ("prime", "--everywhere", "--json", "retry payments"),
        ("discover", "--everywhere", "--json"),
        ("org", "status", "--grants", "--json"),
    ):
        done = run(company.laptop.root, *arguments, env=environ)
        assert done.code == 0, done.err
        text = done.out + done.err
        assert "ADR-0011" not in text
        assert "acme/payments" not in text


def test_a_configuration_does_not_open_another_repository(company: Company, tmp_path: Path) -> None:
    """A clone that claims the remote of `payments` reads and writes nothing of it."""
    hostile = repository(tmp_path, "payments", {"docs/adrs/ADR-0001-x.md": "# ADR-0001: Mine\n"})
    environ = company.environ("guest")
    done = run(hostile.root, "search", "--json", "retry payments", env=environ)
    assert "Retry" not in done.out + done.err
    done = run(hostile.root, "index", env=environ)
    assert done.code == 7
    assert "may not write git.example/acme/payments" in done.err
    assert "ADR-0011" in run(
        company.laptop.root, "list", "--everywhere", env=company.environ("dev")
    ).out  # fmt: skip


def test_list_has_every_record_with_its_status(company: Company) -> None:
    done = run(company.laptop.root, "list", "--everywhere", env=company.environ("dev"))
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].split()[:3] == ["payments:ADR-0011", "accepted", "2026-02-03"]
    assert lines[1].split()[:3] == ["rental:ADR-0002", "proposed", "-"]
    accepted = ("list", "--everywhere", "--status", "accepted", "--json")
    found = run(company.laptop.root, *accepted, env=company.environ("dev")).json
    assert [one["label"] for one in found["artifacts"]] == ["payments:ADR-0011"]


def test_prime_has_the_texts_of_a_topic(company: Company) -> None:
    done = run(
        company.laptop.root, "prime", "--everywhere", "retry payments", env=company.environ("dev")
    )
    assert done.code == 0, done.err
    assert "payments:ADR-0011" in done.out
    assert "which doubles each time" in done.out
    assert "payments: refreshed " in done.out


def test_prime_everywhere_needs_a_topic(company: Company) -> None:
    done = run(company.laptop.root, "prime", "--everywhere", env=company.environ("dev"))
    assert done.code == 2
    assert "sdd list --everywhere" in done.err


def test_discover_names_who_has_decided_this(company: Company) -> None:
    done = run(company.laptop.root, "discover", "--everywhere", env=company.environ("dev"))
    assert done.code == 0, done.err
    assert "payments:ADR-0011" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "--everywhere", "x"),
        ("list", "--everywhere"),
        ("prime", "--everywhere", "x"),
        ("discover", "--everywhere"),
        ("org", "status"),
    ],
)
def test_without_a_server_there_is_one_line(repo: Repo, arguments: tuple[str, ...]) -> None:
    pytest.importorskip("psycopg")
    repo.commit("Start", {"README.md": "# X\n"})
    done = run(repo.root, *arguments, env={"SDD_POSTGRES_DSN": "", "PGSERVICE": ""})
    assert done.code == 6
    assert len(done.err.splitlines()) == 1
    assert "set SDD_POSTGRES_DSN" in done.err


@pytest.mark.parametrize("option", [("--module", "x"), ("--graph",), ("--output", "json")])
def test_options_of_one_repository_are_refused(company: Company, option: tuple[str, ...]) -> None:
    done = run(
        company.laptop.root, "search", "--everywhere", *option, "x", env=company.environ("dev")
    )
    assert done.code == 2
    assert "is about this repository" in done.err


def test_status_shows_freshness_sizes_and_failures(company: Company) -> None:
    """Scenario "A job was killed" of SPEC-0005."""
    done = run(company.laptop.root, "org", "status", env=company.environ("dev"))
    assert done.code == 0, done.err
    heading, payments, rental = done.out.splitlines()
    assert heading.split() == [
        "repository", "refreshed", "commit", "documents", "chunks", "size", "problems",
    ]  # fmt: skip
    assert payments.startswith("git.example/acme/payments  ")
    assert company.payments.git("rev-parse", "HEAD").strip()[:12] in payments
    assert "without a vector" in rental
    data = run(
        company.laptop.root, "org", "status", "--grants", "--json", env=company.environ("boss")
    ).json
    assert data["schema_version"] == 1
    assert [one["documents"] for one in data["repositories"]] == [1, 1]
    assert {one["role"] for one in data["grants"]} == {"boss", "pay_ci", "rent_ci", "dev", "guest"}


def test_only_the_owner_grants_and_prepares(company: Company) -> None:
    for arguments in (("grant", "read", "guest", "--all"), ("revoke", "dev", "--all"), ("init",)):
        done = run(company.laptop.root, "org", *arguments, env=company.environ("guest"))
        assert done.code == 7, arguments
        assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("grant", "read", "ghost", "--all"), "no role 'ghost'"),
        (("grant", "read", "dev"), "HOST/OWNER/NAME"),
        (("grant", "read", "dev", "--all", "a/b"), "HOST/OWNER/NAME"),
        (("grant", "read", "dev", "https://git.example/a/b"), "write git.example/a/b"),
        (("grant", "read", "dev", "git@git.example:a/b.git"), "write git.example/a/b"),
        (("grant", "read", "dev", "acme/payments"), "HOST/OWNER/NAME"),
        (("grant", "read", "dev", "git.example/acme/payments.git"), "HOST/OWNER/NAME"),
        (("revoke", "guest", "git.example/acme/payments"), "no grant"),
    ],
)
def test_wrong_grants_are_one_line(
    company: Company, arguments: tuple[str, ...], words: str
) -> None:
    done = run(company.laptop.root, "org", *arguments, env=company.environ("boss"))
    assert done.code in (1, 2)
    assert len(done.err.splitlines()) == 1
    assert words in done.err


BUSY = ((7, "sdd: another job uses "), "canceling statement due to lock timeout): try again")
LOCKED = {
    "chunks": (("search", "retry"), *BUSY),
    "documents": (("list",), *BUSY),
    # The vectors alone: their words are there.
    "models": (("search", "retry"), (0, "payments:ADR-0011"), "searched by words only: another"),
}


@pytest.mark.parametrize("table", LOCKED)
def test_a_lock_on_the_server_is_waited_for_in_sight_and_not_for_ever(
    company: Company, table: str
) -> None:
    import psycopg

    arguments, (code, begin), end = LOCKED[table]
    command = (arguments[0], "--everywhere", *arguments[1:])
    with psycopg.connect(company.server.dsn(company.database)) as holder:
        holder.execute(f"LOCK TABLE sdd.{table} IN ACCESS EXCLUSIVE MODE".encode())
        started = time.monotonic()
        found, shown = on_terminal(company.laptop.root, "", *command, env=company.environ("dev"))
        assert 4 < time.monotonic() - started < TIMEOUT
    assert found == code, shown
    assert "Waiting for the index of the organisation …" in shown
    assert begin in shown
    assert end in shown


def test_a_replica_is_read_and_not_written(company: Company) -> None:
    environ = company.environ("boss")
    environ["SDD_POSTGRES_DSN"] += " options='-c default_transaction_read_only=on'"
    assert run(company.laptop.root, "org", "status", env=environ).code == 0
    done = run(company.laptop.root, "org", "grant", "read", "dev", "--all", env=environ)
    assert done.code == 7
    (line,) = done.err.splitlines()
    assert "is read-only (" in line
    assert line.endswith("it may be a replica, so write to the primary server")
