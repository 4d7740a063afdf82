"""Both ways between sdd and `llm`: its models for us, ours for it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import load_model
from tests.support.models import DIMENSIONS, make_model

pytest.importorskip("llm", reason="needs the extra llm")

THROUGH_LLM = """
import sys
from pathlib import Path
from sdd_hooks.models.model import load_model
model = load_model("sdd-local", Path.cwd())
assert "llm" in sys.modules
print(model.id, model.dimensions, len(model.embed(["token", "session", ""])))
"""


def test_the_plugin_is_found_and_answers(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    done = subprocess.run(
        [sys.executable, "-c", THROUGH_LLM],
        env={**os.environ, "SDD_MODEL": str(folder), "LLM_USER_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"llm:sdd-local {DIMENSIONS} 3\n"


def test_vectors_have_length_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setenv("SDD_MODEL", str(make_model(tmp_path / "tiny")))
    vector = array("f", load_model("sdd-local", tmp_path).embed(["token session user"])[0])
    assert math.hypot(*vector) == pytest.approx(1)


def test_a_plugin_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(EngineUnavailable, match="the model 3-small failed") as caught:
        load_model("3-small", tmp_path)
    assert "\n" not in str(caught.value)


def test_search_and_the_local_model_do_not_import_llm(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    program = (
        "import sys; from pathlib import Path; from sdd_hooks.models.model import load_model;"
        f" load_model({str(folder)!r}, Path.cwd()).embed(['token']);"
        " print('llm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
