"""A bare repository through which clones share vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.laptops import SharedRemote


@pytest.fixture
def hub(tmp_path: Path) -> SharedRemote:
    """A bare repository with two decisions, of one chunk each."""
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    return SharedRemote.make(tmp_path)
