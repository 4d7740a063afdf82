"""Pull requests as the last section of a file, with any names of branches and files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.issue_file import parse_pulls, render_pulls

NAMES = st.one_of(
    st.from_regex(r"\A[a-z/`.-]{1,12}\Z"),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1),
)
STATES: Any = st.sampled_from(["open", "closed", "merged", "draft"])
PULLS = st.builds(
    LinkedPull,
    st.integers(1, 10**6).map(str),
    NAMES,
    STATES,
    st.lists(NAMES, max_size=4).map(tuple),
    st.sampled_from(["", "2026-05-01T14:22:00Z"]),
)


@given(st.lists(PULLS, unique_by=lambda pull: int(pull.number)))
def test_pull_requests_are_parsed_back_in_the_order_of_their_numbers(
    pulls: list[LinkedPull],
) -> None:
    ordered = tuple(sorted(pulls, key=lambda pull: int(pull.number)))
    assert parse_pulls(render_pulls(pulls)) == ordered


@pytest.mark.parametrize(
    ("number", "shown"), [("12", "#12"), ("#12", "#12"), ("!7", "!7"), ("a/b#3", "a/b#3")]
)
def test_the_form_of_a_number(number: str, shown: str) -> None:
    assert render_pulls([LinkedPull(number, "", "open", (), "")]).startswith(f"- **PR**: {shown}\n")


def test_names_are_written_on_one_line() -> None:
    pull = LinkedPull("1", "a\n- **PR**: #2", "open", ("x\n\ny", "``", "`", " b "), "")
    text = render_pulls([pull])
    (found,) = parse_pulls(text)
    assert found.number == "1"
    assert found.branch == "a\\n- **PR**: #2"
    assert found.files == ("x\\n\\ny", "``", "`", " b ")
    assert render_pulls([found]) == text


@given(st.text())
def test_any_text_is_parsed(text: str) -> None:
    for one in parse_pulls(text):
        assert one.number
    parse_pulls(f"- **PR**: {text}\n- **Status**: {text}\n- **Branch**: {text}\n")
