"""The tier of each event of git: when it scans, and what it prints."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from tests.cli.commands import run
from tests.githooks.conftest import ADR, settled
from tests.githooks.recorder import Hooked, state_file
from tests.support.clock import set_touched, touched_at
from tests.support.models import make_model
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT, until

NEW = "docs/adrs/ADR-0003-new.md"
DRAFT = "docs/adrs/ADR-0009-draft.md"
LINE = "sdd: Refreshed index ({} added, {} updated, {} removed across all collections)\n"


def act(repo: Repo, event: str, after: float, environ: Mapping[str, str] | None = None) -> str:
    """The output of the event, `after` seconds after the last scan."""
    head = repo.head()
    arguments = {"post-checkout": (head, head, "1"), "post-merge": ("0",)}.get(event, ())
    touched = touched_at(repo)
    assert touched is not None
    stderr = io.StringIO()
    context = HookContext(repo.root, environ or os.environ, stderr, seconds=TIMEOUT)
    code = run_hook(event, arguments, context, clock=lambda: touched + after)
    assert code == 0
    return stderr.getvalue()


def silent(repo: Repo, *command: str) -> None:
    """A git command that runs no hook."""
    repo.git("-c", f"core.hooksPath={os.devnull}", *command)


def heard(repo: Repo, *command: str, env: Mapping[str, str] | None = None) -> str:
    """The output of sdd during a git command, after which the index must be correct."""
    done = repo.run(*command, env=env)
    assert done.returncode == 0, done.stderr
    settled(repo)
    assert_index_matches_scratch(repo)
    said = done.stderr.decode().splitlines(keepends=True)
    return "".join(line for line in said if line.startswith("sdd: "))


@pytest.fixture
def seen(fresh: Hooked) -> Hooked:
    """The repository with an index, with a fixed time of the last scan."""
    set_touched(fresh, 1_800_000_000.0)
    return fresh


# Tier 2: changes that arrive


ARRIVALS = ["post-checkout", "post-merge"]


def test_an_arrival_scans_after_the_interval(seen: Hooked) -> None:
    """-1: the index is from the future, as after a wrong clock."""
    before = touched_at(seen)
    for event in ARRIVALS:
        for after in (0.0, 59.9, 60.0):
            assert act(seen, event, after) == ""
            assert touched_at(seen) == before
        for after in (60.1, -1.0):
            assert act(seen, event, after) == ""
            assert touched_at(seen) != before
            set_touched(seen, 1_800_000_000.0)


@pytest.mark.parametrize("event", ARRIVALS)
def test_an_index_of_another_commit_is_scanned_at_any_time(seen: Hooked, event: str) -> None:
    """HEAD moved, files differ, or a requested refresh has not begun."""
    silent(seen, "commit", "--quiet", "--allow-empty", "-m", "Moved")
    assert touched_at(seen) == 1_800_000_000.0
    act(seen, event, 0)
    assert touched_at(seen) != 1_800_000_000.0
    seen.write(NEW, "# ADR-0003: New\n")
    silent(seen, "add", NEW)
    silent(seen, "commit", "--quiet", "-m", "New")
    assert act(seen, event, 0) == LINE.format(1, 0, 0)
    seen.write(ADR, "# ADR-0001: Edited\n")
    assert act(seen, event, 0) == LINE.format(0, 1, 0)
    # The index has uncommitted content, which the flag says.
    seen.git("checkout", "--quiet", "HEAD", "--", ADR)
    assert_index_matches_scratch(seen)
    set_touched(seen, 1_800_000_000.0)
    (seen.root / ".sdd/search/again").touch()
    act(seen, event, 0)
    assert touched_at(seen) != 1_800_000_000.0
    assert_index_matches_scratch(seen)


def test_a_changed_state_file_is_scanned_at_any_time(seen: Hooked) -> None:
    state = seen.root / ".sdd/search/hook"
    written = state.read_bytes()
    head, *pathspecs = written.partition(b"\t")[0].splitlines()[:-1]
    for content in (
        b"",
        state_file(*pathspecs),
        state_file(head.replace(b"sdd 1", b"sdd 2"), *pathspecs),
        state_file(head[:-2], *pathspecs),
        state_file(b"\xff", head, *pathspecs),
        state_file(b"sdd 1 " + b"0" * 40 + b" 0 0 0", *pathspecs),
        written.partition(b"\t")[0],
        written.replace(b"docs", b"dogs", 1),
        written.replace(b" 0 0 0", b" 0 1 0", 1),
        written + b"x" * 70_000,
        written + b"x" * 200_000,
    ):
        state.write_bytes(content)
        set_touched(seen, 1000.0)
        act(seen, "post-merge", 0)
        assert touched_at(seen) != 1000.0, content[:60]
        assert state.read_bytes() == written
    state.unlink()
    state.symlink_to("/etc/passwd")
    set_touched(seen, 1000.0)
    act(seen, "post-merge", 0)
    assert touched_at(seen) != 1000.0


def test_an_untracked_file_waits_for_the_interval(seen: Hooked) -> None:
    seen.write(DRAFT, "# ADR-0009: Draft\n")
    assert act(seen, "post-merge", 30) == ""
    assert DRAFT not in documents(seen)
    assert act(seen, "post-merge", 61) == LINE.format(1, 0, 0)
    assert DRAFT in documents(seen)


def test_the_interval_is_a_setting(seen: Hooked) -> None:
    seen.write("CLAUDE.md", "### SDD Configuration\n\n- **Prime Interval**: 10m\n")
    seen.git("add", "CLAUDE.md")
    seen.git("commit", "--quiet", "-m", "Configure")
    set_touched(seen, 1000.0)
    act(seen, "post-merge", 600)
    assert touched_at(seen) == 1000.0
    act(seen, "post-merge", 601)
    assert touched_at(seen) != 1000.0


@pytest.mark.parametrize("event", ["post-commit", "post-rewrite"])
def test_events_of_tier_1_scan_immediately_and_silently(seen: Hooked, event: str) -> None:
    seen.write(ADR, "# ADR-0001: Edited\n")
    assert act(seen, event, 0) == ""
    assert_index_matches_scratch(seen)
    set_touched(seen, 1000.0)
    act(seen, event, 0)
    assert touched_at(seen) != 1000.0


def test_a_checkout_of_files_scans_immediately_and_silently(seen: Hooked) -> None:
    stderr = io.StringIO()
    head = seen.head()
    seen.write(DRAFT, "# ADR-0009: Draft\n")
    arguments = (head, head, "0")
    context = HookContext(seen.root, os.environ, stderr)
    run_hook("post-checkout", arguments, context, clock=lambda: 1_800_000_000.0)
    assert stderr.getvalue() == ""
    assert DRAFT in documents(seen)


def test_arrived_changes_are_printed(fresh: Hooked) -> None:
    fresh.git("checkout", "--quiet", "-b", "topic")
    assert heard(fresh, "checkout", "--quiet", "main") == ""
    fresh.git("checkout", "--quiet", "topic")
    fresh.write(NEW, "# ADR-0003: New\n")
    fresh.write(ADR, "# ADR-0001: Changed\n")
    fresh.remove("src/app.py")
    fresh.git("add", "--all")
    assert heard(fresh, "commit", "--quiet", "-m", "Topic") == ""
    assert heard(fresh, "checkout", "--quiet", "main") == LINE.format(1, 1, 1)
    assert heard(fresh, "merge", "--quiet", "topic") == LINE.format(1, 1, 1)
    fresh.git("reset", "--quiet", "--hard", "HEAD~1")
    assert heard_later(fresh) == ""
    assert heard(fresh, "commit", "--quiet", "--amend", "-m", "Other words") == ""


def heard_later(repo: Repo) -> str:
    """A commit also indexes changes that ran no hook, and is silent."""
    repo.write("notes.txt", os.urandom(8).hex())
    return heard(repo, "commit", "--quiet", "-m", "Other", "--", "notes.txt")


# Chunks without a vector


@pytest.fixture
def embedded(fresh: Hooked, tmp_path: Path) -> Hooked:
    """The repository with everything embedded, and with backfilling disabled."""
    (tmp_path / "model").mkdir()
    make_model(tmp_path / "model")
    fresh.write(
        "CLAUDE.md",
        "### SDD Configuration\n\n"
        f"- **Embed Model**: {tmp_path / 'model'}\n- **Backfill**: false\n",
    )
    fresh.commit("Configure")
    silent(fresh, "branch", "topic")
    fresh.commit("New", {NEW: "# ADR-0003: New\n\nA token for each user.\n"})
    silent(fresh, "checkout", "--quiet", "topic")
    assert run(fresh.root, "index", "update").code == 0
    assert run(fresh.root, "index", "embed", "--foreground").code == 0
    return fresh


NOTE = (
    "sdd: 1 chunks unembedded — run `sdd index embed`"
    " (≈1s on this machine, foreground; or wait for the next mutation command to backfill)\n"
)


def test_an_arrival_prints_the_chunks_without_vectors(embedded: Hooked) -> None:
    assert heard(embedded, "checkout", "--quiet", "main") == LINE.format(1, 0, 0) + NOTE
    assert heard(embedded, "checkout", "--quiet", "topic") == LINE.format(0, 0, 1)


def test_a_commit_does_not_print_them(embedded: Hooked) -> None:
    embedded.write(DRAFT, "# ADR-0009: Draft\n\nA page in the cache.\n")
    embedded.git("add", DRAFT)
    assert heard(embedded, "commit", "--quiet", "-m", "Draft") == ""


def test_without_any_vector_they_are_not_printed(fresh: Hooked) -> None:
    fresh.git("checkout", "--quiet", "-b", "topic")
    fresh.commit("New", {NEW: "# ADR-0003: New\n"})
    assert heard(fresh, "checkout", "--quiet", "main") == LINE.format(0, 0, 1)


def test_with_a_backfill_they_are_not_printed(embedded: Hooked) -> None:
    memory = (embedded.root / "CLAUDE.md").read_text().replace("false", "true")
    memory += "- **Backfill Load**: 100%\n"
    for branch in ("main", "topic"):
        silent(embedded, "checkout", "--quiet", branch)
        embedded.write("CLAUDE.md", memory)
        silent(embedded, "commit", "--quiet", "--all", "-m", "Backfill")
    assert run(embedded.root, "index", "update").code == 0
    said = heard(embedded, "checkout", "--quiet", "main", env={"CI": ""})
    if said == LINE.format(1, 0, 0) + NOTE:
        # On a busy machine no backfill starts, and the line is printed.
        assert os.getloadavg()[0] / (os.cpu_count() or 1) > 0.8
    else:
        assert said == LINE.format(1, 0, 0)
        until(lambda: pending(embedded) == 0)


def pending(repo: Repo) -> int:
    with closing(open_engine(repo.project())) as engine:
        return engine.coverage().pending
