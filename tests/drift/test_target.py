"""Targets: files, directories, ids in any spelling, modules, and what is none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.drift.target import Target, UnknownTarget, find_target
from sdd_hooks.drift.whole_tree import Scope
from sdd_hooks.project.project import UnknownName
from sdd_hooks.retrieval.topic_matches import IndexedArtifact
from tests.support.repos import Repo

ONE = IndexedArtifact("ADR", ArtifactId("ADR", 1), "One", "docs/adrs/ADR-0001-one.md", "")
SPEC = IndexedArtifact("SPEC", ArtifactId("SPEC", 7), "S", "docs/openspec/specs/s/spec.md", "")
API = IndexedArtifact("ADR", ArtifactId("ADR", 3, "", "api"), "A", "api/docs/adrs/3-a.md", "api")
TWICE = ONE._replace(path="docs/adrs/ADR-0001-again.md")
WORKSPACE = (
    "## Architecture Context\n\n### Workspace Modules\n\n"
    "| Module | Root | Description |\n|---|---|---|\n| api | api/ | A |\n"
)


def target(
    repo: Repo,
    name: str,
    module: str | None = None,
    cwd: Path | None = None,
    *more: IndexedArtifact,
) -> Target:
    known = (ONE, SPEC, API, *more)
    return find_target(repo.project(), cwd or repo.root, name, module, lambda: known)


@pytest.fixture(autouse=True)
def files(repo: Repo) -> None:
    repo.commit(files={"src/a.py": "a\n", "api/b.py": "b\n", ".gitignore": "*.log\n"})
    repo.write("src/new.py", "untracked\n")
    repo.write("x.log", "ignored\n")
    repo.write("CLAUDE.md", WORKSPACE)


def test_a_file_a_directory_and_everything(repo: Repo) -> None:
    assert target(repo, "src/a.py") == Target("file", "src/a.py", Scope(("src/a.py",)))
    assert target(repo, "src/new.py").kind == "file"
    assert target(repo, "src/") == Target("directory", "src", Scope(("src",)))
    assert target(repo, "a.py", cwd=repo.root / "src").name == "src/a.py"
    assert target(repo, "") == Target("repository", "", Scope(("",)))
    assert target(repo, ".") == target(repo, "..", cwd=repo.root / "src") == target(repo, "")
    assert target(repo, "", "api") == Target("repository", "api", Scope(("api",)), module="api")


def test_a_record_has_its_files(repo: Repo) -> None:
    assert target(repo, "adr 1") == Target("record", "ADR-0001", Scope((ONE.path,)), ONE)
    spec = target(repo, "SPEC-0007")
    beside = ("docs/openspec/specs/s/requirements.md", "docs/openspec/specs/s/design.md")
    assert spec.scope.paths == (SPEC.path, *beside)
    assert target(repo, "spec-7").record == target(repo, "7").record == SPEC
    assert target(repo, "[api]/ADR-0003").record == API
    assert target(repo, "ADR-0003").record == API
    assert target(repo, "ADR-0003", "api").record == API


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("src/none.py", "src/none.py is no file, no directory and no id such as ADR-0001"),
        ("../x", "../x is no file"),
        ("a\0b", "no file"),
        ("x.log", "x.log is ignored by git, or a link, and not checked"),
        ("ADR-0002", "no record has the id ADR-0002: did you mean ADR-0001, [api]/ADR-0003?"),
        ("SPEC-0999", "no record has the id SPEC-0999: `sdd list` prints those"),
    ],
)
def test_what_is_no_target(repo: Repo, name: str, message: str) -> None:
    with pytest.raises(UnknownTarget) as raised:
        target(repo, name)
    assert message in str(raised.value)
    assert raised.value.exit_code == 2


def test_an_id_that_two_records_have(repo: Repo) -> None:
    with pytest.raises(UnknownTarget, match=r"2 records have the id ADR-0001: name one of docs/"):
        target(repo, "ADR-0001", None, None, TWICE)


def test_a_file_comes_before_an_id(repo: Repo) -> None:
    repo.write("ADR-0001", "a file\n")
    assert target(repo, "ADR-0001").kind == "file"


def test_an_unknown_module(repo: Repo) -> None:
    with pytest.raises(UnknownName, match="no module 'web'"):
        target(repo, "src", "web")


def test_a_link_is_not_checked(repo: Repo) -> None:
    repo.link("link.py", "src/a.py")
    with pytest.raises(UnknownTarget, match="a link"):
        target(repo, "link.py")


def test_scope() -> None:
    scope = Scope(("src", "a.py"))
    assert scope.contains("src/x")
    assert scope.contains("a.py")
    assert not scope.contains("srcs/x")
    assert not scope.contains("b.py")
    assert Scope().contains("anything")
