"""Installing the hooks of the review, on request, beside existing hooks."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from sdd_hooks.githooks.folder import HooksRefused
from sdd_hooks.githooks.install import inspect_hooks, install_hooks, uninstall_hooks
from sdd_hooks.githooks.shims import EVENTS, REVIEW_EVENTS, render_shim
from tests.githooks.conftest import ADR
from tests.githooks.hook_folders import changed, every, foreign, place, snapshot, states
from tests.githooks.recorder import HOOKS, SDD, Hooked, Recorder
from tests.githooks.reviewed import APP, BROKEN, RECORDS
from tests.support.repos import Repo

NONE = "0" * 40


def whole(state: str) -> dict[str, str]:
    return {**every(state), **dict.fromkeys(REVIEW_EVENTS, state)}


def test_review_hooks_are_not_installed_by_default(repo: Hooked, recorder: Recorder) -> None:
    assert states(install_hooks(place(repo), recorder.path)) == every("installed")
    for event in REVIEW_EVENTS:
        assert not (repo.root / ".git/hooks" / event).exists()


def test_installed_review_hooks_stay_until_the_uninstall(repo: Hooked, recorder: Recorder) -> None:
    before = snapshot(repo.root / ".git/hooks")
    report = install_hooks(place(repo), recorder.path, review=True)
    assert (states(report), changed(report)) == (whole("installed"), [*EVENTS, *REVIEW_EVENTS])
    there = snapshot(repo.root / ".git/hooks")
    report = install_hooks(place(repo), recorder.path)
    assert (states(report), changed(report)) == (whole("installed"), [])
    assert states(inspect_hooks(place(repo))) == whole("installed")
    assert snapshot(repo.root / ".git/hooks") == there
    report = uninstall_hooks(place(repo))
    assert (states(report), changed(report)) == (whole("absent"), [*EVENTS, *REVIEW_EVENTS])
    assert states(inspect_hooks(place(repo))) == every("absent")
    assert snapshot(repo.root / ".git/hooks") == before


def test_review_hooks_are_added_to_installed_hooks(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path)
    report = install_hooks(place(repo), recorder.path, review=True)
    assert changed(report) == ["pre-commit", *REVIEW_EVENTS]
    # The post-… hooks are the same with and without the review.
    for event in EVENTS[1:]:
        assert render_shim(event, recorder.path) == render_shim(event, recorder.path, review=True)


def test_a_broken_review_hook(repo: Hooked, recorder: Recorder) -> None:
    install_hooks(place(repo), recorder.path, review=True)
    recorder.path.unlink()
    assert states(inspect_hooks(place(repo))) == whole("broken")


def test_a_shared_folder_has_no_review_hooks(repo: Hooked, recorder: Recorder) -> None:
    repo.git("config", "core.hooksPath", str(HOOKS))
    with pytest.raises(HooksRefused, match="has no hooks for the review"):
        install_hooks(place(repo), recorder.path, review=True)
    assert states(install_hooks(place(repo), recorder.path)) == every("shipped")


# Hooks that git runs


@pytest.fixture
def watched(repo: Hooked, recorder: Recorder) -> Hooked:
    install_hooks(place(repo), recorder.path, review=True)
    return repo


def test_a_commit_of_any_file_is_reviewed(watched: Hooked, recorder: Recorder) -> None:
    watched.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == ["hook check", "hook commit-msg .git/COMMIT_EDITMSG"]
    # The review needs no index.
    shutil.rmtree(watched.root / ".sdd")
    watched.commit("Other", {"other.txt": "3\n"})
    assert recorder.calls() == ["hook check", "hook commit-msg .git/COMMIT_EDITMSG"]


def test_of_an_empty_commit_only_the_message_is_reviewed(
    watched: Hooked, recorder: Recorder
) -> None:
    watched.git("commit", "--quiet", "--allow-empty", "-m", "Nothing")
    assert recorder.calls() == ["hook commit-msg .git/COMMIT_EDITMSG"]


@pytest.mark.parametrize("subject", ["fixup! First", "squash! First", "amend! First"])
def test_fixup_commits_are_not_reviewed(watched: Hooked, recorder: Recorder, subject: str) -> None:
    watched.git("commit", "--quiet", "--allow-empty", "-m", subject)
    assert recorder.calls() == []


def test_a_merge_and_a_rebase_are_not_reviewed(watched: Hooked, recorder: Recorder) -> None:
    watched.git("switch", "--quiet", "-c", "topic")
    watched.commit("Topic", {"topic.txt": "1\n"})
    watched.git("switch", "--quiet", "main")
    watched.commit("Main", {"main.txt": "1\n"})
    recorder.calls()
    watched.git("merge", "--quiet", "--no-edit", "topic")
    assert [call for call in recorder.calls() if "commit-msg" in call or "check" in call] == []
    watched.git("reset", "--quiet", "--hard", "HEAD~1")
    watched.git("switch", "--quiet", "topic")
    recorder.calls()
    watched.git("rebase", "--quiet", "main")
    assert [call for call in recorder.calls() if "post-" not in call] == []


@pytest.fixture
def remote(watched: Hooked, tmp_path: Path) -> Repo:
    remote = Repo.init(tmp_path / "remote.git", "--bare")
    watched.git("remote", "add", "origin", str(remote.root))
    return remote


def test_a_push_passes_the_input_of_git_to_sdd(
    watched: Hooked, recorder: Recorder, remote: Repo
) -> None:
    watched.git("push", "--quiet", "origin", "main")
    head = watched.head()
    assert recorder.calls() == [
        f"hook pre-push origin {remote.root}",
        f"refs/heads/main {head} refs/heads/main {NONE}",
    ]
    watched.git("tag", "v1")
    watched.git("push", "--quiet", "origin", "v1")
    watched.git("push", "--quiet", "origin", "main:refs/heads/gone")
    recorder.calls()
    watched.git("push", "--quiet", "origin", "--delete", "gone")
    assert recorder.calls() == []
    watched.git("push", "--quiet", "origin", ":v1", "main:refs/heads/new")
    assert len(recorder.calls()) == 3


def test_an_existing_hook_gets_the_same_input(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    foreign(repo, "pre-push", f'#!/bin/sh\n{{ echo "$@"; cat; }} >{shlex.quote(str(log))}\n')
    foreign(repo, "commit-msg", '#!/bin/sh\necho "Signed" >>"$1"\n')
    install_hooks(place(repo), recorder.path, review=True)
    remote = Repo.init(tmp_path / "remote.git", "--bare")
    repo.git("push", "--quiet", str(remote.root), "main", "main:refs/heads/two")
    lines = log.read_text().splitlines()
    assert lines[0] == f"{remote.root} {remote.root}"
    assert len(lines) == 3
    assert recorder.calls()[1:] == lines[1:]
    repo.commit("Words", {"other.txt": "2\n"})
    assert repo.git("log", "-1", "--format=%B").split() == ["Words", "Signed"]
    uninstall_hooks(place(repo))
    assert (repo.root / ".git/hooks/pre-push").read_text().startswith("#!/bin/sh\n{ echo")


@pytest.mark.parametrize("event", REVIEW_EVENTS)
def test_an_existing_hook_can_still_refuse(
    repo: Hooked, recorder: Recorder, tmp_path: Path, event: str
) -> None:
    # The hook does not read its input.
    foreign(repo, event, "#!/bin/sh\nexit 3\n")
    install_hooks(place(repo), recorder.path, review=True)
    remote = Repo.init(tmp_path / "remote.git", "--bare")
    if event == "pre-push":
        assert repo.run("push", str(remote.root), "main").returncode == 1
        assert recorder.calls() == []
    else:
        assert repo.run("commit", "--allow-empty", "-m", "x").returncode == 1
        assert recorder.calls() == []


def test_every_shell_decides_the_same(
    repo: Hooked, recorder: Recorder, shell: list[str], tmp_path: Path
) -> None:
    install_hooks(place(repo), recorder.path, review=True)

    def run(event: str, *arguments: str, stdin: str = "") -> list[str]:
        done = subprocess.run(
            [*shell, str(repo.root / ".git/hooks" / event), *arguments],
            cwd=repo.root,
            env=repo.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return recorder.calls()

    message = tmp_path / "a message"
    message.write_text("Words")
    assert run("commit-msg", str(message)) == [f"hook commit-msg {message}"]
    message.write_text("fixup! Words\n")
    assert run("commit-msg", str(message)) == []
    assert run("pre-commit") == []
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    assert run("pre-commit") == ["hook check"]
    head = repo.head()
    lines = [
        f"(delete) {NONE} refs/heads/gone {head}",
        f"HEAD^{{/a b}} {head} refs/heads/x {NONE}",
    ]
    assert run("pre-push", "o", "u", stdin=lines[0] + "\n") == []
    assert run("pre-push", "o", "u", stdin="\n".join(lines) + "\n")[1:] == lines
    assert run("pre-push", "o", "u") == []


@pytest.mark.parametrize("code", [1, 2, 70, 127])
def test_only_findings_stop_git(repo: Hooked, tmp_path: Path, code: int) -> None:
    stubborn = Recorder(tmp_path / "bin", status=code)
    install_hooks(place(repo), stubborn.path, review=True)
    repo.write("other.txt", "2\n")
    done = repo.run("commit", "--all", "-m", "x")
    assert done.returncode == (1 if code == 1 else 0)
    remote = Repo.init(tmp_path / "remote.git", "--bare")
    done = repo.run("push", str(remote.root), "main")
    assert done.returncode == (1 if code == 1 else 0)
    assert (b"failed: run `sdd doctor`" in done.stderr) == (code != 1)


# With the real command


@pytest.fixture
def real(tmp_path: Path) -> Hooked:
    """A repository with decisions and the hooks of the review, and a remote."""
    Repo.init(tmp_path / "shop")
    repo = Hooked(tmp_path / "shop")
    repo.commit("Start", RECORDS)
    remote = Repo.init(tmp_path / "remote.git", "--bare")
    repo.git("remote", "add", "origin", str(remote.root))
    repo.git("push", "--quiet", "origin", "main")
    install_hooks(place(repo), SDD, review=True)
    return repo


def test_a_commit_and_its_push(real: Hooked) -> None:
    real.git("switch", "--quiet", "-c", "topic")
    real.write(APP, BROKEN)
    done = real.run("commit", "--all", "-m", "Keep sessions\n\nRefs: ADR-0002")
    assert done.returncode == 0
    said = done.stderr.decode()
    assert f"{APP}:1: critical: ADR-0099 does not exist" in said
    assert "see ADR-0001 (Keep sessions in SQLite) instead" in said
    assert real.git("log", "-1", "--format=%B") == "Keep sessions\n\nRefs: ADR-0002"
    done = real.run("push", "origin", "topic")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"ADR-0099 does not exist" in done.stderr


def test_findings_stop_a_repository_with_the_setting(real: Hooked) -> None:
    setting = "## SDD Configuration\n\n#### Review\n- Fail On: critical\n"
    real.commit("Be strict", {"CLAUDE.md": setting})
    real.git("push", "--quiet", "--no-verify", "origin", "main")
    real.write(APP, BROKEN)
    before = real.head()
    assert real.run("commit", "--all", "-m", "x").returncode == 1
    assert real.head() == before
    real.git("commit", "--quiet", "--all", "--no-verify", "-m", "x")
    done = real.run("push", "origin", "main")
    assert done.returncode == 1
    assert b"ADR-0099 does not exist" in done.stderr
    real.commit("Mend", {APP: RECORDS[APP]})
    assert real.run("push", "origin", "main").returncode == 0


def test_commits_from_a_temporary_index(real: Hooked) -> None:
    real.write(APP, BROKEN)
    real.write("notes.txt", "2\n")
    assert b"ADR-0099" not in real.run("commit", "-m", "x", "notes.txt").stderr
    assert b"ADR-0099" in real.run("commit", "-m", "x", APP).stderr


def test_a_linked_work_tree(real: Hooked, tmp_path: Path) -> None:
    linked = real.worktree(tmp_path / "linked", "topic")
    linked.write(APP, BROKEN)
    assert b"ADR-0099" in linked.run("commit", "--all", "-m", "x").stderr
    assert b"ADR-0099" in linked.run("push", "origin", "topic").stderr


# Hooks of other tools


@pytest.mark.parametrize("name", ["pre-commit", "lefthook", "husky"])
def test_the_snippets_for_managers_include_the_review(
    repo: Hooked, recorder: Recorder, name: str
) -> None:
    if name == "husky":
        repo.git("config", "core.hooksPath", ".husky/_")
        repo.write(".husky/_/post-commit", "#!/bin/sh\n")
    elif name == "lefthook":
        repo.write("lefthook.yml", "")
    else:
        for event in (*EVENTS, *REVIEW_EVENTS):
            foreign(repo, event, "#!/bin/sh\n# File generated by pre-commit\n")
    plain = install_hooks(place(repo), recorder.path)
    assert states(plain) == every("missing")
    assert "check" not in plain.snippet.replace("check ADRs", "").replace("post-checkout", "")
    report = install_hooks(place(repo), recorder.path, review=True)
    assert (states(report), report.manager) == (whole("missing"), name)
    for action in ("sdd hook check", "sdd hook commit-msg", "sdd hook pre-push"):
        assert action in report.snippet
    assert "sdd hook pre-commit" not in report.snippet
    if name == "lefthook":
        assert "sdd hook pre-push {0} || [ $? -ne 1 ]" in report.snippet
        assert "2>&1; fi\n      use_stdin: true\n" in report.snippet
        repo.write("lefthook.yml", report.snippet)
    elif name == "pre-commit":
        repo.write(".pre-commit-config.yaml", report.snippet)
    else:
        for part in report.snippet.split("# ")[1:]:
            path, _, line = part.partition(" (a new file)\n")
            repo.write(path, line)
    assert install_hooks(place(repo), recorder.path, review=True).snippet == ""
    assert inspect_hooks(place(repo)).snippet == ""
