"""Names of models, their ids, and errors for those that are not available."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import DEFAULT_MODEL, load_model, model_id
from tests.support.models import make_model
from tests.support.programs import run_python
from tests.support.waiting import TIMEOUT


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("", f"hub:{DEFAULT_MODEL}"),
        ("owner/name", "hub:owner/name"),
        ("3-small", "llm:3-small"),
        ("./missing", "local:missing"),
    ],
)
def test_the_kind_of_a_model_follows_from_its_name(
    tmp_path: Path, name: str, identity: str
) -> None:
    assert model_id(name, tmp_path) == identity


def test_the_id_of_a_folder_depends_on_its_weights(tmp_path: Path) -> None:
    make_model(tmp_path / "one" / "tiny")
    make_model(tmp_path / "two" / "tiny")
    first = model_id("one/tiny", tmp_path)
    assert first.startswith("local:tiny:")
    assert model_id("./two/tiny", tmp_path / "one" / "..") == first
    with (tmp_path / "two/tiny/model.onnx").open("ab") as file:
        file.write(b"\0")
    assert model_id("two/tiny", tmp_path) != first


def test_an_unknown_model_of_llm_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    pytest.importorskip("llm", reason="needs the extra llm")
    with pytest.raises(EngineUnavailable, match="llm embed-models"):
        load_model("no-such-model", tmp_path, os.environ)


LOAD = """
import os
from pathlib import Path
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import load_model
try:
    load_model("owner/name", Path.cwd(), os.environ)
except EngineUnavailable as error:
    print(error)
"""


def load_from_hub(endpoint: str, cache: Path) -> str:
    environment = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": str(cache)}
    environment = {k: v for k, v in environment.items() if not k.lower().endswith("_proxy")}
    # The client would wait for so long.
    patient = str(round(10 * TIMEOUT))
    environment |= dict.fromkeys(("HF_HUB_ETAG_TIMEOUT", "HF_HUB_DOWNLOAD_TIMEOUT"), patient)
    done = run_python(LOAD, env=environment, timeout=TIMEOUT)
    return done.stdout


def test_a_hub_that_refuses_is_an_error_of_one_line(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        output = load_from_hub(f"http://127.0.0.1:{closed.getsockname()[1]}", tmp_path)
    assert output.count("\n") == 1
    assert "owner/name is not on this machine and could not be fetched" in output


def test_a_hub_that_is_silent_times_out_before_its_client(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        output = load_from_hub(f"http://127.0.0.1:{server.getsockname()[1]}", tmp_path)
    assert "could not be fetched" in output


def test_a_cached_model_needs_no_network(tmp_path: Path) -> None:
    snapshot = tmp_path / "hub/models--owner--name/snapshots/abc"
    make_model(snapshot, file="onnx/model_quantized.onnx")
    (tmp_path / "hub/models--owner--name/refs").mkdir()
    (tmp_path / "hub/models--owner--name/refs/main").write_text("abc")
    requested = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        output = load_from_hub(f"http://127.0.0.1:{server.getsockname()[1]}", tmp_path)
        try:
            server.accept()[0].close()
            requested.set()
        except BlockingIOError:
            pass
    assert output == ""
    assert not requested.is_set()


def test_the_prefix_llm_distinguishes_a_name_from_those_of_the_hub(tmp_path: Path) -> None:
    pytest.importorskip("llm", reason="needs the extra llm")
    name = "llm:sentence-transformers/small"
    assert model_id(name, tmp_path) == name
    assert model_id("llm:3-small", tmp_path) == model_id("3-small", tmp_path)
    with pytest.raises(EngineUnavailable, match="llm knows no embedding model 'sentence-trans"):
        load_model(name, tmp_path, os.environ)
