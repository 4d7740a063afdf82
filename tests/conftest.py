"""Fixtures for all tests."""

from __future__ import annotations

import gc
import io
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdd_hooks import tracing
from tests.support.beads import beads, empty_beads, real_bd
from tests.support.citus_server import citus
from tests.support.embedding import gated
from tests.support.external import handbook
from tests.support.postgres_server import debian_postgres, pgserver, postgres
from tests.support.qmd import gguf, real_qmd
from tests.support.repos import ISOLATION, Repo

__all__ = [
    "beads",
    "citus",
    "debian_postgres",
    "empty_beads",
    "gated",
    "gguf",
    "handbook",
    "pgserver",
    "postgres",
    "real_bd",
    "real_qmd",
]

# On a busy machine a single example can be slow, independent of the code.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Without `--hypothesis-profile`, each run of the tests has the same examples.
settings.register_profile("sdd", _ANY_MACHINE, max_examples=20, derandomize=True)
settings.register_profile("thorough", _ANY_MACHINE, max_examples=1000)
settings.load_profile("sdd")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the tests in `tests/adversarial`, which generate their cases."""
    first = random.SystemRandom().randrange(10**9)
    group = parser.getgroup("adversarial", "tests that generate random cases")
    group.addoption("--seconds", type=float, default=0.25, help="time of each generator (0.25)")
    group.addoption("--seed", type=int, default=first, help="the first seed (random)")
    group.addoption("--last", type=int, default=10**12, help="the last seed (none)")
    group.addoption("--tally", type=Path, help="a file for a line about each seed; goes on")


def pytest_sessionstart() -> None:
    """Import the tests without garbage collection, which takes a sixth of that time."""
    gc.disable()


def pytest_report_header(config: pytest.Config) -> str:
    """The seed, to repeat a run."""
    return f"adversarial: --seed={config.getoption('--seed')}"


@given(st.none())
def _draw_once(_: None) -> None:
    """Draw one example."""


def pytest_collection_finish() -> None:
    """Exempt the 14,000 tests and their modules from garbage collection, a tenth of the time.

    Another tenth are collections after each 700 objects, of parsers and examples.
    """
    # With Python 3.14, Hypothesis does not find its random numbers among exempted objects.
    _draw_once()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def isolated_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Isolate tests from the user's git configuration, home and locale, and from a CI service."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ.update(ISOLATION)
    os.environ["HOME"] = str(tmp_path_factory.mktemp("home"))
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CI", tracing.VARIABLE):
        os.environ.pop(name, None)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def debug_log() -> Iterator[io.StringIO]:
    """The debug log of this process, enabled for the test."""
    stream = io.StringIO()
    tracing.enable(stream)
    yield stream
    tracing.disable()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An initialised repository without a commit."""
    return Repo.init(tmp_path / "repo")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of seeds, models and evaluation sets beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared beside the checkout")
    return SHARED
