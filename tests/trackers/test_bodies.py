"""Appending to a body."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.issue import joined

BODIES = st.lists(st.sampled_from(["a", " ", "\n", "\r\n", "`", "#"]), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        ("", "### A\n\nb"),
        ("x", "x\n\n### A\n\nb"),
        ("x\n", "x\n\n### A\n\nb"),
        ("x\n\n\n", "x\n\n\n### A\n\nb"),
        ("x\r\ny\r\n", "x\r\ny\r\n\r\n### A\r\n\r\nb"),
    ],
)
def test_joined(body: str, whole: str) -> None:
    assert joined(body, "### A\n\nb") == whole


@given(BODIES)
def test_everything_before_stays(body: str) -> None:
    whole = joined(body, "### A")
    assert whole.startswith(body)
    assert whole.endswith("### A")
    if body:
        assert whole.replace("\r\n", "\n").endswith("\n\n### A")
