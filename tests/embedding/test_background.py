"""An embed in a background process: what it survives, what it records, what ends it."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sdd_hooks.embedding.background import open_embed_log
from sdd_hooks.embedding.lock import stop_embed
from sdd_hooks.errors import StorageError
from tests.cli.commands import SCRIPTS, TERMINAL, one_line
from tests.support.embedding import CHUNKS, GatedRepo
from tests.support.programs import run_python
from tests.support.repos import Repo
from tests.support.users import foreign_file
from tests.support.waiting import until


def start_embed(gated: GatedRepo) -> int:
    """Start an embed in the background. Returns its process id."""
    done = gated.sdd("index", "embed", "--json").json
    assert done["mode"] == "background"
    return int(done["pid"])


def group_exists(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_process_survives_the_end_of_its_terminal(gated: GatedRepo) -> None:
    done = run_python(
        TERMINAL,
        "",
        str(SCRIPTS / "sdd"),
        "index",
        "embed",
        cwd=gated.repo.root,
        env=gated.environ,
        timeout=60,
    )
    assert f"embedding {CHUNKS} chunks in the background, log: {gated.log}" in done.stdout
    running = gated.running
    assert running is not None
    # It has no terminal, and is alone in its session and in its process group.
    assert os.getsid(running.pid) == os.getpgid(running.pid) == running.pid
    gated.finish()
    assert gated.status()["pending"] == 0


def test_the_log_has_the_start_and_the_result(gated: GatedRepo) -> None:
    start_embed(gated)
    found = gated.log.stat()
    assert stat.S_IMODE(found.st_mode) == 0o600
    gated.finish()
    first, last = gated.log.read_text().splitlines()
    assert first == f"embedding {CHUNKS} chunks on cpu with llm:gated"
    assert re.fullmatch(rf"embedded {CHUNKS} chunks in \d+\.\d s", last)


def test_the_process_keeps_no_descriptor_of_its_parent_and_has_low_priority(
    gated: GatedRepo,
) -> None:
    reader, writer = os.pipe()
    done = subprocess.run(
        [str(SCRIPTS / "sdd"), "index", "embed"],
        cwd=gated.repo.root,
        env=gated.environ,
        stdin=reader,
        capture_output=True,
        check=True,
        timeout=60,
    )
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        os.write(writer, b"no reader")
    os.close(writer)
    assert done.stderr == b""
    running = gated.running
    assert running is not None
    gated.gate.release_one()
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, running.pid) == min(19, own + 10)
    gated.finish()


def test_modules_and_git_variables_of_the_repository_are_ignored(gated: GatedRepo) -> None:
    for name in ("sdd_hooks", "apsw", "json"):
        gated.repo.write(f"{name}.py", f"raise SystemExit({name!r})\n")
    done = gated.sdd("index", "embed", env={"GIT_INDEX_FILE": "/nowhere", "GIT_PREFIX": "x/"})
    assert done.code == 0
    gated.finish()
    assert gated.recorded()["error"] == ""


def test_the_status_shows_progress_and_completion(gated: GatedRepo) -> None:
    """Scenario "It has ended" of SPEC-0003."""
    pid = start_embed(gated)
    gated.gate.release_one()
    found = gated.status()["embed"]
    assert (found["running"]["pid"], found["running"]["background"]) == (pid, True)
    assert (found["run"]["wanted"], found["run"]["finished"]) == (CHUNKS, None)
    assert found["run"]["log"] == str(gated.log)
    line = gated.sdd("index", "status").out.splitlines()[4]
    shown = rf"embedding  \d of {CHUNKS} chunks, for .*, in the background, pid {pid}, log "
    assert re.fullmatch(shown + re.escape(str(gated.log)), line)
    gated.finish()
    found = gated.status()
    assert (found["pending"], found["embed"]["running"]) == (0, None)
    ended = found["embed"]["run"]
    assert (ended["embedded"], ended["failed"], ended["error"]) == (CHUNKS, 0, "")
    line = gated.sdd("index", "status").out.splitlines()[4]
    assert re.fullmatch(rf"embedded   {CHUNKS} chunks in .*, \d+ seconds? ago", line)


def test_one_embed_runs_at_a_time(gated: GatedRepo) -> None:
    """Scenario "Twice at once" of SPEC-0003."""
    with ThreadPoolExecutor(4) as pool:
        runs = pool.map(lambda _: gated.sdd("index", "embed", "--json"), range(4))
    done = [one.json for one in runs]
    assert sorted(one["mode"] for one in done) == ["background", "running", "running", "running"]
    (pid,) = {one["pid"] for one in done}
    assert {one["log"] for one in done} == {str(gated.log)}
    second = gated.sdd("index", "embed")
    assert second.code == 0
    running = f"an embed of this repository is running already (pid {pid}), log: {gated.log}"
    assert second.out.splitlines()[1] == running
    message = one_line(gated.sdd("index", "embed", "--foreground"), 7)
    assert message == (
        f"another embed of this repository is running (pid {pid}): run `sdd index embed` after it"
    )
    gated.finish()
    assert gated.log.read_text().count("embedded") == 1


def test_work_trees_share_one_embed(gated: GatedRepo, tmp_path: Path) -> None:
    pid = start_embed(gated)
    linked = GatedRepo(gated.repo.worktree(tmp_path / "linked", "other"), gated.gate, gated.environ)
    assert linked.sdd("index", "add", "--kind", "adrs").code == 0
    assert linked.sdd("index", "embed", "--json").json["pid"] == pid
    lines = linked.sdd("index", "status").out.splitlines()
    assert f"in the background, for {gated.repo.root}, pid {pid}, log {gated.log}" in lines[4]
    gated.finish()
    assert linked.sdd("index", "embed").out == "nothing to embed (llm:gated)\n"


def test_the_status_shows_a_killed_embed_and_the_next_one_continues_it(gated: GatedRepo) -> None:
    pid = start_embed(gated)
    gated.gate.release_one()
    os.kill(pid, signal.SIGKILL)
    gated.wait_until_ended()
    found = gated.status()["embed"]
    assert (found["running"], found["run"]["finished"]) == (None, None)
    lines = gated.sdd("index", "status").out.splitlines()
    assert re.fullmatch(
        r"embedded   cut short, begun .* ago: `sdd index embed` goes on from there", lines[4]
    )
    start_embed(gated)
    gated.finish()
    assert gated.status()["pending"] == 0


def test_the_status_separates_failed_chunks_from_untried_ones(
    gated: GatedRepo,
) -> None:
    gated.repo.commit("Another", {"docs/adrs/ADR-0009-x.md": "# ADR-0009: unwanted\n\nX.\n"})
    assert gated.sdd("index", "update").code == 0
    start_embed(gated)
    gated.finish()
    gated.write_decisions(5, 2)
    assert gated.sdd("index", "update").code == 0
    found = gated.status()
    assert (found["pending"], found["embed"]["failed"], found["embed"]["untried"]) == (3, 1, 2)
    lines = gated.sdd("index", "status").out.splitlines()
    assert re.fullmatch(rf"embedded   {CHUNKS} chunks in .* ago, 1 failed", lines[4])
    assert lines[5] == "pending    3 chunks: 1 failed in the last run, 2 never tried"
    text = gated.log.read_text()
    assert "Traceback" not in text
    assert "\x1b" not in text
    assert ", 1 failed\n" in text


def test_stop_ends_the_whole_process_group(gated: GatedRepo) -> None:
    """Scenario "Nothing is running" of SPEC-0003."""
    pid = start_embed(gated)
    gated.gate.release_one()
    done = gated.sdd("index", "embed", "--stop")
    assert done == (
        0,
        f"stopped the embed (pid {pid}): what it embedded is kept,"
        " and `sdd index embed` goes on from there\n",
        "",
    )
    until(lambda: not group_exists(pid))
    assert gated.recorded()["error"] == "stopped"
    assert gated.log.read_text().endswith(
        "sdd: embed stopped — `sdd index embed` goes on from there\n"
    )
    status = gated.sdd("index", "status").out
    assert re.search(r"chunks?, then stopped .* ago: `sdd index embed` goes on from there", status)
    assert "failed 0" not in status
    second = gated.sdd("index", "embed", "--stop", "--json").json
    assert (second["mode"], second["pid"]) == ("stop", None)
    assert gated.sdd("index", "embed", "--stop").out == "no embed is running\n"


def test_stop_kills_a_process_that_ignores_sigterm(gated: GatedRepo) -> None:
    """A suspended process handles no signal but SIGKILL."""
    pid = start_embed(gated)
    os.kill(pid, signal.SIGSTOP)
    ended = stop_embed(gated.project.repository, grace=0.2)
    assert ended is not None
    assert (ended.pid, gated.running) == (pid, None)
    assert gated.status()["embed"]["run"]["finished"] is None


def test_stop_refuses_to_end_a_foreground_embed(gated: GatedRepo) -> None:
    process = subprocess.Popen(
        [str(SCRIPTS / "sdd"), "index", "embed", "--foreground"],
        cwd=gated.repo.root,
        env=gated.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: gated.running)
        message = one_line(gated.sdd("index", "embed", "--stop"), 7)
        assert message == (
            f"the embed of this repository (pid {process.pid}) is in the foreground:"
            " press Ctrl-C where it runs"
        )
        assert gated.sdd("index", "embed").out.splitlines()[1] == (
            f"an embed of this repository is running already (pid {process.pid})"
        )
        gated.gate.remove()
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    header, last = out.splitlines()
    assert header == "device: cpu (model llm:gated)"
    assert re.fullmatch(rf"embedded {CHUNKS} chunks in \d+\.\d s", last)
    found = gated.status()["embed"]["run"]
    assert (found["embedded"], found["log"]) == (CHUNKS, "")


@pytest.fixture
def beside_the_log(gated: GatedRepo) -> Iterator[Path]:
    """A file in the directory of the log: a second name cannot be on another file system."""
    path = gated.log.with_suffix(".precious")
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("taken", ["link", "second name", "pipe"])
def test_a_log_that_is_no_plain_file_is_refused(
    gated: GatedRepo, beside_the_log: Path, taken: str
) -> None:
    precious = beside_the_log
    precious.write_text("keep me")
    if taken == "link":
        gated.log.symlink_to(precious)
    elif taken == "second name":
        gated.log.hardlink_to(precious)
    else:
        os.mkfifo(gated.log)
    message = one_line(gated.sdd("index", "embed"), 7)
    assert message.startswith(f"the log {gated.log} is ")
    assert message.endswith(": remove it")
    assert precious.read_text() == "keep me"
    assert gated.running is None
    # An index without vectors is a working index.
    done = gated.sdd("index")
    assert done.code == 0
    assert f"note: not embedded: {message}\n" in done.err


def test_two_repositories_of_one_name_have_separate_logs(tmp_path: Path) -> None:
    one = Repo.init(tmp_path / "a" / "Shop.js").repository
    two = Repo.init(tmp_path / "b" / "Shop.js").repository
    first, path = open_embed_log(one, tmp_path)
    assert path == tmp_path / "qmd-embed-shop-js.log"
    second, other = open_embed_log(two, tmp_path)
    assert other.name.startswith("qmd-embed-shop-js-")
    assert len(other.name) == len("qmd-embed-shop-js-12345678.log")
    with pytest.raises(StorageError, match=f"^the log {other} is being written by another"):
        open_embed_log(two, tmp_path)
    os.close(first)
    os.close(second)
    third, path = open_embed_log(two, tmp_path)
    assert path.name == "qmd-embed-shop-js.log"
    os.close(third)


def test_a_log_of_another_user_gets_another_name(tmp_path: Path) -> None:
    foreign_file(tmp_path / "qmd-embed-shop.log", 0o600)
    log, path = open_embed_log(Repo.init(tmp_path / "shop").repository, tmp_path)
    os.close(log)
    assert path.name.startswith("qmd-embed-shop-")
    assert (tmp_path / "qmd-embed-shop.log").read_text() == "foreign"


def test_a_log_of_a_repository_with_a_long_name(tmp_path: Path) -> None:
    log, path = open_embed_log(Repo.init(tmp_path / ("x" * 250)).repository, tmp_path)
    os.close(log)
    assert path.exists()
