"""Models of the hub: downloaded once, then found in the cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sdd_hooks.models.hub import find_cached_model, hub_cache
from tests.support.hub import serving
from tests.support.models import make_model
from tests.support.programs import run_python

LOAD = """
import os, sys
from pathlib import Path
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.embedding_model import load_model
try:
    print(load_model("owner/name", Path.cwd(), os.environ).id, "huggingface_hub" in sys.modules)
except EngineUnavailable as error:
    print(error)
    assert "HF_HUB_OFFLINE" not in str(error) or "huggingface_hub" not in sys.modules
"""


WATCH = """
import sys, threading
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "huggingface_hub.hf_api":
            print(threading.current_thread() is threading.main_thread())
sys.meta_path.insert(0, Watch())
"""


def load(endpoint: str, home: Path, program: str = LOAD, **variables: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), **variables}
    done = run_python(program, env=environment)
    assert done.stderr == ""
    return done.stdout


def test_a_model_is_downloaded_once(tmp_path: Path) -> None:
    source = make_model(tmp_path / "source", file="onnx/model_quantized.onnx")
    for other in ("pytorch_model.bin", "modeling.py", "onnx/model.onnx"):
        (source / other).write_bytes(b"not wanted")
    (source / "config.json").write_text("{}")
    with serving(source, "owner/name") as hub:
        assert load(hub.endpoint, tmp_path / "home") == "hub:owner/name True\n"
        # The weights come last: without them, a download is incomplete.
        assert hub.fetched == ["config.json", "tokenizer.json", "onnx/model_quantized.onnx"]
        requests = len(hub.paths)
        assert load(hub.endpoint, tmp_path / "home") == "hub:owner/name False\n"
        assert len(hub.paths) == requests
        endpoint = hub.endpoint
    assert load(endpoint, tmp_path / "home") == "hub:owner/name False\n"


def test_the_import_of_the_client_does_not_count_as_waiting_for_the_hub(tmp_path: Path) -> None:
    with serving(make_model(tmp_path / "source"), "owner/name") as hub:
        assert load(hub.endpoint, tmp_path / "home", WATCH + LOAD).startswith("True\n")


def test_a_model_without_onnx_is_an_error_that_names_the_files(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/pytorch_model.bin").write_bytes(b"x")
    with serving(tmp_path / "source", "owner/name") as hub:
        assert load(hub.endpoint, tmp_path / "home").startswith("owner/name has no model_quantized")
        assert hub.fetched == []


def test_an_unknown_name_is_an_error(tmp_path: Path) -> None:
    with serving(tmp_path, "owner/other") as hub:
        output = load(hub.endpoint, tmp_path / "home")
    assert output == ("the hub has no model owner/name, or keeps it private: check `Embed Model`\n")


def test_offline_no_client_is_imported_and_no_request_sent(tmp_path: Path) -> None:
    source = make_model(tmp_path / "source", file="onnx/model_quantized.onnx")
    with serving(source, "owner/name") as hub:
        output = load(hub.endpoint, tmp_path / "home", HF_HUB_OFFLINE="on")
        assert output == (
            "the model owner/name is not on this machine and could not be fetched"
            " (HF_HUB_OFFLINE is on): go online once, or set `Embed Model` to a folder\n"
        )
        assert hub.paths == []
        # As for the client: only the first variable counts.
        variables = {"HF_HUB_OFFLINE": "0", "TRANSFORMERS_OFFLINE": "1"}
        assert load(hub.endpoint, tmp_path / "home", **variables) == "hub:owner/name True\n"


def test_an_interrupted_download_is_no_model(tmp_path: Path) -> None:
    directory = tmp_path / "models--owner--name"
    make_model(directory / "snapshots" / "abc")
    environment = {"HF_HUB_CACHE": str(tmp_path)}
    assert find_cached_model("owner/name", environment) is None
    (directory / "refs").mkdir()
    (directory / "refs/main").write_text("abc")
    assert find_cached_model("owner/name", environment) == directory / "snapshots/abc"
    (directory / "snapshots/abc/tokenizer.json").unlink()
    assert find_cached_model("owner/name", environment) is None
    (directory / "refs/main").write_text("../../../elsewhere")
    assert find_cached_model("owner/name", environment) is None


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"XDG_CACHE_HOME": "/xdg"},
        {"HF_HOME": "~/hf", "XDG_CACHE_HOME": "/xdg"},
        {"HF_HOME": "/hf", "HUGGINGFACE_HUB_CACHE": "/old"},
        {"HF_HUB_CACHE": "$HOME/hub", "HUGGINGFACE_HUB_CACHE": "/old"},
    ],
)
def test_the_cache_is_that_of_the_client(variables: dict[str, str]) -> None:
    program = "import huggingface_hub.constants as c; print(c.HF_HUB_CACHE)"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGING"))}
    environment |= variables
    done = run_python(program, env=environment)
    assert str(hub_cache(environment)) == done.stdout.strip()
