"""The file of what sdd knows about qmd's index: as it was written here, or not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.engines.qmd.state import Held, State, parse_state, read_state, write_state

TEXT = st.text(max_size=20)
BOOKMARKS = st.builds(
    Bookmark, st.text("0123456789abcdef", max_size=40), st.tuples(TEXT, TEXT), TEXT
)
HELD = st.builds(
    Held,
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
    State,
    st.none() | st.floats(0, 1e11),
    st.integers(0, 10**6),
    st.booleans(),
    TEXT,
    st.dictionaries(TEXT, HELD, max_size=3),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
)
ONE = State(
    5.0,
    2,
    True,
    "m.gguf",
    {"a-adrs": Held("adrs", "", Bookmark("a" * 40, ("x.md",), "d"), "docs", (".md",), 3, "c", "s")},
)


def as_json(state: State, tmp_path: Path) -> Any:
    write_state(tmp_path / "state.json", state)
    return json.loads((tmp_path / "state.json").read_text())


@given(STATES)
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, state: State) -> None:
    path = tmp_path_factory.mktemp("state") / "state.json"
    write_state(path, state)
    assert read_state(path) == state


@given(st.binary(max_size=200))
def test_any_bytes_are_a_state_or_none(data: bytes) -> None:
    assert parse_state(data) is None


@given(JSON)
def test_any_json_is_a_state_or_none(found: object) -> None:
    assert parse_state(json.dumps(found).encode()) is None


@given(st.data(), JSON)
def test_a_state_with_anything_put_into_it_is_a_state_or_none(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, odd: object
) -> None:
    found = as_json(ONE, tmp_path_factory.mktemp("state"))
    target = data.draw(
        st.sampled_from([found, found["collections"], found["collections"]["a-adrs"]])
    )
    target[data.draw(st.sampled_from(sorted(target)))] = odd
    state = parse_state(json.dumps(found).encode())
    assert state is None or isinstance(state.documents, int)
    if state is not None:
        for held in state.collections.values():
            assert not held.base.startswith("/")
            assert ".." not in held.base.split("/")


@pytest.mark.parametrize(
    "base", ["/etc", "..", "../other", "docs/../..", "docs/..", "/"], ids=lambda base: base
)
def test_a_directory_outside_the_repository_is_no_state(tmp_path: Path, base: str) -> None:
    found = as_json(ONE, tmp_path)
    found["collections"]["a-adrs"]["base"] = base
    assert parse_state(json.dumps(found).encode()) is None


@pytest.mark.parametrize("head", ["--output=/tmp/x", "-x", "HEAD", "AA", 5, None])
def test_a_commit_that_could_be_an_option_is_no_bookmark(tmp_path: Path, head: object) -> None:
    found = as_json(ONE, tmp_path)
    found["collections"]["a-adrs"]["bookmark"]["head"] = head
    state = parse_state(json.dumps(found).encode())
    assert state is not None
    assert state.collections["a-adrs"].bookmark is None


def test_another_version_and_an_endless_nesting_are_no_state(tmp_path: Path) -> None:
    assert parse_state(json.dumps({**as_json(ONE, tmp_path), "version": 2}).encode()) is None
    assert parse_state(b"[" * 100_000) is None
    assert read_state(tmp_path / "missing.json") is None
    assert read_state(tmp_path) is None


def test_a_state_knows_whether_it_was_ever_filled() -> None:
    assert ONE.filled
    assert ONE.documents == 3
    assert not State(collections={"a": Held("adrs", "")}).filled
