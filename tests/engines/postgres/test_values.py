"""Texts as PostgreSQL stores them come back unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.postgres.values import original_text, stored_text

CHARACTERS = st.text(st.characters() | st.sampled_from("\0\ud800\udfff\U0010ffff0f"))


@given(CHARACTERS)
def test_any_text_comes_back(text: str) -> None:
    stored = stored_text(text)
    assert original_text(stored) == text
    assert "\0" not in stored
    stored.encode("utf-8")


def test_an_ordinary_text_is_stored_as_it_is() -> None:
    assert stored_text("Größe: 日本") == "Größe: 日本"
