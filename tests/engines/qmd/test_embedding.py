"""Embedding: the configured model, the device, and what the model of the tests embeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.embedding import check_model, correct_device, find_device
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.errors import EngineUnavailable
from tests.engines.qmd.conftest import Indexed
from tests.engines.qmd.fakes import environment, program

HUB = "hf:ggml-org/embeddinggemma-300M-GGUF/embeddinggemma-300M-Q8_0.gguf"


@pytest.mark.parametrize("name", ["", HUB, "hf:a/b/c/d.GGUF"])
def test_a_model_that_qmd_downloads_is_passed_on_unchanged(tmp_path: Path, name: str) -> None:
    assert check_model(name, tmp_path) == name


def test_a_file_is_passed_on_by_its_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    path = tmp_path / "models/m.gguf"
    path.write_bytes(b"GGUF\x03")
    assert check_model("models/m.gguf", tmp_path) == str(path)
    assert check_model(str(path), Path("/")) == str(path)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.gguf", "it cannot be read (No such file or directory)"),
        ("page.gguf", "it is not a GGUF file"),
        ("empty.gguf", "it is not a GGUF file"),
        ("folder.gguf", "it cannot be read (Is a directory)"),
        ("../m.gguf", "../m.gguf: leaves the repository"),
        ("linked.gguf", "linked.gguf: leaves the repository"),
        ("Xenova/all-MiniLM-L6-v2", "the qmd engine takes a .gguf file or"),
        ("hf:../../x.gguf", "it cannot be read"),
        ("hf:a/../b.gguf", "it cannot be read"),
        ("~no-such-user/x.gguf", "it cannot be read (not a path)"),
        ("a\0b.gguf", "not a path"),
        ("a\nb.gguf", "it cannot be read"),
    ],
)
def test_any_other_model_is_an_error_that_names_the_setting(
    tmp_path: Path, name: str, reason: str
) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "page.gguf").write_text("<html>")
    (root / "empty.gguf").touch()
    (root / "folder.gguf").mkdir()
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    (root / "linked.gguf").symlink_to(tmp_path / "m.gguf")
    with pytest.raises(EngineUnavailable) as error:
        check_model(name, root)
    message = str(error.value)
    assert message.startswith(f"Embed Model {name!a}: ")
    assert reason in message
    assert message.endswith("; correct it under `#### Search` of the memory file")
    assert "\n" not in message
    assert (root / "page.gguf").exists()


ON_CUDA = "✓ device probe: GPU cuda; offloading enabled; 16 CPU math cores"


def doctor(tmp_path: Path, line: str = ON_CUDA, then: str = "sleep 300") -> Installation:
    """A qmd that records that it runs, prints the line, and continues for long."""
    script = f"echo x >>{tmp_path}/runs; echo '{line}'; {then}"
    return Installation(str(program(tmp_path / "bin/qmd", script)), (2, 8, 3))


def count_runs(tmp_path: Path) -> int:
    runs = tmp_path / "runs"
    return runs.read_text().count("x") if runs.exists() else 0


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    return IndexFolder(tmp_path, tmp_path / ".sdd/search/qmd")


def test_the_device_of_the_real_qmd_is_found_without_an_index(
    embedded: Indexed, tmp_path: Path
) -> None:
    environ = {**embedded.qmd.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    folder = IndexFolder(tmp_path, tmp_path / ".sdd/search/qmd")
    device = find_device(embedded.qmd.installation, environ, folder)
    assert device in {"cpu", "cuda", "metal", "vulkan", "gpu"}
    assert not folder.path.exists()


def test_the_doctor_runs_once_and_is_stopped_after_the_device(
    tmp_path: Path, folder: IndexFolder
) -> None:
    qmd, environ = doctor(tmp_path), environment(tmp_path)
    assert find_device(qmd, environ, folder) == find_device(qmd, environ, folder) == "cuda"
    assert count_runs(tmp_path) == 1


def test_the_doctor_runs_again_for_another_version_or_variable(
    tmp_path: Path, folder: IndexFolder
) -> None:
    qmd, environ = doctor(tmp_path), environment(tmp_path)
    find_device(qmd, environ, folder)
    find_device(Installation(qmd.command, (2, 9, 0)), environ, folder)
    find_device(Installation(qmd.command, (2, 9, 0)), {**environ, "QMD_FORCE_CPU": "1"}, folder)
    assert count_runs(tmp_path) == 3


@pytest.mark.parametrize("line", ["⚠ device probe: probe failed: x", "QMD Doctor"])
def test_an_unknown_device_is_cpu_and_not_cached(
    tmp_path: Path, folder: IndexFolder, line: str
) -> None:
    qmd, environ = doctor(tmp_path, line, "exit 1"), environment(tmp_path)
    assert find_device(qmd, environ, folder) == find_device(qmd, environ, folder) == "cpu"
    assert count_runs(tmp_path) == 2


def test_a_qmd_that_cannot_be_started_is_on_cpu(tmp_path: Path, folder: IndexFolder) -> None:
    assert (
        find_device(Installation("/nowhere/qmd", (2, 8, 3)), environment(tmp_path), folder) == "cpu"
    )


def test_the_device_of_an_embed_replaces_the_cached_one(
    tmp_path: Path, folder: IndexFolder
) -> None:
    qmd, environ = doctor(tmp_path), environment(tmp_path)
    correct_device(qmd, environ, "cpu")
    assert find_device(qmd, environ, folder) == "cpu"
    correct_device(qmd, environ, "gpu")
    assert find_device(qmd, environ, folder) == "gpu"
    assert count_runs(tmp_path) == 0


def test_a_less_precise_device_of_an_embed_is_ignored(tmp_path: Path, folder: IndexFolder) -> None:
    qmd, environ = doctor(tmp_path), environment(tmp_path)
    assert find_device(qmd, environ, folder) == "cuda"
    correct_device(qmd, environ, "gpu")
    correct_device(qmd, environ, "")
    assert find_device(qmd, environ, folder) == "cuda"
    correct_device(qmd, environ, "cpu")
    assert find_device(qmd, environ, folder) == "cpu"
