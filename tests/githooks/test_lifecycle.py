"""Every operation with which git changes a work tree, with real git and the real sdd.

After each, the index must equal one built from scratch.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.githooks import events
from tests.cli.mounts import small_disk
from tests.githooks.conftest import ADR, FILES, after, settled
from tests.githooks.recorder import SDD, Hooked, Recorder
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo
from tests.support.waiting import until

NEW = "docs/adrs/ADR-0003-new.md"


def adr(text: str, number: int = 3) -> str:
    return f"# ADR-{number:04}: {text}\n\n## Decision Outcome\n\n{text} it is.\n"


def branch(repo: Repo, name: str, files: dict[str, str]) -> None:
    """A branch with one commit on top of the current one. No hook runs for it."""
    silent = ("-c", f"core.hooksPath={os.devnull}")
    repo.git(*silent, "checkout", "--quiet", "-b", name)
    for path, content in files.items():
        repo.write(path, content)
    repo.git("add", "--all")
    repo.git(*silent, "commit", "--quiet", "-m", name)
    repo.git(*silent, "checkout", "--quiet", "-")


@pytest.fixture
def upstream(fresh: Hooked, tmp_path: Path) -> Repo:
    """The repository from which the clone pulls."""
    fresh.git("clone", "--quiet", ".", str(tmp_path / "upstream"))
    fresh.git("remote", "add", "origin", str(tmp_path / "upstream"))
    fresh.git("fetch", "--quiet", "origin")
    fresh.git("branch", "--quiet", "--set-upstream-to=origin/main")
    return Repo(tmp_path / "upstream")


# Commits


def test_commit(fresh: Hooked, tracer: Recorder) -> None:
    fresh.write(NEW, adr("Rust"))
    fresh.remove("docs/adrs/ADR-0002-redis.md")
    fresh.git("mv", ADR, "docs/adrs/ADR-0001-renamed.md")
    fresh.write("src/app.py", "def logout(name):\n    return name\n")
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "x")
    assert documents(fresh) == [
        "docs/adrs/ADR-0001-renamed.md",
        NEW,
        "docs/openspec/specs/login/design.md",
        "docs/openspec/specs/login/spec.md",
        "src/app.py",
    ]
    tracer.calls()
    fresh.write("notes.txt", "changed")
    after(fresh, "commit", "--all", "-m", "x")
    assert tracer.calls() == []


def test_commit_of_some_files_while_others_are_dirty(fresh: Hooked) -> None:
    fresh.write("src/app.py", "def dirty():\n    pass\n")
    fresh.write("notes.txt", "changed")
    after(fresh, "commit", "-m", "x", "notes.txt")
    # The files that were dirty are scanned again, although they are clean now.
    fresh.git("restore", "src/app.py")
    fresh.write("notes.txt", "changed again")
    after(fresh, "commit", "-m", "x", "notes.txt")


def test_amend(fresh: Hooked) -> None:
    fresh.write(ADR, adr("Amended", 1))
    after(fresh, "commit", "--all", "--amend", "-m", "x")
    after(fresh, "commit", "--amend", "-m", "other words")


def test_cherry_pick_and_revert(fresh: Hooked) -> None:
    branch(fresh, "topic", {NEW: adr("Picked")})
    after(fresh, "cherry-pick", "topic")
    assert NEW in documents(fresh)
    after(fresh, "revert", "--no-edit", "HEAD")
    assert NEW not in documents(fresh)


def test_the_first_commit_of_a_repository(tmp_path: Path, tracer: Recorder) -> None:
    repo = Hooked(Repo.init(tmp_path / "empty").root, tracer.search_path)
    for path, content in FILES.items():
        repo.write(path, content)
    project = repo.project()
    refresh(project, collections=project.collections)
    assert_index_matches_scratch(repo)
    repo.git("config", "core.hooksPath", str(Path(__file__).resolve().parents[2] / "hooks"))
    repo.git("add", "--all")
    after(repo, "commit", "-m", "First")
    repo.write(ADR, adr("Second", 1))
    after(repo, "commit", "--all", "-m", "Second")


# Merges and pulls


def test_pull_fast_forward(fresh: Hooked, upstream: Repo, tracer: Recorder) -> None:
    upstream.commit("Theirs", {NEW: adr("Theirs")})
    after(fresh, "pull", "--quiet")
    assert NEW in documents(fresh)
    assert tracer.calls() == ["hook post-merge 0"]


def test_pull_with_a_merge(fresh: Hooked, upstream: Repo) -> None:
    upstream.commit("Theirs", {NEW: adr("Theirs")})
    after(fresh, "commit", "--allow-empty", "-m", "Ours")
    after(fresh, "pull", "--quiet", "--no-rebase", "--no-edit")
    assert NEW in documents(fresh)


def test_pull_rebase_is_one_refresh(fresh: Hooked, upstream: Repo, tracer: Recorder) -> None:
    upstream.commit("Theirs", {NEW: adr("Theirs")})
    for number in range(3):
        fresh.commit(
            f"Ours {number}",
            {f"docs/adrs/ADR-001{number}-x.md": adr(f"Ours {number}", 10 + number)},
        )
    tracer.calls()
    after(fresh, "pull", "--quiet", "--rebase")
    assert NEW in documents(fresh)
    assert tracer.calls() == ["hook post-rewrite rebase"]


def test_rebase_with_nothing_to_replay(fresh: Hooked) -> None:
    branch(fresh, "topic", {NEW: adr("Topic")})
    after(fresh, "rebase", "--quiet", "topic")
    assert NEW in documents(fresh)


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_rebase_backends(fresh: Hooked, backend: str) -> None:
    branch(fresh, "topic", {NEW: adr("Topic")})
    fresh.commit("Ours", {"docs/adrs/ADR-0004-x.md": adr("Ours", 4)})
    after(fresh, "rebase", "--quiet", backend, "topic")
    assert NEW in documents(fresh)


def test_rebase_with_a_conflict_and_abort(fresh: Hooked) -> None:
    branch(fresh, "topic", {ADR: adr("Topic", 1)})
    fresh.commit("Ours", {ADR: adr("Ours", 1)})
    assert fresh.run("rebase", "topic").returncode == 1
    after(fresh, "rebase", "--abort")
    assert fresh.run("rebase", "topic").returncode == 1
    fresh.write(ADR, adr("Both", 1))
    fresh.git("add", ADR)
    after(fresh, "-c", "core.editor=true", "rebase", "--continue")


def test_merge_squash(fresh: Hooked) -> None:
    branch(fresh, "topic", {NEW: adr("Squashed")})
    after(fresh, "merge", "--quiet", "--squash", "topic")
    assert NEW in documents(fresh)
    after(fresh, "commit", "-m", "Squashed")


def test_merge_finished_after_a_conflict(fresh: Hooked, tracer: Recorder) -> None:
    branch(fresh, "topic", {ADR: adr("Topic", 1), NEW: adr("New")})
    fresh.commit("Ours", {ADR: adr("Ours", 1)})
    assert fresh.run("merge", "topic").returncode == 1
    fresh.write(ADR, adr("Both", 1))
    tracer.calls()
    after(fresh, "commit", "--all", "--no-edit", "--no-verify")
    assert tracer.calls() == ["hook post-commit"]
    assert NEW in documents(fresh)


JOINS = {
    "merge --quiet topic": 1,
    "pull --quiet --no-rebase --no-edit . topic": 1,
    "merge --quiet --no-verify topic": 0,
    "pull --quiet --rebase . topic": 0,
    "rebase --quiet topic": 0,
    "cherry-pick topic": 0,
}


def test_two_records_with_one_number_are_refused_or_named(fresh: Hooked) -> None:
    """git joins them without a conflict, and the number is not taken on either branch."""
    branch(fresh, "topic", {"docs/adrs/ADR-0009-their.md": adr("Theirs", 9)})
    fresh.commit("Ours", {"docs/adrs/ADR-0009-our.md": adr("Ours", 9)})
    before = fresh.head()
    for command, code in JOINS.items():
        done = fresh.run(*command.split())
        said = done.stderr.decode()
        assert done.returncode == code, said
        (line,) = (line for line in said.splitlines() if "critical" in line)
        assert "ADR-0009-their.md" in line
        assert "ADR-0009-our.md" in line
        assert "`sdd adr renumber" in line
        if code:
            fresh.git("merge", "--abort")
        fresh.git("reset", "--quiet", "--hard", before)


def test_two_records_that_come_with_one_number_do_not_stop_a_merge(fresh: Hooked) -> None:
    branch(fresh, "topic", {f"docs/adrs/ADR-0009-{name}.md": adr(name, 9) for name in "ab"})
    fresh.write("notes.txt", "ours\n")
    fresh.git("commit", "--quiet", "--all", "-m", "Ours")
    done = fresh.run("merge", "--quiet", "topic")
    assert (done.returncode, done.stderr.count(b"ADR-0009 is also")) == (0, 1)


def test_a_failed_refresh_is_told_on_a_full_disk(fresh: Hooked, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 4_000):
        shutil.copytree(fresh.root, disk / "shop")
        repo = Hooked(disk / "shop", fresh.search_path)
        for left in (0, 36, 44, 64):
            repo.write(ADR, adr(f"Word{left}", 1))
            repo.git("add", ADR)
            repo.git("-c", f"core.hooksPath={os.devnull}", "commit", "--quiet", "-m", "x")
            room = os.statvfs(disk)
            with (disk / "fill").open("wb") as file:
                file.write(bytes(max(room.f_bavail * room.f_bsize - left * 1024, 0)))
            said = subprocess.run(
                ["sh", ".git/hooks/post-commit"],
                cwd=repo.root,
                env=repo.environment(),
                capture_output=True,
                check=True,
            ).stderr.decode()
            assert re.fullmatch(r"sdd: .* failed .*(no space left|the disk is full).*\n", said), (
                left
            )
            (disk / "fill").unlink()
        found = subprocess.run(
            [SDD, "search", "--json", "Word64"], cwd=repo.root, capture_output=True, check=True
        )
        assert b"ADR-0001" in found.stdout


# Checkouts


def test_switching_branches(fresh: Hooked) -> None:
    branch(fresh, "topic", {NEW: adr("Topic"), "src/app.py": "def other():\n    pass\n"})
    after(fresh, "checkout", "--quiet", "topic")
    assert NEW in documents(fresh)
    after(fresh, "switch", "--quiet", "main")
    assert NEW not in documents(fresh)
    after(fresh, "checkout", "--quiet", "--detach", "topic")
    assert NEW in documents(fresh)


def test_switching_with_untracked_and_dirty_files(fresh: Hooked) -> None:
    branch(fresh, "topic", {NEW: adr("Topic")})
    fresh.write("docs/adrs/ADR-0009-draft.md", adr("Draft", 9))
    fresh.write("src/app.py", "def dirty():\n    pass\n")
    after(fresh, "checkout", "--quiet", "topic")
    assert "docs/adrs/ADR-0009-draft.md" in documents(fresh)
    fresh.remove("docs/adrs/ADR-0009-draft.md")
    after(fresh, "checkout", "--quiet", "main")


def test_checkout_of_a_file(fresh: Hooked) -> None:
    branch(fresh, "topic", {ADR: adr("Topic", 1)})
    after(fresh, "checkout", "topic", "--", ADR)
    after(fresh, "checkout", "HEAD", "--", ADR)


def test_a_clone_has_no_index(fresh: Hooked, tmp_path: Path, tracer: Recorder) -> None:
    hooks = ("-c", f"core.hooksPath={fresh.root / '.git/hooks'}")
    fresh.git("clone", "--quiet", *hooks, ".", str(tmp_path / "clone"))
    assert tracer.calls() == []
    assert not (tmp_path / "clone/.sdd").exists()


# The next event indexes the changes of commands that run no hook


def caught(repo: Repo) -> None:
    """An event that is unrelated to the change before."""
    repo.write("notes.txt", os.urandom(8).hex())
    after(repo, "commit", "-m", "Other", "--", "notes.txt")


def test_reset_hard(fresh: Hooked) -> None:
    fresh.commit("New", {NEW: adr("New")})
    fresh.git("reset", "--quiet", "--hard", "HEAD~1")
    caught(fresh)
    assert NEW not in documents(fresh)


def test_reset_hard_of_dirty_files(fresh: Hooked) -> None:
    fresh.write(ADR, adr("Dirty", 1))
    caught(fresh)
    fresh.git("reset", "--quiet", "--hard")
    caught(fresh)


def test_stash(fresh: Hooked) -> None:
    fresh.write(ADR, adr("Dirty", 1))
    fresh.write(NEW, adr("New"))
    fresh.git("add", NEW)
    caught(fresh)
    fresh.git("stash", "--quiet")
    caught(fresh)
    fresh.git("stash", "pop", "--quiet")
    caught(fresh)


def test_fetch_changes_nothing(fresh: Hooked, upstream: Repo, tracer: Recorder) -> None:
    upstream.commit("Theirs", {NEW: adr("Theirs")})
    after(fresh, "fetch", "--quiet")
    assert tracer.calls() == []


def test_hooks_that_were_disabled(fresh: Hooked) -> None:
    fresh.git("-c", f"core.hooksPath={os.devnull}", "rm", "--quiet", "docs/adrs/ADR-0002-redis.md")
    fresh.git("-c", f"core.hooksPath={os.devnull}", "commit", "--quiet", "-m", "Off")
    caught(fresh)


def test_a_commit_that_git_has_pruned(fresh: Hooked) -> None:
    fresh.commit("Lost", {NEW: adr("Lost")})
    fresh.git("reset", "--quiet", "--hard", "HEAD~1")
    fresh.git("reflog", "expire", "--expire=now", "--all")
    fresh.git("gc", "--quiet", "--prune=now")
    caught(fresh)
    assert NEW not in documents(fresh)


def test_a_changed_declaration_of_the_artifacts(fresh: Hooked) -> None:
    fresh.git("mv", "docs/adrs", "decisions")
    declared = "## Architecture Context\n\n- Architecture Decision Records are in `decisions/`\n"
    fresh.write("CLAUDE.md", declared)
    fresh.git("add", "--all")
    after(fresh, "commit", "-m", "Move")


# Work trees


def test_a_new_work_tree_is_indexed(fresh: Hooked, tmp_path: Path) -> None:
    linked = fresh.worktree(tmp_path / "linked", "topic")
    settled(linked)
    assert_index_matches_scratch(linked)
    assert documents(linked) == documents(fresh)
    linked.write(ADR, adr("Linked", 1))
    after(linked, "commit", "--all", "-m", "x")
    assert_index_matches_scratch(fresh)


def refreshes_in_background(tree: Repo) -> bool:
    """Whether a process in the background refreshes the index of this work tree."""
    done = subprocess.run(["ps", "-Aww", "-o", "args="], capture_output=True, check=True)
    arguments = done.stdout.decode("utf-8", "replace").splitlines()
    return any(events.__name__ in one and str(tree.root) in one for one in arguments)


def test_parallel_work_trees(fresh: Hooked, tmp_path: Path) -> None:
    """Twenty commits, five in each of four work trees, in parallel."""
    trees = [fresh.worktree(tmp_path / f"tree-{n}", f"branch-{n}") for n in range(4)]

    def work(tree: Repo) -> list[str]:
        said = []
        for number in range(5):
            tree.write(
                f"docs/adrs/ADR-01{number:02}-x.md", adr(f"{tree.root.name} {number}", 100 + number)
            )
            tree.git("add", "--all")
            done = tree.run("commit", "-m", f"{number}")
            assert done.returncode == 0, done.stderr
            said.append(done.stderr.decode())
        return said

    with ThreadPoolExecutor(len(trees)) as pool:
        assert set().union(*pool.map(work, trees)) == {""}
    for tree in trees:
        # A hook that takes long leaves its refresh to a process; only one of them locks the log.
        until(lambda: not refreshes_in_background(tree))  # noqa: B023
        settled(tree)
        assert_index_matches_scratch(tree)
        assert len(documents(tree)) == len(documents(fresh)) + 5


def test_inherited_variables_of_another_work_tree(
    fresh: Hooked, tmp_path: Path, tracer: Recorder
) -> None:
    other = Repo.init(tmp_path / "other")
    other.commit("First", {"docs/adrs/ADR-0001-other.md": adr("Other", 1)})
    git_dir = other.root / ".git"
    before = (git_dir / "index").read_bytes()
    fresh.write(ADR, adr("Leaked", 1))
    leaked = {
        "GIT_DIR": str(git_dir),
        "GIT_INDEX_FILE": str(git_dir / "index"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_PREFIX": "docs/",
    }
    for event in ("post-commit", "post-checkout", "pre-commit"):
        done = subprocess.run(
            [tracer.path, "hook", event],
            cwd=fresh.root,
            env={**fresh.environment(), **leaked},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
    assert_index_matches_scratch(fresh)
    assert (git_dir / "index").read_bytes() == before
    assert not (other.root / ".sdd").exists()
    assert not (git_dir / "sdd").exists()


# Submodules


def test_a_submodule_is_indexed_and_refreshed(
    fresh: Hooked, tmp_path: Path, tracer: Recorder
) -> None:
    source = Repo.init(tmp_path / "api")
    source.commit("First", {"docs/adrs/ADR-0001-api.md": adr("Api", 1), "api.py": "x = 1\n"})
    module = fresh.submodule(source, "api")
    fresh.git("commit", "--quiet", "--all", "-m", "Add the module")
    project = fresh.project()
    refresh(project, collections=project.collections)
    assert "api/docs/adrs/ADR-0001-api.md" in documents(fresh)
    tracer.calls()
    # Nothing in it changed.
    fresh.write("notes.txt", "1")
    after(fresh, "commit", "--quiet", "-m", "x", "notes.txt")
    assert tracer.calls() == []
    # Edited and committed in the submodule, then recorded in the repository.
    module.write("docs/adrs/ADR-0001-api.md", adr("Edited", 1))
    fresh.write("notes.txt", "2")
    after(fresh, "commit", "--quiet", "-m", "x", "notes.txt")
    module.commit("Second", {"docs/adrs/ADR-0002-api.md": adr("More", 2)})
    fresh.write("notes.txt", "3")
    after(fresh, "commit", "--quiet", "-m", "x", "notes.txt")
    assert "api/docs/adrs/ADR-0002-api.md" in documents(fresh)
    after(fresh, "commit", "--quiet", "-m", "Move on", "api")
    # Back to the first commit. Updating a submodule runs no hook of the outer repository.
    fresh.git("revert", "--no-edit", "HEAD")
    fresh.git("submodule", "--quiet", "update")
    fresh.write("notes.txt", "4")
    after(fresh, "commit", "--quiet", "-m", "x", "notes.txt")
    assert "api/docs/adrs/ADR-0002-api.md" not in documents(fresh)


# Interrupted refreshes

_KILLED = """
import os, signal, sys
from pathlib import Path
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import load_project

def progress(what, done, total):
    if what.endswith(sys.argv[2]) and done == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return True

refresh(load_project(Path(sys.argv[1]), os.environ), progress=progress)
"""


@pytest.mark.parametrize(("collection", "done"), [("adrs", 1), ("code", 0)])
def test_an_interrupted_refresh(fresh: Hooked, collection: str, done: int) -> None:
    before = fresh.head()
    files = {NEW: adr("New"), ADR: adr("Changed", 1), "src/app.py": "def killed():\n    pass\n"}
    branch(fresh, "topic", files)
    fresh.git("-c", f"core.hooksPath={os.devnull}", "checkout", "--quiet", "topic")
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, fresh.root, collection, str(done)],
        env=fresh.environment(),
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    # HEAD is the commit that the index reflected, but a part of the index reflects the other one.
    fresh.git("-c", f"core.hooksPath={os.devnull}", "checkout", "--quiet", before)
    caught(fresh)


def test_a_first_index_that_is_killed(fresh: Hooked, tmp_path: Path) -> None:
    linked = fresh.worktree(tmp_path / "linked", "topic")
    settled(linked)
    for path in (linked.root / ".sdd/search").glob("index.db*"):
        path.write_bytes(b"half a file")
    linked.write(ADR, adr("Changed", 1))
    done = linked.run("commit", "--all", "-m", "x")
    assert done.returncode == 0
    settled(linked)
    assert_index_matches_scratch(linked)
