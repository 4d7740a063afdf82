"""A repository of decisions elsewhere, on a server of git, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.git_server import git_daemon, publish
from tests.support.repos import Repo

NOW = 1_800_000_000.0


def record(title: str, decision: str, status: str = "Accepted") -> str:
    """A decision record in Nygard's form."""
    return f"# {title}\n\n## Status\n\n{status}\n\n## Decision\n\n{decision}\n"


RECORDS = {
    "docs/adr/0001-use-kafka.md": record(
        "ADR-0001: Use Kafka for events", "We publish every domain event to Kafka topics."
    ),
    "docs/adr/0002-use-rabbit.md": record(
        "ADR-0002: Use RabbitMQ", "We publish events to RabbitMQ.", "Superseded by ADR-0001"
    ),
    "docs/adr/0003-encrypt-backups.md": record(
        "ADR-0003: Encrypt backups", "We encrypt each backup with age before upload_backup runs."
    ),
}


@dataclass
class Handbook:
    """The repository, the directory that its server serves, and the address of that server."""

    repo: Repo
    base: Path
    address: str
    path: str = "acme/handbook"

    @property
    def url(self) -> str:
        """The address of the repository."""
        return f"{self.address}/{self.path}"

    @property
    def line(self) -> str:
        """The line of a memory file that declares the repository."""
        return f"- Architecture Decision Records are also in {self.url}"

    def publish_first(self) -> None:
        """Publish RECORDS, and files that are not needed."""
        self.publish({**RECORDS, "src/large.bin": b"\0" * 300_000, "README.md": "# Handbook\n"})

    def publish(self, files: Mapping[str, str | bytes], *, filters: bool = True) -> None:
        """Commit files and publish the commit."""
        self.repo.commit("Decide", files)
        publish(self.repo, self.base, self.path, filters=filters)


def memory_file(*lines: str) -> str:
    """A memory file with these lines under `## Architecture Context`."""
    own = "- Architecture Decision Records are in `docs/adrs/`"
    return "\n".join(["# Project", "", "## Architecture Context", "", own, *lines, ""])


OWN_RECORD = {
    "docs/adrs/ADR-0001-log.md": record("ADR-0001: Log to stderr", "We log to stderr, always.")
}


def declaring(repo: Repo, *lines: str) -> Repo:
    """Commit a memory file with these lines, and a decision of its own."""
    repo.commit("Declare", {"CLAUDE.md": memory_file(*lines), **OWN_RECORD})
    return repo


@pytest.fixture
def handbook(tmp_path: Path) -> Iterator[Handbook]:
    """`acme/handbook` with three decisions, served by git's daemon."""
    base = tmp_path / "served"
    base.mkdir()
    with git_daemon(base) as address:
        served = Handbook(Repo.init(tmp_path / "work" / "handbook"), base, address)
        served.publish_first()
        yield served
