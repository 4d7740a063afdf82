from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.fields import (
    MAX_VALUE,
    HeaderField,
    normalize_field_name,
    read_header_fields,
)
from sdd_hooks.text.markdown import mask_non_prose, parse_sections


def read(text: str) -> list[tuple[str, str, int]]:
    found = read_header_fields(mask_non_prose(text), parse_sections(text))
    return [(field.name, field.value, field.line) for field in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Status:** accepted", [("status", "accepted", 1)]),
        ("- **Status**: accepted", [("status", "accepted", 1)]),
        ("* Status: accepted", [("status", "accepted", 1)]),
        ("**Status:** accepted", [("status", "accepted", 1)]),
        ("**Status** : accepted", [("status", "accepted", 1)]),
        ("__Status:__ accepted", [("status", "accepted", 1)]),
        ("*Status*: _accepted_", [("status", "_accepted_", 1)]),
        ("Status: accepted", [("status", "accepted", 1)]),
        ("Status:accepted", [("status", "accepted", 1)]),
        ("Status：accepted", [("status", "accepted", 1)]),
        ("Status: **accepted**", [("status", "accepted", 1)]),
        ("> **Status: ACCEPTED** by us", [("status", "ACCEPTED** by us", 1)]),
        ("> Status: in a quotation", [("status", "in a quotation", 1)]),
        ("Decision Makers: a, b", [("decision-makers", "a, b", 1)]),
        (
            "# T\n\n**Status:** accepted  \n**Date:** 2026-01-01\\\n**By:** me<br/>",
            [("status", "accepted", 3), ("date", "2026-01-01", 4), ("by", "me", 5)],
        ),
        (
            "**Status:** accepted | **Date:** 2026-01-01 · **By**: me **To:** you",
            [
                ("status", "accepted", 1),
                ("date", "2026-01-01", 1),
                ("by", "me", 1),
                ("to", "you", 1),
            ],
        ),
        # Values that go on
        (
            "- **Status:** accepted (rewritten for\n  [ADR-1](1.md); see\n  there)\n- **Date:** x",
            [("status", "accepted (rewritten for [ADR-1](1.md); see there)", 1), ("date", "x", 4)],
        ),
        (
            "Status: accepted (rev 2,\nsee ADR-2)\nmore",
            [("status", "accepted (rev 2, see ADR-2)", 1)],
        ),
        ("Status: accepted\n  Date: x", [("status", "accepted", 1), ("date", "x", 2)]),
        ("Status: accepted\n\n  not part of it", [("status", "accepted", 1)]),
        ("- Supersedes:\n  - ADR-1\n", [("supersedes", "", 1)]),
        # Tables
        (
            "| Field | Value |\n|---|---|\n| Status | accepted |\n| **Date** | x |\n",
            [("field", "Value", 1), ("status", "accepted", 3), ("date", "x", 4)],
        ),
        ("| Status | accepted |\n| **Date** | x |", [("status", "accepted", 1), ("date", "x", 2)]),
        (
            "| Status | Date |\n|:--|--:|\n| accepted | x |",
            [("status", "accepted", 3), ("date", "x", 3)],
        ),
        (
            "| Status | Date | By |\n| --- | --- | --- |\n| accepted | x | me |",
            [("status", "accepted", 3), ("date", "x", 3), ("by", "me", 3)],
        ),
        # Where they stand
        ("# T\n\nStatus: a\n\n## Context\n\nStatus: b", [("status", "a", 3)]),
        ("# T\n\n## Metadata\n\n- Status: a\n", [("status", "a", 5)]),
        ("Status: a\n\n# T\n\nDate: x\n", [("status", "a", 1), ("date", "x", 5)]),
        ("```\nStatus: a\n```\n<!-- Status: b -->\n    Status: c\n", []),
        ("http://example.org and 12: 30", []),
    ],
)
def test_fields(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert read(text) == expected


def test_a_long_value_is_cut() -> None:
    ((_, value, _),) = read("Status: " + "x" * (MAX_VALUE + 100))
    assert len(value) == MAX_VALUE


def test_normalize_field_name() -> None:
    assert normalize_field_name("2. **Decision_Makers** (all):") == "decision-makers-all"


@given(
    st.one_of(
        st.text(),
        st.text(alphabet="*|:-_>() ab\n#"),
        st.lists(st.sampled_from(["**A:** b", "| a | b |", "|--|--|", "- c: (", "  d", "# e"])).map(
            "\n".join
        ),
    )
)
def test_any_text_is_read_with_lines_within_it(text: str) -> None:
    total = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    last = 0
    for field in read_header_fields(mask_non_prose(text), parse_sections(text)):
        assert isinstance(field, HeaderField)
        assert last <= field.line <= total
        assert field.name
        assert "\n" not in field.value
        last = field.line
