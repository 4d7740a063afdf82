from __future__ import annotations

from pathlib import Path

from sdd_hooks.authoring.numbers import find_used_numbers
from tests.support.repos import Repo

SPEC = "# SPEC-{:04d}: X\n"


def number(repo: Repo, *used: int) -> int:
    return find_used_numbers(repo.repository, "ADR", "docs/adrs", used).next()


def spec_number(repo: Repo) -> int:
    return find_used_numbers(repo.repository, "SPEC", "specs", ()).next()


def test_numbers_of_every_branch_and_work_tree_are_taken(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    assert (number(repo), number(repo, 7)) == (1, 8)
    repo.commit("One", {"docs/adrs/0001-a.md": "# 1. A\n", "other/0900-x.md": "# 900. X\n"})
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("Two", {"docs/adrs/0002-b.md": "# 2. B\n", "docs/adrs/99999-z.md": "# Z\n"})
    repo.git("switch", "-q", "main")
    # A high number elsewhere moves nothing.
    assert number(repo) == 3
    repo.git("update-ref", "refs/remotes/origin/them", "topic")
    repo.git("branch", "-q", "-D", "topic")
    assert number(repo) == 3
    other = repo.worktree(tmp_path / "other", "beside")
    other.write("docs/adrs/deep/0003-untracked/README.md", "# 3. I\n")
    assert number(repo) == 4
    repo.write("docs/adrs/0004-mine.md", "# 4. M\n")
    assert (number(repo), number(other)) == (5, 5)


def test_the_number_of_a_specification_is_in_its_heading(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    assert spec_number(repo) == 1
    repo.commit("One", {"specs/a/spec.md": SPEC.format(1), "specs/0700-b/other.md": "# SPEC-9\n"})
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("Two", {"specs/c/design.md": SPEC.format(2)})
    repo.git("switch", "-q", "main")
    assert spec_number(repo) == 3
    repo.write("specs/d/spec.md", SPEC.format(3))
    assert spec_number(repo) == 4


def test_files_in_the_top_directory(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.commit("One", {"0003-a.md": "# 3. A\n", "pages/404.md": "Not found\n"})
    assert find_used_numbers(repo.repository, "ADR", "", ()).next() == 4
