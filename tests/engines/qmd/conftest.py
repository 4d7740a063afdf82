"""Repositories that the real qmd has indexed: one is shared by all tests that only read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import qmd_program, run_qmd
from sdd_hooks.system.processes import Program, ProgramResult
from tests.support.qmd import RealQmd

RECORDS = {
    "docs/adrs/a.md": "# Sessions\n\nA session ends with the last token of its user.\n",
    "docs/adrs/b.md": "# Pages\n\nA page of the database goes through the cache.\n",
    "docs/specs/c.md": "# Orders\n\nEach order waits for its payment.\n",
}


@dataclass(frozen=True)
class Indexed:
    """The real qmd, and the folder of an index."""

    qmd: RealQmd
    folder: IndexFolder

    def run(self, *args: str, timeout: float = 60, **variables: str) -> ProgramResult:
        """Run `qmd args` on the index, with these variables added to sdd's environment."""
        environ = {**self.qmd.environ, **variables}
        return run_qmd(self.qmd.installation, self.folder, *args, timeout=timeout, environ=environ)

    def program(self, *args: str) -> Program:
        """Return `qmd args` on the index, in the environment of qmd itself."""
        return qmd_program(self.qmd.installation, self.folder, *args, environ=self.qmd.environ)


def index(qmd: RealQmd, root: Path, files: dict[str, str]) -> Indexed:
    """Write `files` below `root`, and index them without vectors."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    indexed = Indexed(qmd, qmd.index_folder(root))
    qmd.declare(indexed.folder, shop_adrs="docs/adrs", shop_specs="docs/specs")
    assert indexed.run("update").code == 0
    return indexed


@pytest.fixture(scope="session")
def embedded(real_qmd: RealQmd, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """Three records with vectors, which tests must not change."""
    indexed = index(real_qmd, tmp_path_factory.mktemp("shop"), RECORDS)
    assert indexed.run("embed").code == 0
    return indexed


@pytest.fixture
def unembedded(real_qmd: RealQmd, tmp_path: Path) -> Indexed:
    """Three records without vectors, for one test."""
    return index(real_qmd, tmp_path / "shop", RECORDS)
