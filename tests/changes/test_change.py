"""Changed files, and lines as git counts them."""

from __future__ import annotations

import pytest

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.text.lines import NumberedLine, split_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a\n", ("a",)),
        ("a\n\n", ("a", "")),
        ("a\r\nb\r\n", ("a", "b")),
        ("a\x0cb\x85c\u2028d\re\n", ("a\x0cb\x85c\u2028d\re",)),
    ],
)
def test_lines(text: str, lines: tuple[str, ...]) -> None:
    assert split_lines(text) == lines


def test_a_link_is_not_a_file() -> None:
    link = ChangedFile("a", "a", "T", mode="120000", mode_before="100755")
    assert (link.was_file, link.is_file) == (True, False)


def test_added_lines_are_numbers_by_path() -> None:
    files = (
        ChangedFile("a", "a", "M", added=(NumberedLine(2, "x"), NumberedLine(5, "y"))),
        ChangedFile("b", "b", "D", removed=(NumberedLine(1, "z"),)),
    )
    change = Change("", "", "", "", (), files)
    assert change.added_lines() == {"a": {2, 5}, "b": set()}
