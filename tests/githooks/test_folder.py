"""The folder of the hooks, and folders that sdd must not write to."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.githooks.folder import HooksRefused
from sdd_hooks.githooks.install import inspect_hooks, install_hooks, uninstall_hooks
from sdd_hooks.githooks.shims import EVENTS
from tests.githooks.conftest import ADR
from tests.githooks.hook_folders import changed, every, place, snapshot, states
from tests.githooks.recorder import HOOKS, Hooked, Recorder


def test_a_hooks_folder_that_other_repositories_use_is_refused(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    shared = tmp_path / "shared-hooks"
    shared.mkdir()
    repo.git("config", "core.hooksPath", str(shared))
    with pytest.raises(HooksRefused, match="outside this repository") as refused:
        install_hooks(place(repo), recorder.path)
    assert "\n" not in str(refused.value)
    assert list(shared.iterdir()) == []
    assert states(inspect_hooks(place(repo))) == every("absent")
    assert changed(uninstall_hooks(place(repo))) == []


def test_a_symlinked_hooks_folder_is_outside(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    shared = tmp_path / "shared-hooks"
    (repo.root / ".git/hooks").rename(shared)
    repo.link(".git/hooks", shared)
    with pytest.raises(HooksRefused, match="outside this repository"):
        install_hooks(place(repo), recorder.path)


@pytest.mark.parametrize("value", ["", "/dev/null", "~/hooks", "/"])
def test_invalid_hooks_folders_are_refused(repo: Hooked, recorder: Recorder, value: str) -> None:
    repo.git("config", "core.hooksPath", value)
    with pytest.raises(HooksRefused):
        install_hooks(place(repo), recorder.path)


def test_hooks_under_version_control_are_not_changed(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Hooks", {".githooks/post-commit": "#!/bin/sh\n"})
    repo.git("config", "core.hooksPath", ".githooks")
    report = install_hooks(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("missing"), ".githooks")
    assert "# .githooks/post-commit (below its first line)\n" in report.snippet
    assert repo.git("status", "--porcelain") == ""


def test_a_hooks_folder_of_the_work_tree_that_is_not_tracked(
    repo: Hooked, recorder: Recorder
) -> None:
    repo.git("config", "core.hooksPath", ".local-hooks")
    assert states(install_hooks(place(repo), recorder.path)) == every("installed")
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("commit", "--quiet", "--all", "-m", "x")
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    uninstall_hooks(place(repo))
    assert list((repo.root / ".local-hooks").iterdir()) == []


def test_the_shipped_folder_needs_no_install(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "core.hooksPath", str(HOOKS))
    before = snapshot(HOOKS)
    assert states(install_hooks(place(repo), recorder.path)) == every("shipped")
    assert snapshot(HOOKS) == before


def test_hooks_installed_before_hooks_path_was_set_are_uninstalled(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    before = snapshot(repo.root / ".git/hooks")
    install_hooks(place(repo), recorder.path)
    repo.git("config", "core.hooksPath", str(tmp_path))
    assert changed(uninstall_hooks(place(repo))) == list(EVENTS)
    assert snapshot(repo.root / ".git/hooks") == before


def test_hooks_in_git_configuration_are_reported(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "hook.fresh.event", "post-commit")
    repo.git("config", "--add", "hook.fresh.event", "post-merge")
    repo.git("config", "hook.fresh.command", "sdd hook auto")
    repo.git("config", "hook.other.event", "pre-commit")
    repo.git("config", "hook.other.command", "lint")
    assert inspect_hooks(place(repo)).notes == (
        "hook.fresh in git's configuration runs sdd on post-commit (git 2.54 and newer)",
        "hook.fresh in git's configuration runs sdd on post-merge (git 2.54 and newer)",
    )
