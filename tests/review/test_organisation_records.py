"""A review with decisions of the organisation's index, on a real server."""

# Governing: ADR-0064 (a review shows records of repositories that its base names)

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.external.records import read_external_records
from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links
from sdd_hooks.review.references.organisation import search_organisation
from sdd_hooks.review.review import review_commits
from tests.cli.commands import run
from tests.support.external import memory_file, record
from tests.support.postgres_server import PostgresServer
from tests.support.repos import Repo

pytest.importorskip("psycopg")

HANDBOOK = "git.example/acme/handbook"
VAULT = "git.example/acme/vault"
LINE = "- Architecture Decision Records are also in the organisation's index"
ROLES = ("review_owner", "review_ci", "records_ci", "review_outsider")
ENGINE = (
    "\n### SDD Configuration\n\n#### Search\n\n- **Engine**: postgres\n- **Embed Mode**: skip\n"
)
BACKUP = {
    "src/backup.py": "def upload_backup(bucket):\n    # Encrypt each backup with age.\n"
    "    return encrypt_with_age(bucket)\n"
}
TITLE = "Encrypt the nightly backup with age"
HOSTILE = "# ADR-0009: Rotate <img src=x> @team [x](https://evil.example) `a`\n\n## Decision\n\n"
SECRET = "The passphrase of the vault is rotated with shamir_split_quorum by three officers."
DECISION = "We encrypt the nightly backup with age before `upload_backup` runs."
RULE = """
```sdd-rule
id: no-age
forbid: encrypt_with_age
message: hostile rule
```
"""


@dataclass(frozen=True)
class Organisation:
    server: PostgresServer
    database: str
    shop: Repo

    def environ(self, role: str = "review_ci") -> dict[str, str]:
        return {"SDD_POSTGRES_DSN": self.server.dsn(self.database, role)}


def committed(folder: Path, name: str, files: Mapping[str, str], *lines: str) -> Repo:
    repo = Repo.init(folder / name)
    repo.git("remote", "add", "origin", f"https://git.example/acme/{name}.git")
    memory = memory_file(*lines) + ENGINE
    repo.commit("Start", {"CLAUDE.md": memory, ".gitignore": ".sdd/\n", **files})
    return repo


@pytest.fixture(scope="module")
def organisation(
    pgserver: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Organisation]:
    """A handbook that the job of the shop may read, and a vault that it may not."""
    folder = tmp_path_factory.mktemp("organisation")
    database = pgserver.database()
    pgserver.sql(*(f"CREATE ROLE {role} LOGIN" for role in ROLES))
    pgserver.sql(f"ALTER DATABASE {database} OWNER TO review_owner")
    pgserver.sql("CREATE EXTENSION vector", database=database)
    handbook = committed(
        folder,
        "handbook",
        {
            "docs/adrs/ADR-0001-use-kafka.md": record("ADR-0001: Use Kafka for events", "Kafka."),
            "docs/adrs/ADR-0003-encrypt.md": record(
                "ADR-0003: Encrypt the nightly backup with age",
                f"{DECISION}\n{RULE}",
            ),
            "docs/adrs/ADR-0009-rotate.md": f"{HOSTILE}Rotate `rotate_signing_pepper` weekly.\n",
        },
    )
    vault = committed(
        folder, "vault", {"docs/adrs/ADR-0001-quorum.md": record("ADR-0001: Quorum", SECRET)}
    )
    own = {"docs/adrs/ADR-0001-log.md": record("ADR-0001: Log to stderr", "We log to stderr.")}
    made = Organisation(
        pgserver, database, committed(folder, "shop", own, f"{LINE} ({HANDBOOK}, {VAULT})")
    )
    for arguments in (
        ("org", "init"),
        ("org", "grant", "write", "records_ci", HANDBOOK, VAULT),
        ("org", "grant", "write", "review_ci", "git.example/acme/shop"),
        ("org", "grant", "read", "review_ci", HANDBOOK),
    ):
        done = run(folder, *arguments, env=made.environ("review_owner"))
        assert done.code == 0, done.err
    for repo in (handbook, vault):
        done = run(repo.root, "index", env=made.environ("records_ci"))
        assert done.code == 0, done.err
    yield made
    pgserver.sql(f"DROP DATABASE {database} WITH (FORCE)", *(f"DROP ROLE {one}" for one in ROLES))


@pytest.fixture
def shop(organisation: Organisation, tmp_path: Path) -> Repo:
    """A clone of the shop."""
    root = tmp_path / "clone"
    organisation.shop.git("clone", "-q", str(organisation.shop.root), str(root))
    repo = Repo(root)
    repo.git("remote", "set-url", "origin", "https://git.example/acme/shop.git")
    return repo


def review(
    repo: Repo, environ: Mapping[str, str], title: str = TITLE, files: Mapping[str, str] = BACKUP
) -> ReviewOutcome:
    base = repo.head()
    repo.commit(title, files)
    return review_commits(repo.project({**environ}), base, "HEAD")


def test_a_decision_of_another_repository_is_suggested(
    organisation: Organisation, shop: Repo
) -> None:
    outcome = review(shop, organisation.environ())
    (asked,) = outcome.references.suggested
    assert (asked.id, asked.origin) == ("acme/handbook/ADR-0003", "acme/handbook")
    assert asked.quote == DECISION
    assert asked.line == 0
    comment = render_comment(outcome, links=Links("https://git.example/acme/shop", "", ""))
    assert "Should this PR reference acme/handbook/ADR-0003" in comment
    # No rule of the other repository runs.
    assert not outcome.findings
    assert outcome.notes == (
        "not read: the decisions of acme/vault: the organisation's index does not have them, or"
        " this role may not read them",
    )
    assert '"origin": "acme/handbook"' in render_json(outcome)


def test_nothing_is_read_unless_the_base_asks(organisation: Organisation, shop: Repo) -> None:
    """The change itself, which may be hostile, declares the repositories."""
    shop.commit("Ask none", {"CLAUDE.md": memory_file() + ENGINE})
    base = shop.head()
    shop.commit(TITLE, {**BACKUP, "CLAUDE.md": memory_file(f"{LINE} ({HANDBOOK})") + ENGINE})
    outcome = review_commits(shop.project(organisation.environ()), base, "HEAD")
    assert [one.id for one in outcome.references.ranked] == ["ADR-0001"]
    assert not outcome.references.suggested


def test_what_the_role_may_not_read_is_not_shown(organisation: Organisation, shop: Repo) -> None:
    files = {"src/quorum.py": f"# {SECRET}\ndef shamir_split_quorum(): ...\n"}
    outcome = review(shop, organisation.environ(), "Rotate the passphrase of the vault", files)
    assert "acme/vault/" not in render_json(outcome)


def test_a_change_that_names_a_decision_is_left_alone(
    organisation: Organisation, shop: Repo
) -> None:
    outcome = review(shop, organisation.environ(), f"{TITLE}\n\nRefs: ADR-0001")
    assert [one.id for one in outcome.references.ranked] == ["ADR-0001"]
    shop.git("reset", "-q", "--hard", "HEAD~1")
    cited = f"{TITLE}\n\nRefs: acme/handbook/ADR-0003, acme/vault/ADR-0077"
    outcome = review(shop, organisation.environ(), cited)
    assert not outcome.references.suggested
    # The index is not asked whether a record exists.
    assert not outcome.findings
    shop.git("reset", "-q", "--hard", "HEAD~1")
    outcome = review(shop, organisation.environ(), f"{TITLE}\n\nReviewed-ADRs: none")
    assert not outcome.references.suggested


def test_the_decisions_of_this_repository_come_first(
    organisation: Organisation, shop: Repo
) -> None:
    text = record("ADR-0002: Encrypt the nightly backup by age keys", DECISION)
    shop.commit("Decide", {"docs/adrs/ADR-0002-age.md": text})
    outcome = review(shop, organisation.environ())
    assert [one.id for one in outcome.references.suggested] == ["ADR-0002"]
    assert not any(one.origin for one in outcome.references.ranked)
    assert not outcome.notes


@pytest.mark.parametrize(
    ("dsn", "reason"),
    [
        ("", "it cannot be reached from here"),
        ("host=/nonexistent/s3cret-socket dbname=x user=x", "it cannot be reached from here"),
        ("review_outsider", "it refused"),
    ],
)
def test_without_the_index_a_review_has_its_own_records(
    organisation: Organisation, shop: Repo, dsn: str, reason: str
) -> None:
    environ = organisation.environ(dsn) if dsn in ROLES else {"SDD_POSTGRES_DSN": dsn}
    outcome = review(shop, environ)
    assert [one.id for one in outcome.references.ranked] == ["ADR-0001"]
    assert outcome.notes == (
        f"not read: the decisions of the organisation's index ({reason}):"
        " `sdd org status` says why",
    )


def test_a_server_that_does_not_answer_is_left(organisation: Organisation, shop: Repo) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        environ = {"SDD_POSTGRES_DSN": f"host=127.0.0.1 port={port} dbname=x user=x"}
        project = shop.project(environ)
        external = read_external_records(project.repository, project.external)
        search = search_organisation(project, external, time.time, 0.2)
        assert search is not None
        found = search("backup")
    assert not found.records
    assert found.notes == (
        "not read: the decisions of the organisation's index (it did not answer in 0.2 seconds):"
        " `sdd org status` says why",
    )


def test_a_hostile_record_is_text_in_a_comment(organisation: Organisation, shop: Repo) -> None:
    files = {"src/keys.py": "def rotate_signing_pepper():\n    rotate_signing_pepper.weekly()\n"}
    title = "Rotate evil example team: rotate_signing_pepper weekly"
    outcome = review(shop, organisation.environ(), title, files)
    (asked,) = outcome.references.suggested
    assert asked.id == "acme/handbook/ADR-0009"
    comment = render_comment(outcome, links=Links("https://git.example/acme/shop", "", ""))
    assert [part for part in ("<img", " @team", "](https://evil") if part in comment] == []


def test_nothing_of_another_repository_is_kept_on_disk(
    organisation: Organisation, shop: Repo
) -> None:
    assert review(shop, organisation.environ()).references.suggested
    kept = (path for path in shop.root.rglob("*") if path.is_file())
    assert not any(b"nightly backup with age before" in path.read_bytes() for path in kept)
