"""The model that the configuration names, before qmd gets to see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.model import configured_model
from sdd_hooks.errors import EngineUnavailable

HUB = "hf:ggml-org/embeddinggemma-300M-GGUF/embeddinggemma-300M-Q8_0.gguf"


@pytest.mark.parametrize("name", ["", HUB, "hf:a/b/c/d.GGUF"])
def test_what_qmd_fetches_itself_is_told_as_it_is(tmp_path: Path, name: str) -> None:
    assert configured_model(name, tmp_path) == name


def test_a_file_is_told_by_its_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    path = tmp_path / "models/m.gguf"
    path.write_bytes(b"GGUF\x03")
    assert configured_model("models/m.gguf", tmp_path) == str(path)
    assert configured_model(str(path), Path("/")) == str(path)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.gguf", "it cannot be read (No such file or directory)"),
        ("page.gguf", "it is no GGUF file"),
        ("empty.gguf", "it is no GGUF file"),
        ("folder.gguf", "it cannot be read (Is a directory)"),
        ("../m.gguf", "../m.gguf: leaves the repository"),
        ("linked.gguf", "linked.gguf: leaves the repository"),
        ("Xenova/all-MiniLM-L6-v2", "the qmd engine takes a .gguf file or"),
        ("hf:../../x.gguf", "it cannot be read"),
        ("hf:a/../b.gguf", "it cannot be read"),
        ("~nobody-of-that-name/x.gguf", "it cannot be read (not a path)"),
        ("a\0b.gguf", "not a path"),
        ("a\nb.gguf", "it cannot be read"),
    ],
)
def test_anything_else_is_an_error_that_names_the_setting(
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
        configured_model(name, root)
    said = str(error.value)
    assert said.startswith(f"Embed Model {name!a}: ")
    assert reason in said
    assert said.endswith("; correct it under `#### Search` of the memory file")
    assert "\n" not in said
    assert (root / "page.gguf").exists()
