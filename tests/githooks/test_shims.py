"""The shims in sh: when they start sdd, and that they never change the result of git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sdd_hooks.githooks.shims import EVENTS
from tests.githooks.conftest import ADR
from tests.githooks.recorder import HOOKS, Hooked, Recorder, indexed, state_file, without_sdd


@pytest.fixture
def repo(repo: Hooked, recorder: Recorder) -> Hooked:
    """A repository indexed at HEAD, with the shipped hooks and the recorder as `sdd`."""
    repo.git("config", "core.hooksPath", str(HOOKS))
    repo.search_path = recorder.search_path
    return repo


def hook(
    repo: Hooked, shell: list[str], event: str, *args: str
) -> subprocess.CompletedProcess[str]:
    """Run a hook with a shell, as git runs it."""
    return subprocess.run(
        [*shell, str(HOOKS / event), *args],
        cwd=repo.root,
        env=repo.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_event_has_an_executable_hook() -> None:
    assert {one.name for one in HOOKS.iterdir()} == {*EVENTS, "sdd-hook.sh"}
    for event in EVENTS:
        assert os.access(HOOKS / event, os.X_OK)


def test_every_shell_decides_the_same(repo: Hooked, recorder: Recorder, shell: list[str]) -> None:
    done = hook(repo, shell, "post-commit")
    assert (done.returncode, done.stderr, recorder.calls()) == (0, "", [])
    repo.write(ADR, "# ADR-0001: Y\n")
    done = hook(repo, shell, "post-commit")
    assert (done.returncode, done.stderr, recorder.calls()) == (0, "", ["hook post-commit"])
    done = hook(repo, shell, "post-checkout", "a", "b c", "0")
    assert recorder.calls() == ["hook post-checkout a b c 0"]
    done = hook(repo, shell, "pre-commit")
    assert (done.returncode, done.stderr, recorder.calls()) == (0, "", [])
    repo.git("add", ADR)
    done = hook(repo, shell, "pre-commit")
    assert (done.returncode, done.stderr, recorder.calls()) == (0, "", ["hook pre-commit"])


@pytest.mark.parametrize("event", EVENTS)
def test_a_repository_without_an_index_does_not_start_sdd(
    repo: Hooked, recorder: Recorder, event: str
) -> None:
    shutil.rmtree(repo.root / ".sdd")
    repo.write(ADR, "changed")
    done = hook(repo, ["sh"], event, "0" * 40, repo.head(), "1")
    # With the shared list of collections, only a new work tree starts sdd.
    expected = (
        [f"hook post-checkout {'0' * 40} {repo.head()} 1"] if event == "post-checkout" else []
    )
    assert (done.returncode, done.stderr, recorder.calls()) == (0, "", expected)


def test_a_commit_of_files_that_are_not_indexed(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == []


def test_a_commit_of_an_artifact(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_uncommitted_content_starts_sdd(repo: Hooked, recorder: Recorder) -> None:
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.write("other.txt", "2\n")
    repo.git("commit", "--quiet", "-m", "Other", "other.txt")
    assert recorder.calls() == ["hook post-commit"]


def test_a_changed_declaration_starts_sdd(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Declare", {"CLAUDE.md": "# Memory\n"})
    assert recorder.calls() == ["hook post-commit"]


def test_artifacts_are_matched_though_code_excludes_them(repo: Hooked, recorder: Recorder) -> None:
    """Code excludes artifacts. With both indexed, a changed artifact must still start sdd."""
    indexed(repo, "adrs", "specs", "code")
    repo.commit("Artifact", {ADR: "# ADR-0001: Z\n"})
    assert "hook post-commit" in recorder.calls()
    indexed(repo, "adrs", "specs", "code")
    repo.commit("Picture", {"logo.png": b"\x89PNG\0"})
    assert recorder.calls() == []
    repo.commit("Code", {"deep/er/MAIN.PY": "x = 1\n"})
    assert recorder.calls() == ["hook post-commit"]


def test_the_event_after_a_reset_starts_sdd(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    indexed(repo)
    repo.git("reset", "--hard", "--quiet", "HEAD~1")
    recorder.calls()
    repo.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == ["hook post-commit"]


def test_an_invalid_state_file_starts_sdd(
    repo: Hooked, recorder: Recorder, shell: list[str]
) -> None:
    for content in (
        b"",
        b"\n",
        state_file(b""),
        state_file(b"sdd 2 " + b"0" * 40 + b" 0 0 0", b"docs"),
        state_file(b"sdd 1 HEAD 0 0 0", b"docs"),
        state_file(b"sdd 1 --output=pwned 0 0 0", b"docs"),
        state_file(b"sdd 1 --output=" + b"p" * 31 + b" 0 0 0", b"docs"),
        state_file(b"sdd 1 " + b"1" * 40 + b" 0 0 0", b"docs"),
        state_file(b"sdd 1 " + b"a" * 39 + b" 0 0 0", b"docs"),
        state_file(b"sdd 1 " + b"a" * 40 + b" 0 0", b"docs"),
        state_file(b"\0\xff", b"* $(touch pwned) `touch pwned`"),
        state_file(b"sdd 1 $(touch${IFS}pwned) 0 0 0", b"$(touch pwned)"),
        b"x" * 200_000,
        b"x\n\tx\n",
        b"\t",
    ):
        repo.write(".sdd/search/hook", content)
        done = hook(repo, shell, "post-merge", "0")
        assert (done.returncode, recorder.calls()) == (0, ["hook post-merge 0"]), content
    assert repo.git("status", "--porcelain") == ""


def test_a_pathspec_is_not_an_option(repo: Hooked, recorder: Recorder) -> None:
    header = f"sdd 1 {repo.head()} 0 0 0".encode()
    for pathspec in (b"--output=pwned", b"$(touch pwned)", b"*", b":(bad)x", b"-p"):
        for name, event in (("hook", "post-commit"), ("hook-artifacts", "pre-commit")):
            repo.write(f".sdd/search/{name}", state_file(header, pathspec))
            assert hook(repo, ["sh"], event).returncode == 0, pathspec
    assert repo.git("status", "--porcelain") == ""


def test_a_pathspec_is_not_expanded_by_the_shell(
    repo: Hooked, recorder: Recorder, shell: list[str]
) -> None:
    repo.commit("A file that the shell would find", {"here.md": "1\n"})
    header = f"sdd 1 {repo.head()} 0 0 0"
    repo.write(".sdd/search/hook", state_file(header.encode(), b"*.md"))
    recorder.calls()
    repo.write(ADR, "changed")
    assert hook(repo, shell, "post-commit").returncode == 0
    assert recorder.calls() == ["hook post-commit"]


def test_a_state_that_is_no_regular_file_is_not_read_and_starts_sdd(
    repo: Hooked, recorder: Recorder
) -> None:
    state = repo.root / ".sdd/search/hook"
    state.rename(repo.root / "elsewhere")
    for target in ("../../elsewhere", "/dev/zero", "missing"):
        repo.link(".sdd/search/hook", target)
        assert hook(repo, ["sh"], "post-commit").returncode == 0
        assert recorder.calls() == ["hook post-commit"]
        state.unlink()
    os.mkfifo(state)
    assert hook(repo, ["sh"], "post-commit").returncode == 0
    assert recorder.calls() == ["hook post-commit"]


@pytest.mark.parametrize("link", [".sdd", ".sdd/search"])
def test_a_state_directory_that_is_a_symlink_starts_sdd(
    repo: Hooked, recorder: Recorder, link: str, tmp_path: Path
) -> None:
    (repo.root / link).rename(tmp_path / "elsewhere")
    (repo.root / link).symlink_to(tmp_path / "elsewhere")
    assert hook(repo, ["sh"], "post-commit").returncode == 0
    assert recorder.calls() == ["hook post-commit"]


def test_a_state_that_was_cut_off_anywhere_starts_sdd(
    repo: Hooked, recorder: Recorder, shell: list[str]
) -> None:
    state = repo.root / ".sdd/search/hook"
    whole = state.read_bytes()
    lines = [len(b"".join(whole.splitlines(keepends=True)[:n])) for n in range(4)]
    for size in (*lines, 30, len(whole) - 2, len(whole) - 40):
        state.write_bytes(whole[:size])
        assert hook(repo, shell, "post-commit").returncode == 0
        assert recorder.calls() == ["hook post-commit"], size


def test_a_flipped_bit_anywhere_starts_sdd(repo: Hooked, recorder: Recorder) -> None:
    """In a pathspec, it would let the hook miss a change to the files that the pathspec matched."""
    repo.write(ADR, "# ADR-0001: Changed\n")
    state = repo.root / ".sdd/search/hook"
    whole = state.read_bytes()
    for offset in range(0, len(whole), len(whole) // 20):
        state.write_bytes(flip(whole, offset, offset % 8))
        assert hook(repo, ["sh"], "post-commit").returncode == 0
        assert recorder.calls() == ["hook post-commit"], offset


def test_a_flipped_bit_in_a_state_without_a_difference_starts_sdd(
    repo: Hooked, recorder: Recorder, shell: list[str]
) -> None:
    """The shell compares the content itself, before git compares any file."""
    state = repo.root / ".sdd/search/hook"
    whole = state.read_bytes()
    half = len(whole) // 2
    for offset in (0, 6, 48, 60, half - 2, half, half + 1, len(whole) - 3):
        state.write_bytes(flip(whole, offset, 0))
        assert hook(repo, shell, "post-commit").returncode == 0
        assert recorder.calls() == ["hook post-commit"], offset


def flip(content: bytes, offset: int, bit: int) -> bytes:
    """The content with one bit inverted."""
    return content[:offset] + bytes([content[offset] ^ 1 << bit]) + content[offset + 1 :]


def test_a_requested_refresh_starts_sdd(repo: Hooked, recorder: Recorder) -> None:
    repo.write(".sdd/search/again")
    repo.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == ["hook post-commit"]


def test_pathspec_settings_of_the_user_change_nothing(repo: Hooked, recorder: Recorder) -> None:
    repo.write(ADR, "changed")
    repo.write("other.txt", "2\n")
    environment = {"GIT_LITERAL_PATHSPECS": "1"}
    indexed(repo, "adrs", "specs", "code")
    repo.write("a.py", "x\n")
    repo.git("add", "a.py")
    assert repo.run("commit", "-m", "x", env=environment).returncode == 0
    assert recorder.calls() == ["hook post-commit"]


def test_a_large_work_tree_is_not_scanned(repo: Hooked, recorder: Recorder) -> None:
    state = repo.root / ".sdd/search/hook"
    state.write_text(state.read_text().replace(" 0 0 0\n", " 0 1 0\n"))
    repo.write(ADR, "changed, not staged")
    repo.write("other.txt", "2\n")
    repo.git("commit", "--quiet", "-m", "Other", "other.txt")
    assert recorder.calls() == []
    repo.git("commit", "--quiet", "--all", "-m", "Artifact")
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


# Rebase


def test_a_rebase_with_nothing_to_replay_is_one_refresh(repo: Hooked, recorder: Recorder) -> None:
    """post-rewrite does not run then, only post-checkout."""
    repo.git("branch", "topic")
    repo.commit("Main", {"docs/adrs/ADR-0002-y.md": "# Y\n"})
    repo.git("checkout", "--quiet", "topic")
    recorder.calls()
    repo.git("rebase", "--quiet", "main")
    (call,) = recorder.calls()
    assert call.startswith("hook post-checkout ")
    # The same with a commit that the other branch has already.
    repo.git("checkout", "--quiet", "-b", "again", "main~1")
    repo.commit("The same", {"docs/adrs/ADR-0002-y.md": "# Y\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit("More", {"docs/adrs/ADR-0003-z.md": "# Z\n"})
    repo.git("checkout", "--quiet", "again")
    recorder.calls()
    repo.git("rebase", "--quiet", "main")
    (call,) = recorder.calls()
    assert call.startswith("hook post-checkout ")


def test_a_rebase_with_conflicts(repo: Hooked, recorder: Recorder) -> None:
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit("Topic", {ADR: "# Topic\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit("Main", {ADR: "# Main\n"})
    repo.git("checkout", "--quiet", "topic")
    indexed(repo)
    recorder.calls()
    assert repo.run("rebase", "main").returncode != 0
    assert recorder.calls() == []
    repo.write(ADR, "# Both\n")
    repo.git("add", ADR)
    repo.git("-c", "core.editor=true", "rebase", "--continue")
    assert [one for one in recorder.calls() if one != "hook pre-commit"] == [
        "hook post-rewrite rebase"
    ]


# The result of git is never changed


def test_a_failing_sdd_does_not_fail_git(repo: Hooked, tmp_path: Path) -> None:
    broken = Recorder(tmp_path / "broken", status=70)
    repo.search_path = broken.search_path
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    done = repo.run("commit", "-m", "x")
    assert done.returncode == 0
    assert broken.calls() == ["hook pre-commit", "hook post-commit"]
    warnings = [line for line in done.stderr.decode().splitlines() if "sdd-hooks" in line]
    # The hooks of one command print one line together.
    assert len(warnings) == 1
    assert "run `sdd doctor`" in warnings[0]
    assert repo.run("checkout", "-b", "y").returncode == 0


def test_an_interruption_prints_no_warning(repo: Hooked, tmp_path: Path) -> None:
    repo.search_path = Recorder(tmp_path / "interrupted", status=130).search_path
    repo.write(ADR, "changed")
    done = hook(repo, ["sh"], "post-commit")
    assert (done.returncode, done.stderr) == (0, "")


def test_sdd_does_not_read_the_input_of_post_rewrite(repo: Hooked, recorder: Recorder) -> None:
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("commit", "--quiet", "--amend", "--all", "-m", "x")
    assert recorder.calls() == ["hook pre-commit", "hook post-commit", "hook post-rewrite amend"]


def test_findings_stop_a_commit(repo: Hooked, tmp_path: Path) -> None:
    finding = Recorder(tmp_path / "finding", status=1)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    before = repo.head()
    repo.search_path = finding.search_path
    done = repo.run("commit", "-m", "x")
    assert (done.returncode, repo.head()) == (1, before)
    assert finding.calls() == ["hook pre-commit"]
    assert repo.run("commit", "--no-verify", "-m", "x").returncode == 0


def test_a_broken_installation_does_not_stop_a_commit(repo: Hooked, tmp_path: Path) -> None:
    """Python exits with 1 when an import of the script fails."""
    broken = tmp_path / "broken/sdd"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    repo.search_path = f"{broken.parent}{os.pathsep}{without_sdd()}"
    done = repo.run("commit", "-m", "x")
    assert done.returncode == 0
    assert b"sdd-hooks: " in done.stderr


def test_no_sdd_on_path_is_one_line(repo: Hooked) -> None:
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.search_path = without_sdd()
    done = repo.run("commit", "--all", "-m", "x")
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    assert lines == [
        "sdd-hooks: sdd is not on PATH, nothing was done: install it, or unset core.hooksPath"
    ]


def test_a_relative_entry_of_path_is_not_used(repo: Hooked, recorder: Recorder) -> None:
    """It could start a file of the repository."""
    own = repo.write("bin/sdd", "#!/bin/sh\ntouch pwned\n")
    own.chmod(0o755)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.search_path = f"bin{os.pathsep}{without_sdd()}"
    done = repo.run("commit", "--all", "-m", "x")
    assert done.returncode == 0
    assert not (repo.root / "pwned").exists()


@pytest.mark.parametrize(
    "first_lines",
    [
        "#!{}/python3\n",
        "#! {}/python3 -E\n",
        "#!/bin/sh\n'''exec' {}/python3 \"$0\" \"$@\"\n' '''\n",
        "#!/bin/sh\n'''exec' \"{}/with space/python3\" \"$0\" \"$@\"\n' '''\n",
        "#!/bin/sh\n'''exec' '{}/with space/python3' \"$0\" \"$@\"\n' '''\n",
    ],
)
def test_a_missing_interpreter_is_one_line(
    repo: Hooked, tmp_path: Path, shell: list[str], first_lines: str
) -> None:
    script = tmp_path / "gone/sdd"
    script.parent.mkdir()
    script.write_text(first_lines.format(tmp_path / "venv"))
    script.chmod(0o755)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.search_path = f"{script.parent}{os.pathsep}{without_sdd()}"
    done = hook(repo, shell, "post-commit")
    assert done.returncode == 0
    assert done.stderr == f"sdd-hooks: {script} is gone: install it again\n"


def test_an_interpreter_with_spaces_in_its_path(
    repo: Hooked, tmp_path: Path, shell: list[str]
) -> None:
    place = tmp_path / "with space"
    place.mkdir()
    (place / "python3").symlink_to("/bin/sh")
    script = tmp_path / "there/sdd"
    script.parent.mkdir()
    log = tmp_path / "log"
    program = f"'echo \"$@\" >{log}'"
    script.write_text(
        f"#!/bin/sh\n'''exec' \"{place}/python3\" -c {program} \"$0\" \"$@\"\n' '''\n"
    )
    script.chmod(0o755)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.search_path = f"{script.parent}{os.pathsep}{without_sdd()}"
    done = hook(repo, shell, "post-commit")
    assert (done.returncode, done.stderr, log.read_text()) == (0, "", "hook post-commit\n")


def test_a_shared_body_that_is_missing(repo: Hooked, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(HOOKS / "post-checkout", alone)
    done = repo.run("-c", f"core.hooksPath={alone}", "checkout", "-b", "x")
    assert done.returncode == 0
    assert b"sdd-hook.sh is missing" in done.stderr


# Work trees and other repositories


def test_a_new_work_tree_of_an_indexed_repository(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    repo.worktree(tmp_path / "linked", "topic")
    assert recorder.calls() == [f"hook post-checkout {'0' * 40} {repo.head()} 1"]
    (repo.root / ".git/sdd/collections").unlink()
    repo.worktree(tmp_path / "linked-2", "topic-2")
    assert recorder.calls() == []


def test_each_linked_work_tree_has_a_state_file(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "topic")
    indexed(linked)
    recorder.calls()
    linked.commit("Other", {"other.txt": "2\n"})
    assert recorder.calls() == []
    linked.commit("Artifact", {ADR: "# ADR-0001: Y\n"})
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    repo.commit("Other", {"other.txt": "3\n"})
    assert recorder.calls() == []


def test_a_rebase_in_a_linked_work_tree(repo: Hooked, recorder: Recorder, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", "topic")
    indexed(linked)
    linked.commit("Topic", {"docs/adrs/ADR-0005-t.md": "# T\n"})
    repo.commit("Main", {"docs/adrs/ADR-0002-y.md": "# Y\n"})
    recorder.calls()
    linked.git("rebase", "--quiet", "main")
    assert recorder.calls() == ["hook post-rewrite rebase"]
