"""Models of `llm` in sdd, and sdd's local model in `llm`."""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import load_model
from tests.support.models import DIMENSIONS, make_model
from tests.support.programs import run_python

pytest.importorskip("llm", reason="needs the extra llm")

THROUGH_LLM = """
import os, sys
from pathlib import Path
from sdd_hooks.models.embedding_model import load_model
model = load_model("sdd-local", Path.cwd(), os.environ)
assert "llm" in sys.modules
print(model.id, model.dimensions, len(model.embed(["token", "session", ""])))
"""


def test_sdd_local_is_a_model_of_llm(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    done = run_python(
        THROUGH_LLM, env={**os.environ, "SDD_MODEL": str(folder), "LLM_USER_PATH": str(tmp_path)}
    )
    assert done.stdout == f"llm:sdd-local {DIMENSIONS} 3\n"


def test_vectors_have_length_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setenv("SDD_MODEL", str(make_model(tmp_path / "tiny")))
    vector = array(
        "f", load_model("sdd-local", tmp_path, os.environ).embed(["token session user"])[0]
    )
    assert math.hypot(*vector) == pytest.approx(1)


def test_a_plugin_that_fails_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("SDD_REMOTE_MODELS", "3-small")
    with pytest.raises(EngineUnavailable, match="the model 3-small failed") as caught:
        load_model("3-small", tmp_path, os.environ)
    assert "\n" not in str(caught.value)


def test_a_local_model_does_not_import_llm(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    program = (
        "import os, sys; from pathlib import Path;"
        " from sdd_hooks.models.embedding_model import load_model;"
        f" load_model({str(folder)!r}, Path.cwd(), os.environ).embed(['token']);"
        " print('llm' in sys.modules)"
    )
    done = run_python(program)
    assert done.stdout == "False\n"


def test_a_service_that_is_silent_times_out(tmp_path: Path) -> None:
    program = """
import os
from pathlib import Path
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import load_model
try:
    load_model("3-small", Path.cwd(), os.environ)
except EngineUnavailable as error:
    print(error)
"""
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment |= {
            "OPENAI_API_KEY": "none",
            "SDD_REMOTE_MODELS": "llm:3-small",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
            "LLM_USER_PATH": str(tmp_path),
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            # Enough on any machine: the client itself would wait ten minutes, three times.
            timeout=60,
        )
    assert done.stdout == "the model 3-small could not be reached: no answer within 4.0 s\n"


@pytest.mark.parametrize(
    ("declared", "batches"), [(None, [32, 32, 6]), (50, [50, 20]), (500, [70])]
)
def test_a_model_gets_batches_of_the_size_that_it_declares(
    declared: int | None, batches: list[int]
) -> None:
    llm = pytest.importorskip("llm", reason="needs the extra llm")
    from sdd_hooks.models.llm_embedding import LlmModel

    sizes: list[int] = []

    class Counting(llm.EmbeddingModel):  # type: ignore[misc]
        model_id = "counting"
        batch_size = declared

        def embed_batch(self, items: Iterable[str]) -> Iterator[list[float]]:
            texts = list(items)
            sizes.append(len(texts))
            return iter([[3.0, 4.0] for _ in texts])

    model = LlmModel("counting", Counting())
    sizes.clear()
    assert model.embed(["text"] * 70) == [array("f", [0.6, 0.8]).tobytes()] * 70
    assert sizes == batches


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_vectors_that_are_not_finite_are_refused(value: float) -> None:
    llm = pytest.importorskip("llm", reason="needs the extra llm")
    from sdd_hooks.models.llm_embedding import LlmModel

    class Broken(llm.EmbeddingModel):  # type: ignore[misc]
        model_id = "broken"

        def embed_batch(self, items: Iterable[str]) -> Iterator[list[float]]:
            return iter([[1.0, value] for _ in items])

    with pytest.raises(EngineUnavailable, match="gives vectors that are not numbers"):
        LlmModel("broken", Broken())
