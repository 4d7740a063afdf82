from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.system.git import (
    LOCAL_VARIABLES,
    Git,
    GitError,
    add_settings,
    git_environment,
    may_run_filters,
    nul_split,
    user_values,
)
from sdd_hooks.system.processes import ProgramResult
from tests.support.programs import run_program
from tests.support.repos import Repo


def test_another_directory_has_the_same_environment(tmp_path: Path):
    git = Git(tmp_path, {"A": "1"})
    assert git.at(tmp_path / "a").environ is git.environ
    assert git.at(tmp_path / "a") == Git(tmp_path / "a", {})
    assert git.at(tmp_path / "a") != git
    assert len({git, Git(tmp_path, {})}) == 1


def test_repr_shows_no_variable(tmp_path: Path):
    assert repr(Git(tmp_path, {"TOKEN": "s3cret"})) == f"Git({tmp_path!r})"


def test_environment_drops_the_variables_of_hooks():
    leaked = dict.fromkeys(LOCAL_VARIABLES, "leaked")
    clean = git_environment({**leaked, "PATH": "/bin", "GIT_LITERAL_PATHSPECS": "1"})
    assert clean == {
        "PATH": "/bin",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }


def test_every_local_variable_is_known_but_configuration():
    listed = run_program("git", "rev-parse", "--local-env-vars").stdout.split()
    assert set(listed) - set(LOCAL_VARIABLES) == {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}


def test_environment_keeps_configuration():
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    assert given.items() <= git_environment(given).items()


def test_environment_copies_its_argument():
    given = {"GIT_DIR": "x"}
    git_environment(given)
    assert given == {"GIT_DIR": "x"}


def test_git_runs_in_its_directory(repo: Repo):
    repo.commit(files={"a": "1"})
    assert repo.handle.output("ls-files", "-z") == b"a\0"


def test_git_passes_stdin(repo: Repo):
    assert repo.handle.output("hash-object", "--stdin", stdin=b"") == (
        b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n"
    )


def test_a_failure_is_the_first_line_of_stderr(repo: Repo):
    with pytest.raises(GitError) as caught:
        repo.handle.output("rev-parse", "--verify", "nowhere")
    assert str(caught.value) == "git rev-parse: Needed a single revision"


def test_a_failure_without_output(repo: Repo):
    repo.commit(files={"a": "1"})
    repo.write("a", "2")
    with pytest.raises(GitError, match="git diff-index: failed without a word"):
        repo.handle.output("diff-index", "--quiet", "HEAD")


def test_try_git_is_none_on_failure(repo: Repo):
    assert repo.handle.try_output("rev-parse", "--verify", "--quiet", "HEAD") is None
    head = repo.commit()
    assert repo.handle.try_output("rev-parse", "HEAD") == head.encode() + b"\n"


def test_run_returns_the_exit_status(repo: Repo):
    assert repo.handle.run("rev-parse", "--verify", "--quiet", "HEAD").returncode == 1


def test_start_does_not_wait(repo: Repo):
    repo.commit(files={"a": "1"})
    process = repo.handle.start("ls-files")
    output, _ = process.communicate()
    assert (output, process.returncode) == (b"a\n", 0)


def test_start_with_another_index(repo: Repo, tmp_path: Path):
    repo.commit(files={"a": "1"})
    process = repo.handle.start("ls-files", index=str(tmp_path / "none"))
    output, _ = process.communicate()
    assert (output, process.returncode) == (b"", 0)


def test_nul_split_keeps_any_name():
    names = nul_split(b"a b\0line\nbreak\0caf\xe9\0")
    assert names[:2] == ["a b", "line\nbreak"]
    assert os.fsencode(names[2]) == b"caf\xe9"
    assert nul_split(b"") == []


def test_credential_of_a_helper(repo: Repo):
    repo.git("config", "credential.https://forge.example:8443.username", "ada")
    git = configured(repo, "credential.helper", "!f() { cat >/dev/null; echo password=a=b; }; f")
    assert git.credential("https", "forge.example:8443", 60) == ("ada", "a=b")


def configured(repo: Repo, key: str, value: str) -> Git:
    """git with a value in the user's own configuration."""
    home = repo.root.with_name("home-of-the-user")
    home.mkdir(exist_ok=True)
    config = home / ".gitconfig"
    subprocess.run(["git", "config", "--file", str(config), key, value], check=True)
    # git before 2.32 reads no GIT_CONFIG_GLOBAL.
    own = {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(config)}
    return Git(repo.root, {**repo.handle.environ, **own})


@pytest.mark.parametrize(
    "helper", ["", "!false", "!f() { echo quit=1; }; f", "!f() { echo username=ada; }; f"]
)
def test_no_credential_without_a_password(repo: Repo, helper: str):
    git = configured(repo, "credential.helper", helper)
    assert git.credential("https", "forge.example", 60) is None


def test_a_remote_command_ends_at_its_timeout(repo: Repo):
    with pytest.raises(GitError, match=r"^`git slow` did not end within 0.2 s"):
        repo.handle.remote("slow", timeout=0.2, settings=["alias.slow=!sleep 60"])


def test_the_files_of_a_remote_command_are_limited(repo: Repo):
    alias = "alias.much=!head -c 1000000 /dev/zero >much"
    assert repo.handle.remote("much", timeout=60, settings=[alias], max_file_bytes=10_000).code
    assert (repo.root / "much").stat().st_size == 10_240
    assert not repo.handle.remote("much", timeout=60, settings=[alias]).code


def test_remote_commands_get_their_settings_and_variables(repo: Repo):
    alias = 'alias.show-it=!echo "$TOKEN" "$GIT_OBJECT_DIRECTORY" "$GIT_TERMINAL_PROMPT"; false'
    environ = {**os.environ, "GIT_OBJECT_DIRECTORY": "/leaked"}
    git = Git(repo.root, environ)
    options = {"timeout": 60.0, "settings": [alias], "access": {"TOKEN": "x"}}
    assert git.remote("show-it", **options) == ProgramResult(1, "x  0\n", "")
    objects = repo.root / ".git/objects"
    assert git.remote("show-it", **options, objects=objects).out == f"x {objects} 0\n"


def test_a_credential_helper_ends_at_its_timeout(repo: Repo):
    repo.git("config", "credential.helper", "!f() { sleep 60; echo password=x; }; f")
    assert repo.handle.credential("https", "forge.example", 0.2) is None


# Programs that a repository names


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a file `ran` beside it."""
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\n: >'{tmp_path}/ran'\ncat\n")
    trap.chmod(0o755)
    return trap


COMMANDS = [
    ("diff-index", "-z", "--name-only", "HEAD"),
    ("ls-files", "-z", "--others", "--exclude-standard"),
    ("status", "--porcelain"),
    ("diff", "--name-only", "HEAD"),
    ("hash-object", "--stdin-paths"),
    ("log", "--format=%H"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("scope", ["--local", "--worktree"])
def test_programs_of_a_repository_do_not_run(
    repo: Repo, trap: Path, command: tuple[str, ...], scope: str
):
    repo.commit(files={"a.md": "1", ".gitattributes": "*.md filter=x filter=a=b.c\n"})
    repo.git("config", "extensions.worktreeConfig", "true")
    for key in (
        "core.fsmonitor",
        "filter.x.clean",
        "filter.x.process",
        "filter.a=b.c.clean",
        "gpg.program",
    ):
        repo.git("config", scope, key, str(trap))
    repo.git("config", scope, "filter.a=b.c.required", "true")
    repo.git("config", scope, "log.showSignature", "true")
    repo.write("a.md", "2")
    repo.handle.output(*command, stdin=b"a.md\n")
    assert not trap.with_name("ran").exists()


def test_a_filter_of_the_user_runs_though_the_repository_names_another(repo: Repo, trap: Path):
    repo.commit(files={"a.md": "1", ".gitattributes": "*.md filter=x\n"})
    repo.git("config", "filter.x.clean", str(trap))
    repo.write("a.md", "2")
    git = configured(repo, "filter.x.clean", "cat >/dev/null; echo 1 | tr -d '\\n'")
    # Unlike diff-index, it compares the content of a file whose time differs.
    assert git.output("status", "--porcelain") == b""
    assert not trap.with_name("ran").exists()


def test_a_credential_helper_of_the_repository_does_not_run(repo: Repo, trap: Path):
    for key in ("credential.helper", "credential.https://forge.example.helper"):
        repo.git("config", key, str(trap))
    assert repo.handle.credential("https", "forge.example", 60) is None
    assert not trap.with_name("ran").exists()


def test_settings_of_the_caller_are_kept(repo: Repo):
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    git = Git(repo.root, {**repo.handle.environ, **given})
    assert git.output("config", "a.b") == b"c\n"
    assert git.output("config", "core.fsmonitor") == b"false\n"
    assert git.remote("config", "a.b", timeout=60).out == "c\n"
    access = {**given, "GIT_CONFIG_VALUE_0": "token"}
    for key, value in (("a.b", "token"), ("core.fsmonitor", "false")):
        assert git.remote("config", key, timeout=60, access=access).out == f"{value}\n"


@pytest.mark.parametrize("entry", ["", ".", "bin", "{root}/bin"])
def test_git_is_no_program_of_the_repository(repo: Repo, trap: Path, entry: str):
    for name in ("git", "bin/git", "sub/git"):
        repo.write(name, trap.read_text())
        (repo.root / name).chmod(0o755)
    path = f"{entry.format(root=repo.root)}{os.pathsep}{os.environ['PATH']}"
    for directory in (repo.root, repo.root / "sub"):
        git = Git(directory, {**repo.handle.environ, "PATH": path})
        assert git.output("rev-parse", "--git-dir") == repo.handle.at(directory).output(
            "rev-parse", "--git-dir"
        )
    assert not trap.with_name("ran").exists()


def test_programs_that_git_starts_are_not_found_in_the_repository(repo: Repo):
    assert git_environment({"PATH": ".:/usr/bin::bin:/bin"})["PATH"] == "/usr/bin:/bin"
    assert git_environment({"PATH": "."})["PATH"] == os.defpath


def test_git_is_found_without_a_search_path(repo: Repo):
    environ = {name: value for name, value in repo.handle.environ.items() if name != "PATH"}
    assert Git(repo.root, environ).output("rev-parse", "--git-dir") == b".git\n"


def test_a_damaged_index_and_lost_objects_have_advice(repo: Repo) -> None:
    repo.commit("Start", {"a.txt": "a"})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    (repo.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    git = Git(repo.root, os.environ)
    with pytest.raises(GitError, match=r": `git fsck` reports what is damaged$"):
        git.output("rev-list", "--objects", "HEAD")
    (repo.root / ".git/index").write_bytes(b"DIRC")
    with pytest.raises(GitError, match=r"index` in the git directory, and run `git reset`$"):
        git.output("ls-files")


def test_values_of_the_user_replace_those_of_the_repository() -> None:
    listing = (
        "system\0filter.lfs.clean\nold\0global\0filter.lfs.clean\ngit-lfs clean\0"
        "local\0filter.lfs.clean\nevil\0worktree\0filter.x.process\nevil\0"
        "global\0filter.y.clean\nkept\0local\0filter.z.required\0global\0filter.z.required\0"
    )
    assert user_values(listing) == [
        ("filter.lfs.clean", ""),
        ("filter.lfs.clean", "old"),
        ("filter.lfs.clean", "git-lfs clean"),
        ("filter.x.process", ""),
        ("filter.z.required", ""),
        ("filter.z.required", "true"),
    ]
    assert user_values("") == []


@given(st.text())
def test_any_listing_gives_pairs(listing: str) -> None:
    assert all(len(pair) == 2 for pair in user_values(listing))


@pytest.mark.parametrize("count", ["", "x", "-1", "\u0661", "1e3"])
def test_a_count_that_is_no_number_counts_as_none(count: str) -> None:
    environ = {"GIT_CONFIG_COUNT": count, "A": "1"}
    assert add_settings(environ, [("a", "b")]) == {
        "A": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "a",
        "GIT_CONFIG_VALUE_0": "b",
    }


def test_only_commands_that_read_the_work_tree_run_filters() -> None:
    assert may_run_filters(("diff-index", "--quiet", "HEAD"))
    assert may_run_filters(("--literal-pathspecs", "status"))
    assert not may_run_filters(("diff-index", "--cached", "HEAD"))
    assert not may_run_filters(("rev-parse", "HEAD"))
