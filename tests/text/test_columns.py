"""Rows and texts in the columns of a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.system.terminal import Terminal
from sdd_hooks.text.columns import align
from sdd_hooks.text.display import display_width

RECORD = ("ADR-0001", "accepted", "2026-01-02", "Use PostgreSQL for orders", "docs/adr/0001.md")
COUNTS = [("collection", "added", "unchanged"), ("shop-adrs-of-a-long-name", 1, 23456)]

NAMES = st.text("aé漢\u0301 /", max_size=9)
TEXTS = st.text("aé漢\u0301 /\x1b", max_size=60)


@given(
    st.lists(st.tuples(NAMES, NAMES, TEXTS, TEXTS), min_size=1, max_size=5),
    st.sampled_from([0, 40, 41, 80, 200]),
    st.booleans(),
)
def test_a_table_fits_every_terminal(rows, width, wraps):
    rows = [row[:2] + row[3:] for row in rows] if wraps else rows
    lines = align(rows, width, optional=() if wraps else (3, 1), wraps=wraps)
    assert not width or all(display_width(line) <= width for line in lines)
    assert wraps or len(lines) == len(rows)


@pytest.mark.parametrize(
    ("rows", "width", "expected"),
    [
        ([RECORD], 0, ["  ".join(RECORD)]),
        ([("src/a/very/long/folder/store.py:12",)], 20, ["…/folder/store.py:12"]),
        ([RECORD], 60, ["ADR-0001  accepted  2026-01-02  Use PostgreSQL for orders"]),
        ([RECORD], 40, ["ADR-0001  accepted  Use PostgreSQL for…"]),
        (
            COUNTS,
            36,
            ["collection          added  unchanged", "shop-adrs-of-a-lo…      1     23,456"],
        ),
        (
            COUNTS,
            30,
            ["  collection", "  shop-adrs-of-a-long-name,", "  added 1, unchanged 23,456"],
        ),
    ],
)
def test_what_a_narrow_table_keeps(rows, width, expected):
    assert align(rows, width, optional=(4, 2) if rows == [RECORD] else ()) == expected


def test_the_last_column_of_facts_is_wrapped():
    text = "lefthook has not installed this hook: run `lefthook install`"
    shown = ["a  lefthook has not installed this hook:", "   run `lefthook install`"]
    assert align([("a", text)], 40, wraps=True) == shown


def test_a_status_has_its_colour_in_the_width_of_its_column():
    rows = [("A", "accepted"), ("B", "proposed"), ("C", "none")]
    screen = Terminal(80, styled=True)
    lines = align(rows, style=lambda number, cell: screen.status(cell) if number else cell)
    assert lines == ["A  \x1b[32maccepted\x1b[0m", "B  \x1b[33mproposed\x1b[0m", "C  none"]
