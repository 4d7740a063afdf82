"""qmd's configuration: one directory, masks and exceptions for each collection."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.languages import SUFFIXES
from sdd_hooks.engines.qmd.declaration import (
    MAX_IGNORED,
    NOTHING,
    DeclaredCollection,
    find_base,
    find_endings,
    find_exceptions,
    find_masks,
    find_untracked,
    read_contexts,
    render_declaration,
)
from sdd_hooks.project.collections import Collection
from tests.support.repos import Repo


def collection(
    *directories: str,
    kind: str = "adrs",
    suffixes: tuple[str, ...] = (".md",),
    pattern: str = "",
    excluded: tuple[str, ...] = (),
) -> Collection:
    return Collection("app-x", kind, "", "", directories, suffixes, pattern, excluded, "Text.")


CODE = collection("", kind="code", suffixes=tuple(SUFFIXES))


@pytest.mark.parametrize(
    ("directories", "base", "below"),
    [
        (("docs/adrs",), "docs/adrs", ("",)),
        (("",), "", ("",)),
        (("docs/a", "docs/b/c"), "docs", ("a/", "b/c/")),
        (("docs/a", "lib/b"), "", ("docs/a/", "lib/b/")),
        (("docs", "docs/a"), "docs", ("",)),
        (("docs/ab", "docs/a"), "docs", ("ab/", "a/")),
        (("docs", ""), "", ("",)),
    ],
)
def test_several_directories_have_a_common_base(
    tmp_path: Path, directories: tuple[str, ...], base: str, below: tuple[str, ...]
) -> None:
    assert find_base(tmp_path, collection(*directories)) == (base, below)


def test_a_directory_that_is_a_link_is_left_out(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    (tmp_path / "secrets").mkdir()
    (root / "docs/adrs").symlink_to(tmp_path / "secrets")
    (root / "linked").symlink_to(tmp_path)
    (root / "inner").symlink_to(root / "docs")
    for directory in ("docs/adrs", "linked/secrets", "linked", "inner"):
        assert find_base(root, collection(directory)) == ("", ())
    assert find_masks(collection("docs/adrs"), (), [".md"]) == (NOTHING,)
    assert find_base(root, collection("docs/adrs", "docs/specs")) == ("docs/specs", ("",))


def test_endings_are_those_of_file_names_as_spelled() -> None:
    paths = ["src/a.py", "b.PY", "Makefile", "tools/Dockerfile", "README", "c.min.js", "d.d.ts"]
    assert find_endings(CODE, paths) == {".py", ".PY", "/Makefile", "/Dockerfile", ".js", ".ts"}
    assert find_endings(collection("kb", suffixes=(), pattern="*.md"), ["kb/a.md"]) == frozenset()


def test_masks_match_endings_or_the_pattern() -> None:
    assert find_masks(CODE, ("",), {".py", ".PY", "/Makefile"}) == (
        "**/*.PY",
        "**/*.py",
        "**/Makefile",
    )
    assert find_masks(collection("a", "b"), ("a/", "b/"), {".md"}) == ("a/**/*.md", "b/**/*.md")
    assert find_masks(collection("a"), ("",), ()) == (NOTHING,)
    extra = collection("kb", suffixes=(), pattern="notes/{a,b}*/[xy]?.md")
    assert find_masks(extra, ("",), ()) == ("notes/a*/*.md", "notes/b*/*.md")
    assert find_masks(collection("kb", suffixes=()), ("",), ()) == ("**/*",)
    many = collection("kb", suffixes=(), pattern="{a,b}" * 10)
    assert find_masks(many, ("",), ()) == ("**/*",)


@given(st.text(max_size=30))
def test_a_mask_has_no_special_characters_but_stars(pattern: str) -> None:
    for glob in find_masks(
        collection("kb", suffixes=(), pattern=pattern or "x"), ("", "a,b{c}/"), ()
    ):
        assert not set(glob) & set("?[]{}()!+@|,\\\"'\n\t")
        assert glob == glob.strip()


def test_exceptions_are_relative_to_the_base() -> None:
    declared = collection("docs", excluded=("docs/specs", "lib/x"))
    assert find_exceptions(
        "docs", declared, ["docs/built/", "docs/a.md", "docs/b.txt", "lib/y/"]
    ) == (
        "specs/**",
        "built/**",
        "a.md",
    )
    issues = collection(".sdd/issues", kind="issues", excluded=(".sdd/issues/api",))
    assert find_exceptions(".sdd/issues", issues, [".sdd/issues/1.md"]) == ("api/**",)
    code = find_exceptions("", CODE, ["odd (1)/"])
    assert code[0] == "odd??1?/**"
    assert {"**/third_party/**", "**/*_pb2.py", "**/pnpm-lock.yaml"} <= set(code)


def test_exceptions_are_limited() -> None:
    many = (f"docs/{number}.md" for number in range(10 * MAX_IGNORED))
    assert len(find_exceptions("docs", collection("docs"), many)) == MAX_IGNORED


def test_ignored_files_and_other_repositories_are_untracked(repo: Repo, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit("Start", {"lib.py": ""})
    repo.commit("Start", {".gitignore": "built/\n*.log\n/.hidden/\n", "src/a.py": ""})
    repo.submodule(library, "libs/inner")
    repo.write("built/x.py")
    repo.write("src/built/y.py")
    repo.write("src/new.py")
    repo.write("a.log")
    repo.write(".hidden/z.py")
    Repo.init(repo.root / "other").commit("Start", {"b.py": ""})
    assert find_untracked(repo.handle, "") == [
        "a.log",
        "built/",
        "other/",
        "libs/inner/",
        "src/built/",
    ]
    repo.write("libs/inner/.gitignore", "made/\n")
    repo.write("libs/inner/made/m.py")
    assert find_untracked(repo.handle, "libs/inner") == ["libs/inner/made/"]


DECLARED = st.builds(
    DeclaredCollection,
    st.just("docs"),
    st.tuples(st.text()),
    st.tuples(st.text()),
    st.text(min_size=1),
)


# A key of YAML has at most 1,024 characters; names of collections are shorter, and ASCII.
NAMES = st.text(min_size=1, max_size=100)


@given(st.dictionaries(NAMES, DECLARED, max_size=3), st.text())
def test_a_declared_text_never_becomes_a_key(
    declared: dict[str, DeclaredCollection], model: str
) -> None:
    config = yaml.safe_load(render_declaration(Path("/top"), declared, model))
    assert config.get("models", {"embed": ""}) == {"embed": model}
    assert set(config) <= {"collections", "models"}
    assert set(config["collections"]) == set(declared)
    for entry in config["collections"].values():
        assert set(entry) == {"path", "pattern", "ignore", "context"}
        assert entry["path"] == "/top/docs"


def test_the_configuration_is_yaml(tmp_path: Path) -> None:
    declared = DeclaredCollection(
        "docs", ("**/*.md",), ("a/**",), 'Says: "x" # — 🦜\\\n- y\x85\u2028\x00'
    )
    path = tmp_path / "index.yml"
    path.write_bytes(render_declaration(tmp_path, {"app-adrs": declared}, "/m.gguf"))
    config = yaml.safe_load(path.read_bytes())
    assert config["models"] == {"embed": "/m.gguf"}
    assert config["collections"]["app-adrs"]["pattern"] == "**/*.md"
    assert read_contexts(path) == {"app-adrs": declared.context}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "collections: []",
        "collections: {a: 1}",
        "collections: {a: {context: x}}",
        "collections: {a: {context: {'': [1]}}}",
        "collections: {a: {context: {'': ''}}}",
        "collections: {? [x] : {context: {'': y}}}",
        "{",
        "a: !!python/object:os.system x",
        "[" * 5000,
        "\x00",
        "2026-99-99: 1",
    ],
)
def test_another_configuration_has_no_descriptions(tmp_path: Path, text: str) -> None:
    path = tmp_path / "index.yml"
    path.write_text(text)
    assert read_contexts(path) == {}
    assert read_contexts(tmp_path / "missing.yml") == {}


@given(st.binary(max_size=200))
def test_any_file_can_be_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("yml") / "index.yml"
    path.write_bytes(data)
    assert isinstance(read_contexts(path), dict)
