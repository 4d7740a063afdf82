"""Installing hooks beside whatever is there, and leaving again."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import StorageError
from sdd_hooks.githooks.install import HooksRefused, InstallReport, install, status, uninstall
from sdd_hooks.githooks.shims import EVENTS, command_of, is_edited, is_ours, render
from sdd_hooks.project.repository import Repository, discover
from tests.githooks.recorder import HOOKS, Hooked, Recorder, indexed
from tests.support.repos import Repo

ADR = "docs/adrs/ADR-0001-x.md"
AFTER = [event for event in EVENTS if event != "pre-commit"]


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "it's a bin")


@pytest.fixture
def repo(tmp_path: Path) -> Hooked:
    """Indexed at HEAD; `sdd` is not on its PATH."""
    Repo.init(tmp_path / "repo")
    repo = Hooked(tmp_path / "repo")
    repo.commit("First", {ADR: "# ADR-0001: X\n", "other.txt": "1\n", ".gitignore": ".sdd/\n"})
    indexed(repo)
    return repo


def place(repo: Repo) -> Repository:
    return discover(repo.root)


def states(report: InstallReport) -> dict[str, str]:
    return {hook.event: hook.state for hook in report.hooks}


def every(state: str) -> dict[str, str]:
    return dict.fromkeys(EVENTS, state)


def changed(report: InstallReport) -> list[str]:
    return [hook.event for hook in report.hooks if hook.changed]


def foreign(repo: Repo, event: str, script: str, mode: int = 0o755) -> Path:
    hook = repo.write(f".git/hooks/{event}", script)
    hook.chmod(mode)
    return hook


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its content and mode; a symlink with where it points."""
    return {
        one.name: (
            os.fsencode(one.readlink()) if one.is_symlink() else one.read_bytes(),
            one.lstat().st_mode,
        )
        for one in folder.iterdir()
    }


def test_installed_hooks_start_the_command_they_were_given(
    repo: Hooked, recorder: Recorder
) -> None:
    report = install(place(repo), recorder.path)
    assert (states(report), changed(report)) == (every("installed"), list(EVENTS))
    assert report.folder == repo.root / ".git/hooks"
    repo.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == []
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_twice_is_once_and_uninstall_leaves_nothing(repo: Hooked, recorder: Recorder) -> None:
    folder = repo.root / ".git/hooks"
    before = snapshot(folder)
    install(place(repo), recorder.path)
    once = snapshot(folder)
    assert changed(install(place(repo), recorder.path)) == []
    assert snapshot(folder) == once
    report = uninstall(place(repo))
    assert (states(report), changed(report)) == (every("absent"), list(EVENTS))
    assert snapshot(folder) == before
    assert changed(uninstall(place(repo))) == []


def test_a_folder_that_is_missing_is_made(repo: Hooked, recorder: Recorder) -> None:
    folder = repo.root / ".git/hooks"
    folder.rename(repo.root / ".git/no-hooks")
    assert states(status(place(repo))) == every("absent")
    assert states(install(place(repo), recorder.path)) == every("installed")


def test_a_linked_work_tree_shares_the_hooks(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "topic")
    indexed(linked)
    report = install(place(linked), recorder.path)
    assert report.folder == repo.root / ".git/hooks"
    linked.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_a_submodule_has_its_own_hooks(repo: Hooked, recorder: Recorder, tmp_path: Path) -> None:
    source = Repo.init(tmp_path / "library")
    source.commit("First", {"a.py": "1\n"})
    module = repo.submodule(source, "lib")
    report = install(place(module), recorder.path)
    assert report.folder == repo.root / ".git/modules/lib/hooks"
    assert states(status(place(repo))) == every("absent")


# Hooks that were there


def test_a_foreign_hook_runs_first_and_comes_back(repo: Hooked, recorder: Recorder) -> None:
    log = repo.root / ".git/log"
    foreign(repo, "post-commit", f'#!/bin/sh\necho "foreign $#" >>{shlex.quote(str(log))}\n', 0o750)
    before = snapshot(repo.root / ".git/hooks")
    assert states(status(place(repo)))["post-commit"] == "foreign"
    report = install(place(repo), recorder.path)
    assert states(report) == every("installed")
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert log.read_text() == "foreign 0\n"
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    assert changed(install(place(repo), recorder.path)) == []
    uninstall(place(repo))
    assert snapshot(repo.root / ".git/hooks") == before


def test_a_foreign_hook_keeps_its_arguments_input_and_status(
    repo: Hooked, recorder: Recorder
) -> None:
    """post-rewrite reads what was rewritten; the status of post-checkout is that of checkout."""
    log = repo.root / ".git/log"
    foreign(repo, "post-rewrite", f'#!/bin/sh\n{{ echo "$@"; cat; }} >{shlex.quote(str(log))}\n')
    foreign(repo, "post-checkout", "#!/bin/sh\nexit 7\n")
    install(place(repo), recorder.path)
    old = repo.head()
    repo.git("commit", "--quiet", "--amend", "-m", "Other words")
    assert log.read_text() == f"amend\n{old} {repo.head()}\n"
    assert repo.run("checkout", "-b", "topic").returncode == 1
    hook = repo.root / ".git/hooks/post-checkout"
    assert subprocess.run([hook, old, old, "1"], cwd=repo.root, check=False).returncode == 7


def test_a_foreign_pre_commit_still_decides(repo: Hooked, recorder: Recorder) -> None:
    foreign(repo, "pre-commit", "#!/bin/sh\nexit 3\n")
    install(place(repo), recorder.path)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    assert repo.run("commit", "-m", "x").returncode == 1
    assert recorder.calls() == []


def test_a_foreign_hook_that_git_would_not_run_is_not_run(repo: Hooked, recorder: Recorder) -> None:
    hook = foreign(repo, "post-commit", "#!/bin/sh\ntouch ran\n", 0o644)
    install(place(repo), recorder.path)
    repo.commit("Other", {"other.txt": "2\n"})
    assert not (repo.root / "ran").exists()
    uninstall(place(repo))
    assert hook.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("target", ["../../script", "/nowhere/at/all"])
def test_a_symlinked_hook_stays_a_symlink(repo: Hooked, recorder: Recorder, target: str) -> None:
    repo.write("script", "#!/bin/sh\ntouch .git/ran\n").chmod(0o755)
    link = repo.link(".git/hooks/post-commit", target)
    before = snapshot(link.parent)
    install(place(repo), recorder.path)
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert (repo.root / ".git/ran").exists() == (target == "../../script")
    assert "hook post-commit" in recorder.calls()
    assert (repo.root / "script").read_text() == "#!/bin/sh\ntouch .git/ran\n"
    uninstall(place(repo))
    assert snapshot(link.parent) == before


def test_a_program_as_hook_is_kept_byte_for_byte(repo: Hooked, recorder: Recorder) -> None:
    foreign(repo, "post-merge", "").write_bytes(Path("/bin/true").read_bytes())
    before = snapshot(repo.root / ".git/hooks")
    install(place(repo), recorder.path)
    uninstall(place(repo))
    assert snapshot(repo.root / ".git/hooks") == before


def test_two_foreign_hooks_are_one_too_many(repo: Hooked, recorder: Recorder) -> None:
    install(place(repo), recorder.path)
    foreign(repo, "post-commit.sdd-legacy", "#!/bin/sh\n")
    foreign(repo, "post-commit", "#!/bin/sh\necho mine\n")
    before = snapshot(repo.root / ".git/hooks")
    report = install(place(repo), recorder.path)
    assert states(report) == {**every("installed"), "post-commit": "blocked"}
    assert snapshot(repo.root / ".git/hooks") == before


def test_an_edited_hook_is_kept(repo: Hooked, recorder: Recorder) -> None:
    install(place(repo), recorder.path)
    hook = repo.root / ".git/hooks/post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo added\n")
    assert states(status(place(repo)))["post-commit"] == "outdated"
    assert changed(install(place(repo), recorder.path)) == ["post-commit"]
    assert hook.with_name("post-commit.sdd-edited").read_bytes().endswith(b"echo added\n")
    assert states(status(place(repo))) == every("installed")


def test_another_command_is_another_hook(repo: Hooked, recorder: Recorder, tmp_path: Path) -> None:
    install(place(repo), recorder.path)
    other = Recorder(tmp_path / "other")
    assert states(status(place(repo), other.path)) == every("outdated")
    assert changed(install(place(repo), other.path)) == list(EVENTS)
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert (recorder.calls(), len(other.calls())) == ([], 2)


def test_a_command_that_vanished(repo: Hooked, recorder: Recorder) -> None:
    install(place(repo), recorder.path)
    recorder.path.unlink()
    repo.write(ADR, "# ADR-0001: Y\n")
    done = repo.run("commit", "--all", "-m", "x")
    assert done.returncode == 0
    line = (
        f"sdd-hooks: {recorder.path} is gone:"
        " run `sdd hooks install` again, or `sdd hooks uninstall`"
    )
    assert done.stderr.decode().splitlines() == [line, line]
    assert states(status(place(repo))) == every("broken")
    with pytest.raises(HooksRefused, match="no command that a hook can start"):
        install(place(repo), recorder.path)


# Installers that come later


def test_another_installer_that_moves_our_hook_aside_and_runs_it(
    repo: Hooked, recorder: Recorder
) -> None:
    install(place(repo), recorder.path)
    hook = repo.root / ".git/hooks/post-commit"
    hook.rename(hook.with_name("post-commit.old"))
    foreign(repo, "post-commit", '#!/bin/sh\necho ran >>.git/log\nexec "$0.old" "$@"\n')
    report = install(place(repo), recorder.path)
    assert states(report) == {**every("installed"), "post-commit": "chained"}
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert "hook post-commit" in recorder.calls()
    # Even a chain made by hand ends: ours runs theirs, which runs ours.
    hook.rename(hook.with_name("post-commit.sdd-legacy"))
    hook.with_name("post-commit.sdd-legacy.old").write_bytes(render("post-commit", recorder.path))
    hook.with_name("post-commit.sdd-legacy.old").chmod(0o755)
    hook.write_bytes(render("post-commit", recorder.path))
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


def test_pre_commit_keeps_its_hooks(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Configure", {".pre-commit-config.yaml": PRE_COMMIT_CONFIG})
    pre_commit(repo, "install")
    before = snapshot(repo.root / ".git/hooks")
    report = install(place(repo), recorder.path)
    managed = {"pre-commit": "managed", "post-commit": "managed"}
    assert states(report) == {**every("installed"), **managed}
    assert report.manager == "pre-commit"
    assert "stages: [post-commit]" in report.snippet
    assert "entry: sdd hook pre-commit" in report.snippet
    repo.write(
        ".pre-commit-config.yaml", PRE_COMMIT_CONFIG + report.snippet.partition("hooks:\n")[2]
    )
    configured = status(place(repo))
    assert (configured.manager, configured.snippet) == ("pre-commit", "")
    uninstall(place(repo))
    assert snapshot(repo.root / ".git/hooks") == before


def test_pre_commit_installed_over_ours(repo: Hooked, recorder: Recorder) -> None:
    foreign(repo, "post-commit", "#!/bin/sh\ntouch .git/foreign\n")
    install(place(repo), recorder.path)
    repo.commit("Configure", {".pre-commit-config.yaml": PRE_COMMIT_CONFIG})
    pre_commit(repo, "install")
    report = install(place(repo), recorder.path)
    chained = {"pre-commit": "chained", "post-commit": "chained"}
    assert states(report) == {**every("installed"), **chained}
    recorder.calls()
    (repo.root / ".git/foreign").unlink()
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    assert (repo.root / ".git/foreign").exists()
    assert (repo.root / ".git/noted").exists()
    # Left again, pre-commit still runs the hook that was there first.
    uninstall(place(repo))
    (repo.root / ".git/foreign").unlink()
    repo.commit("Artifact", {ADR: "# ADR-0001: Z\n"})
    assert recorder.calls() == []
    assert (repo.root / ".git/foreign").exists()


def test_husky(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "core.hooksPath", ".husky/_")
    repo.write(".husky/_/post-commit", "#!/bin/sh\n")
    before = snapshot(repo.root / ".husky/_")
    report = install(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("managed"), "husky")
    assert snapshot(repo.root / ".husky/_") == before
    for event in EVENTS:
        assert f"# .husky/{event}\n" in report.snippet
    repo.write(".husky/post-commit", 'sdd hook post-commit "$@"\n')
    assert "# .husky/post-commit\n" not in status(place(repo)).snippet


def test_the_lines_for_husky_work(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "core.hooksPath", ".husky/_")
    (line,) = [
        one
        for one in install(place(repo), recorder.path).snippet.splitlines()
        if 'pre-commit "' in one
    ]
    for status_, found in ((0, recorder), (1, Recorder(repo.root.parent / "finding", status=1))):
        done = subprocess.run(
            ["sh", "-c", line, "sh"], env={"PATH": found.search_path}, check=False, cwd=repo.root
        )
        assert done.returncode == status_
    done = subprocess.run(["sh", "-c", line], env=repo.environment(), check=False, cwd=repo.root)
    assert done.returncode == 0


@pytest.mark.parametrize("name", ["lefthook.yml", ".lefthook.toml", "lefthook.yaml"])
def test_lefthook(repo: Hooked, recorder: Recorder, name: str) -> None:
    repo.write(name, "")
    report = install(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("managed"), "lefthook")
    assert "post-checkout:\n  commands:\n    sdd:\n      run: sdd hook post-checkout {0}" in (
        report.snippet
    )
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
    report = install(place(repo), recorder.path)
    assert states(report) == {**every("installed"), "post-merge": "managed"}
    assert report.manager == manager
    assert "post-merge" in report.snippet


# core.hooksPath


def test_a_hooks_folder_that_other_repositories_use_is_refused(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    shared = tmp_path / "shared-hooks"
    shared.mkdir()
    repo.git("config", "core.hooksPath", str(shared))
    with pytest.raises(HooksRefused, match="outside this repository") as refused:
        install(place(repo), recorder.path)
    assert "\n" not in str(refused.value)
    assert list(shared.iterdir()) == []
    assert states(status(place(repo))) == every("absent")
    assert changed(uninstall(place(repo))) == []


def test_a_symlinked_hooks_folder_is_outside(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    shared = tmp_path / "shared-hooks"
    (repo.root / ".git/hooks").rename(shared)
    repo.link(".git/hooks", shared)
    with pytest.raises(HooksRefused, match="outside this repository"):
        install(place(repo), recorder.path)


@pytest.mark.parametrize("value", ["", "/dev/null", "~/hooks", "/"])
def test_odd_hooks_folders_are_refused(repo: Hooked, recorder: Recorder, value: str) -> None:
    repo.git("config", "core.hooksPath", value)
    with pytest.raises(HooksRefused):
        install(place(repo), recorder.path)


def test_hooks_under_version_control_are_not_changed(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Hooks", {".githooks/post-commit": "#!/bin/sh\n"})
    repo.git("config", "core.hooksPath", ".githooks")
    report = install(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("managed"), ".githooks")
    assert "# .githooks/post-commit\n" in report.snippet
    assert repo.git("status", "--porcelain") == ""


def test_a_hooks_folder_of_the_work_tree_that_is_not_tracked(
    repo: Hooked, recorder: Recorder
) -> None:
    repo.git("config", "core.hooksPath", ".local-hooks")
    assert states(install(place(repo), recorder.path)) == every("installed")
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("commit", "--quiet", "--all", "-m", "x")
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    uninstall(place(repo))
    assert list((repo.root / ".local-hooks").iterdir()) == []


def test_the_shipped_folder_needs_no_install(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "core.hooksPath", str(HOOKS))
    before = snapshot(HOOKS)
    assert states(install(place(repo), recorder.path)) == every("shipped")
    assert snapshot(HOOKS) == before


def test_hooks_installed_before_hooks_path_was_set_are_taken_out(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    before = snapshot(repo.root / ".git/hooks")
    install(place(repo), recorder.path)
    repo.git("config", "core.hooksPath", str(tmp_path))
    assert changed(uninstall(place(repo))) == list(EVENTS)
    assert snapshot(repo.root / ".git/hooks") == before


def test_hooks_in_git_configuration_are_named(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "hook.fresh.event", "post-commit")
    repo.git("config", "--add", "hook.fresh.event", "post-merge")
    repo.git("config", "hook.fresh.command", "sdd hook auto")
    repo.git("config", "hook.other.event", "pre-commit")
    repo.git("config", "hook.other.command", "lint")
    assert status(place(repo)).notes == (
        "hook.fresh in git's configuration runs sdd on post-commit (git 2.54 and newer)",
        "hook.fresh in git's configuration runs sdd on post-merge (git 2.54 and newer)",
    )


# What can go wrong


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(repo: Hooked, recorder: Recorder) -> None:
    folder = repo.root / ".git/hooks"
    folder.chmod(0o555)
    try:
        with pytest.raises(StorageError, match="permission denied"):
            install(place(repo), recorder.path)
    finally:
        folder.chmod(0o755)


def test_a_file_where_the_folder_should_be(repo: Hooked, recorder: Recorder) -> None:
    folder = repo.root / ".git/hooks"
    folder.rename(repo.root / ".git/no-hooks")
    folder.write_text("")
    with pytest.raises(StorageError, match="cannot change the hooks in") as refused:
        install(place(repo), recorder.path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["directory", "pipe"])
def test_a_hook_that_is_no_file(
    repo: Hooked, recorder: Recorder, make: Callable[[Path], None]
) -> None:
    make(repo.root / ".git/hooks/post-commit")
    assert states(install(place(repo), recorder.path)) == every("installed")
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert "hook post-commit" in recorder.calls()
    uninstall(place(repo))
    assert states(status(place(repo)))["post-commit"] == "foreign"


@given(st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8"), min_size=1))
def test_any_path_survives_the_quotes(name: str) -> None:
    path = Path("/") / name
    content = render("post-commit", path)
    assert is_ours(content)
    assert not is_edited(content)
    assert command_of(content) == path
    line = next(one for one in content.decode().split("\n") if one.startswith("sdd="))
    done = subprocess.run(
        ["sh", "-c", f'{line}\nprintf %s "$sdd"'], capture_output=True, check=True
    )
    assert os.fsdecode(done.stdout) == str(path)


@given(st.binary(max_size=200))
def test_anything_can_be_asked_whether_it_is_ours(content: bytes) -> None:
    is_ours(content)
    marked = content[:50] + b"\n# sdd-hooks managed hook, " + content
    assert is_ours(marked)
    assert is_edited(marked)
    command_of(marked)
