"""Paths whose bytes are no UTF-8 are stored as text, and read back."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.documents import (
    is_storable,
    original_path,
    stored_path,
    words_of_path,
)


@given(st.binary(max_size=60).map(os.fsdecode))
def test_a_storable_path_is_text_that_is_read_back(path: str) -> None:
    if is_storable(path):
        stored = stored_path(path)
        stored.encode()
        assert original_path(stored) == path
        words_of_path(path).encode()


@given(st.text())
def test_other_text_in_an_index_is_read_without_an_error(text: str) -> None:
    original_path(text)


def test_ordinary_paths_are_stored_as_they_are() -> None:
    for path in ("docs/a.md", "docs/caf\u00e9.md", "docs/\u6c34.md"):
        assert stored_path(path) == path


def test_a_byte_is_stored_as_two_digits() -> None:
    path = os.fsdecode(b"caf\xe9.md")
    assert stored_path(path) == "caf\U0010ffffe9.md"
    assert words_of_path(path) == "caf\u00e9.md"


def test_control_characters_are_not_storable() -> None:
    assert not is_storable("a\nb.md")
    assert not is_storable("a\x1b[1m.md")
