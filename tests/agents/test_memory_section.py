"""The section of the memory file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.agents.install import SECTION, add_section, remove_section

LINES = st.lists(st.sampled_from(["# A", "", "text", "<!-- x -->", "  - b"]), max_size=6)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\r\n", "\n\n"]))
def test_the_section_is_removed_whole(lines, newline, end):
    text = newline.join(lines) + end
    added = add_section(text)
    assert added.startswith(text)
    assert "\n".join(SECTION) in added.replace("\r\n", "\n")
    assert add_section(added) == added
    assert remove_section(added) == text


def test_a_file_that_was_created_is_deleted():
    assert remove_section(add_section(None)) is None


def test_the_section_has_ten_lines_at_most():
    assert len(SECTION) <= 10


def test_an_older_section_is_replaced_where_it_stands():
    text = add_section("a\n") + "b\n"
    assert add_section(text.replace("Records in this", "Some")) == text
    assert remove_section(text) == "a\nb\n"


@pytest.mark.parametrize("text", ["", "a", SECTION[0], f"{SECTION[-1]} {SECTION[0]}"])
def test_a_file_without_the_section_stays(text):
    assert remove_section(text) == text
