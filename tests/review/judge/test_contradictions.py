"""A contradiction counts when the line is added and the sentence stands in the record."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.review.judge.added_lines import added_part
from sdd_hooks.review.judge.contradictions import MOST, Drift, read_drift
from sdd_hooks.review.judge.records import Record
from sdd_hooks.text.lines import NumberedLine
from tests.review.judge.records import (
    CODE,
    MUST,
    OLD,
    PLAIN,
    QUEUE,
    RECORDS,
    SHOULD,
    STORE,
    TOKENS,
)

FILES = [
    ChangedFile(
        "src/tokens.py",
        "",
        "A",
        "100644",
        added=tuple(NumberedLine(at, text) for at, text in enumerate(CODE.splitlines(), 1)),
    )
]
SHOWN = added_part(FILES, 5_000)
HELD = [
    Record(TOKENS, "ADR-0001", "Encrypt tokens at rest", RECORDS[TOKENS]),
    Record(QUEUE, "ADR-0002", "One queue", RECORDS[QUEUE]),
]


def entry(**changed: object) -> dict[str, object]:
    return {
        "file": "src/tokens.py",
        "line": 2,
        "added": STORE.strip(),
        "record": TOKENS,
        "quote": MUST,
        "why": "The token is written as it is: encrypt it.",
        **changed,
    }


def read(*entries: object) -> Drift:
    return read_drift(json.dumps({"findings": entries}), SHOWN, HELD)


def test_a_finding_says_where_both_stand() -> None:
    assert read(entry()).findings == (
        Finding(
            "src/tokens.py",
            2,
            "judge/adr-0001",
            "critical",
            f"contradicts ADR-0001 ({TOKENS}:13), which says “{MUST}”: "
            "The token is written as it is: encrypt it.",
            STORE,
        ),
    )


@pytest.mark.parametrize(
    ("record", "quote", "severity"),
    [(TOKENS, MUST, "critical"), (QUEUE, SHOULD, "warning"), (TOKENS, PLAIN, "info")],
)
def test_it_is_as_severe_as_the_sentence(record: str, quote: str, severity: Severity) -> None:
    ((finding), *rest) = read(entry(record=record, quote=quote)).findings
    assert finding.severity == severity
    assert not rest


@pytest.mark.parametrize(
    "wrong",
    [
        {"file": "src/other.py"},
        {"added": "database.write(secret)"},
        {"added": "database"},
        {"added": None},
        {"record": OLD},
        {"record": "../../etc/passwd"},
        {"record": QUEUE},
        {"quote": "Tokens MUST be stored in plain text."},
        {"quote": "MUST NOT"},
        {"quote": {}},
    ],
)
def test_what_quotes_nothing_that_exists_is_left_out_and_counted(wrong: dict[str, object]) -> None:
    found = read(entry(**wrong), entry())
    assert len(found.findings) == 1
    assert found.notes == ("1 of the judge's findings left out: what they quote is not there",)


@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"findings": 3}', "No contradictions."])
def test_an_answer_of_another_shape_is_a_note(answer: str) -> None:
    assert read_drift(answer, SHOWN, HELD) == (
        (),
        ("the judge's findings were left out: its answer is not the JSON asked for",),
    )


def test_entries_that_are_none_are_counted() -> None:
    found = read(None, 3, "x", [], {})
    assert found == ((), ("5 of the judge's findings left out: what they quote is not there",))


def test_the_same_line_and_record_is_said_once() -> None:
    found = read(entry(), entry(why="Again."), entry(record=QUEUE, quote=SHOULD))
    assert [one.rule for one in found.findings] == ["judge/adr-0001", "judge/adr-0002"]
    assert found.notes == ()


def test_no_more_than_so_many_are_kept() -> None:
    texts = [f"database.write(token{number})" for number in range(40)]
    lines = tuple(NumberedLine(at, text) for at, text in enumerate(texts, 1))
    files = [ChangedFile("a.py", "", "A", "100644", added=lines)]
    entries = [entry(file="a.py", added=text, line=0) for text in texts]
    found = read_drift(json.dumps({"findings": entries}), added_part(files, 5_000), HELD)
    assert len(found.findings) == MOST
    assert found.notes == (f"the judge found {40 - MOST} more",)


def test_an_explanation_is_one_short_line() -> None:
    why = "Ignore\n::error::this \x1b[2J\u202e" + "x" * 9_000
    (finding,) = read(entry(why=why)).findings
    assert finding.message.isprintable()
    assert len(finding.message) < 700
    (silent,) = read(entry(why=7)).findings
    assert silent.message.endswith("”: follow it, or supersede the record")


ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "file": st.sampled_from(["src/tokens.py", ""]) | st.none(),
        "line": st.integers() | st.text() | st.booleans(),
        "added": st.sampled_from([STORE, "def save(token):"]) | st.text(),
        "record": st.sampled_from([TOKENS, QUEUE]) | st.text(),
        "quote": st.sampled_from([MUST, SHOULD, PLAIN]) | st.text(),
        "why": st.text(),
    },
)


@given(st.lists(ENTRIES | st.none() | st.integers()))
def test_whatever_it_says_a_finding_quotes_what_exists(entries: list[object]) -> None:
    found = read(*entries)
    for finding in found.findings:
        assert NumberedLine(finding.line, finding.evidence) in FILES[0].added
        assert finding.message.isprintable()
    assert len(found.findings) <= len(entries)
