"""Hooks of events: the refresh, the background process, and the handling of errors."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sdd_hooks.githooks import events
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import MAX_CHANGED_PATHS, MAX_LINES, run_hook
from sdd_hooks.githooks.shims import CHECK_EVENTS, EVENTS
from sdd_hooks.system.locks import hold_lock
from tests.githooks.conftest import ADR, FILES, REFRESHED, after, settled
from tests.githooks.recorder import SDD, Hooked, Recorder, without_sdd
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo

WRONG = "### SDD Configuration\n\n#### Search\n\n- **Vector Storage**: no\x1bsense\n"
AFTER = [event for event in EVENTS if event not in CHECK_EVENTS]


def act(
    where: Path,
    event: str,
    *arguments: str,
    environ: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.time,
) -> tuple[int, str]:
    """The exit code and the output."""
    stderr = io.StringIO()
    context = HookContext(where, environ or os.environ, stderr)
    code = run_hook(event, arguments, context, clock)
    return code, stderr.getvalue()


def later() -> float:
    """Two minutes from now, so that the last refresh is not recent."""
    return time.time() + 120


# The refresh


@pytest.mark.parametrize("event", AFTER)
def test_an_event_indexes_changes(fresh: Hooked, event: str) -> None:
    fresh.write(ADR, "# ADR-0001: Changed\n")
    code, said = act(fresh.root, event, "not", "to", "be", "believed")
    assert (code, REFRESHED.sub("", said)) == (0, "")
    assert_index_matches_scratch(fresh)


def test_events_are_inferred_under_pre_commit(fresh: Hooked) -> None:
    """After a commit, untracked files are not searched for; after any other event they are."""
    draft = "docs/adrs/ADR-0009-draft.md"
    cases = (
        ({"PRE_COMMIT": "1"}, False),
        ({"PRE_COMMIT_IS_SQUASH_MERGE": "0"}, True),
        ({"PRE_COMMIT_REWRITE_COMMAND": "amend"}, True),
        (
            {
                "PRE_COMMIT_FROM_REF": fresh.head(),
                "PRE_COMMIT_TO_REF": fresh.head(),
                "PRE_COMMIT_CHECKOUT_TYPE": "1",
            },
            True,
        ),
    )
    for variables, scans_untracked in cases:
        fresh.write(draft, "# ADR-0009: Draft\n")
        code, said = act(fresh.root, "auto", environ={**os.environ, **variables}, clock=later)
        assert (code, REFRESHED.sub("", said)) == (0, "")
        assert (draft in documents(fresh)) == scans_untracked, variables
        fresh.remove(draft)
        assert act(fresh.root, "post-rewrite") == (0, "")


def test_a_rebase_refreshes_nothing(fresh: Hooked) -> None:
    """Also without a shim that decides so first, as under pre-commit."""
    (fresh.root / ".git/rebase-merge").mkdir()
    todo = fresh.write(".git/rebase-merge/git-rebase-todo", "pick 1234567 x\n")
    fresh.write(ADR, "# ADR-0001: Changed\n")
    before = documents(fresh)
    fresh.remove("docs/adrs/ADR-0002-redis.md")
    for event in ("post-commit", "post-checkout", "post-merge"):
        assert act(fresh.root, event) == (0, "")
    assert documents(fresh) == before
    todo.write_text("noop\n")
    assert act(fresh.root, "post-checkout") == (0, "")
    assert_index_matches_scratch(fresh)
    todo.write_text("pick 1234567 x\n")
    fresh.write(ADR, "# ADR-0001: Again\n")
    assert act(fresh.root, "post-rewrite", "rebase") == (0, "")
    assert_index_matches_scratch(fresh)


def test_a_repository_without_an_index_is_left_unchanged(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "plain")
    repo.commit("First", FILES)
    for event in AFTER:
        assert act(repo.root, event) == (0, "")
    assert act(repo.root, "post-checkout", "0" * 40, repo.head(), "1") == (0, "")
    assert not (repo.root / ".sdd").exists()


def test_an_event_during_a_refresh_requests_another_refresh(fresh: Hooked) -> None:
    fresh.write(ADR, "# ADR-0001: Changed\n")
    with hold_lock(fresh.root / ".sdd/search/lock", 0.0) as mine:
        assert mine
        assert act(fresh.root, "post-commit") == (0, "")
    # The process that holds the lock checks for this file at its end; the shims do, too.
    assert (fresh.root / ".sdd/search/again").exists()
    after(fresh, "commit", "--quiet", "--allow-empty", "-m", "x")


# The background process


def many(repo: Repo, text: str) -> None:
    for number in range(MAX_CHANGED_PATHS + 1):
        repo.write(f"docs/adrs/ADR-1{number:03}-x.md", f"# ADR-1{number:03}: {text}\n")
    repo.git("add", "--all")


def test_a_large_change_is_refreshed_in_the_background(fresh: Hooked) -> None:
    many(fresh, "Many")
    after(fresh, "commit", "--quiet", "-m", "Many")
    log = fresh.root / ".sdd/search/refresh.log"
    assert log.read_text() == f"{MAX_CHANGED_PATHS + 1} added, 0 updated, 0 removed, 0 unchanged\n"
    after(fresh, "checkout", "--quiet", "HEAD~1")
    after(fresh, "checkout", "--quiet", "-")


def test_the_background_process_inherits_no_descriptor(fresh: Hooked, tmp_path: Path) -> None:
    """Its git blocks, so that it still runs when readers of the parent's output see the end."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    slow = tmp_path / "slow/git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\n[ -p "{gate}" ] && read -r _ <"{gate}"\nexec git "$@"\n')
    slow.chmod(0o755)
    slow.write_text(slow.read_text().replace("exec git", f"PATH={without_sdd()}\nexec git"))
    many(fresh, "Many")
    program = (
        "import os; from pathlib import Path;"
        " from sdd_hooks.githooks import events;"
        " from sdd_hooks.project.repository import discover;"
        f" environ = {{**os.environ, 'PATH': {str(slow.parent)!r}}};"
        f" found = discover(Path({str(fresh.root)!r}), os.environ);"
        " events.start_refresh(found._replace(environ=environ), ())"
    )
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=fresh.environment(),
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.communicate(timeout=60) == (b"", b"")
    with pytest.raises(ProcessLookupError):
        # Nor is it in a process group that a closing terminal would end.
        os.killpg(process.pid, 0)
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        os.write(writer, b"to no reader")
    os.close(writer)
    log = fresh.root / ".sdd/search/refresh.log"
    assert log.read_text() == ""
    with gate.open("w") as opened:
        gate.unlink()
        opened.write("go\n")
    settled(fresh)
    assert log.read_text().endswith("unchanged\n")
    assert_index_matches_scratch(fresh)


def test_the_background_imports_nothing_from_the_repository(fresh: Hooked) -> None:
    for name in ("sdd_hooks", "apsw", "json"):
        fresh.write(f"{name}.py", f"raise SystemExit({name!r})\n")
    many(fresh, "Many")
    after(fresh, "commit", "--quiet", "-m", "Many")


def test_a_failure_in_the_background_is_in_the_log(fresh: Hooked) -> None:
    fresh.write("CLAUDE.md", WRONG)
    events.start_refresh(fresh.repository, ())
    settled(fresh)
    (line,) = (fresh.root / ".sdd/search/refresh.log").read_text().splitlines()
    assert line.startswith(f"{FAILED} (")
    assert "CLAUDE.md:5: " in line


# Errors


FAILED = (
    "sdd: Index refresh failed for shop-adrs, shop-code, shop-issues, shop-specs"
    " — run `sdd index update` manually"
)


def failed(where: Path, event: str = "post-commit", *arguments: str, line: str = FAILED) -> str:
    """The reason, from the one line of a failure."""
    code, said = act(where, event, *arguments)
    assert code == 0
    assert said.startswith(f"{line} (")
    assert said.endswith(")\n")
    assert said.count("\n") == 1
    return said


NOWHERE = "sdd: Index refresh failed for the current directory — run `sdd index update` manually"


def test_outside_a_repository(tmp_path: Path) -> None:
    assert "is not inside a git repository" in failed(tmp_path, line=NOWHERE)


def test_a_bare_repository(tmp_path: Path) -> None:
    Repo.init(tmp_path / "bare", "--bare")
    assert "is a bare repository" in failed(tmp_path / "bare", line=NOWHERE)


def test_a_deleted_directory(tmp_path: Path) -> None:
    failed(tmp_path / "gone", line=NOWHERE)


def test_a_symlinked_search_directory(fresh: Hooked, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (fresh.root / ".sdd/search").rename(elsewhere)
    fresh.link(".sdd/search", elsewhere)
    fresh.write(ADR, "# ADR-0001: Changed\n")
    assert "symbolic link" in failed(fresh.root)


def test_a_lock_that_cannot_be_created(fresh: Hooked) -> None:
    lock = fresh.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    assert "is not a regular file: remove it" in failed(fresh.root)


def test_an_invalid_configuration(fresh: Hooked) -> None:
    fresh.write("CLAUDE.md", WRONG)
    said = failed(fresh.root)
    assert "CLAUDE.md:5: " in said
    assert "\x1b" not in said


def test_a_damaged_index_is_rebuilt(fresh: Hooked) -> None:
    for path in (fresh.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"no index")
    code, said = act(fresh.root, "post-merge")
    assert code == 0
    assert REFRESHED.findall(said) == [("5", "0", "0")]
    assert "set aside as index.db.aside-1 and rebuilt\n" in said
    assert_index_matches_scratch(fresh)


def test_notes_of_the_engine_are_printed_after_a_commit(fresh: Hooked) -> None:
    for path in (fresh.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"no index")
    code, said = act(fresh.root, "post-commit")
    assert code == 0
    assert said.startswith("sdd: ")
    assert said.endswith("set aside as index.db.aside-1 and rebuilt\n")
    assert said.count("\n") == 1


def test_the_notes_after_a_commit_have_an_end(fresh: Hooked) -> None:
    for number in range(MAX_LINES + 3):
        fresh.write(f"docs/adrs/ADR-1{number:03}-large.md", "# L\n" + "word " * 2_000_000)
    fresh.write(ADR, "# ADR-0001: Changed\n")
    code, said = act(fresh.root, "post-checkout", "0" * 40, "0" * 40, "1")
    assert code == 0
    lines = said.splitlines()
    assert len(lines) == MAX_LINES + 1
    assert "larger than" in lines[-2]
    assert re.fullmatch(r"sdd: [0-9]+ more notes: `sdd index update --full` prints them", lines[-1])


def test_git_is_missing(fresh: Hooked, tmp_path: Path) -> None:
    done = subprocess.run(
        [SDD, "hook", "post-commit"],
        cwd=fresh.root,
        env={**fresh.environment(), "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "git is not installed" in done.stderr


def test_an_unknown_event_is_a_usage_error(fresh: Hooked) -> None:
    code, said = act(fresh.root, "post-\x1bcoffee")
    assert code == 2
    assert said == (
        "sdd: no hook 'post-\\x1bcoffee': one of pre-commit, pre-merge-commit, post-commit,"
        " post-merge, post-checkout, post-rewrite, check, commit-msg, pre-push, auto\n"
    )


# Other states of a repository


def test_a_detached_head(fresh: Hooked) -> None:
    fresh.git("checkout", "--quiet", "--detach")
    fresh.write(ADR, "# ADR-0001: Detached\n")
    after(fresh, "commit", "--quiet", "--all", "-m", "x")


def test_a_shallow_clone(fresh: Hooked, tracer: Recorder, tmp_path: Path) -> None:
    fresh.commit("Second", {ADR: "# ADR-0001: Second\n"})
    place = tmp_path / "shallow"
    fresh.git("clone", "--quiet", "--depth=1", f"file://{fresh.root}", str(place))
    shallow = Hooked(place, tracer.search_path)
    subprocess.run([SDD, "index", "add"], cwd=place, env=fresh.environment(), check=True)
    subprocess.run([SDD, "hooks", "install"], cwd=place, env=fresh.environment(), check=True)
    shallow.write(ADR, "# ADR-0001: Third\n")
    after(shallow, "commit", "--quiet", "--all", "-m", "x")


# Imports


def test_a_hook_imports_nothing_heavy(fresh: Hooked) -> None:
    fresh.write(ADR, "# ADR-0001: Changed\n")
    fresh.write("src/app.py", "def other():\n    pass\n")
    program = (
        "import sys; sys.argv = ['sdd', 'hook', 'post-commit'];"
        " from sdd_hooks.cli.entry import main; code = main();"
        " print(code, *sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=fresh.root,
        env=fresh.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = done.stdout.split()
    assert (code, done.stderr) == ("0", "")
    assert "sdd_hooks.freshness.refresh" in modules
    heavy = {
        *("click", "git", "httpx", "yaml", "frontmatter", "numpy", "llm", "onnxruntime"),
        *("sqlite_vec", "tokenizers", "huggingface_hub", "tempfile", "shutil", "logging"),
        *("importlib.metadata", "asyncio", "email", "http", "urllib.request"),
    }
    assert heavy.intersection(modules) == set()
    assert_index_matches_scratch(fresh)
