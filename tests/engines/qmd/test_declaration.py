"""What qmd is told to index: one directory, masks and exceptions for each collection."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.languages import LANGUAGES
from sdd_hooks.engines.qmd.declaration import (
    MOST_IGNORED,
    NOTHING,
    Declared,
    base_of,
    endings,
    exceptions,
    masks,
    read_contexts,
    render,
    untracked,
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


CODE = collection("", kind="code", suffixes=tuple(LANGUAGES))


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
def test_several_directories_have_a_common_one(
    tmp_path: Path, directories: tuple[str, ...], base: str, below: tuple[str, ...]
) -> None:
    assert base_of(tmp_path, collection(*directories)) == (base, below)


def test_a_directory_that_is_a_link_is_left_out(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    (tmp_path / "secrets").mkdir()
    (root / "docs/adrs").symlink_to(tmp_path / "secrets")
    (root / "linked").symlink_to(tmp_path)
    (root / "inner").symlink_to(root / "docs")
    for one in ("docs/adrs", "linked/secrets", "linked", "inner"):
        assert base_of(root, collection(one)) == ("", ())
    assert masks(collection("docs/adrs"), (), [".md"]) == (NOTHING,)
    assert base_of(root, collection("docs/adrs", "docs/specs")) == ("docs/specs", ("",))


def test_endings_are_those_of_the_files() -> None:
    paths = ["src/a.py", "b.PY", "Makefile", "tools/Dockerfile", "README", "c.min.js", "d.d.ts"]
    assert endings(CODE, paths) == {".py", ".PY", "/Makefile", "/Dockerfile", ".js", ".ts"}
    assert endings(collection("kb", suffixes=(), pattern="*.md"), ["kb/a.md"]) == frozenset()


def test_masks_are_made_of_endings_or_of_the_pattern() -> None:
    assert masks(CODE, ("",), {".py", ".PY", "/Makefile"}) == (
        "**/*.PY",
        "**/*.py",
        "**/Makefile",
    )
    assert masks(collection("a", "b"), ("a/", "b/"), {".md"}) == ("a/**/*.md", "b/**/*.md")
    assert masks(collection("a"), ("",), ()) == (NOTHING,)
    extra = collection("kb", suffixes=(), pattern="notes/{a,b}*/[xy]?.md")
    assert masks(extra, ("",), ()) == ("notes/a*/*.md", "notes/b*/*.md")
    assert masks(collection("kb", suffixes=()), ("",), ()) == ("**/*",)
    many = collection("kb", suffixes=(), pattern="{a,b}" * 10)
    assert masks(many, ("",), ()) == ("**/*",)


@given(st.text(max_size=30))
def test_no_mask_has_anything_special_but_stars(pattern: str) -> None:
    for glob in masks(collection("kb", suffixes=(), pattern=pattern or "x"), ("", "a,b{c}/"), ()):
        assert not set(glob) & set("?[]{}()!+@|,\\\"'\n\t")
        assert glob == glob.strip()


def test_exceptions_are_below_the_directory() -> None:
    declared = collection("docs", excluded=("docs/specs", "lib/x"))
    assert exceptions("docs", declared, ["docs/built/", "docs/a.md", "docs/b.txt", "lib/y/"]) == (
        "specs/**",
        "built/**",
        "a.md",
    )
    issues = collection(".sdd/issues", kind="issues", excluded=(".sdd/issues/api",))
    assert exceptions(".sdd/issues", issues, [".sdd/issues/1.md"]) == ("api/**",)
    code = exceptions("", CODE, ["odd (1)/"])
    assert code[0] == "odd??1?/**"
    assert {"**/third_party/**", "**/*_pb2.py", "**/pnpm-lock.yaml"} <= set(code)


def test_there_is_an_end_to_exceptions() -> None:
    many = (f"docs/{number}.md" for number in range(10 * MOST_IGNORED))
    assert len(exceptions("docs", collection("docs"), many)) == MOST_IGNORED


def test_what_git_does_not_count_to_the_repository_is_listed(repo: Repo, tmp_path: Path) -> None:
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
    assert untracked(repo.handle, "") == [
        "a.log",
        "built/",
        "other/",
        "libs/inner/",
        "src/built/",
    ]
    repo.write("libs/inner/.gitignore", "made/\n")
    repo.write("libs/inner/made/m.py")
    assert untracked(repo.handle, "libs/inner") == ["libs/inner/made/"]


DECLARED = st.builds(
    Declared, st.just("docs"), st.tuples(st.text()), st.tuples(st.text()), st.text(min_size=1)
)


# A key of YAML has 1,024 characters at most, and every name of a collection fewer, all ASCII.
NAMES = st.text(min_size=1, max_size=100)


@given(st.dictionaries(NAMES, DECLARED, max_size=3), st.text())
def test_nothing_that_is_declared_becomes_another_key(
    declared: dict[str, Declared], model: str
) -> None:
    found = yaml.safe_load(render(Path("/top"), declared, model))
    assert found.get("models", {"embed": ""}) == {"embed": model}
    assert set(found) <= {"collections", "models"}
    assert set(found["collections"]) == set(declared)
    for one in found["collections"].values():
        assert set(one) == {"path", "pattern", "ignore", "context"}
        assert one["path"] == "/top/docs"


def test_the_file_is_yaml(tmp_path: Path) -> None:
    one = Declared("docs", ("**/*.md",), ("a/**",), 'Says: "x" # — 🦜\\\n- y\x85\u2028\x00')
    path = tmp_path / "index.yml"
    path.write_bytes(render(tmp_path, {"app-adrs": one}, "/m.gguf"))
    found = yaml.safe_load(path.read_bytes())
    assert found["models"] == {"embed": "/m.gguf"}
    assert found["collections"]["app-adrs"]["pattern"] == "**/*.md"
    assert read_contexts(path) == {"app-adrs": one.context}


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
def test_texts_are_read_from_nothing_else(tmp_path: Path, text: str) -> None:
    path = tmp_path / "index.yml"
    path.write_text(text)
    assert read_contexts(path) == {}
    assert read_contexts(tmp_path / "missing.yml") == {}


@given(st.binary(max_size=200))
def test_any_file_has_texts_or_none(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("yml") / "index.yml"
    path.write_bytes(data)
    assert isinstance(read_contexts(path), dict)
