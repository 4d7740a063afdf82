"""What the engine finds on this machine, and what an index would have to be served with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd import machine
from sdd_hooks.engines.registry import embedder, serve, to_download
from sdd_hooks.errors import EngineUnavailable, NotIndexed
from sdd_hooks.project.project import Project
from tests.engines.qmd.fakes import environment, program
from tests.support.abacus import CHOICE
from tests.support.qmd import RealQmd
from tests.support.repos import Repo, in_environment

CONFIGURED = "### SDD Configuration\n\n#### Search\n\n- **Engine**: qmd\n"


def project(repo: Repo, environ: Mapping[str, str], model: str = "") -> Project:
    line = f"- **Embed Model**: {model}\n" if model else ""
    repo.write("CLAUDE.md", CONFIGURED + line)
    return in_environment(repo.project(), environ)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """qmd's model cache, for `environment`."""
    path = tmp_path / "home/.cache/qmd/models"
    path.mkdir(parents=True)
    return path


def test_what_is_installed(repo: Repo, tmp_path: Path) -> None:
    qmd = program(tmp_path / "bin/qmd", "echo qmd 2.8.3")
    environ = environment(tmp_path, qmd.parent)
    assert machine.installed(project(repo, environ)) == f"qmd 2.8.3 at {qmd}"
    with pytest.raises(EngineUnavailable, match=r"^qmd CLI not found"):
        machine.installed(project(repo, environment(tmp_path)))


def test_models_that_are_not_here_yet(repo: Repo, tmp_path: Path, models: Path) -> None:
    environ = environment(tmp_path)
    assert machine.to_download(project(repo, environ)) == "models of about 2 GB"
    other = "hf_ggml-org_embeddinggemma-300M-Q8_0.gguf.etag"
    (models / other).touch()
    assert machine.to_download(project(repo, environ)) == "models of about 2 GB"
    (models / other.removesuffix(".etag")).touch()
    assert machine.to_download(project(repo, environ)) == ""
    elsewhere = {**environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert machine.to_download(project(repo, elsewhere)) == "models of about 2 GB"


def test_a_model_of_the_hub(repo: Repo, tmp_path: Path, models: Path) -> None:
    configured = project(repo, environment(tmp_path), "hf:ada/models/tiny.gguf")
    assert machine.to_download(configured) == "models of about 2 GB"
    (models / "hf_ada_tiny.gguf").touch()
    assert machine.to_download(configured) == ""


def test_a_file_needs_no_download(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    configured = project(repo, environment(tmp_path), str(tmp_path / "tiny.gguf"))
    assert machine.to_download(configured) == ""
    variable = {**environment(tmp_path), "QMD_EMBED_MODEL": str(tmp_path / "tiny.gguf")}
    assert machine.to_download(project(repo, variable)) == ""


def test_a_model_that_is_none(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="Embed Model 'minilm'"):
        machine.to_download(project(repo, environment(tmp_path), "minilm"))


def test_what_embeds(repo: Repo, real_qmd: RealQmd) -> None:
    configured = project(repo, real_qmd.environ, str(real_qmd.model))
    model, _, device = machine.embedder(configured).rpartition(" on ")
    assert model == str(real_qmd.model)
    assert device in {"cpu", "cuda", "metal", "vulkan", "gpu"}
    assert not (repo.root / ".sdd").exists()


def test_nothing_to_serve(repo: Repo, real_qmd: RealQmd) -> None:
    with pytest.raises(NotIndexed, match=r"^No qmd collections found for repo\. Run `sdd index`"):
        machine.serve(project(repo, real_qmd.environ), 0, print)
    assert not (repo.root / ".sdd").exists()


def test_an_engine_from_outside_tells_none_of_it(repo: Repo) -> None:
    repo.write("CLAUDE.md", CHOICE)
    chosen = repo.project()
    assert (to_download(chosen), embedder(chosen)) == ("", "")
    assert serve(chosen, 0, print) is False
