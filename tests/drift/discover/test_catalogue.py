"""The catalogue of technologies: that its files are complete and mean what they say."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from sdd_hooks.drift.discover.catalogue import (
    Ecosystem,
    Proof,
    Technology,
    load_catalogue,
    normalize_package,
)
from sdd_hooks.text.globs import compile_glob
from sdd_hooks.text.names import slugify

CATALOGUE = load_catalogue()


def technology(name: str) -> Technology:
    (found,) = (one for one in CATALOGUE if one.name == name)
    return found


def test_every_name_and_id_is_unique() -> None:
    names = Counter(one.name for one in CATALOGUE)
    assert [name for name, count in names.items() if count > 1] == []
    ids = Counter(slugify(one.name) for one in CATALOGUE if not one.category.grouped)
    assert [name for name, count in ids.items() if count > 1] == []
    assert not {one.category.id for one in CATALOGUE if one.category.grouped} & set(ids)


def test_every_category_is_complete() -> None:
    for category in {one.category.id: one.category for one in CATALOGUE}.values():
        assert "{}" in category.title, category
        assert 0 <= category.weight <= 100, category
        assert category.proof in get_args(Proof), category
        assert bool(category.roles) is category.grouped, category


def test_every_technology_is_complete() -> None:
    for one in CATALOGUE:
        assert not one.category.grouped or one.role in one.category.roles, one.name
        assert one.packages or one.images or one.markers, one.name
        assert one.confirm is None or one.declared, one.name
        for marker in one.markers:
            compile_glob(marker.glob)
            assert marker.line is None or not marker.line.search(""), one.name


def test_every_technology_can_be_shown() -> None:
    # A package without a known import shows nothing where an import has to.
    for one in CATALOGUE:
        needs_import = not one.declared and one.category.proof == "imported"
        readable = any(package.imports for package in one.packages)
        assert not needs_import or readable or one.images or one.markers, one.name


def test_a_package_stands_for_its_import() -> None:
    packages = {package.name: package for package in technology("PostgreSQL").packages}
    assert packages["psycopg2-binary"].imports == ("psycopg2",)
    assert packages["org.postgresql:postgresql"].imports == ("org.postgresql",)
    (standard, *_) = technology("SQLite").packages
    assert (standard.name, standard.imports) == ("", ("sqlite3",))


@pytest.mark.parametrize(
    ("ecosystem", "written", "expected"),
    [
        ("python", "Flask_SQLAlchemy", "flask-sqlalchemy"),
        ("go", "github.com/go-chi/chi/v5", "github.com/go-chi/chi"),
        ("nuget", "Npgsql", "npgsql"),
        ("jvm", "org.A:b", "org.A:b"),
    ],
)
def test_packages_are_compared_as_their_registry_does(
    ecosystem: Ecosystem, written: str, expected: str
) -> None:
    assert normalize_package(ecosystem, written) == expected


def test_utilities_are_no_decisions() -> None:
    names = {package.name for one in CATALOGUE for package in one.packages}
    assert not names & {
        "lodash",
        "requests",
        "axios",
        "moment",
        "uuid",
        "date-fns",
        "python-dateutil",
    }
