"""A part of a change that was not read is a finding, as severe as the rules it could break."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.changes.change import UnreadPart
from sdd_hooks.config.settings import ReviewSettings
from sdd_hooks.findings import Finding
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.mentions import MAX_MENTIONS, MAX_TEXT
from sdd_hooks.review.rules.incomplete import MAX_NAMED, RULE
from sdd_hooks.review.subject import Subject
from tests.review.repositories import subject_of

ADR = "docs/adrs/ADR-0001-http.md"
REASON = "too long: make it shorter"


def record(*lines: str) -> str:
    block = "\n".join(["```sdd-rule", *lines, "```", ""])
    return f"---\nstatus: accepted\n---\n\n# ADR-0001: HTTP\n\n{block}"


def unread(tmp_path: Path, *parts: UnreadPart, adr: str = "") -> Subject:
    before = {ADR: adr} if adr else {}
    subject = subject_of(tmp_path, before, {"a.txt": "text\n"})
    return replace(subject, change=subject.change._replace(unread=parts))


def severities(subject: Subject) -> list[str]:
    return [finding.severity for finding in RULE.check(subject)]


def test_without_a_rule_of_a_decision_it_is_a_remark(tmp_path: Path) -> None:
    subject = unread(tmp_path, UnreadPart("src/a.py", REASON, 7))
    message = "not checked: too long: make it shorter"
    assert list(RULE.check(subject)) == [Finding("src/a.py", 7, "incomplete", "info", message)]


@pytest.mark.parametrize(
    ("path", "severity"),
    [("src/a.py", "critical"), ("src/a.png", "info"), ("lib/a.py", "info"), ("", "critical")],
)
def test_it_is_as_severe_as_the_rule_that_would_have_read_it(
    tmp_path: Path, path: str, severity: str
) -> None:
    adr = record("forbid import: requests", "in: src/**", "severity: MUST")
    assert severities(unread(tmp_path, UnreadPart(path, REASON), adr=adr)) == [severity]


def test_the_base_names_another_severity(tmp_path: Path) -> None:
    adr = record("forbid import: requests", "severity: MUST")
    subject = unread(tmp_path, UnreadPart("a.py", REASON), UnreadPart("a.png", REASON), adr=adr)
    settings = ReviewSettings(incomplete="warning")
    assert severities(replace(subject, settings=settings)) == ["warning", "warning"]


def test_many_files_are_counted(tmp_path: Path) -> None:
    parts = [UnreadPart(f"{number}.txt", REASON) for number in range(MAX_NAMED + 3)]
    findings = list(RULE.check(unread(tmp_path, *parts)))
    assert [finding.path for finding in findings[:-1]] == [part.path for part in parts[:MAX_NAMED]]
    assert findings[-1].message == f"not checked: 3 more files: {REASON}"


def test_a_comment_of_the_change_does_not_suppress_it(tmp_path: Path) -> None:
    after = {"src/a.py": "# sdd-ignore: incomplete (it is fine)\n"}
    subject = subject_of(tmp_path, {"b": ""}, after)
    part = UnreadPart("src/a.py", REASON)
    subject = replace(subject, change=subject.change._replace(unread=(part,)))
    assert [finding.path for finding in apply_rules(subject, (RULE,)).findings] == ["src/a.py"]


def test_texts_that_are_too_long_to_read(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, {}, {"a.txt": "text\n"})
    long = subject.change.described_by("A title", "a" * (MAX_TEXT + 1))
    (finding,) = RULE.check(replace(subject, change=long))
    assert (finding.severity, finding.path) == ("warning", "")
    assert finding.message == (
        "not checked: the description has 100,001 characters, and only the first 100,000 are read:"
        " make it shorter"
    )
    messages = replace(subject, change=subject.change._replace(messages=("a" * 200_000, "b")))
    assert "the longest message has 200,000 characters" in next(iter(RULE.check(messages))).message


def test_more_names_of_records_than_are_read(tmp_path: Path) -> None:
    lines = "ADR-0001\n" * (MAX_MENTIONS + 1)
    subject = subject_of(tmp_path, {ADR: record("forbid import: x")}, {"docs/a.md": lines})
    (finding,) = RULE.check(subject)
    assert "names records more than 20,000 times" in finding.message
