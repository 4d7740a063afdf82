"""How long an embed takes, estimated from earlier ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdd_hooks.embedding.rates import (
    MIN_CHUNKS,
    NAME,
    RateKey,
    estimate_seconds,
    record_rate,
    remaining_seconds,
)

KEY = RateKey("embedded", "local:x", "cpu")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path)}


def cache_file(environ: dict[str, str]) -> Path:
    return Path(environ["XDG_CACHE_HOME"]) / "sdd" / f"{NAME}.json"


def test_there_is_no_estimate_before_the_first_measurement(environ: dict[str, str]) -> None:
    assert estimate_seconds(KEY, 100, environ) is None


def test_the_last_measurement_counts(environ: dict[str, str]) -> None:
    record_rate(KEY, 100, 50.0, environ)
    record_rate(KEY, 100, 25.0, environ)
    assert estimate_seconds(KEY, 400, environ) == 100
    assert estimate_seconds(KEY, 401, environ) == 101
    assert estimate_seconds(KEY, 1, environ) == 1


def test_engine_model_and_device_have_separate_rates(environ: dict[str, str]) -> None:
    record_rate(KEY, 100, 50.0, environ)
    for other in (KEY._replace(engine="qmd"), KEY._replace(model="y"), KEY._replace(device="cuda")):
        assert estimate_seconds(other, 100, environ) is None


@pytest.mark.parametrize(("chunks", "seconds"), [(MIN_CHUNKS - 1, 9.0), (100, 0.0), (100, -1.0)])
def test_a_meaningless_measurement_is_not_stored(
    environ: dict[str, str], chunks: int, seconds: float
) -> None:
    record_rate(KEY, chunks, seconds, environ)
    assert estimate_seconds(KEY, 100, environ) is None


@pytest.mark.parametrize("rate", [True, "fast", None, [], -1, 0, 1e999, 1e300, 10**400])
def test_an_invalid_rate_is_ignored(environ: dict[str, str], rate: object) -> None:
    record_rate(KEY, 100, 50.0, environ)
    (key,) = json.loads(cache_file(environ).read_text())
    cache_file(environ).write_text(json.dumps({key: rate}))
    assert estimate_seconds(KEY, 100, environ) is None


def test_the_number_of_stored_rates_is_limited(environ: dict[str, str]) -> None:
    for number in range(60):
        record_rate(KEY._replace(model=f"model-{number}"), 100, 50.0, environ)
    assert len(json.loads(cache_file(environ).read_text())) == 50
    assert estimate_seconds(KEY._replace(model="model-59"), 100, environ) == 50
    assert estimate_seconds(KEY._replace(model="model-0"), 100, environ) is None


def test_the_rest_of_a_run_takes_as_long_as_its_beginning() -> None:
    assert remaining_seconds(10, 40, 5.0) == 15
    assert remaining_seconds(39, 40, 0.1) == 1
    assert [remaining_seconds(*run) for run in ((0, 40, 5.0), (40, 40, 5.0), (1, 2, 0.0))] == [
        None
    ] * 3
