"""The commits that are compared, and the commands that fetch a missing one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sdd_hooks.changes.base import default_base, resolve_commit
from sdd_hooks.changes.diff import read_change
from sdd_hooks.errors import RepositoryError
from tests.support.repos import Repo


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """The repository of a server: `feature` branched off three commits before the tip of `main`."""
    repo = Repo.init(tmp_path / "origin")
    for number in range(5):
        repo.commit(f"Base {number}", {"a": f"{number}\n"})
    repo.git("checkout", "-q", "-b", "feature")
    for number in range(3):
        repo.commit(f"Feature {number}", {"b": f"{number}\n"})
    repo.git("checkout", "-q", "main")
    for number in range(3):
        repo.commit(f"Meanwhile {number}", {"c": f"{number}\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo


def clone(origin: Repo, *options: str) -> Repo:
    """A clone with the branch `feature` checked out, fetched as over a network."""
    root = origin.root.parent / "clone"
    origin.git("clone", "-q", "--branch=feature", *options, f"file://{origin.root}", str(root))
    return Repo(root)


def refused(repo: Repo, base: str, head: str = "HEAD") -> str:
    """The message of the error with which the comparison fails."""
    with pytest.raises(RepositoryError) as caught:
        read_change(repo.handle, base, head)
    message = str(caught.value)
    assert message.isprintable()
    return message


def follow(repo: Repo, message: str) -> None:
    """Run the command in the message."""
    (command,) = re.findall("`(git (?:fetch|diff) [^`]*)`", message)
    repo.git(*shlex.split(command)[1:])


def reviewed(repo: Repo, base: str = "origin/main") -> None:
    """Check that the change can be read, and is the change of `feature`."""
    change = read_change(repo.handle, base, "HEAD")
    assert change.messages == ("Feature 2", "Feature 1", "Feature 0")
    assert [(file.path, file.added[0].text) for file in change.files] == [("b", "2")]


def base_of(repo: Repo) -> str:
    return default_base(repo.repository)


def test_the_default_branch_of_the_remote(origin: Repo) -> None:
    origin.git("branch", "-m", "main", "develop")
    assert base_of(clone(origin)) == "origin/develop"


@pytest.mark.parametrize("name", ["main", "master", "trunk"])
def test_a_remote_without_a_known_default_branch(origin: Repo, name: str) -> None:
    repo = clone(origin)
    repo.git("remote", "set-head", "origin", "--delete")
    repo.git("update-ref", "-d", "refs/remotes/origin/main")
    repo.git("update-ref", f"refs/remotes/origin/{name}", "HEAD")
    assert base_of(repo) == f"origin/{name}"


def test_a_deleted_default_branch(origin: Repo) -> None:
    repo = clone(origin)
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert base_of(repo) == "origin/main"


@pytest.mark.parametrize("name", ["main", "master", "trunk"])
def test_a_local_branch(repo: Repo, name: str) -> None:
    repo.commit()
    repo.git("branch", "-m", name)
    repo.git("checkout", "-q", "-b", "feature")
    assert base_of(repo) == name


def test_the_upstream_of_the_local_branch_when_it_is_checked_out(repo: Repo) -> None:
    repo.commit()
    repo.git("branch", "upstream")
    repo.git("branch", "--set-upstream-to=upstream")
    assert base_of(repo) == "upstream"
    repo.git("branch", "-D", "upstream")
    with pytest.raises(RepositoryError, match="--base"):
        base_of(repo)


def test_an_ambiguous_name(origin: Repo) -> None:
    repo = clone(origin)
    repo.git("branch", "origin/main", "HEAD")
    tip = repo.git("rev-parse", "refs/remotes/origin/main")
    assert repo.git("rev-parse", "--verify", "--quiet", base_of(repo)) == tip


@pytest.mark.parametrize("unborn", [True, False])
def test_nothing_to_compare_with(repo: Repo, unborn: bool) -> None:
    if not unborn:
        repo.commit()
    with pytest.raises(RepositoryError) as caught:
        base_of(repo)
    assert str(caught.value) == (
        "there is no base to compare with: `origin` has no main, master or trunk here, and no"
        " other local branch has such a name: name a branch with `--base`"
    )


def test_a_shallow_clone_with_the_common_commit(origin: Repo) -> None:
    reviewed(clone(origin, "--depth=4", "--no-single-branch"))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_shallow_clone_without_the_common_commit(origin: Repo, depth: int) -> None:
    repo = clone(origin, f"--depth={depth}", "--no-single-branch")
    message = refused(repo, "origin/main")
    assert message == (
        "this clone is shallow and lacks the common commit of 'HEAD' and 'origin/main':"
        " `git fetch --unshallow origin` fetches the rest"
    )
    follow(repo, message)
    reviewed(repo)


@pytest.mark.parametrize("name", ["HEAD~1", "HEAD^", "HEAD~2^"])
def test_a_parent_that_a_shallow_clone_lacks(origin: Repo, name: str) -> None:
    repo = clone(origin, "--depth=1")
    message = refused(repo, name)
    assert message == (
        f"there is no commit '{name}' here: `git fetch --unshallow origin` fetches the rest"
    )
    follow(repo, message)
    repo.git("rev-parse", "--verify", "HEAD~1")


def test_a_shallow_clone_of_one_branch(origin: Repo) -> None:
    repo = clone(origin, "--depth=1")
    message = refused(repo, "origin/main")
    assert message.startswith(
        "there is no commit 'origin/main' here: `git fetch --unshallow origin +"
    )
    follow(repo, message)
    reviewed(repo)


def test_a_clone_of_one_branch(origin: Repo) -> None:
    repo = clone(origin, "--single-branch")
    follow(repo, refused(repo, "origin/main"))
    reviewed(repo)


def test_a_branch_that_only_the_remote_has(origin: Repo) -> None:
    repo = clone(origin)
    assert refused(repo, "main") == "there is no commit 'main' here: name `origin/main`"


def test_a_branch_that_was_not_fetched(origin: Repo) -> None:
    repo = clone(origin, "--single-branch")
    message = refused(repo, "main")
    assert "then name `origin/main`; or name another branch, tag or commit" in message
    follow(repo, message)
    reviewed(repo)


def test_a_commit_that_was_not_fetched(origin: Repo) -> None:
    repo = clone(origin, "--single-branch")
    tip = origin.head()
    message = refused(repo, tip)
    assert message.endswith(f"`git fetch origin {tip}` fetches it, if the remote still has it")
    follow(repo, message)
    reviewed(repo, tip)


def test_a_deleted_base(origin: Repo) -> None:
    repo = clone(origin)
    origin.git("branch", "-m", "main", "elsewhere")
    repo.git("fetch", "-q", "--prune")
    message = refused(repo, "origin/main")
    assert "git fetch origin +refs/heads/main:refs/remotes/origin/main" in message
    assert "fetches a branch of origin" in message


def test_a_branch_without_a_commit_and_a_damaged_one(repo: Repo) -> None:
    with pytest.raises(RepositoryError) as caught:
        resolve_commit(repo.project().repository.git, "HEAD")
    assert str(caught.value) == (
        "there is no commit 'HEAD' here: make one, or name another branch, tag or commit"
    )
    commit = repo.commit()
    (repo.root / ".git/objects" / commit[:2] / commit[2:]).unlink()
    with pytest.raises(RepositoryError, match=r"here: `git fsck` reports what is damaged$"):
        resolve_commit(repo.project().repository.git, "HEAD")


def test_no_remote(repo: Repo) -> None:
    repo.commit()
    assert refused(repo, "nowhere") == (
        "there is no commit 'nowhere' here: name another branch, tag or commit"
    )


@pytest.mark.parametrize("name", ["", "--output=x", "-p", "a\0b"])
def test_an_invalid_name(repo: Repo, name: str) -> None:
    repo.commit()
    assert "is not a commit: name a branch" in refused(repo, name)


@pytest.mark.parametrize(
    "name", ["$(touch x)", "a;b", "`id`", "a\nb", "\x1b[31m", "a b", "x" * 300, "\udcff", "@{-1}"]
)
def test_no_command_contains_a_hostile_name(origin: Repo, name: str) -> None:
    message = refused(clone(origin), name)
    assert message.endswith(": name another branch, tag or commit")
    assert "git fetch" not in message


def test_a_blob_is_not_a_base(repo: Repo) -> None:
    repo.commit(files={"a": "1\n"})
    assert "there is no commit 'HEAD:a' here" in refused(repo, "HEAD:a")
    assert "there is no commit 'HEAD^{tree}' here" in refused(repo, "HEAD", "HEAD^{tree}")


def test_a_partial_clone_that_lacks_contents(origin: Repo) -> None:
    repo = clone(origin, "--filter=blob:none", "--no-checkout")
    message = refused(repo, "origin/main")
    parted = origin.git("merge-base", "main", "feature")
    assert message == (
        "this clone is partial and lacks contents of files that differ:"
        f" `git diff --shortstat {parted} {origin.git('rev-parse', 'feature')}` fetches them"
    )
    follow(repo, message)
    reviewed(repo)
