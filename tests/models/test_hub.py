"""The hub: fetched once, found again without it, and waited for within reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.models.hub import cache, cached_folder
from tests.support.hub import serving
from tests.support.models import make_model

LOAD = """
import os, sys
from pathlib import Path
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.models.model import load_model
try:
    print(load_model("owner/name", Path.cwd(), os.environ).id, "huggingface_hub" in sys.modules)
except EngineUnavailable as error:
    print(error)
"""


def load(endpoint: str, home: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", LOAD], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_a_model_is_fetched_once_and_found_without_the_hub(tmp_path: Path) -> None:
    source = make_model(tmp_path / "source", file="onnx/model_quantized.onnx")
    for other in ("pytorch_model.bin", "modeling.py", "onnx/model.onnx"):
        (source / other).write_bytes(b"not wanted")
    (source / "config.json").write_text("{}")
    with serving(source, "owner/name") as hub:
        assert load(hub.endpoint, tmp_path / "home") == "hub:owner/name True\n"
        # The weights last: what is cut short is no model.
        assert hub.fetched == ["config.json", "tokenizer.json", "onnx/model_quantized.onnx"]
        asked = len(hub.asked)
        assert load(hub.endpoint, tmp_path / "home") == "hub:owner/name False\n"
        assert len(hub.asked) == asked
        endpoint = hub.endpoint
    assert load(endpoint, tmp_path / "home") == "hub:owner/name False\n"


def test_a_model_without_onnx_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/pytorch_model.bin").write_bytes(b"x")
    with serving(tmp_path / "source", "owner/name") as hub:
        assert load(hub.endpoint, tmp_path / "home").startswith("owner/name has no model_quantized")
        assert hub.fetched == []


def test_a_name_that_the_hub_has_not_is_said(tmp_path: Path) -> None:
    with serving(tmp_path, "owner/other") as hub:
        said = load(hub.endpoint, tmp_path / "home")
    assert said == ("the hub has no model owner/name, or keeps it private: check `Embed Model`\n")


def test_a_download_cut_short_is_no_model(tmp_path: Path) -> None:
    kept = tmp_path / "models--owner--name"
    make_model(kept / "snapshots" / "abc")
    environment = {"HF_HUB_CACHE": str(tmp_path)}
    assert cached_folder("owner/name", environment) is None
    (kept / "refs").mkdir()
    (kept / "refs/main").write_text("abc")
    assert cached_folder("owner/name", environment) == kept / "snapshots/abc"
    (kept / "snapshots/abc/tokenizer.json").unlink()
    assert cached_folder("owner/name", environment) is None
    (kept / "refs/main").write_text("../../../elsewhere")
    assert cached_folder("owner/name", environment) is None


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
def test_the_cache_is_where_the_client_keeps_it(variables: dict[str, str]) -> None:
    program = "import huggingface_hub.constants as c; print(c.HF_HUB_CACHE)"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGING"))}
    environment |= variables
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert str(cache(environment)) == done.stdout.strip()
