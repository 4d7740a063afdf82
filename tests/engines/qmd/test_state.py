"""The state file: read as sdd wrote it, by this version or an earlier one, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.engines.qmd.state import (
    CollectionState,
    IndexState,
    parse_state,
    read_state,
    write_state,
)

TEXT = st.text(max_size=20)
BOOKMARKS = st.builds(
    Bookmark, st.text("0123456789abcdef", max_size=40), st.tuples(TEXT, TEXT), TEXT
)
COLLECTIONS = st.builds(
    CollectionState,
    TEXT,
    TEXT,
    st.none() | BOOKMARKS,
    st.sampled_from(["", "docs", "docs/adrs", ".sdd/issues", "a..b"]),
    st.lists(TEXT, max_size=3).map(tuple),
    st.integers(0, 10**6),
    TEXT,
    TEXT,
)
STATES = st.builds(
    IndexState,
    st.none() | st.floats(0, 1e11),
    st.integers(0, 10**6),
    st.booleans(),
    TEXT,
    st.dictionaries(TEXT, COLLECTIONS, max_size=3),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
)
ONE = IndexState(
    5.0,
    2,
    True,
    "m.gguf",
    {
        "a-adrs": CollectionState(
            "adrs", "", Bookmark("a" * 40, ("x.md",), "d"), "docs", (".md",), 3, "c", "s"
        )
    },
)


RECORDED = (
    '{"version": 1, "touched": 5.0, "pending": 2, "begun": true, "model": "m.gguf", "collections":'
    ' {"a-adrs": {"kind": "adrs", "module": "", "bookmark": {"head":'
    ' "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "dirty": ["x.md"], "definition": "d"}, "base":'
    ' "docs", "endings": [".md"], "documents": 3, "context": "c", "seen": "s"}}}'
)
"""`ONE`, as an earlier version wrote it."""


def as_json(state: IndexState, tmp_path: Path) -> Any:
    write_state(tmp_path / "state.json", state)
    return json.loads((tmp_path / "state.json").read_text())


def test_the_file_of_an_earlier_version_is_read_and_written(tmp_path: Path) -> None:
    assert parse_state(RECORDED.encode()) == ONE
    written = as_json(ONE, tmp_path)
    assert written["collections"]["a-adrs"]["bookmark"].pop("sparse") == ""
    assert written == json.loads(RECORDED)


@given(STATES)
def test_a_written_state_is_read(
    tmp_path_factory: pytest.TempPathFactory, state: IndexState
) -> None:
    path = tmp_path_factory.mktemp("state") / "state.json"
    write_state(path, state)
    assert read_state(path) == state


@given(st.binary(max_size=200))
def test_other_bytes_are_no_state(data: bytes) -> None:
    assert parse_state(data) is None


@given(JSON)
def test_other_json_is_no_state(value: object) -> None:
    assert parse_state(json.dumps(value).encode()) is None


@given(st.data(), JSON)
def test_a_state_with_any_value_replaced_is_valid_or_none(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, replacement: object
) -> None:
    value = as_json(ONE, tmp_path_factory.mktemp("state"))
    target = data.draw(
        st.sampled_from([value, value["collections"], value["collections"]["a-adrs"]])
    )
    target[data.draw(st.sampled_from(sorted(target)))] = replacement
    state = parse_state(json.dumps(value).encode())
    assert state is None or isinstance(state.documents, int)
    if state is not None:
        for collection in state.collections.values():
            assert not collection.base.startswith("/")
            assert ".." not in collection.base.split("/")


@pytest.mark.parametrize(
    "base", ["/etc", "..", "../other", "docs/../..", "docs/..", "/"], ids=lambda base: base
)
def test_a_directory_outside_the_repository_is_invalid(tmp_path: Path, base: str) -> None:
    value = as_json(ONE, tmp_path)
    value["collections"]["a-adrs"]["base"] = base
    assert parse_state(json.dumps(value).encode()) is None


@pytest.mark.parametrize("head", ["--output=/tmp/x", "-x", "HEAD", "AA", 5, None])
def test_a_commit_that_could_be_an_option_is_dropped(tmp_path: Path, head: object) -> None:
    value = as_json(ONE, tmp_path)
    value["collections"]["a-adrs"]["bookmark"]["head"] = head
    state = parse_state(json.dumps(value).encode())
    assert state is not None
    assert state.collections["a-adrs"].bookmark is None


def test_another_version_and_deep_nesting_are_invalid(tmp_path: Path) -> None:
    assert parse_state(json.dumps({**as_json(ONE, tmp_path), "version": 2}).encode()) is None
    assert parse_state(b"[" * 100_000) is None
    assert read_state(tmp_path / "missing.json") is None
    assert read_state(tmp_path) is None


def test_a_state_is_filled_once_a_collection_was_indexed() -> None:
    assert ONE.is_filled
    assert ONE.documents == 3
    assert not IndexState(collections={"a": CollectionState("adrs", "")}).is_filled
