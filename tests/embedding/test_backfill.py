"""A backfill embeds in the background what a write added, in a repository that embeds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from sdd_hooks.embedding.backfill import start_backfill
from sdd_hooks.engines.protocol import Counts
from sdd_hooks.freshness.refresh import refresh
from tests.support.embedding import CHUNKS, GatedRepo
from tests.support.repos import in_environment
from tests.support.waiting import until

CHILD = "import sys; from sdd_hooks.embedding.backfill import main; main(sys.argv[1:])"
ADDED = Counts(added=1)

Load = Callable[[], tuple[float, float, float]]


def idle() -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


def busy() -> tuple[float, float, float]:
    return 1000.0, 1000.0, 1000.0


def unknown() -> tuple[float, float, float]:
    raise OSError


def embed_all(gated: GatedRepo) -> None:
    """Embed every chunk, as a user does once."""
    gated.gate.remove()
    assert gated.sdd("index", "embed", "--foreground").code == 0


def run_backfill(gated: GatedRepo) -> None:
    """Run the process of a backfill to its end."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(gated.repo.root)],
        env=gated.environ,
        capture_output=True,
        check=True,
        timeout=600,
    )
    assert done.stderr == b""


def configure(gated: GatedRepo, *lines: str) -> None:
    with (gated.repo.root / "CLAUDE.md").open("a") as file:
        file.write("\n#### Index Freshness\n\n" + "".join(f"- {line}\n" for line in lines))


def test_a_backfill_embeds_what_a_refresh_added(gated: GatedRepo) -> None:
    embed_all(gated)
    gated.write_decisions(5)
    update = refresh(gated.project)
    assert gated.status()["pending"] == 1
    assert start_backfill(gated.project, update.total, idle)
    until(lambda: gated.recorded()["log"] and gated.recorded()["finished"])
    gated.wait_until_ended()
    assert gated.status()["pending"] == 0
    assert gated.recorded()["embedded"] == 1
    assert gated.log.read_text().splitlines()[0] == "embedding 1 chunks on cpu with llm:gated"


@pytest.mark.parametrize("load", [busy, unknown])
def test_a_busy_machine_gets_no_backfill(gated: GatedRepo, load: Load) -> None:
    embed_all(gated)
    assert not start_backfill(gated.project, ADDED, load)


def test_a_repository_that_was_never_embedded_gets_no_backfill(gated: GatedRepo) -> None:
    assert not start_backfill(gated.project, ADDED, idle)


def test_ci_and_removals_get_no_backfill(gated: GatedRepo) -> None:
    embed_all(gated)
    in_ci = in_environment(gated.project, {**gated.environ, "CI": "true"})
    assert not start_backfill(in_ci, ADDED, idle)
    removed = Counts(removed=1)
    assert not start_backfill(gated.project, removed, idle)


def test_more_chunks_than_the_limit_are_left_to_an_explicit_embed(gated: GatedRepo) -> None:
    embed_all(gated)
    configure(gated, "**Backfill Limit**: 1")
    gated.write_decisions(5, 2)
    refresh(gated.project)
    run_backfill(gated)
    assert gated.status()["pending"] == 2


def test_the_configuration_turns_backfills_off(gated: GatedRepo) -> None:
    embed_all(gated)
    configure(gated, "**Backfill**: false")
    assert not start_backfill(gated.project, ADDED, idle)


def test_a_new_model_is_left_to_an_explicit_embed(gated: GatedRepo) -> None:
    embed_all(gated)
    memory = gated.repo.root / "CLAUDE.md"
    memory.write_text(memory.read_text().replace("gated", "elsewhere"))
    run_backfill(gated)
    assert gated.status()["pending"] == CHUNKS


def test_a_backfill_sends_no_text_to_a_remote_service(gated: GatedRepo) -> None:
    memory = gated.repo.root / "CLAUDE.md"
    memory.write_text(memory.read_text().replace("gated", "elsewhere"))
    gated.gate.remove()
    done = gated.sdd("index", "embed", "--json").json
    assert (done["mode"], done["device"], done["embedded"]) == ("foreground", "remote", CHUNKS)
    gated.write_decisions(5)
    refresh(gated.project)
    run_backfill(gated)
    assert gated.status()["pending"] == 1


def test_a_backfill_does_nothing_while_an_embed_runs(gated: GatedRepo) -> None:
    assert gated.sdd("index", "embed").code == 0
    running = gated.running
    gated.gate.release_one()
    run_backfill(gated)
    assert gated.running == running


def test_the_status_shows_a_log_that_cannot_be_written(gated: GatedRepo) -> None:
    embed_all(gated)
    gated.write_decisions(5)
    refresh(gated.project)
    gated.log.symlink_to(gated.repo.root / "CLAUDE.md")
    run_backfill(gated)
    assert gated.recorded()["error"] == f"the log {gated.log} is a symbolic link: remove it"
    assert gated.status()["pending"] == 1


def test_a_backfill_ignores_a_repository_that_was_removed(gated: GatedRepo) -> None:
    embed_all(gated)
    git = (gated.repo.root / ".git").rename(gated.repo.root / "gone")
    run_backfill(gated)
    git.rename(gated.repo.root / ".git")
