"""Long chunks are split without losing text, within the limit, with the right lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.chunking.chunk import Chunk, split_chunk


def chunk(text: str) -> Chunk:
    lines = text.count("\n") + (not text.endswith("\n"))
    return Chunk("decision", "Decision", 11, 10 + max(lines, 1), text)


def test_a_short_chunk_is_not_split() -> None:
    short = chunk("## Decision\n\nWe use it.\n")
    assert list(split_chunk(short)) == [short]


def test_a_long_chunk_is_split_after_a_blank_line() -> None:
    parts = list(split_chunk(chunk("a" * 60 + "\n\n" + "b" * 60 + "\n"), max_length=100))
    assert [part.anchor for part in parts] == ["decision", "decision~2"]
    assert parts[0].text == "a" * 60 + "\n\n"
    assert (parts[0].first_line, parts[0].last_line) == (11, 12)
    assert (parts[1].first_line, parts[1].last_line) == (13, 13)


@given(st.text(alphabet="ab \n", min_size=1, max_size=400), st.integers(4, 50))
def test_the_joined_parts_are_the_chunk(text: str, max_length: int) -> None:
    whole = chunk(text)
    parts = list(split_chunk(whole, max_length))
    assert "".join(part.text for part in parts) == text
    assert all(len(part.text) <= max_length for part in parts)
    assert len({part.anchor for part in parts}) == len(parts)
    lines = text.splitlines(keepends=True)
    for part in parts:
        assert whole.first_line <= part.first_line <= part.last_line <= whole.last_line
        expected = "".join(lines[part.first_line - 11 : part.last_line - 10])
        assert part.text in expected
