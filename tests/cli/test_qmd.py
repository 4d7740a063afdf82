"""The commands on the qmd engine, from the first to the last: real git, real qmd."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.engines.qmd.installation import NOT_FOUND
from sdd_hooks.project.user_cache import remember
from tests.cli.commands import ADR, FILES, SCRIPTS, Done, one_line, run
from tests.engines.subject import CONFIGURATION
from tests.support.qmd import RealQmd
from tests.support.repos import Repo

NOT_INDEXED = "No qmd collections found for repo. Run `sdd index` first."
Sdd = Callable[..., Done]


@pytest.fixture
def configured(repo: Repo, real_qmd: RealQmd) -> Repo:
    repo.write("CLAUDE.md", CONFIGURATION.format(engine="qmd", model=real_qmd.model))
    repo.commit("Start", FILES)
    return repo


@pytest.fixture
def environ(real_qmd: RealQmd) -> dict[str, str]:
    now = time.time()
    remember("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, real_qmd.environ)
    found = dict(real_qmd.environ)
    # Hooks find `sdd` there, as after an installation.
    return {**found, "PATH": f"{SCRIPTS}{os.pathsep}{found['PATH']}"}


@pytest.fixture
def sdd(configured: Repo, environ: dict[str, str]) -> Sdd:
    def call(*args: str, **options: Any) -> Done:
        return run(configured.root, *args, env=environ, **options)

    return call


def commit(repo: Repo, environ: dict[str, str], files: dict[str, str]) -> str:
    """Commit with the hooks running, and return what was said on stderr."""
    for path, content in files.items():
        repo.write(path, content)
    repo.git("add", "--all")
    done = repo.run("commit", "--quiet", "-m", "Change", env=environ)
    assert done.returncode == 0, done
    return os.fsdecode(done.stderr)


def data(done: Done) -> Any:
    """The output, whatever was noted beside it."""
    return Done(done.code, done.out, "").json


def paths(done: Done) -> list[str]:
    return sorted({hit["path"] for hit in data(done)["hits"]})


def test_without_qmd_init_stops_and_changes_nothing(configured: Repo, tmp_path: Path) -> None:
    git = tmp_path / "only-git"
    git.mkdir()
    for name in ("git", "sh"):
        found = next(
            Path(one, name) for one in os.environ["PATH"].split(":") if Path(one, name).exists()
        )
        (git / name).symlink_to(found)
    before = sorted(configured.root.rglob("*"))
    done = run(configured.root, "init", "--yes", env={"PATH": str(git)})
    assert one_line(done, 6) == NOT_FOUND
    assert sorted(configured.root.rglob("*")) == before
    assert configured.git("status", "--porcelain") == ""


def test_before_the_first_index_everybody_is_told_to_make_one(sdd: Sdd) -> None:
    for args in (("search", "x"), ("index", "status"), ("index", "update"), ("index", "embed")):
        assert one_line(sdd(*args), 4) == NOT_INDEXED


def test_from_init_to_an_answer_by_meaning(
    configured: Repo, environ: dict[str, str], sdd: Sdd
) -> None:
    assert sdd("init", "--yes").code == 0
    assert (configured.root / ".gitignore").read_text() == ".sdd/\n"
    added = sdd("index", "update", "--kind", "adrs", "--kind", "specs", "--kind", "code", "--json")
    assert added.json["total"] == {"added": 4, "updated": 0, "removed": 0, "unchanged": 0}

    status = sdd("index", "status", "--json")
    assert status.code == 0
    found = data(status)
    assert (found["engine"], found["pending"]) == ("qmd", 4)
    assert {one["name"]: one["documents"] for one in found["collections"]} == {
        "repo-adrs": 1,
        "repo-code": 1,
        "repo-specs": 2,
    }
    assert {one["chunks"] for one in found["collections"]} == {None}

    plain = sdd("search", "crash of the index")
    assert plain.err == (
        "note: 4 chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs\n"
    )
    assert "docs/adrs/ADR-0001-sqlite.md" in plain.out

    assert sdd("index", "embed", "--foreground").code == 0
    assert data(sdd("index", "status", "--json"))["pending"] == 0
    hybrid = sdd("search", "--json", "where is the index kept")
    assert hybrid.json["notes"] == []
    assert any(hit["cosine"] is not None for hit in hybrid.json["hits"])

    new = ADR.replace("0001", "0002").replace("SQLite", "Kangaroos")
    assert commit(configured, environ, {"docs/adrs/ADR-0002-kangaroos.md": new}) == ""
    found = sdd("search", "--json", "--kind", "adrs", "kangaroos")
    assert "docs/adrs/ADR-0002-kangaroos.md" in paths(found)
    assert "ADR-0002" in sdd("list").out

    assert sdd("index", "remove", "--yes").code == 0
    assert one_line(sdd("search", "kangaroos"), 4) == NOT_INDEXED


@pytest.mark.parametrize("kept", [0, 4096], ids=["all of it", "all but its head"])
def test_a_damaged_index_is_mended_by_an_update(configured: Repo, sdd: Sdd, kept: int) -> None:
    assert sdd("index", "update", "--kind", "adrs").code == 0
    index = configured.root / ".sdd/search/qmd/index.sqlite"
    index.write_bytes(index.read_bytes()[:kept] + b"noise" * 20_000)
    for journal in index.parent.glob("index.sqlite-*"):
        journal.unlink()
    damaged = one_line(sdd("search", "crash"), 7)
    assert damaged.endswith("index.sqlite is damaged: run `sdd index update`")
    mended = sdd("index", "update")
    assert mended.code == 0
    assert "set aside as qmd.aside-1 and rebuilt" in mended.err
    assert paths(sdd("search", "crash", "--json", "--min-score", "0")) == [
        "docs/adrs/ADR-0001-sqlite.md"
    ]
