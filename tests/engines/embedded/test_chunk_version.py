"""Which documents another version of the chunker, or another installation, cuts again."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sdd_hooks.chunking.document import chunker_version
from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.indexing import invalidate_other_chunks
from sdd_hooks.engines.embedded.schema import INDEX
from tests.support.programs import run_python

HAS_CGG = importlib.util.find_spec("cgg") is not None
PATHS = ("docs/a.md", "src/Main.hs", "src/app.py")

REFRESH = """
import json, os, sys
from pathlib import Path
if "without" in sys.argv:
    sys.modules["cgg"] = None
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import load_project
from sdd_hooks.engines.registry import open_engine
project = load_project(Path(sys.argv[1]), os.environ)
result = refresh(project, collections=project.collections)
engine = open_engine(project)
print(json.dumps([sum(one.changed for one in result.counts.values()), engine.status().pending]))
engine.close()
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[apsw.Connection]:
    """An index of three documents, of which `cgg` finds the functions of one."""
    with closing(open_database(tmp_path / "index.db", INDEX)) as index:
        for number, name in enumerate(("docs", "code"), 1):
            row = (number, name, name, "", "", "{}")
            index.execute("INSERT INTO collections VALUES(?, ?, ?, ?, ?, ?, 0)", row)
        for path in PATHS:
            row = (1 if path.startswith("docs") else 2, path, b"x" * 32)
            index.execute(
                "INSERT INTO documents(collection, path, hash, title) VALUES(?, ?, ?, '')", row
            )
        yield index


def invalid(index: apsw.Connection) -> tuple[set[str], set[str]]:
    """The documents that are cut again, and the collections that count as incomplete."""
    invalidate_other_chunks(index)
    documents = index.execute("SELECT path FROM documents WHERE hash = zeroblob(32)")
    collections = index.execute("SELECT name FROM collections WHERE bookmark IS NULL")
    return {path for (path,) in documents}, {name for (name,) in collections}


def store(index: apsw.Connection, **facts: str) -> None:
    index.execute("DELETE FROM facts")
    index.executemany("INSERT INTO facts VALUES(?, ?)", facts.items())


def test_another_version_cuts_every_document_again(index: apsw.Connection) -> None:
    store(index, chunks="sections 0, definitions 1")
    assert invalid(index) == (set(PATHS), {"docs", "code"})
    index.execute("UPDATE documents SET hash = x'11'")
    assert invalid(index)[0] == set()


def test_an_index_that_another_release_of_cgg_has_cut_is_kept(index: apsw.Connection) -> None:
    store(index, chunks=f"{chunker_version()}, cgg 0.1")
    assert invalid(index) == (set(), set())


@pytest.mark.skipif(not HAS_CGG, reason="needs the extra callgraph")
def test_the_first_installation_with_cgg_cuts_what_it_finds_functions_in(
    index: apsw.Connection,
) -> None:
    store(index, chunks=chunker_version())
    assert invalid(index) == ({"src/Main.hs"}, {"code"})
    index.execute("UPDATE documents SET hash = x'11'")
    assert invalid(index)[0] == set()


@pytest.mark.skipif(HAS_CGG, reason="the extra callgraph is installed")
def test_an_installation_without_cgg_cuts_nothing_again(index: apsw.Connection) -> None:
    store(index, chunks=chunker_version())
    assert invalid(index) == (set(), set())


def test_installations_with_and_without_extras_do_not_cut_in_turn(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "docs/adrs").mkdir(parents=True)
    for number in range(3):
        path = tmp_path / f"docs/adrs/ADR-000{number}-x.md"
        path.write_text(f"# ADR-000{number}: Title\n\nA decision.\n\n## Status\n\naccepted\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/Main.hs").write_text("module Main where\n\nmain :: IO ()\nmain = pure ()\n")

    def refresh(*extras: str) -> tuple[int, int]:
        done = run_python(REFRESH, str(tmp_path), *extras, env=dict(os.environ))
        changed, pending = json.loads(done.stdout)
        return changed, pending

    assert refresh("without")[0] > 0
    # The extra finds the functions of one file, once.
    assert refresh()[0] <= 1
    for extras in (("without",), (), ("without",), ()):
        assert refresh(*extras)[0] == 0
