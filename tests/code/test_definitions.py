"""Definitions of source files, with their names, lines and members."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.cgg import CallableLines, find_callables, has_cgg
from sdd_hooks.code.definitions import Definition, find_definitions

PYTHON = dedent('''\
    """A module."""

    # Reads it.
    @cache
    def read(path):
        return path


    class Store:
        """Keeps."""

        limit = 3

        # Gets it.
        def get(self):
            return 1

        class Inner:
            def put(self): ...

    read("x")
''')


def lines(path: str, text: str) -> list[tuple[str, int, int]]:
    """Names and lines of the outermost definitions."""
    found = find_definitions(path, text).outermost()
    return [(one.name, one.first_line, one.last_line) for one in found]


def test_a_definition_has_its_comments_and_decorators_and_no_blank_lines_below() -> None:
    assert lines("a.py", PYTHON) == [("read", 3, 6), ("Store", 9, 19)]


def test_offsets_are_of_the_text() -> None:
    first, second = find_definitions("a.py", PYTHON).outermost()
    assert PYTHON[first.start : first.end] == (
        "# Reads it.\n@cache\ndef read(path):\n    return path\n\n\n"
    )
    assert PYTHON[first.head :].startswith("def read(path)")
    assert PYTHON[second.start :].startswith("class Store:")
    assert (first.is_container, second.is_container) == (False, True)


def test_members_of_a_class_and_of_a_class_in_it() -> None:
    definitions = find_definitions("a.py", PYTHON)
    _, store = definitions.outermost()
    get, inner = definitions.members(store)
    assert (get.name, get.first_line, get.last_line) == ("get", 14, 16)
    assert (inner.name, inner.first_line, inner.last_line) == ("Inner", 18, 19)
    assert [(one.name, one.first_line) for one in definitions.members(inner)] == [("put", 19)]


def test_a_name_has_its_owner_where_its_line_names_one() -> None:
    go = "package a\n\nfunc (s *Store) Get() int {\n\treturn 1\n}\n"
    assert lines("a.go", go) == [("Store.Get", 3, 5)]


def test_only_closes_is_about_the_end_of_the_definition_above() -> None:
    text = "def a():\n    f(\n)\n\nx = 1\n"
    definitions = find_definitions("a.py", text)
    closing = text.index(")\n")
    assert definitions.only_closes(closing, closing + 3)
    assert not definitions.only_closes(closing, len(text))


def test_a_language_without_patterns_has_definitions_by_cgg() -> None:
    pytest.importorskip("cgg", reason="needs the extra callgraph")
    text = "module Main where\n\n-- | Adds one.\naddOne :: Int -> Int\naddOne x = x + 1\n"
    definitions = find_definitions("Main.hs", text)
    (one,) = definitions.outermost()
    assert one == Definition("addOne", text.index("--"), text.index("addOne x"), len(text), 3, 5)
    assert list(definitions.members(one)) == []
    assert find_callables("Main.hs", text) == [CallableLines("addOne", 5, 5)]
    assert has_cgg()


@pytest.mark.parametrize("path", ["a.txt", "a.nix", "LICENSE"])
def test_text_of_no_known_language_has_none(path: str) -> None:
    assert lines(path, PYTHON) == []


@given(st.sampled_from(["py", "js", "go", "rb", "c", "sql"]), st.text("def a(){}:\n #class"))
def test_definitions_are_in_order_with_the_right_lines(suffix: str, text: str) -> None:
    definitions = find_definitions(f"a.{suffix}", text)

    def check(found: list[Definition], start: int, end: int) -> None:
        for one in found:
            assert start <= one.start <= one.head < one.end <= end
            assert one.first_line == text.count("\n", 0, one.start) + 1
            filled = one.start + len(text[one.start : one.end].rstrip(" \t\r\n"))
            assert one.last_line == text.count("\n", 0, filled) + 1
            start = one.end
            if one.is_container:
                check(list(definitions.members(one)), one.start, one.end)

    check(list(definitions.outermost()), 0, len(text))
