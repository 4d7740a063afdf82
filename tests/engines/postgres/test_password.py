"""The password of the server is in no output, and a server must prove its name."""

# Governing: SPEC-0033 REQ "Address"

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.commands import run
from tests.support.postgres_server import (
    SUPERUSER,
    PostgresServer,
    installed_postgres,
    running_postgres,
)
from tests.support.repos import Repo

pytest.importorskip("psycopg")

WRONG = "hunter2-w%2Frong"
RIGHT = "hunter2-right"
CONFIGURATION = "### SDD Configuration\n\n#### Search\n\n- **Engine**: postgres\n"


@pytest.fixture(scope="module")
def encrypted() -> Iterator[PostgresServer]:
    """A server on loopback that asks for a password; Debian's, which encrypts."""
    with running_postgres(installed_postgres("debian"), tcp=True) as server:
        server.sql(f"ALTER ROLE {SUPERUSER} PASSWORD '{RIGHT}'")
        yield server


@pytest.mark.parametrize(
    "command", [("org", "status"), ("search", "--everywhere", "x"), ("index",)]
)
def test_a_wrong_password_is_in_no_output(
    encrypted: PostgresServer, repo: Repo, command: tuple[str, ...]
) -> None:
    repo.git("remote", "add", "origin", "https://git.example/acme/x.git")
    repo.commit("Start", {"CLAUDE.md": CONFIGURATION, "a.py": "x = 1\n"})
    for dsn in (
        f"postgresql://{SUPERUSER}:{WRONG}@localhost:{encrypted.port}/{SUPERUSER}?sslmode=require",
        f"host=localhost port={encrypted.port} password={WRONG} sslmode=require user={SUPERUSER}",
        f"postgresql://{SUPERUSER}:{WRONG}@[broken",
    ):
        done = run(repo.root, *command, "--json", env={"SDD_POSTGRES_DSN": dsn, "SDD_DEBUG": "1"})
        assert done.code != 0
        assert "hunter2" not in done.out + done.err


def test_another_machine_must_prove_its_name(encrypted: PostgresServer, repo: Repo) -> None:
    """The host is loopback under a name that is none of loopback's, with the certificate of
    `localhost`."""
    repo.commit("Start", {"README.md": "# X\n"})
    place = f"host=db.example hostaddr=127.0.0.1 port={encrypted.port} user={SUPERUSER}"
    secret = f"{place} password={RIGHT} sslrootcert={encrypted.certificate}"
    done = run(repo.root, "org", "status", env={"SDD_POSTGRES_DSN": secret})
    assert done.code == 6
    assert "does not match host name" in done.err
    named = secret.replace("db.example", "localhost") + " sslmode=verify-full"
    done = run(repo.root, "org", "init", env={"SDD_POSTGRES_DSN": named})
    assert done.code == 0, done.err
    assert RIGHT not in done.out + done.err
