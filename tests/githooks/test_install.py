"""Installing hooks beside existing ones, and uninstalling them."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.githooks.folder import HooksRefused
from sdd_hooks.githooks.install import inspect_hooks, install_hooks, uninstall_hooks
from sdd_hooks.githooks.shims import EVENTS
from tests.githooks.conftest import ADR
from tests.githooks.hook_folders import changed, every, foreign, place, snapshot, states
from tests.githooks.recorder import Hooked, Recorder, indexed
from tests.support.repos import Repo


def test_installed_hooks_start_the_command_they_were_given(
    repo: Hooked, recorder: Recorder
) -> None:
    report = install_hooks(place(repo), recorder.path)
    assert (states(report), changed(report)) == (every("installed"), list(EVENTS))
    assert report.folder == repo.root / ".git/hooks"
    repo.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == []
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_install_is_idempotent_and_uninstall_removes_everything(
    repo: Hooked, recorder: Recorder
) -> None:
    folder = repo.root / ".git/hooks"
    before = snapshot(folder)
    install_hooks(place(repo), recorder.path)
    once = snapshot(folder)
    assert changed(install_hooks(place(repo), recorder.path)) == []
    assert snapshot(folder) == once
    report = uninstall_hooks(place(repo))
    assert (states(report), changed(report)) == (every("absent"), list(EVENTS))
    assert snapshot(folder) == before
    assert changed(uninstall_hooks(place(repo))) == []


def test_a_missing_folder_is_created(repo: Hooked, recorder: Recorder) -> None:
    folder = repo.root / ".git/hooks"
    folder.rename(repo.root / ".git/no-hooks")
    assert states(inspect_hooks(place(repo))) == every("absent")
    assert states(install_hooks(place(repo), recorder.path)) == every("installed")


def test_a_linked_work_tree_shares_the_hooks(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "topic")
    indexed(linked)
    report = install_hooks(place(linked), recorder.path)
    assert report.folder == repo.root / ".git/hooks"
    linked.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_a_submodule_has_its_own_hooks(repo: Hooked, recorder: Recorder, tmp_path: Path) -> None:
    source = Repo.init(tmp_path / "library")
    source.commit("First", {"a.py": "1\n"})
    module = repo.submodule(source, "lib")
    report = install_hooks(place(module), recorder.path)
    assert report.folder == repo.root / ".git/modules/lib/hooks"
    assert states(inspect_hooks(place(repo))) == every("absent")


# Existing hooks


def test_a_foreign_hook_runs_first_and_is_restored(repo: Hooked, recorder: Recorder) -> None:
    log = repo.root / ".git/log"
    foreign(repo, "post-commit", f'#!/bin/sh\necho "foreign $#" >>{shlex.quote(str(log))}\n', 0o750)
    before = snapshot(repo.root / ".git/hooks")
    assert states(inspect_hooks(place(repo)))["post-commit"] == "foreign"
    report = install_hooks(place(repo), recorder.path)
    assert states(report) == every("installed")
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert log.read_text() == "foreign 0\n"
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    assert changed(install_hooks(place(repo), recorder.path)) == []
    uninstall_hooks(place(repo))
    assert snapshot(repo.root / ".git/hooks") == before


def test_a_foreign_hook_keeps_its_arguments_input_and_status(
    repo: Hooked, recorder: Recorder
) -> None:
    """post-rewrite reads the rewritten commits; post-checkout sets the exit status of checkout."""
    log = repo.root / ".git/log"
    foreign(repo, "post-rewrite", f'#!/bin/sh\n{{ echo "$@"; cat; }} >{shlex.quote(str(log))}\n')
    foreign(repo, "post-checkout", "#!/bin/sh\nexit 7\n")
    install_hooks(place(repo), recorder.path)
    old = repo.head()
    repo.git("commit", "--quiet", "--amend", "-m", "Other words")
    assert log.read_text() == f"amend\n{old} {repo.head()}\n"
    assert repo.run("checkout", "-b", "topic").returncode == 1
    hook = repo.root / ".git/hooks/post-checkout"
    assert subprocess.run([hook, old, old, "1"], cwd=repo.root, check=False).returncode == 7


def test_a_foreign_pre_commit_can_still_refuse(repo: Hooked, recorder: Recorder) -> None:
    foreign(repo, "pre-commit", "#!/bin/sh\nexit 3\n")
    install_hooks(place(repo), recorder.path)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    assert repo.run("commit", "-m", "x").returncode == 1
    assert recorder.calls() == []


def test_a_foreign_hook_that_is_not_executable_does_not_run(
    repo: Hooked, recorder: Recorder
) -> None:
    hook = foreign(repo, "post-commit", "#!/bin/sh\ntouch ran\n", 0o644)
    install_hooks(place(repo), recorder.path)
    repo.commit("Other", {"other.txt": "2\n"})
    assert not (repo.root / "ran").exists()
    uninstall_hooks(place(repo))
    assert hook.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("target", ["../../script", "/nowhere/at/all"])
def test_a_symlinked_hook_stays_a_symlink(repo: Hooked, recorder: Recorder, target: str) -> None:
    repo.write("script", "#!/bin/sh\ntouch .git/ran\n").chmod(0o755)
    link = repo.link(".git/hooks/post-commit", target)
    before = snapshot(link.parent)
    install_hooks(place(repo), recorder.path)
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert (repo.root / ".git/ran").exists() == (target == "../../script")
    assert "hook post-commit" in recorder.calls()
    assert (repo.root / "script").read_text() == "#!/bin/sh\ntouch .git/ran\n"
    uninstall_hooks(place(repo))
    assert snapshot(link.parent) == before


def test_a_binary_hook_is_restored_byte_for_byte(repo: Hooked, recorder: Recorder) -> None:
    foreign(repo, "post-merge", "").write_bytes(Path("/bin/true").read_bytes())
    before = snapshot(repo.root / ".git/hooks")
    install_hooks(place(repo), recorder.path)
    uninstall_hooks(place(repo))
    assert snapshot(repo.root / ".git/hooks") == before


def test_a_second_foreign_hook_blocks_the_install(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path)
    foreign(repo, "post-commit.sdd-legacy", "#!/bin/sh\n")
    foreign(repo, "post-commit", "#!/bin/sh\necho mine\n")
    before = snapshot(repo.root / ".git/hooks")
    report = install_hooks(place(repo), recorder.path)
    assert states(report) == {**every("installed"), "post-commit": "blocked"}
    assert snapshot(repo.root / ".git/hooks") == before


def test_an_edited_hook_is_kept(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path)
    hook = repo.root / ".git/hooks/post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo added\n")
    assert states(inspect_hooks(place(repo)))["post-commit"] == "outdated"
    assert changed(install_hooks(place(repo), recorder.path)) == ["post-commit"]
    assert hook.with_name("post-commit.sdd-edited").read_bytes().endswith(b"echo added\n")
    assert states(inspect_hooks(place(repo))) == every("installed")


def test_a_hook_for_another_command_is_outdated(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    install_hooks(place(repo), recorder.path)
    other = Recorder(tmp_path / "other")
    assert states(inspect_hooks(place(repo), other.path)) == every("outdated")
    assert changed(install_hooks(place(repo), other.path)) == list(EVENTS)
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert (recorder.calls(), len(other.calls())) == ([], 2)


def test_a_hook_whose_command_may_not_be_executed_is_broken(
    repo: Hooked, recorder: Recorder
) -> None:
    install_hooks(place(repo), recorder.path)
    recorder.path.chmod(0o644)
    repo.write(ADR, "# ADR-0001: Y\n")
    done = repo.run("commit", "--all", "-m", "x")
    assert done.returncode == 0
    line = (
        f"sdd-hooks: {recorder.path} may not be executed: check its permissions,"
        " or run `sdd hooks install` again, or `sdd hooks uninstall`"
    )
    assert done.stderr.decode().splitlines() == [line]
    hooks = inspect_hooks(place(repo))
    assert states(hooks) == every("broken")
    assert {hook.detail for hook in hooks.hooks} == {f"{recorder.path} may not be executed"}


def test_a_hook_whose_command_is_missing_is_broken(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path)
    recorder.path.unlink()
    repo.write(ADR, "# ADR-0001: Y\n")
    done = repo.run("commit", "--all", "-m", "x")
    assert done.returncode == 0
    line = (
        f"sdd-hooks: {recorder.path} is gone:"
        " run `sdd hooks install` again, or `sdd hooks uninstall`"
    )
    assert done.stderr.decode().splitlines() == [line]
    assert states(inspect_hooks(place(repo))) == every("broken")
    with pytest.raises(HooksRefused, match="not a command that a hook can start"):
        install_hooks(place(repo), recorder.path)


# Errors


def test_a_file_at_the_path_of_the_folder(repo: Hooked, recorder: Recorder) -> None:
    folder = repo.root / ".git/hooks"
    folder.rename(repo.root / ".git/no-hooks")
    folder.write_text("")
    with pytest.raises(StorageError, match="cannot change the hooks in") as refused:
        install_hooks(place(repo), recorder.path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["directory", "pipe"])
def test_a_directory_at_the_path_of_a_hook(
    repo: Hooked, recorder: Recorder, make: Callable[[Path], None]
) -> None:
    make(repo.root / ".git/hooks/post-commit")
    assert states(install_hooks(place(repo), recorder.path)) == every("installed")
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert "hook post-commit" in recorder.calls()
    uninstall_hooks(place(repo))
    assert states(inspect_hooks(place(repo)))["post-commit"] == "foreign"
