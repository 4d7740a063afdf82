from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import SddError
from sdd_hooks.findings import INCOMPLETE, Finding, worst_first
from sdd_hooks.review.apply_rules import MAX_FINDINGS, MAX_TEXT, apply_rules
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import own
from sdd_hooks.review.subject import Subject
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import adr

ONE = Finding("b.py", 1, "magic", "warning", "one", "x")
TWO = Finding("a.py", 9, "magic/dark", "critical", "two", "y")
THREE = Finding("a.py", 2, "magic", "info", "three", "z")


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return subject_of(tmp_path, {"a.py": "1\n"}, {"a.py": "2\n"})


def rule(check: Callable[[Subject], Iterable[Finding]]) -> Rule:
    return Rule("magic", "critical", "Magic.", "None.", check)


def test_findings_are_distinct_and_ordered_by_severity_path_and_line(subject: Subject) -> None:
    results = apply_rules(subject, [rule(lambda _: [THREE, ONE, TWO]), rule(lambda _: [ONE])])

    assert results.findings == (TWO, ONE, THREE)
    assert results.suppressed == results.notes == ()
    assert worst_first([THREE, ONE, TWO, ONE]) == (TWO, ONE, THREE)


def test_a_rule_that_raises_becomes_a_finding_and_other_rules_continue(subject: Subject) -> None:
    def fails(_: Subject) -> Iterator[Finding]:
        yield ONE
        raise ZeroDivisionError("by\x1b[31m nothing")

    def ends(_: Subject) -> Iterator[Finding]:
        raise SddError("the rule magic is out of order: repair it")

    def recurses(subject: Subject) -> Iterable[Finding]:
        return recurses(subject)

    results = apply_rules(subject, [rule(fails), rule(ends), rule(recurses), rule(lambda _: [TWO])])

    failed = "not checked: the rule magic failed: "
    incomplete = [one for one in results.findings if one.rule == INCOMPLETE]
    recursed, divided, ended = sorted(one.message.removeprefix(failed) for one in incomplete)
    assert [one for one in results.findings if one not in incomplete] == [TWO, ONE]
    assert {one.severity for one in incomplete} == {"critical"}
    assert divided == "ZeroDivisionError: by\\x1b[31m nothing"
    assert recursed.startswith("RecursionError: ")
    assert ended == "the rule magic is out of order: repair it"


@pytest.mark.parametrize(
    "invalid",
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
def test_an_invalid_finding_is_left_out(subject: Subject, invalid: object) -> None:
    def return_invalid(_: Subject) -> Iterator[Finding]:
        yield ONE
        yield invalid  # type: ignore[misc]

    results = apply_rules(subject, [rule(return_invalid)])

    assert results.findings == (ONE,)
    assert results.notes == ("the rule magic returned an invalid finding: the rest is left out",)


def test_a_rule_with_endless_findings_is_stopped(subject: Subject) -> None:
    def endless(_: Subject) -> Iterator[Finding]:
        number = 0
        while True:
            number += 1
            yield Finding("a.py", number, "magic", "info", "again")

    results = apply_rules(subject, [rule(endless)])

    assert len(results.findings) == MAX_FINDINGS + 1
    assert results.findings[0] == Finding(
        "", 0, INCOMPLETE, "critical", "not checked: what the rule magic finds beyond 1,000"
    )


def test_a_message_becomes_one_line_of_limited_length(subject: Subject) -> None:
    long = Finding("a.py", 1, "magic", "info", "one\n\x1b[2Jtwo" + "!" * 9_000, "x" * 9_000)

    (finding,) = apply_rules(subject, [rule(lambda _: [long])]).findings

    assert finding.message.startswith("one \\x1b[2Jtwo!!")
    assert len(finding.message) == len(finding.evidence) == MAX_TEXT


HOSTILE = "docs/adrs/ADR-0001-\n\"'`$(x) \x1b[31m\udcff.md"


@pytest.mark.parametrize("make", [subject_of, staged_subject_of])
def test_hostile_paths_and_texts_are_reported_as_findings(
    tmp_path: Path, make: Callable[..., Subject]
) -> None:
    conflict = b"<<<<<<< \xff\x1b[31m\n=======\n>>>>>>> b\n"
    subject = make(
        tmp_path,
        {**adr(1, "Kept"), **adr(2, "Gone\x07 ](x) <!--", status="superseded by ADR-0001")},
        {
            HOSTILE: "---\nstatus: [\n---\n# ADR-0001: \x1b[2J\n\n## Decision\n\nx\n",
            "\n b/\udcfe.py": conflict + b"# Governing: ADR-0099 (\x1b[31m\n# ADR-0002\n",
        },
    )

    results = apply_rules(subject, own())

    assert [finding.rule for finding in results.findings] == [
        "conflict-marker",
        "dangling-reference",
        "frontmatter/broken-frontmatter",
        "duplicate-number",
        "superseded-reference",
    ]
    assert all(finding.message.isprintable() for finding in results.findings)


PIECES = st.sampled_from(
    [
        "---\n", "status: accepted\n", "# ADR-0001: A\n", "## Decision\n", "```\n", "<!--", "-->",
        "```sdd-rule\n", "forbid regex: a\n", "Governing: ADR-0099", "SPEC-0001 REQ \"x\"", "\n",
        "<<<<<<< a\n", "=======\n", "sdd-ignore: frontmatter (x)", "\r", "\x00",
        "supersedes: [", "]",
    ]
)  # fmt: skip


@settings(max_examples=25)
@given(data=st.data())
def test_no_built_in_rule_fails_on_any_text(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join)
    paths = ("docs/adrs/ADR-0001-a.md", "docs/openspec/specs/a/spec.md", "a.py", "b.html")
    before, after = (
        {path: data.draw(text).encode("utf-8", "surrogatepass") for path in paths} for _ in "ab"
    )
    after[paths[0]] += b"\n"
    subject = subject_of(
        tmp_path_factory.mktemp("repo"), before, after, body=data.draw(text), title="t"
    )

    assert INCOMPLETE not in {one.rule for one in apply_rules(subject, own()).findings}


def test_rules_that_do_not_end_in_time_are_a_finding(subject: Subject) -> None:
    def never_ends(_: Subject) -> Iterator[Finding]:
        yield ONE
        while True:
            with suppress(Exception):
                sum(range(100))

    rules = [rule(lambda _: [TWO]), rule(never_ends), *[own()[0]] * 6]

    results = apply_rules(subject, rules, seconds=0.05)

    assert TWO in results.findings
    assert [one.rule for one in results.findings if one not in (ONE, TWO)] == ["incomplete"]
    message = "not checked: magic, {0}, {0}, {0}, {0} and 2 more did not end in 0.05 seconds:"
    assert message.format(own()[0].id) in results.findings[0].message
    assert results.findings[0].severity == "critical"
    settings = subject.settings._replace(incomplete="info")
    mild = apply_rules(replace(subject, settings=settings), rules, seconds=0.05)
    assert ("incomplete", "info") in {(one.rule, one.severity) for one in mild.findings}
