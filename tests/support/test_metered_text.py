"""Metered text behaves as `str`, and counts what is read or copied."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.metered_text import Meter, MeteredText, meter_texts

OPERATIONS: list[tuple[Callable[[str], object], int]] = [
    (lambda text: text[2:5], 3),
    (lambda text: text[0], 1),
    (lambda text: text[2:][:1], 9),
    (lambda text: text.find("c"), 2),
    (lambda text: text.find("x"), 10),
    (lambda text: text.find("x", 4, 7), 3),
    (lambda text: text.find("x", 7, 4), 0),
    (lambda text: text.rfind("a"), 10),
    (lambda text: text.rfind("x", 6), 4),
    (lambda text: text.rfind("x", -2), 2),
    (lambda text: "c" in text, 2),
    (lambda text: text.count("a", 5), 5),
    (lambda text: text.split("e"), 10),
    (lambda text: text.split("e")[1].split("g"), 15),
    (lambda text: text.partition("e"), 10),
    (lambda text: text + "ab", 12),
    (lambda text: "ab" + text, 12),
    (lambda text: text.upper(), 10),
    (list, 10),
    (lambda text: text.isdigit() or len(text), 0),
]


@pytest.mark.parametrize(("operation", "characters"), OPERATIONS)
def test_what_is_counted(operation: Callable[[str], object], characters: int) -> None:
    meter = Meter()
    assert operation(MeteredText("abcdefghij", meter)) == operation("abcdefghij")
    assert meter.characters == characters


@given(st.text(), st.text(max_size=2), st.integers(-9, 9), st.integers(-9, 9))
def test_results_are_those_of_str(text: str, part: str, start: int, end: int) -> None:
    def run(text: str) -> list[object]:
        results: list[object] = [text[start:end], text.find(part, start), text.rfind(part, 0, end)]
        results += [part in text, text.count(part, start, end), text.splitlines(), text.casefold()]
        results += [text.replace(part, "x"), re.findall("a*", text), f"{text}!", {text: 1}[text]]
        return results

    assert run(MeteredText(text, Meter())) == run(text)


def test_bytes_and_lists() -> None:
    meter = Meter()
    for text in (meter_texts(b"abc", meter).decode(), *meter_texts(["abc", ("abc",)], meter)):
        (text[0] if isinstance(text, tuple) else text).upper()
    assert meter.characters == 9
    assert meter_texts(5, meter) == 5
