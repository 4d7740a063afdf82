from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from sdd_hooks.artifacts.findings import Finding
from sdd_hooks.errors import SddError
from sdd_hooks.review.check import MOST, check, worst_first
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from tests.review.repositories import subject_of

ONE = Finding("b.py", 1, "magic", "warning", "one", "x")
TWO = Finding("a.py", 9, "magic/dark", "critical", "two", "y")
THREE = Finding("a.py", 2, "magic", "info", "three", "z")


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return subject_of(tmp_path, {"a.py": "1\n"}, {"a.py": "2\n"})


def rule(check: Callable[[Subject], Iterable[Finding]]) -> Rule:
    return Rule("magic", "critical", "Magic.", "None.", check)


def test_the_worst_come_first_then_by_path_and_line_and_each_once(subject: Subject) -> None:
    checked = check(subject, [rule(lambda _: [THREE, ONE, TWO]), rule(lambda _: [ONE])])

    assert checked.findings == (TWO, ONE, THREE)
    assert checked.suppressed == checked.notes == ()
    assert worst_first([THREE, ONE, TWO, ONE]) == (TWO, ONE, THREE)


def test_a_rule_that_raises_is_a_note_and_the_others_go_on(subject: Subject) -> None:
    def fails(_: Subject) -> Iterator[Finding]:
        yield ONE
        raise ZeroDivisionError("by\x1b[31m nothing")

    def ends(_: Subject) -> Iterator[Finding]:
        raise SddError("the rule magic is out of order: repair it")

    def recurses(subject: Subject) -> Iterable[Finding]:
        return recurses(subject)

    checked = check(subject, [rule(fails), rule(ends), rule(recurses), rule(lambda _: [TWO])])

    assert checked.findings == (TWO, ONE)
    assert checked.notes[:2] == (
        "the rule magic failed: ZeroDivisionError: by\\x1b[31m nothing",
        "the rule magic is out of order: repair it",
    )
    assert checked.notes[2].startswith("the rule magic failed: RecursionError: ")


@pytest.mark.parametrize(
    "odd",
    [
        "text",
        None,
        Finding("a", 1, "other", "info", "m"),
        Finding("a", 1, "magical", "info", "m"),
        Finding("a", 1, "magic", "fatal", "m"),  # type: ignore[arg-type]
        Finding("a", [], "magic", "info", "m"),  # type: ignore[arg-type]
        Finding(None, 1, "magic", "info", "m"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_finding_of_the_rule_is_left_out(subject: Subject, odd: object) -> None:
    def check_oddly(_: Subject) -> Iterator[Finding]:
        yield ONE
        yield odd  # type: ignore[misc]

    checked = check(subject, [rule(check_oddly)])

    assert checked.findings == (ONE,)
    assert checked.notes == ("the rule magic found what is no finding of its own: left out",)


def test_a_rule_that_finds_no_end_is_stopped(subject: Subject) -> None:
    def endless(_: Subject) -> Iterator[Finding]:
        number = 0
        while True:
            number += 1
            yield Finding("a.py", number, "magic", "info", "again")

    checked = check(subject, [rule(endless)])

    assert len(checked.findings) == MOST
    assert checked.notes == ("the rule magic found more than 1,000: the rest is left out",)
