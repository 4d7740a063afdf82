"""The memory files and collections of a commit, whatever the work tree has."""

from __future__ import annotations

import os

import pytest

from sdd_hooks.project.collections import Collection
from sdd_hooks.project.committed import (
    read_committed_collections,
    read_committed_files,
    read_committed_memory,
)
from tests.support.repos import Repo

CONTEXT = "## Architecture Context\n\n- Architecture Decision Records are in `{}`\n"
RECORD = "---\nstatus: accepted\n---\n\n# ADR-0001: A\n\n## Context\n\nA.\n\n## Decision\n\nB.\n"
MODULES = "\n### Workspace Modules\n\n| Module | Root |\n| --- | --- |\n| api | services/api |\n"


def adrs(repo: Repo) -> dict[str, tuple[str, ...]]:
    """The directories of ADRs at HEAD by module, with an empty work tree."""
    for path in repo.git("ls-files", "-z").split("\0"):
        if path:
            (repo.root / path).unlink()
    collections = read_committed_collections(read_committed_files(repo.handle, "HEAD"), "shop")
    return {one.module: one.directories for one in collections if one.kind == "adrs"}


def contains(repo: Repo, path: str) -> bool:
    files = read_committed_files(repo.handle, "HEAD")
    collections: tuple[Collection, ...] = read_committed_collections(files, "shop")
    return any(one.kind == "adrs" and one.contains(path) for one in collections)


def test_declared_directories(repo: Repo) -> None:
    repo.commit(files={"CLAUDE.md": CONTEXT.format("examples/a/"), "examples/a/x.md": RECORD})
    assert adrs(repo) == {"": ("examples/a",)}
    assert contains(repo, "examples/a/x.md")


def test_recognised_directories(repo: Repo) -> None:
    repo.commit(files={"notes/adr/0001-a.md": RECORD})
    assert adrs(repo) == {"": ("notes/adr",)}


def test_usual_directories_without_any(repo: Repo) -> None:
    repo.commit(files={"a": ""})
    assert adrs(repo) == {"": ("docs/adrs",)}


def test_modules_have_their_own_memory_file(repo: Repo) -> None:
    repo.commit(
        files={
            "CLAUDE.md": CONTEXT.format("docs/adrs") + MODULES,
            "services/api/AGENTS.md": CONTEXT.format("decisions"),
        }
    )
    assert adrs(repo) == {"": ("docs/adrs",), "api": ("services/api/decisions",)}


def test_modules_of_one_name_share_a_collection(repo: Repo) -> None:
    text = MODULES + "| api | services/b |\n"
    files = {"CLAUDE.md": CONTEXT.format("docs/adrs") + text}
    files |= {f"services/{name}/AGENTS.md": CONTEXT.format("adr") for name in ("api", "b")}
    repo.commit(files=files)
    directories = ("docs/adrs", "services/api/adr", "services/b/adr")
    assert adrs(repo) == {"": directories}


def test_a_memory_file_that_is_a_link(repo: Repo) -> None:
    repo.write("docs/agents.md", CONTEXT.format("docs/../d"))
    os.symlink("docs/agents.md", repo.root / "CLAUDE.md")  # noqa: PTH211
    repo.commit()
    assert adrs(repo) == {"": ("d",)}


def test_a_directory_that_is_a_link(repo: Repo) -> None:
    repo.write("CLAUDE.md", CONTEXT.format("docs/adrs"))
    repo.write("real/adrs/x.md", RECORD)
    os.symlink("real", repo.root / "docs")  # noqa: PTH211
    repo.commit()
    assert adrs(repo) == {"": ("real/adrs",)}


@pytest.mark.parametrize("target", ["../outside.md", "/etc/passwd", "CLAUDE.md", "none"])
def test_a_link_that_leads_nowhere(repo: Repo, target: str) -> None:
    os.symlink(target, repo.root / "CLAUDE.md")  # noqa: PTH211
    repo.commit()
    files = read_committed_files(repo.handle, "HEAD")
    assert read_committed_memory(files) is None


def test_the_root_may_hold_the_records(repo: Repo) -> None:
    repo.commit(files={"CLAUDE.md": CONTEXT.format("./")})
    assert contains(repo, "x.md")


def test_a_declaration_outside_of_the_repository_is_left_out(repo: Repo) -> None:
    repo.commit(files={"CLAUDE.md": CONTEXT.format("../elsewhere")})
    assert adrs(repo) == {"": ("docs/adrs",)}


def test_submodules_are_left_out(repo: Repo) -> None:
    modules = '[submodule "api"]\n\tpath = services/api\n\turl = ./api\n'
    repo.commit(files={"CLAUDE.md": CONTEXT.format("d") + MODULES, ".gitmodules": modules})
    assert adrs(repo) == {"": ("d",)}
    repo.commit(files={"CLAUDE.md": CONTEXT.format("d") + MODULES, ".gitmodules": "["})
    assert adrs(repo).keys() == {"", "api"}
