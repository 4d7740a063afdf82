from pathlib import Path

import pytest

from sdd_hooks.config.semantic_search import ExtraCollection
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.catalogue import ProjectPart, build_collections
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.layout import Layout

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
    assert found["app-code"].excluded[:4] == (".sdd", "docs", "docs/specs", "specs")
    assert {"a", "a/b", "shared/specs"} <= set(found["app-code"].excluded)
    assert found["app-a-code"].excluded == ("a/docs/adrs", "a/b/docs/adrs", "a/b/specs", "a/b")
    assert found["app-issues"].excluded == (".sdd/issues/a", ".sdd/issues/b")
    assert found["app-a-issues"].excluded == ()


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
