"""Where models run: asked once, remembered for this qmd and this choice, learnt from embeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.device import device, learn
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.process import Place
from tests.engines.qmd.conftest import Indexed
from tests.engines.qmd.fakes import environment, program

ON_CUDA = "✓ device probe: GPU cuda; offloading enabled; 16 CPU math cores"


def probed(tmp_path: Path, said: str = ON_CUDA, then: str = "sleep 300") -> Installation:
    """A qmd whose doctor says this, counts that it was asked, and goes on for long."""
    script = f"echo x >>{tmp_path}/asked; echo '{said}'; {then}"
    return Installation(str(program(tmp_path / "bin/qmd", script)), (2, 8, 3))


def times_asked(tmp_path: Path) -> int:
    asked = tmp_path / "asked"
    return asked.read_text().count("x") if asked.exists() else 0


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, tmp_path / ".sdd/search/qmd")


def test_the_real_one_and_nothing_is_written(embedded: Indexed, tmp_path: Path) -> None:
    environ = {**embedded.qmd.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    place = Place(tmp_path, tmp_path / ".sdd/search/qmd")
    found = device(embedded.qmd.installation, environ, place)
    assert found in {"cpu", "cuda", "metal", "vulkan", "gpu"}
    assert not place.directory.exists()


def test_asked_once_and_not_to_the_end(tmp_path: Path, place: Place) -> None:
    qmd, environ = probed(tmp_path), environment(tmp_path)
    assert device(qmd, environ, place) == device(qmd, environ, place) == "cuda"
    assert times_asked(tmp_path) == 1


def test_another_version_path_or_choice_is_asked_again(tmp_path: Path, place: Place) -> None:
    qmd, environ = probed(tmp_path), environment(tmp_path)
    device(qmd, environ, place)
    device(Installation(qmd.command, (2, 9, 0)), environ, place)
    device(Installation(qmd.command, (2, 9, 0)), {**environ, "QMD_FORCE_CPU": "1"}, place)
    assert times_asked(tmp_path) == 3


@pytest.mark.parametrize("said", ["⚠ device probe: probe failed: x", "QMD Doctor"])
def test_what_cannot_be_told_is_cpu_for_now(tmp_path: Path, place: Place, said: str) -> None:
    qmd, environ = probed(tmp_path, said, "exit 1"), environment(tmp_path)
    assert device(qmd, environ, place) == device(qmd, environ, place) == "cpu"
    assert times_asked(tmp_path) == 2


def test_one_that_cannot_be_started_is_cpu_for_now(tmp_path: Path, place: Place) -> None:
    assert device(Installation("/nowhere/qmd", (2, 8, 3)), environment(tmp_path), place) == "cpu"


def test_an_embed_knows_better(tmp_path: Path, place: Place) -> None:
    qmd, environ = probed(tmp_path), environment(tmp_path)
    learn(qmd, environ, "cpu")
    assert device(qmd, environ, place) == "cpu"
    learn(qmd, environ, "gpu")
    assert device(qmd, environ, place) == "gpu"
    assert times_asked(tmp_path) == 0


def test_an_embed_that_says_less_changes_nothing(tmp_path: Path, place: Place) -> None:
    qmd, environ = probed(tmp_path), environment(tmp_path)
    assert device(qmd, environ, place) == "cuda"
    learn(qmd, environ, "gpu")
    learn(qmd, environ, "")
    assert device(qmd, environ, place) == "cuda"
    learn(qmd, environ, "cpu")
    assert device(qmd, environ, place) == "cpu"
