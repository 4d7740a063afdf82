"""The installed model is found by its files, and named by the recorded hash of its weights."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sdd_hooks.models.embedding_model import SUMS_FILE, find_model_in, model_id
from tests.support.models import make_model

NAME = "all-MiniLM-L6-v2"


def install(package: Path, *, sums: str | None = None) -> str:
    """Write an installed model. Returns the hash of its weights."""
    folder = make_model(package / NAME, file="model_quantized.onnx")
    digest = hashlib.sha256((folder / "model_quantized.onnx").read_bytes()).hexdigest()
    text = f"{'0' * 64}  config.json\n{digest}  model_quantized.onnx\n"
    (folder / SUMS_FILE).write_text(text if sums is None else sums)
    return digest


def test_the_model_is_found_with_its_hash(tmp_path: Path) -> None:
    digest = install(tmp_path / "second")
    found = find_model_in([str(tmp_path / "first"), str(tmp_path / "second")])
    assert found == (tmp_path / "second" / NAME, digest)


def test_its_vectors_are_those_of_the_same_files_in_a_folder(tmp_path: Path) -> None:
    digest = install(tmp_path)
    assert model_id(f"./{NAME}", tmp_path) == f"local:{NAME}:{digest[:12]}"


@pytest.mark.parametrize("missing", ["tokenizer.json", "model_quantized.onnx", SUMS_FILE])
def test_a_model_without_all_of_its_files_is_none(tmp_path: Path, missing: str) -> None:
    install(tmp_path)
    (tmp_path / NAME / missing).unlink()
    assert find_model_in([str(tmp_path)]) is None


@pytest.mark.parametrize(
    "sums", ["", "zz  model_quantized.onnx\n", "\0\0", "ä", f"{'0' * 64}  other.onnx\n"]
)
def test_a_model_without_a_usable_hash_is_none(tmp_path: Path, sums: str) -> None:
    install(tmp_path, sums=sums)
    assert find_model_in([str(tmp_path)]) is None
