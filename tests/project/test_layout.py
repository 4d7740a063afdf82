import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.config.memory_file import MemoryFile, parse_memory_sections
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.layout import (
    MAX_READ_FILES,
    Layout,
    build_layout,
    check_declarations,
    find_declarations,
    resolve_declarations,
)
from sdd_hooks.project.recognition import Recognition, RecordFolder
from tests.support.repos import Repo


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


def test_a_declaration_of_the_only_directory():
    text = "- Architecture Decision Records are only in `a`\n- Specifications live in `b`\n"
    assert [(d.path, d.only) for d in find_declarations(memory(text))] == [
        ("a", True),
        ("b", False),
    ]


def test_declarations_only_under_their_heading():
    text = "- Specifications are in `docs/specs`"
    assert list(find_declarations(memory(text, "## Key Decisions"))) == []
    assert [d.line for d in find_declarations(memory(f"### Artifacts\n{text}"))] == [4]


def layout(
    root: Path, text: str, *found: RecordFolder, base: str = "", confined: bool = False
) -> Layout:
    declared = resolve_declarations(root, base, memory(text), confined=confined)
    return build_layout(base, declared, Recognition(found, 0))


def adrs(path: str, *, flat: bool = False) -> RecordFolder:
    return RecordFolder("adrs", path, 1, flat)


def specs(path: str) -> RecordFolder:
    return RecordFolder("specs", path, 1, flat=False)


def test_several_bullets_of_a_kind(tmp_path: Path):
    """The declarations in the evaluation of references; the directory need not exist."""
    text = "".join(
        f"- Architecture Decision Records are in `{d}/`\n"
        for d in ("doc/arch", "docs/arch", "docs/adr", "doc/adr")
    )
    found = layout(tmp_path, text)
    assert found.adrs == ("doc/arch", "docs/arch", "docs/adr", "doc/adr")
    assert found.specs == ("docs/openspec/specs",)


def test_a_directory_inside_another_is_dropped(tmp_path: Path):
    text = "- Specifications are in `a/b` and `a/`\n- Specifications are in `ab`\n"
    assert layout(tmp_path, text).specs == ("a", "ab")


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
    assert layout(tmp_path, text).adrs == (directory,)


@pytest.mark.parametrize(
    "path", ["../adr", "docs/../../adr", "/etc", "out/adr", ".git/hooks", "a.md"]
)
def test_an_invalid_declaration_is_an_error_with_file_and_line(tmp_path: Path, path: str):
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "a.md").touch()
    with pytest.raises(ConfigurationError) as caught:
        layout(root, f"- Specifications are in `{path}`")
    assert str(caught.value).startswith(f"CLAUDE.md:3: {path!r} is ")


def test_a_symlink_counts_as_its_target(tmp_path: Path):
    # git lists tracked files in any directory.
    (tmp_path / "real").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "adrs").symlink_to("../real")
    text = "- Architecture Decision Records are in docs/adrs/"
    assert layout(tmp_path, text).adrs == ("real",)


def test_module_paths_are_relative_to_the_module(tmp_path: Path):
    text = "- Architecture Decision Records are in docs/adr\n- Specifications are in ../../specs\n"
    found = layout(tmp_path, text, base="services/api")
    assert found == Layout(("services/api/docs/adr",), ("specs",))
    with pytest.raises(ConfigurationError, match=r"'\.\./\.\./specs' is outside the repository"):
        layout(tmp_path, text, base="services/api", confined=True)


def test_module_defaults(tmp_path: Path):
    found = layout(tmp_path, "", base="services/api")
    assert found == Layout(("services/api/docs/adrs",), ("services/api/docs/openspec/specs",))
    assert layout(tmp_path, "", adrs("adr"), base="services/api").adrs == ("services/api/adr",)


def test_defaults_of_an_empty_repository(tmp_path: Path):
    assert layout(tmp_path, "") == Layout(("docs/adrs",), ("docs/openspec/specs",))


def test_recognised_directories_are_added_to_declared_ones(tmp_path: Path):
    text = "- Architecture Decision Records are in `docs/adr`"
    found = layout(tmp_path, text, adrs("docs/adr/old"), adrs("lib/adr"), specs("specs"))
    assert found == Layout(("docs/adr", "lib/adr"), ("specs",))


def test_only_ends_the_search_for_a_kind(tmp_path: Path):
    text = "- Architecture Decision Records are only in `docs/adr`"
    found = layout(tmp_path, text, adrs("lib/adr"), specs("specs"))
    assert found == Layout(("docs/adr",), ("specs",))


def test_around_a_declared_directory_records_are_taken_alone(tmp_path: Path):
    text = "- Architecture Decision Records are in `docs/arch/decisions`"
    found = layout(tmp_path, text, adrs("docs/arch"), adrs("", flat=True))
    assert found == Layout(
        ("docs/arch/decisions",), ("docs/openspec/specs",), flat=("docs/arch", "")
    )


def test_a_directory_declared_for_the_other_kind_keeps_it(tmp_path: Path):
    text = "- Specifications are in `specs`"
    assert layout(tmp_path, text, adrs("specs"), specs("specs")).adrs == ("docs/adrs",)


def warnings(repo: Repo, text: str) -> list[str]:
    declared = resolve_declarations(repo.root, "", memory(text))
    return [str(one) for one in check_declarations(repo.handle, Path("CLAUDE.md"), declared)]


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({}, "CLAUDE.md:3: 'a' does not exist: correct this line, or remove it"),
        (
            {"a/README.md": "# Text\n"},
            "CLAUDE.md:3: 'a' has no file that can be read as a decision record: correct this line,"
            " or remove it",
        ),
    ],
)
def test_a_declared_directory_without_records_is_a_warning(
    repo: Repo, files: dict[str, str], text: str
):
    for path, content in files.items():
        repo.write(path, content)
    assert warnings(repo, "- Architecture Decision Records are in `a`") == [text]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a/0001-x.md", ""),
        ("a/deep/down/7-x.md", ""),
        ("a/0001-x/README.md", ""),
        ("a/use-queues.md", "## Decision\n"),
    ],
)
def test_a_declared_directory_with_a_record_is_none(repo: Repo, path: str, content: str):
    repo.write(path, content)
    assert warnings(repo, "- Architecture Decision Records are in `a`") == []


def test_a_directory_that_a_sparse_checkout_leaves_out_is_not_judged(repo: Repo):
    text = "- Architecture Decision Records are in `a/`\n- Specifications are in `s`"
    repo.write("a/0001-x.md", "# X\n")
    repo.write("src/main.py", "x = 1\n")
    repo.commit("Add files")
    repo.git("sparse-checkout", "set", "src")
    assert not (repo.root / "a").exists()
    expected = "CLAUDE.md:4: 's' does not exist: correct this line, or remove it"
    assert warnings(repo, text) == [expected]

    repo.git("sparse-checkout", "disable")
    repo.git("rm", "-q", "-r", "a")
    assert warnings(repo, text)[1:] == [expected]


def test_a_declared_directory_of_specifications(repo: Repo):
    repo.write("s/notes.md")
    text = "- Specifications are in `s`"
    assert warnings(repo, text) == [
        "CLAUDE.md:3: 's' has no file that can be read as a specification: correct this line, or"
        " remove it"
    ]
    repo.write("s/auth/spec.md")
    assert warnings(repo, text) == []


def test_nothing_is_said_about_a_directory_with_too_many_files_to_read(repo: Repo):
    for number in range(MAX_READ_FILES + 1):
        repo.write(f"a/x{number}.md")
    assert warnings(repo, "- Architecture Decision Records are in `a`") == []


paths = st.text(alphabet=st.sampled_from("ab./ -_"), min_size=1, max_size=20)


@settings(max_examples=50)
@given(paths)
def test_no_directory_leaves_the_repository(tmp_path_factory: pytest.TempPathFactory, path: str):
    root = Repo.init(tmp_path_factory.getbasetemp() / "layout").root
    try:
        found = layout(root, f"- Specifications are in `{path}`")
    except ConfigurationError:
        return
    for directory in found.specs:
        assert directory == os.path.normpath(directory) or directory == ""
        assert not directory.startswith("/")
        assert ".." not in directory.split("/")


@given(st.text(max_size=60))
def test_any_line_under_the_heading(line: str):
    assert isinstance(declared(line), list)
