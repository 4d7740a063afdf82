import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.config.memory_file import MemoryFile, parse_memory_sections
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.layout import (
    ADR_DIRECTORIES,
    Layout,
    find_declarations,
    find_layout,
    looks_like_record,
)
from tests.support.repos import Repo, git_at


def memory(text: str, heading: str = "## Architecture Context") -> MemoryFile:
    return MemoryFile(Path("CLAUDE.md"), tuple(parse_memory_sections(f"{heading}\n\n{text}")))


def declared(line: str) -> list[tuple[str, str]]:
    return [(d.kind, d.path) for d in find_declarations(memory(line))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- Architecture Decision Records are in `docs/adrs/`", [("adrs", "docs/adrs/")]),
        ("- Architecture Decision Records are in docs/adr", [("adrs", "docs/adr")]),
        ("- Architecture Decision Records are in docs/adr/.", [("adrs", "docs/adr/")]),
        ("* architecture decision records are in [the folder](docs/adr/)", [("adrs", "docs/adr/")]),
        ("- Specifications are in [`docs/specs`](docs/specs/).", [("specs", "docs/specs/")]),
        ("- **Specifications** are in `docs/specs`", [("specs", "docs/specs")]),
        ("- Specifications are in the `our docs/specs` folder", [("specs", "our docs/specs")]),
        ("Specifications live in docs/specs", [("specs", "docs/specs")]),
        (
            "- Architecture Decision Records (ADRs) are in `docs/adr` and `.decisions`.",
            [("adrs", "docs/adr"), ("adrs", ".decisions")],
        ),
        (
            "- Architecture Decision Records are in docs/adr/, doc/adr, and x/y (MADR)",
            [("adrs", "docs/adr/"), ("adrs", "doc/adr"), ("adrs", "x/y")],
        ),
        (
            "- Specifications are in docs/specs/, one for each, see `docs/template.md`",
            [("specs", "docs/specs/")],
        ),
        (
            "- Specifications are in `docs/specs` (see `docs/template.md`)",
            [("specs", "docs/specs")],
        ),
        ("- Specifications are in .", [("specs", ".")]),
        ("- Specifications are in ..", [("specs", "..")]),
        ("- The product design brief is in docs/DESIGN.md", []),
        ("- Specifications are incomplete", []),
        ("- Architecture Decision Records are in", []),
    ],
)
def test_find_declarations(line: str, expected: list[tuple[str, str]]):
    assert declared(line) == expected


def test_declarations_only_under_their_heading():
    text = "- Specifications are in `docs/specs`"
    assert list(find_declarations(memory(text, "## Key Decisions"))) == []
    assert [d.line for d in find_declarations(memory(f"### Artifacts\n{text}"))] == [4]


def test_several_bullets_of_a_kind(tmp_path: Path):
    """The declarations in the evaluation of references; the directory need not exist."""
    text = "".join(
        f"- Architecture Decision Records are in `{d}/`\n"
        for d in ("doc/arch", "docs/arch", "docs/adr", "doc/adr")
    )
    found = find_layout(git_at(tmp_path), "", memory(text))
    assert found.adrs == ("doc/arch", "docs/arch", "docs/adr", "doc/adr")
    assert found.specs == ("docs/openspec/specs",)


def test_a_directory_inside_another_is_dropped(tmp_path: Path):
    text = "- Specifications are in `a/b` and `a/`\n- Specifications are in `ab`\n"
    assert find_layout(git_at(tmp_path), "", memory(text)).specs == ("a", "ab")


@pytest.mark.parametrize(
    ("path", "directory"),
    [
        ("a" * 300, "a" * 300),
        ("./docs/adr", "docs/adr"),
        ("docs//adr/", "docs/adr"),
        ("docs\\adr", "docs/adr"),
        (".", ""),
    ],
)
def test_ways_to_write_a_path(tmp_path: Path, path: str, directory: str):
    text = f"- Architecture Decision Records are in `{path}`"
    assert find_layout(git_at(tmp_path), "", memory(text)).adrs == (directory,)


@pytest.mark.parametrize(
    "path", ["../adr", "docs/../../adr", "/etc", "out/adr", ".git/hooks", "a.md"]
)
def test_an_invalid_declaration_is_an_error_with_file_and_line(tmp_path: Path, path: str):
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "a.md").touch()
    with pytest.raises(ConfigurationError) as caught:
        find_layout(git_at(root), "", memory(f"- Specifications are in `{path}`"))
    assert str(caught.value).startswith(f"CLAUDE.md:3: {path!r} is ")


def test_a_symlink_counts_as_its_target(tmp_path: Path):
    # git lists tracked files in any directory.
    (tmp_path / "real").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "adrs").symlink_to("../real")
    text = "- Architecture Decision Records are in docs/adrs/"
    assert find_layout(git_at(tmp_path), "", memory(text)).adrs == ("real",)
    assert find_layout(git_at(tmp_path), "", memory("- Specifications are in x")).adrs == ("real",)


def test_module_paths_are_relative_to_the_module(tmp_path: Path):
    text = "- Architecture Decision Records are in docs/adr\n- Specifications are in ../../specs\n"
    found = find_layout(git_at(tmp_path), "services/api", memory(text))
    assert found == Layout(("services/api/docs/adr",), ("specs",))
    with pytest.raises(ConfigurationError, match=r"'\.\./\.\./specs' is outside the repository"):
        find_layout(git_at(tmp_path), "services/api", memory(text), confined=True)


def test_module_defaults(tmp_path: Path):
    found = find_layout(git_at(tmp_path), "services/api", None)
    assert found == Layout(("services/api/docs/adrs",), ("services/api/docs/openspec/specs",))


def test_defaults_of_an_empty_repository(repo: Repo):
    assert find_layout(repo.handle, "", None) == Layout(("docs/adrs",), ("docs/openspec/specs",))


@pytest.mark.parametrize("place", ADR_DIRECTORIES)
def test_a_usual_directory_counts_if_it_has_records(repo: Repo, place: str):
    repo.write(f"{place}/README.md")
    assert find_layout(repo.handle, "", None).adrs == ("docs/adrs",)
    repo.write(f"{place}/0001-record-decisions.md")
    assert find_layout(repo.handle, "", None).adrs == (place,)


def test_two_usual_directories_and_the_default_one(repo: Repo):
    repo.write("docs/adr/0001-a.md")
    repo.write("docs/architecture/decisions/0001-b.md")
    assert find_layout(repo.handle, "", None).adrs == ("docs/adr", "docs/architecture/decisions")
    repo.write("docs/adrs/a.md")
    assert find_layout(repo.handle, "", None).adrs[0] == "docs/adrs"


@pytest.mark.parametrize(
    ("file", "specs"),
    [
        ("openspec/specs/auth/spec.md", ("openspec/specs",)),
        ("specs/001-auth/spec.md", ("specs",)),
        ("specs/notes.md", ("docs/openspec/specs",)),
        ("docs/openspec/specs/x", ("docs/openspec/specs",)),
    ],
)
def test_usual_directories_of_specs(repo: Repo, file: str, specs: tuple[str, ...]):
    repo.write(file)
    assert find_layout(repo.handle, "", None).specs == specs


@pytest.mark.parametrize(
    "place",
    [
        "docs/website/adr",
        "context/shared/adr",
        "docs-site/docs/development/adr",
        ".glossary/decisions",
        "Documentation/ADR",
    ],
)
def test_directories_in_the_file_list_of_git(repo: Repo, place: str):
    repo.commit(
        files={
            f"{place}/12-x.md": "",
            f"{place}/more/0001-y.md": "",
            "node_modules/pkg/docs/adr/0001-z.md": "",
            "tests/fixtures/adr/0001-z.md": "",
        }
    )
    assert find_layout(repo.handle, "", None).adrs == (place,)


def test_specs_in_the_file_list_of_git(repo: Repo):
    repo.commit(files={"packages/app/specs/auth/spec.md": "", "specs.md": ""})
    assert find_layout(repo.handle, "", None).specs == ("packages/app/specs",)


def test_git_does_not_run_when_a_directory_is_declared(tmp_path: Path):
    # `tmp_path` is not a repository, so git would fail.
    text = memory("- Specifications are in x")
    assert find_layout(git_at(tmp_path), "", text) == Layout(("docs/adrs",), ("x",))


def test_a_usual_directory_outside_the_repository_is_ignored(repo: Repo, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "0001-x.md").touch()
    repo.link("adr", tmp_path / "elsewhere")
    repo.link("docs/adrs", tmp_path / "elsewhere")
    assert find_layout(repo.handle, "", None).adrs == ("docs/adrs",)


@pytest.mark.parametrize(
    ("directory", "name", "record"),
    [
        ("docs/arch", "0001-x.md", True),
        ("docs/arch", "001_x.md", True),
        ("docs/arch", "ADR-0001.md", True),
        ("docs/arch", "adr-001-x.markdown", True),
        ("docs/arch", "0034a-x.md", True),
        ("docs/arch", "01-overview.md", False),
        ("docs/arch", "2024-roadmap.md", False),
        ("docs/arch", "2024-01-31-outage.md", False),
        ("docs/arch", "0001-x.txt", False),
        ("docs/arch", "overview.md", False),
        ("docs/adr", "1-x.md", True),
        ("docs/adr", "2024-01-31_001-x.md", True),
        ("docs/adr", "0007.mdx", True),
        ("docs/adr", "README.md", False),
        ("docs/adr", "template.md", False),
    ],
)
def test_names_of_records(directory: str, name: str, record: bool):
    assert looks_like_record(directory, name) is record


paths = st.text(alphabet=st.sampled_from("ab./ -_"), min_size=1, max_size=20)


@settings(max_examples=50)
@given(paths)
def test_no_directory_leaves_the_repository(tmp_path_factory: pytest.TempPathFactory, path: str):
    root = Repo.init(tmp_path_factory.getbasetemp() / "layout").root
    try:
        found = find_layout(git_at(root), "", memory(f"- Specifications are in `{path}`"))
    except ConfigurationError:
        return
    for directory in found.specs:
        assert directory == os.path.normpath(directory) or directory == ""
        assert not directory.startswith("/")
        assert ".." not in directory.split("/")


@given(st.text(max_size=60))
def test_any_line_under_the_heading(line: str):
    assert isinstance(declared(line), list)
