from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.findings import Finding
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import own
from sdd_hooks.review.suppressions import MAX_REASON, read_suppression, read_suppressions
from tests.review.repositories import subject_of
from tests.review.rules.records import adr

RULE = Rule(
    "magic",
    "critical",
    "Magic.",
    "None.",
    lambda subject: [
        Finding(file.path, line.number, f"magic/{line.text.split()[0]}", "critical", "m", line.text)
        for file in subject.change.files
        for line in file.added
        if line.text.startswith(("dark", "light"))
    ],
)


@pytest.mark.parametrize(
    "line",
    [
        "# sdd-ignore: magic/dark (a reason)",
        "x = 1  # sdd-ignore: magic/dark (a reason)",
        "x();// sdd-ignore: magic/dark (a reason)",
        "/* sdd-ignore: magic/dark (a reason) */",
        " * sdd-ignore: magic/dark (a reason)",
        "<!-- sdd-ignore: magic/dark (a reason) -->",
        "{/* sdd-ignore: magic/dark (a reason) */}",
        "-- sdd-ignore: magic/dark (a reason)",
        "; sdd-ignore: magic/dark (a reason)",
        "% sdd-ignore: magic/dark (a reason)",
        "(* sdd-ignore: magic/dark (a reason) *)",
        "{- sdd-ignore: magic/dark (a reason) -}",
        "REM sdd-ignore: magic/dark (a reason)",
        "//sdd-ignore:magic/dark(a reason)",
        "# SDD-Ignore: Magic/Dark ( a\treason )",
    ],
)
def test_a_comment_in_any_syntax_is_read(line: str) -> None:
    suppression = read_suppression(line, 7)

    assert suppression is not None
    assert (suppression.line, suppression.rules, suppression.reason) == (
        7,
        ("magic/dark",),
        "a reason",
    )


@pytest.mark.parametrize(
    ("line", "rules", "reason"),
    [
        ("# sdd-ignore: a, b/c ,d (why (really))", ("a", "b/c", "d"), "why (really)"),
        ("# sdd-ignore: a", ("a",), ""),
        ("# sdd-ignore: a because", ("a",), ""),
        ("# sdd-ignore: a ()", ("a",), ""),
        ("# sdd-ignore: a (  )", ("a",), ""),
        ("# sdd-ignore: a (never closed", ("a",), ""),
        (f"# sdd-ignore: a ({'x' * 350})", ("a",), "x" * MAX_REASON),
    ],
)
def test_rules_and_reason(line: str, rules: tuple[str, ...], reason: str) -> None:
    suppression = read_suppression(line, 1)

    assert suppression is not None
    assert (suppression.rules, suppression.reason) == (rules, reason)


@pytest.mark.parametrize(
    "line",
    [
        "sdd-ignore: magic (in no comment)",
        'text = "sdd-ignore: magic (a string)"',
        "Write `sdd-ignore: RULE (reason)` beside it.",
        "# no sdd-ignore: magic (within a sentence)",
        "# sdd-ignore:",
        "# sdd-ignore: (nothing named)",
        "#sdd-ignored: magic (another word)",
        "",
    ],
)
def test_lines_without_a_suppression(line: str) -> None:
    assert read_suppression(line, 1) is None


def test_a_suppression_names_a_rule_by_id_or_by_the_part_before_the_slash() -> None:
    suppression = read_suppression("# sdd-ignore: security (why)", 1)
    exact = read_suppression("# sdd-ignore: security/redirect (why)", 1)

    assert suppression is not None
    assert exact is not None
    assert suppression.names("security")
    assert suppression.names("security/redirect")
    assert not suppression.names("security-more")
    assert not exact.names("security")
    assert not exact.names("security/inner-html")


def test_the_id_of_a_rule_may_have_capitals() -> None:
    suppression = read_suppression("# sdd-ignore: decision-rule/ADR-0003 (checksums)", 1)

    assert suppression is not None
    assert suppression.names("decision-rule/ADR-0003")
    assert not suppression.names("decision-rule/ADR-0004")


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for suppression in (
        *read_suppressions("a.py", text),
        *read_suppressions("a.py", f"# sdd-ignore: {text}"),
    ):
        assert suppression.rules
        assert len(suppression.reason) <= MAX_REASON
        assert "\n" not in suppression.reason


@pytest.mark.parametrize(
    "start", ["#", "# ", "(*", "{", "/", "# sdd-ignore: a,", "# sdd-ignore: a("]
)
def test_hostile_lines_are_read_in_linear_time(start: str) -> None:
    line = start * (200_000 // len(start)) + " # sdd-ignore: "

    assert read_suppressions("a.py", line) == () or read_suppressions("a.py", line)[0].reason == ""


def test_a_suppression_covers_its_line_and_the_line_below(tmp_path: Path) -> None:
    text = (
        "dark 1  # sdd-ignore: magic (beside)\n"
        "\n"
        "# sdd-ignore: magic/dark (above)\n"
        "dark 2\n"
        "# sdd-ignore: magic/light (of another)\n"
        "dark 3\n"
        "# sdd-ignore: magic/dark (too far)\n"
        "\n"
        "dark 4\n"
        "# sdd-ignore: magic\n"
        "dark 5\n"
    )
    subject = subject_of(tmp_path, {}, {"a.py": text})

    results = apply_rules(subject, [RULE])

    remaining = [finding for finding in results.findings if finding.severity == "critical"]
    assert [finding.line for finding in remaining] == [6, 9, 11]
    assert [(finding.finding.line, finding.reason) for finding in results.suppressed] == [
        (1, "beside"),
        (4, "above"),
    ]


def test_a_finding_about_a_file_is_suppressed_on_any_line(tmp_path: Path) -> None:
    mark = "<!-- sdd-ignore: spec-pair (soon) -->"
    files = {
        "docs/openspec/specs/a/spec.md": f"# SPEC-0001: A\n\n{mark}\n",
        "docs/openspec/specs/b/spec.md": "# SPEC-0002: B\n",
    }
    results = apply_rules(subject_of(tmp_path, {}, files), own())

    assert [finding.path for finding in results.findings] == ["docs/openspec/specs/b/spec.md"]
    assert [finding.reason for finding in results.suppressed] == ["soon"]


def test_a_suppression_in_an_unchanged_file_takes_effect(
    tmp_path: Path,
) -> None:
    rule = Rule(
        "magic", "info", "M.", "M.", lambda _: [Finding("b.py", 2, "magic", "info", "m", "dark")]
    )
    before = {"a.py": "1\n", "b.py": "# sdd-ignore: magic (agreed)\ndark\n"}
    subject = subject_of(tmp_path, before, {"a.py": "2\n"})

    assert [finding.reason for finding in apply_rules(subject, [rule]).suppressed] == ["agreed"]


def test_a_removed_suppression_has_no_effect(tmp_path: Path) -> None:
    before = {"a.py": "# sdd-ignore: magic (agreed)\nlight\n"}
    subject = subject_of(tmp_path, before, {"a.py": "\ndark\n"})

    assert [finding.line for finding in apply_rules(subject, [RULE]).findings] == [2]


def test_a_change_cannot_exempt_itself_from_a_rule_that_guards_records(tmp_path: Path) -> None:
    path = next(iter(adr(1)))
    mark = "<!-- sdd-ignore: accepted-decision (a living text) -->\n"
    old = adr(1, decision="We keep it simple.\n")[path]
    new = adr(1, decision=f"{mark}We make it complicated.\n")[path]

    results = apply_rules(subject_of(tmp_path, {path: old}, {path: new}), own())

    assert [finding.rule for finding in results.findings] == ["accepted-decision"]
    assert results.suppressed == ()


def test_a_suppression_at_the_base_exempts_a_record(tmp_path: Path) -> None:
    path = next(iter(adr(1)))
    mark = "<!-- sdd-ignore: accepted-decision (a living text) -->\n"
    old = adr(1, decision=f"{mark}We keep it simple.\n")[path]
    new = adr(1, decision=f"{mark}We make it complicated.\n")[path]

    results = apply_rules(subject_of(tmp_path, {path: old}, {path: new}), own())

    assert results.findings == ()
    assert [finding.reason for finding in results.suppressed] == ["a living text"]


SUPPRESSED = "dark 1  # sdd-ignore: magic (beside)\n"


def test_a_critical_finding_that_the_change_suppresses_leaves_a_remark(tmp_path: Path) -> None:
    results = apply_rules(subject_of(tmp_path, {}, {"a.py": SUPPRESSED}), [RULE])

    message = "this change suppresses a critical finding of magic/dark (m): check the reason"
    assert results.findings == (
        Finding("a.py", 1, "suppression/critical", "info", message, SUPPRESSED.strip()),
    )
    assert [one.reason for one in results.suppressed] == ["beside"]


def test_a_suppression_of_the_base_leaves_no_remark(tmp_path: Path) -> None:
    before = "# sdd-ignore: magic (above)\nlight\n"
    after = "# sdd-ignore: magic (above)\ndark\n"
    results = apply_rules(subject_of(tmp_path, {"a.py": before}, {"a.py": after}), [RULE])

    assert results.findings == ()
    assert [one.reason for one in results.suppressed] == ["above"]


@pytest.mark.parametrize(
    ("before", "after", "suppressed"),
    [
        ("# sdd-ignore: magic (above)\nlight\n", "# sdd-ignore: magic (above)\ndark\n", 1),
        ("x\n", SUPPRESSED, 0),
        # A copy of a comment that the base has elsewhere.
        ("# sdd-ignore: magic (above)\n", "# sdd-ignore: magic (above)\n\n"
         "# sdd-ignore: magic (above)\ndark\n", 0),
    ],
)  # fmt: skip
def test_the_base_can_allow_only_its_own_suppressions(
    tmp_path: Path, before: str, after: str, suppressed: int
) -> None:
    subject = subject_of(tmp_path, {"a.py": before}, {"a.py": after})
    subject = replace(subject, settings=subject.settings._replace(suppressions="base"))

    results = apply_rules(subject, [RULE])

    assert len(results.suppressed) == suppressed
    assert [one.severity for one in results.findings] == ["critical"] * (1 - suppressed)


def test_examples_in_markdown_suppress_nothing() -> None:
    comment = "<!-- sdd-ignore: magic (an old page) -->\n"
    text = f"{comment}\n```\n# sdd-ignore: magic (an example)\n```\n\n    {comment}"
    assert [one.line for one in read_suppressions("a.md", text)] == [1]
    assert [one.line for one in read_suppressions("a.py", text)] == [1, 4, 7]
