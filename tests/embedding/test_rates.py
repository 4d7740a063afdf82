"""How long an embed will take, from those that were done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdd_hooks.embedding.rates import ENOUGH, NAME, estimate, record

ENGINE = ("embedded", "local:x", "cpu")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path)}


def kept(environ: dict[str, str]) -> Path:
    return Path(environ["XDG_CACHE_HOME"]) / "sdd" / f"{NAME}.json"


def test_nothing_is_said_before_anything_was_measured(environ: dict[str, str]) -> None:
    assert estimate(*ENGINE, 100, environ) is None


def test_the_last_measurement_counts(environ: dict[str, str]) -> None:
    record(*ENGINE, 100, 50.0, environ)
    record(*ENGINE, 100, 25.0, environ)
    assert estimate(*ENGINE, 400, environ) == 100
    assert estimate(*ENGINE, 401, environ) == 101
    assert estimate(*ENGINE, 1, environ) == 1


def test_engine_model_and_device_are_told_apart(environ: dict[str, str]) -> None:
    record(*ENGINE, 100, 50.0, environ)
    for other in (("qmd", *ENGINE[1:]), ("embedded", "y", "cpu"), (*ENGINE[:2], "cuda")):
        assert estimate(*other, 100, environ) is None


@pytest.mark.parametrize(("chunks", "seconds"), [(ENOUGH - 1, 9.0), (100, 0.0), (100, -1.0)])
def test_what_says_nothing_is_not_kept(
    environ: dict[str, str], chunks: int, seconds: float
) -> None:
    record(*ENGINE, chunks, seconds, environ)
    assert estimate(*ENGINE, 100, environ) is None


@pytest.mark.parametrize("rate", [True, "fast", None, [], -1, 0, 1e999, 1e300, 10**400])
def test_a_forged_one_is_not_believed(environ: dict[str, str], rate: object) -> None:
    record(*ENGINE, 100, 50.0, environ)
    (key,) = json.loads(kept(environ).read_text())
    kept(environ).write_text(json.dumps({key: rate}))
    assert estimate(*ENGINE, 100, environ) is None


def test_what_is_kept_does_not_grow_without_end(environ: dict[str, str]) -> None:
    for number in range(60):
        record("embedded", f"model-{number}", "cpu", 100, 50.0, environ)
    assert len(json.loads(kept(environ).read_text())) == 50
    assert estimate("embedded", "model-59", "cpu", 100, environ) == 50
    assert estimate("embedded", "model-0", "cpu", 100, environ) is None
