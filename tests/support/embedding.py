"""A repository whose chunks have no vectors yet, and whose model waits at a gate."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.embedding.background import LOG_DIRECTORY
from sdd_hooks.embedding.lock import LockHolder, find_holder
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository
from tests.cli.commands import Done, run
from tests.support.gated_model import Gate, make_gate
from tests.support.repos import Repo
from tests.support.waiting import until

DECISION = "# ADR-000{n}: About {n}\n\nNumber {n}.\n"
CHUNKS = 3


@dataclass
class GatedRepo:
    """The repository, the environment of its commands, and the gate at which its model waits."""

    repo: Repo
    gate: Gate
    environ: dict[str, str]

    @property
    def project(self) -> Project:
        return self.repo.project(self.environ)

    @cached_property
    def repository(self) -> Repository:
        """The repository, which git is asked for once: tests poll its locks."""
        return self.project.repository

    @property
    def running(self) -> LockHolder | None:
        """The process that embeds now, or None."""
        return find_holder(self.repository)

    @property
    def log(self) -> Path:
        """The log of a background embed."""
        return LOG_DIRECTORY / f"qmd-embed-{self.project.repository.slug}.log"

    def sdd(self, *args: str, env: Mapping[str, str] | None = None) -> Done:
        """Run `sdd` in the repository."""
        return run(self.repo.root, *args, env={**self.environ, **(env or {})})

    def status(self) -> Any:
        """The state of the index."""
        return self.sdd("index", "status", "--json").json

    def wait_until_ended(self) -> None:
        """Wait until no embed is running."""
        until(lambda: self.running is None)

    def finish(self) -> None:
        """Open the gate, and wait for the embed."""
        self.gate.remove()
        self.wait_until_ended()

    def write_decisions(self, first: int, count: int = 1) -> None:
        """Commit more decisions, a chunk each."""
        files = {
            f"docs/adrs/ADR-000{n}-x.md": DECISION.format(n=n) for n in range(first, first + count)
        }
        self.repo.commit("More", files)

    def recorded(self) -> Any:
        """The recorded state of the last embed."""
        return json.loads((self.repo.root / ".sdd/search/embed.json").read_bytes())


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[GatedRepo]:
    """Three indexed decisions of one chunk each, and a model that waits before each chunk."""
    pytest.importorskip("llm", reason="needs the extra llm")
    # All tests share the directory of the logs.
    repo = Repo.init(tmp_path / f"shop-{uuid.uuid4().hex[:12]}")
    gate = make_gate(tmp_path / "plugin", dict(os.environ))
    repository = GatedRepo(repo, gate, {**gate.environ, "HOME": str(tmp_path)})
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Embed Model**: gated\n")
    repo.write(".gitignore", ".sdd/\n")
    repository.write_decisions(1, CHUNKS)
    assert repository.sdd("index", "add", "--kind", "adrs").code == 0
    try:
        yield repository
    finally:
        repository.sdd("index", "embed", "--stop")
        gate.close()
        for log in LOG_DIRECTORY.glob(f"qmd-embed-{repository.project.repository.slug}*.log"):
            log.unlink()
