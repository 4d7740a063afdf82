"""Hooks of other tools, which stay unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.githooks.install import inspect_hooks, install_hooks, uninstall_hooks
from sdd_hooks.githooks.managers import find_command_obstacle
from sdd_hooks.githooks.shims import EVENTS, render_shim
from sdd_hooks.project.repository import discover
from tests.githooks.conftest import ADR
from tests.githooks.hook_folders import changed, every, foreign, place, snapshot, states
from tests.githooks.recorder import Hooked, Recorder, indexed


def test_another_installer_that_renames_and_runs_the_hook(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path)
    hook = repo.root / ".git/hooks/post-commit"
    hook.rename(hook.with_name("post-commit.old"))
    foreign(repo, "post-commit", '#!/bin/sh\necho ran >>.git/log\nexec "$0.old" "$@"\n')
    report = install_hooks(place(repo), recorder.path)
    assert states(report) == {**every("installed"), "post-commit": "chained"}
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert "hook post-commit" in recorder.calls()
    # A chain by hand ends, too: the hook of sdd runs the other one, which runs the hook of sdd.
    hook.rename(hook.with_name("post-commit.sdd-legacy"))
    hook.with_name("post-commit.sdd-legacy.old").write_bytes(
        render_shim("post-commit", recorder.path)
    )
    hook.with_name("post-commit.sdd-legacy.old").chmod(0o755)
    hook.write_bytes(render_shim("post-commit", recorder.path))
    hook.chmod(0o755)
    (repo.root / ".git/log").unlink()
    indexed(repo)
    repo.commit("Artifact", {ADR: "# ADR-0001: Z\n"})
    assert (repo.root / ".git/log").read_text() == "ran\n"
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def pre_commit(repo: Hooked, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *args],
        cwd=repo.root,
        env={**repo.environment(), "PRE_COMMIT_HOME": str(repo.root.parent / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )


PRE_COMMIT_CONFIG = """\
default_install_hook_types: [pre-commit, post-commit]
repos:
  - repo: local
    hooks:
      - {id: note, name: note, entry: touch .git/noted, language: system, always_run: true,
         pass_filenames: false, stages: [post-commit]}
"""


def test_hooks_of_pre_commit_stay_unchanged(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Configure", {".pre-commit-config.yaml": PRE_COMMIT_CONFIG})
    pre_commit(repo, "install")
    before = snapshot(repo.root / ".git/hooks")
    report = install_hooks(place(repo), recorder.path)
    managed = {"pre-commit": "missing", "post-commit": "missing"}
    assert states(report) == {**every("installed"), **managed}
    assert report.manager == "pre-commit"
    assert "stages: [post-commit]" in report.snippet
    assert 'entry: sh -c \'sdd hook pre-commit "$@" || ' in report.snippet
    repo.write(
        ".pre-commit-config.yaml", PRE_COMMIT_CONFIG + report.snippet.partition("hooks:\n")[2]
    )
    configured = inspect_hooks(place(repo))
    assert (configured.manager, configured.snippet) == ("pre-commit", "")
    uninstall_hooks(place(repo))
    assert snapshot(repo.root / ".git/hooks") == before


def test_pre_commit_installed_over_hooks_of_sdd(repo: Hooked, recorder: Recorder) -> None:
    foreign(repo, "post-commit", "#!/bin/sh\ntouch .git/foreign\n")
    install_hooks(place(repo), recorder.path)
    repo.commit("Configure", {".pre-commit-config.yaml": PRE_COMMIT_CONFIG})
    pre_commit(repo, "install")
    report = install_hooks(place(repo), recorder.path)
    chained = {"pre-commit": "chained", "post-commit": "chained"}
    assert states(report) == {**every("installed"), **chained}
    recorder.calls()
    (repo.root / ".git/foreign").unlink()
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    assert (repo.root / ".git/foreign").exists()
    assert (repo.root / ".git/noted").exists()
    # After the uninstall, pre-commit still runs the first hook.
    uninstall_hooks(place(repo))
    (repo.root / ".git/foreign").unlink()
    repo.commit("Artifact", {ADR: "# ADR-0001: Z\n"})
    assert recorder.calls() == []
    assert (repo.root / ".git/foreign").exists()


def test_pre_commit_stashes_unstaged_changes(repo: Hooked, recorder: Recorder) -> None:
    """The index must not reflect the work tree during the stash."""
    passes = "repos: [{repo: local, hooks: [{id: x, name: x, entry: 'true', language: system}]}]\n"
    repo.commit("Configure", {".pre-commit-config.yaml": passes})
    pre_commit(repo, "install")
    install_hooks(place(repo), recorder.path)
    repo.write("other.txt", "2\n")
    repo.git("add", "other.txt")
    repo.write(ADR, "# ADR-0001: Not staged\n")
    indexed(repo, dirty=True)
    pre_commit(repo, "run")
    assert recorder.calls() == []


def test_husky(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "core.hooksPath", ".husky/_")
    repo.write(".husky/_/post-commit", "#!/bin/sh\n")
    before = snapshot(repo.root / ".husky/_")
    report = install_hooks(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("missing"), "husky")
    assert snapshot(repo.root / ".husky/_") == before
    for event in EVENTS:
        assert f"# .husky/{event} (a new file)\n" in report.snippet
    repo.write(".husky/post-commit", 'sdd hook post-commit "$@"\n')
    after = inspect_hooks(place(repo))
    assert "# .husky/post-commit " not in after.snippet
    assert states(after) == {**every("missing"), "post-commit": "managed"}
    assert after.hooks[2].detail == "husky runs sdd"
    repo.write(".husky/post-commit", '# sdd hook post-commit "$@"\n')
    assert states(inspect_hooks(place(repo))) == every("missing")


@pytest.mark.parametrize("name", ["lefthook.yml", ".lefthook.toml", "lefthook.yaml"])
def test_lefthook(repo: Hooked, recorder: Recorder, name: str) -> None:
    repo.write(name, "")
    report = install_hooks(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("missing"), "lefthook")
    assert "sdd hook post-checkout {0}; fi" in report.snippet
    assert report.snippet.endswith("# then run\nlefthook install\n")
    assert changed(report) == []


@pytest.mark.parametrize(
    ("script", "manager"),
    [
        ('#!/bin/sh\nif [ "$LEFTHOOK" = 0 ]; then exit 0; fi\n', "lefthook"),
        ("#!/bin/sh\n# File generated by prek: https://github.com/j178/prek\n", "prek"),
    ],
)
def test_generated_hooks(repo: Hooked, recorder: Recorder, script: str, manager: str) -> None:
    foreign(repo, "post-merge", script)
    report = install_hooks(place(repo), recorder.path)
    assert states(report) == {**every("installed"), "post-merge": "missing"}
    assert report.manager == manager
    assert "post-merge" in report.snippet


def test_a_script_that_git_does_not_start_is_broken(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Team", {".githooks/post-commit": '#!/bin/sh\nsdd hook post-commit "$@"\n'})
    repo.git("config", "core.hooksPath", ".githooks")
    hook = repo.root / ".githooks/post-commit"
    cases = [
        ('#!/bin/sh\nsdd hook post-commit "$@"\n', 0o644, "run `chmod +x .githooks/post-commit`"),
        ("#!/no/such/sh\nsdd hook post-commit\n", 0o755, "starts /no/such/sh, which does not"),
        ("#!/usr/bin/env nosuchsh\nsdd hook post-commit\n", 0o755, "starts nosuchsh, which"),
        ("#!/bin/sh\nexit 0\nsdd hook post-commit\n", 0o755, "ends at `exit 0`, before"),
        ("#!/bin/sh\nexec make check\nsdd hook post-commit\n", 0o755, "ends at `exec make check`"),
    ]
    for script, mode, obstacle in cases:
        hook.write_text(script)
        hook.chmod(mode)
        found = {one.event: one for one in inspect_hooks(place(repo)).hooks}["post-commit"]
        assert (found.state, obstacle in found.detail) == ("broken", True), found
    for script in ("#!/bin/sh\nexec 2>log\nsdd hook post-commit\n", "sdd hook post-commit\n"):
        hook.write_text(script)
        assert states(inspect_hooks(place(repo)))["post-commit"] == "managed"


def test_lefthook_before_and_after_it_is_installed(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path)
    repo.write("lefthook.yml", "post-commit:\n  jobs:\n    - run: sdd hook post-commit\n")
    # The hook of sdd runs until lefthook renames it.
    assert states(inspect_hooks(place(repo)))["post-commit"] == "managed"
    hook = repo.root / ".git/hooks/post-commit"
    hook.rename(hook.with_name("post-commit.old"))
    found = {one.event: one for one in inspect_hooks(place(repo)).hooks}["post-commit"]
    assert (found.state, found.detail) == (
        "broken",
        "lefthook has not installed this hook: run `lefthook install`",
    )
    foreign(repo, "post-commit", '#!/bin/sh\nif [ "$LEFTHOOK" = 0 ]; then exit 0; fi\n')
    assert states(inspect_hooks(place(repo)))["post-commit"] == "managed"
    report = uninstall_hooks(place(repo))
    assert report.notes == (
        "removed the hooks of sdd: pre-commit, pre-merge-commit, post-commit, post-merge,"
        " post-checkout, post-rewrite",
        "lefthook still runs sdd on post-commit: remove the lines with `sdd hook` from its files",
    )
    # `lefthook uninstall` would have brought it back.
    assert not hook.with_name("post-commit.old").exists()
    assert uninstall_hooks(place(repo)).notes[0] == "no hook of sdd to remove"


def test_husky_that_a_clone_has_not_set_up(repo: Hooked, recorder: Recorder) -> None:
    repo.write("package.json", '{"scripts": {"prepare": "husky"}}')
    assert install_hooks(place(repo), recorder.path).notes == ()
    repo.write(".husky/pre-commit", "npm test\n")
    report = install_hooks(place(repo), recorder.path)
    assert states(report) == every("installed")
    (note,) = report.notes
    assert note.startswith("this repository uses husky, which this clone has not set up: run `npm")
    repo.git("config", "core.hooksPath", ".husky/_")
    assert inspect_hooks(place(repo)).notes == ()


def test_the_command_that_lines_start_is_tried(repo: Hooked, tmp_path: Path) -> None:
    def obstacle(search_path: str) -> str:
        environ = {**repo.environment(), "PATH": search_path}
        return find_command_obstacle(discover(repo.root, environ))

    assert obstacle(repo.search_path).startswith("no folder on PATH has the command `sdd`: add ")
    program = tmp_path / "bin/sdd"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$1" = --version ]\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{repo.search_path}"
    assert obstacle(path) == ""
    program.write_text("#!/bin/sh\nexit 3\n")
    assert obstacle(path) == f"{program} ends with exit code 3: install it again"
    program.write_text("#!/no/such/python\n")
    assert "sdd" in obstacle(path)
    # A repository must not supply the program.
    own = repo.write("bin/sdd", "#!/bin/sh\n")
    own.chmod(0o755)
    assert obstacle(f"{own.parent}{os.pathsep}{repo.search_path}").startswith("no folder on PATH")


def test_files_of_a_manager_that_are_not_regular_are_not_read(
    repo: Hooked, recorder: Recorder
) -> None:
    repo.git("config", "core.hooksPath", ".husky/_")
    (repo.root / ".husky/_").mkdir(parents=True)
    os.mkfifo(repo.root / ".husky/post-commit")
    (repo.root / ".husky/pre-commit").symlink_to("/dev/zero")
    os.mkfifo(repo.root / "package.json")
    os.mkfifo(repo.root / "lefthook.yml")
    assert states(install_hooks(place(repo), recorder.path)) == every("missing")
    repo.git("config", "--unset", "core.hooksPath")
    assert states(inspect_hooks(place(repo))) == every("absent")
