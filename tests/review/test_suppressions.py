from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.findings import Finding
from sdd_hooks.review.apply_rules import check
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import own
from sdd_hooks.review.suppressions import LONGEST_REASON, read_suppression, suppressions
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
def test_a_comment_of_any_syntax(line: str) -> None:
    found = read_suppression(line, 7)

    assert found is not None
    assert (found.line, found.rules, found.reason) == (7, ("magic/dark",), "a reason")


@pytest.mark.parametrize(
    ("line", "rules", "reason"),
    [
        ("# sdd-ignore: a, b/c ,d (why (really))", ("a", "b/c", "d"), "why (really)"),
        ("# sdd-ignore: a", ("a",), ""),
        ("# sdd-ignore: a because", ("a",), ""),
        ("# sdd-ignore: a ()", ("a",), ""),
        ("# sdd-ignore: a (  )", ("a",), ""),
        ("# sdd-ignore: a (never closed", ("a",), ""),
        (f"# sdd-ignore: a ({'x' * 350})", ("a",), "x" * LONGEST_REASON),
    ],
)
def test_rules_and_reason(line: str, rules: tuple[str, ...], reason: str) -> None:
    found = read_suppression(line, 1)

    assert found is not None
    assert (found.rules, found.reason) == (rules, reason)


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
def test_what_is_none(line: str) -> None:
    assert read_suppression(line, 1) is None


def test_a_rule_is_named_by_its_id_or_by_the_part_before_the_slash() -> None:
    found = read_suppression("# sdd-ignore: security (why)", 1)
    exact = read_suppression("# sdd-ignore: security/redirect (why)", 1)

    assert found is not None
    assert exact is not None
    assert found.names("security")
    assert found.names("security/redirect")
    assert not found.names("security-more")
    assert not exact.names("security")
    assert not exact.names("security/inner-html")


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_nothing_in_a_text_fails(text: str) -> None:
    for one in (*suppressions(text), *suppressions(f"# sdd-ignore: {text}")):
        assert one.rules
        assert len(one.reason) <= LONGEST_REASON
        assert "\n" not in one.reason


@pytest.mark.parametrize(
    "start", ["#", "# ", "(*", "{", "/", "# sdd-ignore: a,", "# sdd-ignore: a("]
)
def test_hostile_lines_take_no_time(start: str) -> None:
    line = start * (200_000 // len(start)) + " # sdd-ignore: "

    assert suppressions(line) == () or suppressions(line)[0].reason == ""


def test_on_the_line_or_on_the_line_above(tmp_path: Path) -> None:
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

    checked = check(subject, [RULE])

    assert [one.line for one in checked.findings] == [6, 9, 11]
    assert [(one.finding.line, one.reason) for one in checked.suppressed] == [
        (1, "beside"),
        (4, "above"),
    ]


def test_a_finding_on_the_file_as_a_whole_anywhere_in_it(tmp_path: Path) -> None:
    mark = "<!-- sdd-ignore: spec-pair (soon) -->"
    files = {
        "docs/openspec/specs/a/spec.md": f"# SPEC-0001: A\n\n{mark}\n",
        "docs/openspec/specs/b/spec.md": "# SPEC-0002: B\n",
    }
    checked = check(subject_of(tmp_path, {}, files), own())

    assert [one.path for one in checked.findings] == ["docs/openspec/specs/b/spec.md"]
    assert [one.reason for one in checked.suppressed] == ["soon"]


def test_one_that_the_base_has_counts_in_a_file_that_the_change_leaves_alone(
    tmp_path: Path,
) -> None:
    rule = Rule(
        "magic", "info", "M.", "M.", lambda _: [Finding("b.py", 2, "magic", "info", "m", "dark")]
    )
    before = {"a.py": "1\n", "b.py": "# sdd-ignore: magic (agreed)\ndark\n"}
    subject = subject_of(tmp_path, before, {"a.py": "2\n"})

    assert [one.reason for one in check(subject, [rule]).suppressed] == ["agreed"]


def test_what_the_change_takes_out_no_longer_counts(tmp_path: Path) -> None:
    before = {"a.py": "# sdd-ignore: magic (agreed)\nlight\n"}
    subject = subject_of(tmp_path, before, {"a.py": "\ndark\n"})

    assert [one.line for one in check(subject, [RULE]).findings] == [2]


def test_nobody_excuses_their_own_change_to_a_decision(tmp_path: Path) -> None:
    path = next(iter(adr(1)))
    mark = "<!-- sdd-ignore: accepted-decision (a living text) -->\n"
    old = adr(1, decision="We keep it simple.\n")[path]
    new = adr(1, decision=f"{mark}We make it complicated.\n")[path]

    checked = check(subject_of(tmp_path, {path: old}, {path: new}), own())

    assert [one.rule for one in checked.findings] == ["accepted-decision"]
    assert checked.suppressed == ()


def test_a_decision_that_the_base_calls_a_living_text_may_change(tmp_path: Path) -> None:
    path = next(iter(adr(1)))
    mark = "<!-- sdd-ignore: accepted-decision (a living text) -->\n"
    old = adr(1, decision=f"{mark}We keep it simple.\n")[path]
    new = adr(1, decision=f"{mark}We make it complicated.\n")[path]

    checked = check(subject_of(tmp_path, {path: old}, {path: new}), own())

    assert checked.findings == ()
    assert [one.reason for one in checked.suppressed] == ["a living text"]
