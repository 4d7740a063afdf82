"""Which definitions can be imported instead of written again."""

from __future__ import annotations

import pytest

from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.planning.work.definitions import can_import, declares_type, is_shareable


def named(name: str) -> Symbol:
    return Symbol("a.py", name, "", 1, 1, "")


@pytest.mark.parametrize("name", ["parse_user_id", "Store.load", "testify", "mainLoop", "items"])
def test_shareable(name: str) -> None:
    assert is_shareable(named(name))


@pytest.mark.parametrize(
    "name",
    [
        "__init__",
        "main",
        "A.constructor",
        "Store.Store",
        "test_x",
        "TestX",
        "tests.helper",
        "A.setUp",
        "_",
    ],
)
def test_a_name_that_every_file_defines_is_not_shareable(name: str) -> None:
    assert not is_shareable(named(name))


@pytest.mark.parametrize(
    ("user", "path", "can"),
    [
        ("a/x.py", "b/y.py", True),
        ("a/x.py", "b/y.go", False),
        ("a/x.py", "tests/helpers.py", False),
        ("tests/test_x.py", "tests/helpers.py", True),
        ("tests/test_x.py", "b/y.py", True),
        ("a/x.py", "vendor/y.py", False),
        ("a/x.go", "api/y.pb.go", False),
        ("a/x.ts", "b/y.tsx", True),
        ("README.md", "b/y.py", False),
    ],
)
def test_what_can_be_imported(user: str, path: str, can: bool) -> None:
    assert can_import(user, path) is can


@pytest.mark.parametrize(
    ("path", "text", "is_type"),
    [
        ("a.go", "type Store struct {\n}\n", True),
        ("a.go", "func Store() {\n}\n", False),
        ("a.rs", "pub struct Store {\n}\n", True),
        ("a.rs", "impl Store {\n}\n", False),
        ("a.ts", "export interface Store {\n}\n", True),
        ("a.py", "class Store:\n    pass\n", True),
        ("A.java", "public final class A {\n}\n", True),
    ],
)
def test_types(path: str, text: str, is_type: bool) -> None:
    (symbol,) = find_symbols(path, text)
    assert declares_type(symbol) is is_type
