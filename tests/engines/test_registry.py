"""Engines by name, and one of another distribution: one entry point, no other file changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks import plugins
from sdd_hooks.engines.registry import (
    find_backend,
    is_indexed,
    not_indexed,
    open_engine,
    require_engine,
)
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.project import Project
from tests.cli.commands import Done, run
from tests.support.abacus import CHOICE, install_abacus
from tests.support.repos import Repo, in_environment

RECORD = "# ADR-0001: Count on beads\n\n## Decision\n\nBeads, not digits.\n"
FILES = {"CLAUDE.md": CHOICE, "docs/adrs/ADR-0001-beads.md": RECORD}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the distribution with the engine abacus, importable in this process."""
    folder = tmp_path / "lib"
    install_abacus(folder)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("sdd_abacus", None)
    # The process has imported this engine once, and another test replaces its module.
    plugins._import.cache_clear()


def chosen(repo: Repo, name: str) -> Project:
    repo.write("CLAUDE.md", CHOICE.replace("abacus", name))
    return repo.project()


def test_an_engine_from_outside_is_used_when_it_is_chosen(repo: Repo, tmp_path: Path) -> None:
    env = install_abacus(tmp_path / "lib")
    repo.commit("Start", FILES)

    def sdd(*args: str) -> str:
        done = run(repo.root, *args, env=env)
        assert (done.code, done.err) == (0, "")
        return done.out

    assert "repo-adrs" in sdd("index", "update", "--kind", "adrs")
    assert "docs/adrs/ADR-0001-beads.md:3-5" in sdd("search", "beads", "--kind", "adrs")
    assert "No relevant" in sdd("search", "rods", "--kind", "adrs")
    assert not (repo.root / ".sdd/search/index.db").exists()


def test_an_index_on_a_server_is_found_from_a_fresh_clone(repo: Repo, tmp_path: Path) -> None:
    env = {**install_abacus(tmp_path / "lib"), "ABACUS_SERVER": str(tmp_path / "server")}
    repo.commit("Start", FILES)
    clone = tmp_path / "laptop/repo"

    def sdd(*args: str) -> Done:
        # Each command sees a clone in which none ran before.
        repo.git("clone", "--quiet", str(repo.root), str(clone))
        assert not (clone / ".sdd").exists()
        done = run(clone, *args, env=env)
        clone.rename(tmp_path / f"{len(list(tmp_path.iterdir()))}")
        return done

    empty = "No abacus collections found for repo. Run `sdd index` first."
    for command in (("search", "beads"), ("index", "status"), ("index", "update")):
        done = sdd(*command)
        assert (done.code, empty in done.err) == (4, True), done
    assert run(repo.root, "index", "update", "--kind", "adrs", env=env).code == 0

    assert "docs/adrs/ADR-0001-beads.md:3-5" in sdd("search", "beads").out
    assert str(tmp_path / "server") in sdd("index", "status").out
    updated = sdd("index", "update", "--json")
    assert updated.code == 0, updated
    assert list(json.loads(updated.out)["collections"]) == ["repo-adrs"]
    assert "sound, 1 documents in" in sdd("doctor").out

    repo.commit("More", {"docs/adrs/ADR-0009-rods.md": "# ADR-0009: Rods\n"})
    assert sdd("hook", "post-merge", "0").code == 0
    assert "ADR-0009-rods.md" in (tmp_path / "server/abacus.json").read_text()


def test_an_engine_may_have_no_installation_download_or_embedder(repo: Repo, library: Path) -> None:
    project = chosen(repo, "abacus")
    backend = find_backend(project)
    assert require_engine(project) == "abacus"
    assert backend.required_download(project) is None
    assert (backend.embedder(project), backend.default_model) == ("", "")
    backend.download(project)


def test_each_engine_has_a_default_model(repo: Repo) -> None:
    models = [find_backend(chosen(repo, name)).default_model for name in ("embedded", "qmd")]
    assert models == ["Xenova/all-MiniLM-L6-v2", "qmd's default model"]


@pytest.mark.parametrize("name", ["embedded", "qmd"])
def test_a_local_engine_is_indexed_once_a_refresh_has_run(repo: Repo, name: str) -> None:
    project = chosen(repo, name)
    assert not is_indexed(project)
    project.repository.search_dir.mkdir(parents=True)
    assert is_indexed(project)


def test_the_error_names_every_engine_but_the_default(repo: Repo) -> None:
    errors = [str(not_indexed(chosen(repo, name))) for name in ("embedded", "qmd", "abacus")]
    assert errors == [
        "No collections found for repo. Run `sdd index` first.",
        "No qmd collections found for repo. Run `sdd index` first.",
        "No abacus collections found for repo. Run `sdd index` first.",
    ]


def test_an_engine_that_fails_to_detect_its_index_raises_when_it_is_opened(
    repo: Repo, library: Path
) -> None:
    unreachable = (
        "ENGINE.is_indexed = ENGINE.open = lambda project, repair=False: reach()\n"
        "def reach():\n"
        "    from sdd_hooks.errors import StorageError\n"
        "    raise StorageError('the server cannot be reached: check it')\n"
    )
    with (library / "sdd_abacus.py").open("a") as module:
        module.write(unreachable)
    done = run(
        chosen(repo, "abacus").repository.root, "search", "x", env={"PYTHONPATH": str(library)}
    )
    assert done.err == "sdd: the server cannot be reached: check it\n"


def test_an_entry_point_that_is_no_backend_is_refused(repo: Repo, library: Path) -> None:
    (library / "sdd_abacus.py").write_text("def ENGINE(project, repair=False): ...\n")
    project = in_environment(chosen(repo, "abacus"), {})
    with pytest.raises(EngineUnavailable) as error:
        open_engine(project)
    assert str(error.value) == (
        "the engine 'abacus' of the distribution 'sdd-abacus 1.0' cannot be loaded"
        " (it is not of type EngineBackend): update or remove it"
    )
