"""What qmd's backend finds on a machine, and serving an index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.backend import ENGINE, MODELS
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.project import Project
from tests.engines.qmd.fakes import environment, program
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


def test_the_installation_is_the_version_and_path_of_qmd(repo: Repo, tmp_path: Path) -> None:
    qmd = program(tmp_path / "bin/qmd", "echo qmd 2.8.3")
    environ = environment(tmp_path, qmd.parent)
    assert ENGINE.installation(project(repo, environ)) == f"qmd 2.8.3 at {qmd}"
    with pytest.raises(EngineUnavailable, match=r"^qmd CLI not found"):
        ENGINE.installation(project(repo, environment(tmp_path)))


def test_a_missing_default_model_is_downloaded(repo: Repo, tmp_path: Path, models: Path) -> None:
    environ = environment(tmp_path)
    assert ENGINE.required_download(project(repo, environ)) == ("models of about 2 GB", True)
    other = "hf_ggml-org_embeddinggemma-300M-Q8_0.gguf.etag"
    (models / other).touch()
    assert ENGINE.required_download(project(repo, environ)) == MODELS
    (models / other.removesuffix(".etag")).touch()
    assert ENGINE.required_download(project(repo, environ)) is None
    elsewhere = {**environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert ENGINE.required_download(project(repo, elsewhere)) == MODELS


def test_a_model_of_the_hub_is_downloaded_once(repo: Repo, tmp_path: Path, models: Path) -> None:
    configured = project(repo, environment(tmp_path), "hf:ada/models/tiny.gguf")
    assert ENGINE.required_download(configured) == MODELS
    (models / "hf_ada_tiny.gguf").touch()
    assert ENGINE.required_download(configured) is None


def test_a_file_needs_no_download(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    configured = project(repo, environment(tmp_path), str(tmp_path / "tiny.gguf"))
    assert ENGINE.required_download(configured) is None
    variable = {**environment(tmp_path), "QMD_EMBED_MODEL": str(tmp_path / "tiny.gguf")}
    assert ENGINE.required_download(project(repo, variable)) is None


def test_a_download_is_left_to_the_embed(repo: Repo, tmp_path: Path) -> None:
    ENGINE.download(project(repo, environment(tmp_path)))
    assert list(tmp_path.iterdir()) == [repo.root]


def test_a_model_of_another_format_is_refused(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"CLAUDE\.md:6: Embed Model 'minilm': "):
        ENGINE.required_download(project(repo, environment(tmp_path), "minilm"))


def test_the_embedder_is_a_model_and_a_device(repo: Repo, real_qmd: RealQmd) -> None:
    configured = project(repo, real_qmd.environ, str(real_qmd.model))
    model, _, device = ENGINE.embedder(configured).rpartition(" on ")
    assert model == str(real_qmd.model)
    assert device in {"cpu", "cuda", "metal", "vulkan", "gpu"}
    assert not (repo.root / ".sdd").exists()
