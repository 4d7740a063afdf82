"""Validation of staged artifacts before a commit."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.githooks.install import install_hooks
from tests.githooks.conftest import settled
from tests.githooks.recorder import Hooked, Recorder
from tests.support.repos import Repo

ONE = "docs/adrs/ADR-0001-one.md"
TWO = "docs/adrs/ADR-0002-two.md"


def adr(number: int, *edges: str, status: str = "accepted") -> str:
    lines = ["---", f"status: {status}", *edges, "---", "", f"# ADR-{number:04}: Number {number}"]
    return "\n".join([*lines, "", "## Decision Outcome", "", "Yes.", ""])


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.commit("First", {ONE: adr(1), TWO: adr(2, "extends: [ADR-0001]"), "a.txt": "1\n"})
    return repo


def check(repo: Repo, *files: str, cwd: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """The output of the hook, after `refused: ` if it refuses the commit."""
    stderr = io.StringIO()
    code = run_hook("pre-commit", files, HookContext(repo.root / cwd, environ, stderr))
    assert code in {0, 1}
    return ("refused: " if code else "") + stderr.getvalue()


def stage(repo: Repo, path: str, content: str) -> None:
    repo.write(path, content)
    repo.git("add", path)


def test_nothing_staged(repo: Repo) -> None:
    assert check(repo) == ""
    stage(repo, "a.txt", "2\n")
    assert check(repo) == ""


def test_valid_artifacts_have_no_finding(repo: Repo) -> None:
    stage(repo, "docs/adrs/ADR-0003-three.md", adr(3, "extends: [ADR-0002]"))
    assert check(repo) == ""


def test_an_edge_to_a_missing_artifact_refuses(repo: Repo) -> None:
    stage(repo, TWO, adr(2, "extends: [ADR-0099]"))
    said = check(repo)
    assert said.startswith(f"refused: {TWO}:3: critical: ADR-0002 extends ADR-0099, which does not")
    assert said.count("\n") == 1


def test_a_duplicate_id_refuses(repo: Repo) -> None:
    stage(repo, "docs/adrs/ADR-0001-other.md", adr(1))
    assert check(repo).startswith(
        "refused: docs/adrs/ADR-0001-one.md:1: critical: ADR-0001 is also"
    )


def test_a_cycle_of_edges_refuses(repo: Repo) -> None:
    stage(repo, ONE, adr(1, "extends: [ADR-0002]"))
    said = check(repo)
    assert "refused: " in said
    assert "critical: artifacts form a cycle" in said


def test_a_warning_refuses_nothing(repo: Repo) -> None:
    stage(repo, TWO, adr(2, "supersedes: [ADR-0001]"))
    said = check(repo)
    assert said.startswith(f"{TWO}:3: warning: ADR-0002 supersedes ADR-0001, whose status is")


def test_findings_outside_the_commit_are_not_reported(repo: Repo) -> None:
    repo.commit("Wrong", {TWO: adr(2, "extends: [ADR-0099]")})
    stage(repo, "docs/adrs/ADR-0003-three.md", adr(3))
    assert check(repo) == ""
    assert check(repo, "docs/adrs/ADR-0003-three.md") == ""
    assert check(repo, TWO).startswith("refused: ")


def test_only_the_index_is_validated(repo: Repo) -> None:
    stage(repo, TWO, adr(2, "extends: [ADR-0099]"))
    repo.write(TWO, adr(2))
    assert check(repo).startswith("refused: ")
    stage(repo, TWO, adr(2, "related: [ADR-0001]"))
    repo.write(TWO, adr(2, "extends: [ADR-0099]"))
    assert check(repo) == ""
    # Untracked files and intent-to-add entries are not validated either.
    repo.write("docs/adrs/ADR-0001-copy.md", adr(1))
    assert check(repo) == ""
    repo.git("add", "--intent-to-add", "docs/adrs/ADR-0001-copy.md")
    assert check(repo) == ""


def test_removing_a_referenced_artifact_refuses(repo: Repo) -> None:
    repo.git("rm", "--quiet", ONE)
    said = check(repo)
    assert said.startswith(f"refused: {TWO}:3: critical: ADR-0002 extends ADR-0001, which does not")
    repo.write(ONE, adr(1))
    assert check(repo).startswith("refused: ")
    repo.git("add", ONE)
    repo.git("mv", ONE, "docs/adrs/ADR-0001-renamed.md")
    assert check(repo) == ""
    repo.git("rm", "--quiet", "--force", TWO)
    assert check(repo) == ""


def test_files_are_relative_to_the_current_directory(repo: Repo) -> None:
    stage(repo, TWO, adr(2, "extends: [ADR-0099]"))
    assert check(repo, "ADR-0002-two.md", cwd="docs/adrs").startswith("refused: ")
    assert check(repo, str(repo.root / TWO)).startswith("refused: ")
    assert check(repo, "../../a.txt", "/etc/passwd", cwd="docs/adrs") == ""


def test_the_first_commit(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "empty")
    stage(repo, TWO, adr(2, "extends: [ADR-0099]"))
    assert check(repo).startswith("refused: ")


def test_control_characters_of_a_repository_are_escaped(repo: Repo) -> None:
    stage(repo, "docs/adrs/ADR-0003-\x1b[31m\nx.md", adr(3, 'extends: ["ADR-0099"]'))
    said = check(repo)
    assert said.startswith("refused: docs/adrs/ADR-0003-\\x1b[31m x.md:3: critical: ")
    assert said.count("\n") == 1


def test_a_symlink_is_not_an_artifact(repo: Repo) -> None:
    repo.link("docs/adrs/ADR-0003-link.md", "/etc/passwd")
    repo.git("add", "--all")
    assert check(repo) == ""


def test_the_index_of_another_repository_is_ignored(repo: Repo, tmp_path: Path) -> None:
    other = Repo.init(tmp_path / "other")
    stage(other, TWO, adr(2, "extends: [ADR-0099]"))
    leaked = {**os.environ, "GIT_INDEX_FILE": str(other.root / ".git/index")}
    assert check(repo, environ=leaked) == ""


def test_edges_into_a_submodule(repo: Repo, tmp_path: Path) -> None:
    source = Repo.init(tmp_path / "api")
    source.commit("First", {"docs/adrs/ADR-0007-api.md": adr(7)})
    repo.submodule(source, "api")
    repo.commit("Add a submodule")
    stage(repo, TWO, adr(2, 'extends: ["[api]/ADR-0007"]'))
    assert check(repo) == ""
    stage(repo, TWO, adr(2, 'extends: ["[api]/ADR-0008"]'))
    assert check(repo).startswith("refused: ")


# Through git, which uses a temporary index for some commits


def wrong(repo: Hooked) -> None:
    repo.write("docs/adrs/ADR-0002-redis.md", adr(2, "extends: [ADR-0099]"))


@pytest.mark.parametrize("arguments", [["--all"], ["docs/adrs"], ["--include", "docs/adrs"]])
def test_a_commit_is_refused(fresh: Hooked, arguments: list[str]) -> None:
    wrong(fresh)
    before = fresh.head()
    done = fresh.run("commit", "-m", "x", *arguments)
    assert (done.returncode, fresh.head()) == (1, before)
    assert b"docs/adrs/ADR-0002-redis.md:3: critical: ADR-0002 extends ADR-0099" in done.stderr


def test_a_commit_of_other_files_is_not_refused(fresh: Hooked) -> None:
    wrong(fresh)
    fresh.write("docs/adrs/ADR-0003-x.md", adr(3))
    fresh.git("add", "docs/adrs/ADR-0003-x.md")
    assert fresh.run("commit", "-m", "x", "docs/adrs/ADR-0003-x.md").returncode == 0
    fresh.write("notes.txt", "2\n")
    assert fresh.run("commit", "-m", "x", "notes.txt").returncode == 0


def test_a_commit_in_a_linked_work_tree_is_refused(fresh: Hooked, tmp_path: Path) -> None:
    linked = fresh.worktree(tmp_path / "linked", "topic")
    settled(linked)
    wrong(linked)
    assert linked.run("commit", "--all", "-m", "x").returncode == 1
    linked.write("docs/adrs/ADR-0002-redis.md", adr(2, "extends: [ADR-0001]"))
    assert linked.run("commit", "--all", "-m", "x").returncode == 0


@pytest.mark.parametrize("path", [TWO, "services/pay/adr/0007-queues.md"])
def test_the_check_needs_no_index(repo: Repo, tracer: Recorder, path: str) -> None:
    """Between `sdd init` and the first index, and after `.sdd` was deleted."""
    hooked = Hooked(repo.root, tracer.search_path)
    hooked.commit("Set up", {"CLAUDE.md": "## Architecture Context\n", ".gitignore": ".sdd/\n"})
    install_hooks(hooked.repository, tracer.path)
    stage(hooked, path, adr(7, "extends: [ADR-0099]"))
    refused = hooked.run("commit", "-m", "x")
    assert refused.returncode == 1
    assert "extends ADR-0099, which does not exist" in refused.stderr.decode()
    assert tracer.calls() == ["hook pre-commit"]
    stage(hooked, path, adr(7, "extends: [ADR-0001]"))
    assert hooked.run("commit", "-m", "x").returncode == 0
    tracer.calls()
    stage(hooked, "a.txt", "2\n")
    assert hooked.run("commit", "-m", "y").returncode == 0
    assert tracer.calls() == []
    assert not (repo.root / ".sdd").exists()


def test_a_record_in_a_new_directory_is_checked(fresh: Hooked) -> None:
    stage(fresh, "services/pay/adr/0007-queues.md", adr(7, "extends: [ADR-0099]"))
    assert fresh.run("commit", "-m", "x").returncode == 1


def test_a_repository_that_is_not_set_up_is_left_alone(repo: Repo, recorder: Recorder) -> None:
    hooked = Hooked(repo.root, recorder.search_path)
    install_hooks(hooked.repository, recorder.path)
    stage(hooked, TWO, adr(2, "extends: [ADR-0099]"))
    assert hooked.run("commit", "-m", "x").returncode == 0
    assert recorder.calls() == []
