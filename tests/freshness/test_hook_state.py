"""The state files from which the hooks in sh decide."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.freshness.hook_state import (
    NEW_ARTIFACTS,
    distrust_state,
    shared_collections,
    write_state,
)
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Module, Project
from tests.support.repos import Repo

LAST_LINE = ":(literal).sdd/search/hook"
ADR = "docs/adrs/ADR-0001-x.md"
ADRS = Collection("p-adrs", "adrs", "", "", ("docs/adrs",), (".md",), "", (), "ADRs")
CODE = Collection("p-code", "code", "", "", ("",), (".py", "/makefile"), "", ("docs/adrs",), "")
ISSUES = Collection("p-issues", "issues", "", "", (".sdd/issues",), (".md",), "", (), "")


@pytest.fixture
def project(repo: Repo) -> Project:
    repo.commit("First", {ADR: "# X\n", "a.py": "1\n"})
    found = repo.project()
    found.repository.search_dir.mkdir(parents=True)
    return found._replace(collections=(ADRS, CODE, ISSUES), modules=())


def mark(repo: Repo, collection: Collection, *dirty: str, head: str = "") -> Bookmark:
    return Bookmark(head or repo.head(), dirty, collection.definition())


def state(project: Project, name: str = "hook") -> list[str]:
    """The lines of a part of the file, which has two equal ones."""
    part, copy = (project.repository.search_dir / name).read_text().split("\t")
    assert part == copy
    return part.splitlines()


def test_the_state_of_a_clean_index(project: Project, repo: Repo) -> None:
    write_state(project, {"p-adrs": mark(repo, ADRS), "p-code": mark(repo, CODE)})
    assert state(project)[:4] == [
        f"sdd 1 {repo.head()} 0 0 0",
        ":(literal)docs/adrs",
        ":(icase)*.py",
        ":(icase,glob)**/makefile",
    ]
    assert ":(literal)CLAUDE.md" in state(project)
    assert state(project, "hook-artifacts") == [
        f"sdd 1 {repo.head()} 0 0 0",
        ":(literal)docs/adrs",
        *NEW_ARTIFACTS["adrs"],
        LAST_LINE,
    ]
    assert shared_collections(project.repository) == {"p-adrs", "p-code"}


def test_the_state_has_pathspecs_of_indexed_collections_only(project: Project, repo: Repo) -> None:
    write_state(project, {"p-code": mark(repo, CODE)})
    assert ":(literal)docs/adrs" not in state(project)
    # Artifacts are checked before a commit whether they are indexed or not.
    assert ":(literal)docs/adrs" in state(project, "hook-artifacts")


@pytest.mark.parametrize(
    "marks",
    [
        {"p-adrs": None},
        {"p-adrs": ("x.md",)},
        {"p-adrs": (), "p-code": None},
        {"p-adrs": (), "p-code": ("a.py",)},
    ],
)
def test_an_index_that_reflects_no_single_commit_is_marked_dirty(
    project: Project, repo: Repo, marks: dict[str, tuple[str, ...] | None]
) -> None:
    declared = {one.name: one for one in project.collections}
    bookmarks = {
        name: None if dirty is None else mark(repo, declared[name], *dirty)
        for name, dirty in marks.items()
    }
    write_state(project, bookmarks)
    assert state(project)[0].split()[3] == "1"


def test_collections_at_different_commits_mark_the_state_dirty(
    project: Project, repo: Repo
) -> None:
    before = repo.head()
    repo.commit("Second")
    write_state(project, {"p-adrs": mark(repo, ADRS, head=before), "p-code": mark(repo, CODE)})
    assert state(project)[0].split()[3] == "1"


def test_a_changed_definition_marks_the_state_dirty(project: Project, repo: Repo) -> None:
    other = ADRS._replace(directories=("decisions",))
    write_state(project, {"p-adrs": mark(repo, other)})
    assert state(project)[0].split()[3] == "1"


def test_issues_add_no_pathspecs(project: Project, repo: Repo) -> None:
    write_state(project, {"p-issues": Bookmark("", (), ISSUES.definition())})
    assert state(project)[1:] == [LAST_LINE]
    write_state(
        project, {"p-adrs": mark(repo, ADRS), "p-issues": Bookmark("", (), ISSUES.definition())}
    )
    assert state(project)[0].split()[3] == "0"


def test_without_bookmarks_the_files_are_removed(project: Project, repo: Repo) -> None:
    write_state(project, {"p-adrs": mark(repo, ADRS)})
    write_state(project, {})
    assert list(project.repository.search_dir.iterdir()) == []
    assert shared_collections(project.repository) == frozenset()


@pytest.mark.parametrize(
    "directories", [("odd\nname",), ("odd\tname",), tuple(f"directory/{n:05}" for n in range(5000))]
)
def test_pathspecs_that_the_hooks_cannot_read_start_sdd(
    project: Project, repo: Repo, directories: tuple[str, ...]
) -> None:
    odd = ADRS._replace(directories=directories)
    write_state(project._replace(collections=(odd,)), {"p-adrs": mark(repo, odd)})
    assert state(project) == [f"sdd 1 {repo.head()} 1 0 0", ".", LAST_LINE]


def test_a_state_that_is_no_regular_file_is_replaced(project: Project, repo: Repo) -> None:
    """Also the names that work trees share. Reading `/dev/zero` or a pipe would not end."""
    marks = {"p-adrs": mark(repo, ADRS)}
    for path in (
        project.repository.search_dir / "hook",
        project.repository.shared_dir / "collections",
    ):
        for place in (lambda path: path.symlink_to("/dev/zero"), os.mkfifo):
            path.unlink(missing_ok=True)
            path.parent.mkdir(exist_ok=True)
            place(path)
            distrust_state(project.repository)
            write_state(project, marks)
            assert path.is_file()
            assert not path.is_symlink()
    assert shared_collections(project.repository) == {"p-adrs"}


def test_names_that_are_not_utf8_are_written_as_bytes(project: Project, repo: Repo) -> None:
    odd = ADRS._replace(directories=(os.fsdecode(b"d\xff"),))
    write_state(project._replace(collections=(odd,)), {"p-adrs": mark(repo, odd)})
    content = (project.repository.search_dir / "hook").read_bytes()
    assert b"\n:(literal)d\xff\n" in content


def test_the_memory_file_of_a_module_has_a_pathspec(project: Project, repo: Repo) -> None:
    module = Module("api", "services/api", "", submodule=False)
    write_state(project._replace(modules=(module,)), {"p-adrs": mark(repo, ADRS)})
    assert ":(literal)services/api/CLAUDE.md" in state(project)


def test_a_large_work_tree_is_marked_large(project: Project, repo: Repo) -> None:
    for number in range(8000):
        repo.write(f"many/{number}.txt")
    repo.git("add", "--all")
    write_state(project, {"p-adrs": mark(repo, ADRS)})
    assert state(project)[0].split()[4] == "2"
    # The pathspecs of artifacts are not among those of code.
    write_state(project, {"p-code": mark(repo, CODE)})
    assert state(project)[0].split()[4] == "1"


def test_a_submodule_is_compared_with_its_recorded_commit(
    project: Project, repo: Repo, tmp_path: Path
) -> None:
    source = Repo.init(tmp_path / "library")
    first = source.commit("First", {"a.py": "1\n"})
    module = repo.submodule(source, "lib dir")
    repo.commit("Add the library")
    lib = Collection("p-lib-code", "code", "lib", "lib dir", ("lib dir",), (), "", (), "")
    both = project._replace(collections=(ADRS, lib))

    def dirty(head: str) -> str:
        write_state(both, {"p-adrs": mark(repo, ADRS), "p-lib-code": mark(repo, lib, head=head)})
        assert ":(literal)lib dir" in state(project)
        assert state(project)[0].split()[5] == "1"
        return state(project)[0].split()[3]

    assert dirty(first) == "0"
    # The submodule is ahead of the commit that the repository records.
    assert dirty(module.commit("Second", {"a.py": "2\n"})) == "1"
    repo.commit("Move the library on")
    assert dirty(module.head()) == "0"


def test_a_submodule_alone_marks_the_state_dirty(project: Project, repo: Repo) -> None:
    lib = Collection("p-lib-code", "code", "lib", "lib", ("lib",), (), "", (), "")
    write_state(project._replace(collections=(lib,)), {"p-lib-code": mark(repo, lib)})
    assert state(project)[0].split()[3] == "1"


def test_a_distrusted_state_is_dirty_until_the_next_write(project: Project, repo: Repo) -> None:
    distrust_state(project.repository)
    assert not (project.repository.search_dir / "hook").exists()
    write_state(project, {"p-adrs": mark(repo, ADRS)})
    before = state(project)
    distrust_state(project.repository)
    assert state(project) == [f"sdd 1 {repo.head()} 1 0 0", *before[1:]]
    distrust_state(project.repository)
    write_state(project, {"p-adrs": mark(repo, ADRS)})
    assert state(project) == before


def test_a_git_directory_that_cannot_be_written_is_no_error(project: Project, repo: Repo) -> None:
    """Only the first index of a new work tree depends on that file."""
    shutil.rmtree(repo.root / ".git/sdd", ignore_errors=True)
    repo.write(".git/sdd", "a file where a directory should be")
    write_state(project, {"p-adrs": mark(repo, ADRS)})
    assert state(project)[0].split()[3] == "0"
    assert shared_collections(project.repository) == frozenset()
