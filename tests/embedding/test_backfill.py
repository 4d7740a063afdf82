"""What a mutation leaves unembedded is embedded in the background, where that was begun."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from sdd_hooks.embedding.backfill import backfill
from sdd_hooks.engines.protocol import Counts
from sdd_hooks.freshness.refresh import Refresh, refresh
from tests.support.embedding import CHUNKS, Gated
from tests.support.repos import in_environment
from tests.support.waiting import until

CHILD = "import sys; from sdd_hooks.embedding.backfill import main; main(sys.argv[1:])"
ADDED = Refresh({"shop-adrs": Counts(added=1)}, (), ran=True)

Load = Callable[[], tuple[float, float, float]]


def idle() -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


def busy() -> tuple[float, float, float]:
    return 1000.0, 1000.0, 1000.0


def unknown() -> tuple[float, float, float]:
    raise OSError


def embedded(gated: Gated) -> None:
    """Embed everything there is, as somebody did once."""
    gated.gate.remove()
    assert gated.sdd("index", "embed", "--foreground").code == 0


def child(gated: Gated) -> None:
    """Run what a backfill starts, to its end."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(gated.repo.root)],
        env=gated.environ,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == b""


def configure(gated: Gated, *lines: str) -> None:
    with (gated.repo.root / "CLAUDE.md").open("a") as file:
        file.write("\n#### Index Freshness\n\n" + "".join(f"- {line}\n" for line in lines))


def test_a_mutation_is_embedded_in_the_background(gated: Gated) -> None:
    embedded(gated)
    gated.write_decisions(5)
    update = refresh(gated.project)
    assert gated.status()["pending"] == 1
    assert backfill(gated.project, update, idle)
    until(lambda: gated.recorded()["log"] and gated.recorded()["finished"])
    gated.ended()
    assert gated.status()["pending"] == 0
    assert gated.recorded()["embedded"] == 1
    assert gated.log.read_text().splitlines()[0] == "embedding 1 chunks on cpu with llm:gated"


@pytest.mark.parametrize("load", [busy, unknown])
def test_a_machine_that_is_not_idle_is_left_alone(gated: Gated, load: Load) -> None:
    embedded(gated)
    assert not backfill(gated.project, ADDED, load)


def test_where_nobody_began_nothing_is_started(gated: Gated) -> None:
    assert not backfill(gated.project, ADDED, idle)


def test_neither_is_it_in_ci_nor_where_nothing_came_new(gated: Gated) -> None:
    embedded(gated)
    in_ci = in_environment(gated.project, {**gated.environ, "CI": "true"})
    assert not backfill(in_ci, ADDED, idle)
    removed = Refresh({"shop-adrs": Counts(removed=1)}, (), ran=True)
    assert not backfill(gated.project, removed, idle)


def test_more_than_the_limit_is_left_to_whoever_asks(gated: Gated) -> None:
    embedded(gated)
    configure(gated, "**Backfill Limit**: 1")
    gated.write_decisions(5, 2)
    refresh(gated.project)
    child(gated)
    assert gated.status()["pending"] == 2


def test_it_can_be_turned_off(gated: Gated) -> None:
    embedded(gated)
    configure(gated, "**Backfill**: false")
    assert not backfill(gated.project, ADDED, idle)


def test_another_model_is_for_somebody_to_begin(gated: Gated) -> None:
    embedded(gated)
    memory = gated.repo.root / "CLAUDE.md"
    memory.write_text(memory.read_text().replace("gated", "elsewhere"))
    child(gated)
    assert gated.status()["pending"] == CHUNKS


def test_a_service_is_asked_only_when_somebody_asks(gated: Gated) -> None:
    memory = gated.repo.root / "CLAUDE.md"
    memory.write_text(memory.read_text().replace("gated", "elsewhere"))
    gated.gate.remove()
    done = gated.sdd("index", "embed", "--json").json
    assert (done["mode"], done["device"], done["embedded"]) == ("foreground", "remote", CHUNKS)
    gated.write_decisions(5)
    refresh(gated.project)
    child(gated)
    assert gated.status()["pending"] == 1


def test_one_that_is_running_is_enough(gated: Gated) -> None:
    assert gated.sdd("index", "embed").code == 0
    running = gated.running
    gated.gate.let_one_through()
    child(gated)
    assert gated.running == running


def test_a_log_that_cannot_be_written_is_in_the_status(gated: Gated) -> None:
    embedded(gated)
    gated.write_decisions(5)
    refresh(gated.project)
    gated.log.symlink_to(gated.repo.root / "CLAUDE.md")
    child(gated)
    assert gated.recorded()["error"] == f"the log {gated.log} is a symbolic link: remove it"
    assert gated.status()["pending"] == 1


def test_a_repository_that_is_gone_is_no_error(gated: Gated) -> None:
    embedded(gated)
    git = (gated.repo.root / ".git").rename(gated.repo.root / "gone")
    child(gated)
    git.rename(gated.repo.root / ".git")
