"""The engines that every test of the contract runs with."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sdd_hooks.system.user_cache import write_cached
from tests.engines.subject import Subject
from tests.support.models import make_model
from tests.support.qmd import RealQmd
from tests.support.repos import Repo


@pytest.fixture(scope="session")
def quiet_qmd(real_qmd: RealQmd) -> RealQmd:
    """The real qmd with a cached release, so that no test asks the registry for a newer one."""
    now = time.time()
    write_cached("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, real_qmd.environ)
    return real_qmd


@pytest.fixture
def on_qmd(repo: Repo, quiet_qmd: RealQmd) -> Subject:
    """The qmd engine over an empty repository."""
    return Subject("qmd", repo, str(quiet_qmd.model), quiet_qmd.environ)


@pytest.fixture
def on_embedded(repo: Repo, tmp_path: Path) -> Subject:
    """The embedded engine over an empty repository."""
    return Subject("embedded", repo, str(make_model(tmp_path / "tiny")), os.environ)


@pytest.fixture(params=["embedded", "qmd"])
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each engine over an empty repository."""
    chosen: Subject = request.getfixturevalue(f"on_{request.param}")
    return chosen
