from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.planning.plan.marker import (
    EPIC,
    key_of,
    keys_for,
    marked_spec,
    write_marker,
)
from tests.support.cpu_time import assert_linear


@pytest.mark.parametrize("hidden", [True, False])
def test_a_marker_is_found_in_a_body(hidden: bool) -> None:
    line = write_marker("[api]/SPEC-0003", (key_of("Sessions"), EPIC), hidden=hidden)
    body = f"Text.\r\n\r\n{line}\r\n\r\nBlocks: #4"
    assert keys_for(body, "[api]/SPEC-0003") == {key_of("Sessions"), EPIC}
    assert keys_for(body, "SPEC-0003") == frozenset()


def test_what_a_tracker_makes_of_a_marker_is_found() -> None:
    line = write_marker("SPEC-0003", ("0123456789",), hidden=False)
    assert line == "`sdd-story: SPEC-0003 0123456789`"
    for stored in (line.strip("`"), f"**{line}**", f"{line}\\", f"\\`{line[1:-1]}\\`"):
        assert keys_for(stored, "SPEC-0003") == {"0123456789"}


def test_the_key_of_a_name_ignores_case_and_spacing() -> None:
    assert key_of("Token  Validation") == key_of("token validation ")
    assert key_of("Token Validation") != key_of("Token Validation #2")


@given(st.text(), st.text(max_size=300), st.lists(st.text(), max_size=5), st.booleans())
def test_every_marker_is_read_as_it_was_written(
    before: str, name: str, requirements: list[str], hidden: bool
) -> None:
    keys = (*map(key_of, requirements), EPIC)
    spec = marked_spec(name) or "x"
    body = f"{before.replace('sdd-story:', '')}\n{write_marker(spec, keys, hidden=hidden)}"
    assert keys_for(body, spec) == set(keys)


def test_reading_markers_takes_linear_time() -> None:
    texts = ("sdd-story: ", "sdd-story: SPEC-1 0123456789 ", "sdd-story: a", " 0123456789")
    for text in texts:
        assert_linear(lambda body: keys_for(body, "SPEC-1"), text.__mul__, 20_000)
