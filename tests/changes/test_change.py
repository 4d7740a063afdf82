"""Changed files, and lines as git counts them."""

from __future__ import annotations

import pytest

from sdd_hooks.changes.change import Change, ChangedFile, describe_messages
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


@pytest.mark.parametrize(
    ("newest", "title"),
    [
        (
            "Merge pull request #12 from owner/queue\n\nfix: Drain the queue\n\nWhy.",
            "fix: Drain the queue",
        ),
        (
            "Merge branch 'queue' into 'main'\n\nDrain the queue\n\nSee merge request a!3",
            "Drain the queue",
        ),
        ("Merged in queue (pull request #7)\n\nDrain the queue", "Drain the queue"),
        ("Merge pull request 'Drain the queue' (#4) from queue into main", "Drain the queue"),
        ("Merged PR 31: Drain the queue\n\nWhy.", "Drain the queue"),
        # Without a title, and where the branch took over another one.
        ("Merge pull request #12 from owner/queue", "Start"),
        ("Merge branch 'queue' into 'main'\n\nSee merge request a!3", "Start"),
        ("Merge pull request #12 from owner/queue\n\nSigned-off-by: A <a@b>", "Start"),
        ("Merge branch 'main' into queue\n\nResolve the conflicts", "Start"),
        ("Merge two tables\n\nThey have the same rows", "Start"),
    ],
)
def test_a_merge_hands_on_the_title_of_its_pull_request(newest: str, title: str) -> None:
    described = describe_messages((newest, "Start"))
    assert described[0] == title
    assert "See" not in newest or "See" in described[1]
