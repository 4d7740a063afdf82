"""A repository that the real qmd has indexed and embedded, once for all tests that only ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.daemon import Daemon, running
from sdd_hooks.engines.qmd.process import Place, ProgramResult, command, environment, run
from tests.engines.qmd.serving import Served, serving
from tests.support.qmd import RealQmd

RECORDS = {
    "docs/adrs/a.md": "# Sessions\n\nA session ends with the last token of its user.\n",
    "docs/adrs/b.md": "# Pages\n\nA page of the database goes through the cache.\n",
    "docs/specs/c.md": "# Orders\n\nEach order waits for its payment.\n",
}


@dataclass(frozen=True)
class Indexed:
    """The real qmd on an index."""

    qmd: RealQmd
    place: Place

    def run(self, *args: str, deadline: float = 60, **variables: str) -> ProgramResult:
        """`qmd args` there, with these variables besides in our environment."""
        environ = {**self.qmd.environ, **variables}
        return run(self.qmd.installation, self.place, *args, deadline=deadline, environ=environ)

    def command(self, *args: str) -> list[str]:
        return command(self.qmd.installation, *args)

    @property
    def environ(self) -> dict[str, str]:
        """What qmd itself runs in."""
        return environment(self.qmd.installation, self.place, self.qmd.environ)


def index(qmd: RealQmd, root: Path, files: dict[str, str]) -> Indexed:
    """`files` below `root`, declared and indexed, without vectors."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    indexed = Indexed(qmd, qmd.place(root))
    qmd.declare(indexed.place, shop_adrs="docs/adrs", shop_specs="docs/specs")
    assert indexed.run("update").code == 0
    return indexed


@pytest.fixture(scope="session")
def embedded(real_qmd: RealQmd, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """Three records with vectors. To be asked, not changed."""
    found = index(real_qmd, tmp_path_factory.mktemp("shop"), RECORDS)
    assert found.run("embed").code == 0
    return found


@pytest.fixture
def unembedded(real_qmd: RealQmd, tmp_path: Path) -> Indexed:
    """Three records without vectors, of one's own."""
    return index(real_qmd, tmp_path / "shop", RECORDS)


@pytest.fixture
def serve() -> Iterator[Callable[[Indexed], Served]]:
    """Starts `serve` for an index in a process of its own; all are ended with the test."""
    started: list[Served] = []

    def start(indexed: Indexed) -> Served:
        started.append(serving(indexed.qmd, indexed.place))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture(scope="session")
def daemon(embedded: Indexed) -> Iterator[Daemon]:
    """A daemon that serves the three records."""
    served = serving(embedded.qmd, embedded.place)
    found = running(embedded.place, embedded.qmd.environ)
    assert found is not None
    yield found
    served.end()
