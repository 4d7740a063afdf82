import re
import time

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.words import STOP_WORDS, identifiers, words


def test_a_name_is_its_parts_and_itself() -> None:
    assert words("OutboxSweeper sweeps HTTPServer2 and v42") == [
        "outbox",
        "sweeper",
        "outboxsweeper",
        "sweeps",
        "http",
        "server",
        "httpserver2",
        "42",
        "v42",
    ]


def test_words_that_are_everywhere_are_left_out() -> None:
    assert words("the return of this function is None") == []


@given(st.text())
def test_words_are_lower_case_and_tell_something(text: str) -> None:
    for word in words(text):
        assert re.fullmatch(r"[a-z0-9]{2,}", word)
        assert word not in STOP_WORDS


def test_identifiers_are_whole_and_in_parts() -> None:
    assert identifiers(["use config.Outbox_size here"]) >= {"config.outbox_size", "outbox_size"}


def test_a_line_without_end_is_read_in_linear_time() -> None:
    began = time.process_time()
    words("aB" * 500_000)
    identifiers(["a" * 1_000_000, "a/" * 500_000])
    assert time.process_time() - began < 5
