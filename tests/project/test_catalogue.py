from collections.abc import Callable
from pathlib import Path
from posixpath import normpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.semantic_search import ExtraCollection
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.catalogue import DirectorySet, ProjectPart, build_collections
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.layout import Layout
from tests.support.cpu_time import assert_linear

ROOT = Path("/repo")


def named(*parts: ProjectPart, extras: tuple[ExtraCollection, ...] = ()) -> dict[str, Collection]:
    return {c.name: c for c in build_collections(ROOT, "app", parts, extras)}


def test_four_collections_for_each_part():
    found = named(
        ProjectPart("", "", "", Layout(("docs/adrs",), ("docs/specs",))),
        ProjectPart("My API", "api", "api", Layout(("api/adrs",), ("api/specs",))),
    )
    assert {name: (c.kind, c.module, c.repository, c.directories) for name, c in found.items()} == {
        "app-adrs": ("adrs", "", "", ("docs/adrs",)),
        "app-specs": ("specs", "", "", ("docs/specs",)),
        "app-code": ("code", "", "", ("",)),
        "app-issues": ("issues", "", "", (".sdd/issues",)),
        "app-my-api-adrs": ("adrs", "My API", "api", ("api/adrs",)),
        "app-my-api-specs": ("specs", "My API", "api", ("api/specs",)),
        "app-my-api-code": ("code", "My API", "api", ("api",)),
        "app-my-api-issues": ("issues", "My API", "", (".sdd/issues/my-api",)),
    }
    assert found["app-my-api-adrs"].context == "Architecture decision records of app-my-api"


def test_nested_directories_are_excluded():
    found = named(
        ProjectPart("", "", "", Layout(("docs",), ("docs/specs", "specs"))),
        ProjectPart("a", "a", "", Layout(("a/docs/adrs",), ("shared/specs",))),
        ProjectPart("b", "a/b", "", Layout(("a/b/docs/adrs",), ("a/b/specs",))),
    )
    assert found["app-adrs"].excluded == ("docs/specs",)
    assert found["app-specs"].excluded == ()
    assert found["app-code"].excluded == (".sdd", "a", "docs", "shared/specs", "specs")
    assert found["app-a-code"].excluded == ("a/b", "a/docs/adrs")
    assert found["app-issues"].excluded == (".sdd/issues/a", ".sdd/issues/b")
    assert found["app-a-issues"].excluded == ()


def test_a_module_inside_the_records_of_another_part():
    found = named(
        ProjectPart("", "", "", Layout(("docs",), ("specs",))),
        ProjectPart("a", "docs/a", "", Layout(("docs",), ("docs/a/specs",))),
    )
    assert found["app-adrs"].excluded == ("docs/a",)
    assert found["app-a-adrs"].excluded == ("docs/a/specs",)


@given(st.lists(st.text("a/", max_size=9).map(normpath).filter(lambda d: d[0] == "a"), max_size=8))
def test_the_outermost_directories_below_another_one(directories: list[str]):
    found = DirectorySet(directories)
    for around in ("", *directories):
        below = {d for d in directories if around != d and d.startswith(f"{around}/".lstrip("/"))}
        outermost = {d for d in below if not any(d.startswith(f"{other}/") for other in below)}
        assert sorted(found.outermost_below(around)) == sorted(outermost)


@pytest.mark.parametrize(
    "root",
    [
        pytest.param("services/m{}".format, id="beside each other"),
        pytest.param(lambda n: f"s{n // 20}{'/a' * (n % 20)}", id="in each other"),
    ],
)
def test_the_cost_grows_with_the_number_of_modules(root: Callable[[int], str]):
    def parts(count: int) -> list[ProjectPart]:
        roots = [("", ""), *((f"m{n}", root(n)) for n in range(count))]
        return [
            ProjectPart(name, r, "", Layout((f"{r}/adr",), (f"{r}/specs",))) for name, r in roots
        ]

    assert_linear(lambda parts: build_collections(ROOT, "app", parts, ()), parts, 1_600)


def test_declared_collections():
    found = named(
        ProjectPart("", "", "", Layout(("docs/adrs",), ("docs/specs",))),
        extras=(
            ExtraCollection("notes", "kb", "*.md", 3),
            ExtraCollection("all", "", "**/*.txt", 4),
        ),
    )
    notes = found["notes"]
    assert (notes.kind, notes.directories, notes.pattern) == ("notes", ("kb",), "*.md")
    assert notes.context == "Files in kb that match *.md"
    assert found["all"].excluded == (".sdd",)
    assert found["all"].context == "Files in the repository that match **/*.txt"


def test_a_declared_collection_cannot_take_a_used_name():
    part = ProjectPart("", "", "", Layout(("docs/adrs",), ("docs/specs",)))
    with pytest.raises(ConfigurationError, match=r"semantic-search\.yml:3: 'app-code' is already"):
        named(part, extras=(ExtraCollection("app-code", "kb", "*.md", 3),))
