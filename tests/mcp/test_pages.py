"""Pages of a result keep to their budget, and together they are the whole result."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.mcp.pages import (
    MIN_BUDGET,
    PageRequest,
    page_of_entries,
    page_of_text,
    read_page_request,
    render,
)
from sdd_hooks.mcp.parameters import BadArgument
from sdd_hooks.reporting.budget import count_tokens

TEXTS = st.text(st.characters(exclude_categories=()), max_size=400)


def request(budget: int, cursor: object = None, query: str = "q") -> PageRequest:
    arguments = {"query": query, "budget": budget, "cursor": cursor}
    return read_page_request("search", arguments)


def fits(page: dict[str, Any], budget: int) -> bool:
    return count_tokens(render(page)) <= budget


@given(
    st.lists(st.fixed_dictionaries({"id": TEXTS, "snippet": TEXTS}), max_size=12),
    st.integers(MIN_BUDGET, 900),
    st.lists(TEXTS, max_size=3),
)
def test_the_pages_together_have_every_entry_once(
    entries: list[dict[str, object]], budget: int, notes: list[str]
) -> None:
    seen: list[object] = []
    cursor = None
    while True:
        page: dict[str, Any] = page_of_entries(
            {"a": 1}, "hits", entries, request(budget, cursor), notes
        )
        assert fits(page, budget)
        seen += page["hits"]
        assert page["left_out"] == len(entries) - len(seen)
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert page["hits"]
    assert len(seen) == len(entries)
    whole = [one for one in seen if "cut" not in one]  # type: ignore[operator]
    assert whole == [one for one, at in zip(entries, seen, strict=True) if "cut" not in at]  # type: ignore[operator]


@given(st.text(max_size=6_000), st.integers(MIN_BUDGET, 900))
def test_the_pages_of_a_text_together_are_the_text(text: str, budget: int) -> None:
    """Scenario "A long decision" of SPEC-0005."""
    parts: list[str] = []
    cursor = None
    while True:
        page: dict[str, Any] = page_of_text(
            {"place": "a.md"}, text, 7, request(budget, cursor), ["A note."]
        )
        assert fits(page, budget)
        assert page["first_line"] == 7 + "".join(parts).count("\n")
        parts.append(page["text"])
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert page["text"]
    assert "".join(parts) == text


def test_an_entry_that_is_too_large_is_cut() -> None:
    entry: dict[str, object] = {"id": "x" * 90_000, "because": ["y" * 9_000] * 9}
    page = page_of_entries({}, "hits", [entry, {"id": "2"}], request(MIN_BUDGET))
    (shown,) = page["hits"]  # type: ignore[misc]
    assert shown["cut"]
    assert shown["id"].endswith("…")
    assert fits(page, MIN_BUDGET)


def test_a_part_of_a_text_ends_with_a_line() -> None:
    text = "".join(f"line {number}\n" for number in range(1_000))
    page = page_of_text({}, text, 1, request(MIN_BUDGET))
    assert str(page["text"]).endswith("\n")
    assert page["last_line"] == str(page["text"]).count("\n")


@pytest.mark.parametrize("cursor", ["x", "é", "W10=", "WzFd", "[", "bnVsbA==", "WyJhIiwgMV0="])
def test_a_cursor_of_another_origin_is_refused(cursor: str) -> None:
    with pytest.raises(BadArgument, match="the cursor is not one that this server returned"):
        request(600, cursor)


@given(st.text(max_size=60))
def test_no_cursor_is_a_crash(cursor: str) -> None:
    with suppress(BadArgument):
        assert request(600, cursor).offset >= 0


def test_a_cursor_belongs_to_its_call() -> None:
    entries: list[dict[str, object]] = [{"id": "x" * 900}] * 9
    page = page_of_entries({}, "hits", entries, request(600))
    assert request(800, page["next_cursor"]).offset == 1
    with pytest.raises(BadArgument, match="the cursor belongs to a call with other arguments"):
        request(600, page["next_cursor"], query="other")
