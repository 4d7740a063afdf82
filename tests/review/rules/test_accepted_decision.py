from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.findings import Finding
from sdd_hooks.review.rules.accepted_decision import RULE, same_decision
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import adr, run_rule, spec

DECISION = (
    "We store the index in SQLite, because every laptop has room for it.\nIt MUST be one file.\n"
)
CONSEQUENCES = "\n## Consequences\n\n- One more file.\n"


def path_of(files: dict[str, str]) -> str:
    return next(iter(files))


def changed(tmp_path: Path, decision: str = DECISION, **more: str) -> list[Finding]:
    """The findings for a change of the accepted decision to this text."""
    before = adr(1, decision=DECISION, more=CONSEQUENCES)
    more.setdefault("more", CONSEQUENCES)
    return run_rule(RULE, subject_of(tmp_path, before, adr(1, decision=decision, **more)))


def test_a_changed_decision(tmp_path: Path) -> None:
    decision = DECISION.replace("SQLite", "PostgreSQL")

    assert changed(tmp_path, decision) == [
        Finding(
            path_of(adr(1)),
            13,
            "accepted-decision",
            "warning",
            "ADR-0001 was accepted, and what it decided is changed: write a new record that"
            " supersedes ADR-0001, or write the amendment under its own heading",
            "We store the index in PostgreSQL, because every laptop has room for it.",
        )
    ]


@pytest.mark.parametrize(
    "decision",
    [
        DECISION + "\nAnd the vectors, too.\n",
        DECISION + "\n**Update:** the file may move.\n\nAnd the vectors, too.\n",
        "It MUST be one file.\n",
        DECISION.replace("MUST", "must"),
        DECISION.replace("MUST", "SHOULD"),
        DECISION.replace("MUST be", "MUST NOT be"),
        DECISION.replace("one file", "two files"),
        DECISION.replace("has room", "had room"),
    ],
)
def test_edits_that_change_a_decision(tmp_path: Path, decision: str) -> None:
    assert len(changed(tmp_path, decision)) == 1


@pytest.mark.parametrize(
    "decision",
    [
        DECISION.replace(" ", "  ").replace(",", ",\n"),
        DECISION.replace("index", "idnex").replace("laptop", "laptops"),
        DECISION.replace("SQLite", "[SQLite](https://sqlite.org)"),
        DECISION.replace("SQLite", "**SQLite**").replace(".", ";"),
        DECISION + "\nDate: 2026-02-03\n",
        DECISION + "\n### Amendment of May\n\nThe file may move.\n",
        DECISION + "\n**Update (ADR-0002):** the file\nmay move.\n",
        DECISION + "\n### Positive Consequences\n\n- It is small.\n",
        DECISION + "\n<!-- checked -->\n",
    ],
)
def test_edits_that_do_not_change_a_decision(tmp_path: Path, decision: str) -> None:
    assert changed(tmp_path, decision) == []


def test_text_outside_the_decision_can_change(tmp_path: Path) -> None:
    title = adr(1, matter="tags: [a]\n", decision=DECISION, more="\n## Consequences\n\nOthers.\n")
    text = title[path_of(title)].replace("There is a choice.", "There was a choice.")
    subject = subject_of(
        tmp_path, adr(1, decision=DECISION, more=CONSEQUENCES), {path_of(title): text}
    )

    assert run_rule(RULE, subject) == []


def test_the_heading_of_the_decision_can_change(tmp_path: Path) -> None:
    before = adr(1, decision=DECISION)
    text = before[path_of(before)].replace("## Decision", "## Decision Outcome")

    assert run_rule(RULE, subject_of(tmp_path, before, {path_of(before): text})) == []


def test_a_removed_decision_is_reported_at_its_heading(tmp_path: Path) -> None:
    findings = changed(tmp_path, "")

    assert [(finding.line, finding.evidence[:12]) for finding in findings] == [(11, "We store the")]


@pytest.mark.parametrize("status", ["proposed", "superseded by ADR-0002", "rejected"])
def test_a_record_that_is_not_accepted_can_change(tmp_path: Path, status: str) -> None:
    before = {**adr(1, status=status), **adr(2, "Two")}

    assert (
        run_rule(RULE, subject_of(tmp_path, before, adr(1, status=status, decision="No.\n"))) == []
    )


def test_a_record_that_the_change_supersedes_can_change(tmp_path: Path) -> None:
    after = {
        **adr(1, status="superseded by ADR-0002", decision="See ADR-0002.\n"),
        **adr(2, "Two", matter="supersedes: [ADR-0001]\n"),
    }

    assert run_rule(RULE, subject_of(tmp_path, adr(1), after)) == []


def test_a_status_set_back_to_proposed_does_not_permit_an_edit(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, adr(1), adr(1, status="proposed", decision="Another.\n"))

    assert len(run_rule(RULE, subject)) == 1


def test_a_deleted_record(tmp_path: Path) -> None:
    findings = run_rule(RULE, staged_subject_of(tmp_path, adr(1), {path_of(adr(1)): None}))

    assert findings == [
        Finding(
            path_of(adr(1)),
            0,
            "accepted-decision",
            "warning",
            "ADR-0001 (Keep it simple) was accepted, and is deleted: keep it, and mark it as"
            " superseded or deprecated",
            "ADR-0001",
        )
    ]


def test_a_record_that_is_moved_out_or_emptied_is_reported(tmp_path: Path) -> None:
    old = adr(1, decision=DECISION)
    out = {path_of(old): None, "docs/archive/one.md": old[path_of(old)]}
    moved = subject_of(tmp_path / "a", old, out)
    emptied = subject_of(tmp_path / "b", {**old, **adr(2, "Two")}, {path_of(old): "\n"})

    assert [(finding.path, finding.line) for finding in run_rule(RULE, moved)] == [
        ("docs/archive/one.md", 0)
    ]
    assert "is no record any more" in run_rule(RULE, moved)[0].message
    assert [finding.path for finding in run_rule(RULE, emptied)] == [path_of(old)]


def test_a_long_line_is_compared_in_full(tmp_path: Path) -> None:
    long = "We store it. " * 400
    before = adr(1, decision=f"{long}In SQLite.\n")
    same = adr(1, decision=f"{long} In [SQLite](https://sqlite.org).\n")
    other = adr(1, decision=f"{long}In files.\n")

    assert run_rule(RULE, subject_of(tmp_path / "a", before, same)) == []
    assert len(run_rule(RULE, subject_of(tmp_path / "b", before, other))) == 1


def test_a_renamed_record_is_compared_with_its_former_text(tmp_path: Path) -> None:
    old, new = adr(1, decision=DECISION), adr(1, "Keep it so", decision=DECISION)
    other = adr(1, "Keep it so", decision=DECISION.replace("SQLite", "a list"))
    gone = {path_of(old): None}

    assert run_rule(RULE, subject_of(tmp_path / "a", old, {**gone, **new})) == []
    assert [
        finding.path
        for finding in run_rule(RULE, subject_of(tmp_path / "b", old, {**gone, **other}))
    ] == [path_of(other)]


def test_specs_and_other_files_have_no_decision(tmp_path: Path) -> None:
    before = {**spec(1), "docs/a.md": "# A\n\n## Decision\n\nYes.\n"}
    gone: dict[str, str | None] = dict.fromkeys([*spec(1), "docs/a.md"])

    assert run_rule(RULE, subject_of(tmp_path, before, gone)) == []


@given(st.lists(st.text(max_size=40), max_size=6))
def test_line_breaks_and_indentation_do_not_change_a_decision(lines: list[str]) -> None:
    assert same_decision(lines, lines)
    assert same_decision(lines, [f"  {line} " for line in lines])
    words = " ".join(lines).split(" ")
    assert same_decision(["\n".join(words)], words) or any("[" in line for line in lines)


@given(st.lists(st.sampled_from(["queue", "index", "store", "alpha"]), min_size=1), st.data())
def test_an_added_removed_or_replaced_word_changes_a_decision(
    words: list[str], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(words) - 1))

    assert not same_decision(words, [*words, "more"])
    assert not same_decision(words, words[:index] + words[index + 1 :])
    assert not same_decision(words, [*words[:index], "nothing", *words[index + 1 :]])


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("reciever", "receiver", True),
        ("occured", "occurred", True),
        ("ocurred", "occurred", True),
        ("laptop", "laptops", True),
        ("postgres", "postgis", False),
        ("include", "exclude", False),
        ("sync", "async", False),
        ("http1", "http2", False),
        ("redis7", "redis8", False),
        ("now", "not", False),
        ("SHALL", "SHOULD", False),
        ("1024", "1025", False),
    ],
)
def test_spelling_errors_of_one_letter_do_not_change_a_decision(a: str, b: str, same: bool) -> None:
    assert same_decision([f"We use {a} here"], [f"We use {b} here"]) is same
    assert same_decision([f"We use {b} here"], [f"We use {a} here"]) is same


@pytest.mark.parametrize("piece", ["[", "](", "[a](", "<!--", "http://", "a-", "( "])
def test_hostile_lines_are_compared_in_linear_time(piece: str) -> None:
    lines = [piece * (2_000 // len(piece))] * 500

    assert same_decision(lines, lines)
