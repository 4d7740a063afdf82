"""Both ways between sdd and `llm`: its models for us, ours for it."""

from __future__ import annotations

import math
import os
import socket
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
import os, sys
from pathlib import Path
from sdd_hooks.models.model import load_model
model = load_model("sdd-local", Path.cwd(), os.environ)
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
    vector = array(
        "f", load_model("sdd-local", tmp_path, os.environ).embed(["token session user"])[0]
    )
    assert math.hypot(*vector) == pytest.approx(1)


def test_a_plugin_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(EngineUnavailable, match="the model 3-small failed") as caught:
        load_model("3-small", tmp_path, os.environ)
    assert "\n" not in str(caught.value)


def test_search_and_the_local_model_do_not_import_llm(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    program = (
        "import os, sys; from pathlib import Path;"
        " from sdd_hooks.models.model import load_model;"
        f" load_model({str(folder)!r}, Path.cwd(), os.environ).embed(['token']);"
        " print('llm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_a_model_elsewhere_that_is_silent_is_given_up(tmp_path: Path) -> None:
    program = """
import os
from pathlib import Path
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import load_model
try:
    load_model("3-small", Path.cwd(), os.environ)
except EngineUnavailable as error:
    print(error)
"""
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment |= {
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
            "LLM_USER_PATH": str(tmp_path),
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            # A minute on any machine; the client itself waits ten of them, three times.
            timeout=60,
        )
    assert done.stdout == "the model 3-small could not be reached: no answer within 4.0 s\n"
