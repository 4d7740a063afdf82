"""A contradiction must quote an added line and an existing sentence of a record."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.review.judge.contradictions import MAX_FINDINGS, Contradictions, parse_contradictions
from sdd_hooks.review.judge.quotes import show_added_lines
from sdd_hooks.review.judge.records import RecordText
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
        added=tuple(NumberedLine(number, text) for number, text in enumerate(CODE.splitlines(), 1)),
    )
]
SHOWN = show_added_lines(FILES, 5_000)
COMPARED = [
    RecordText(TOKENS, "ADR-0001", "Encrypt tokens at rest", RECORDS[TOKENS]),
    RecordText(QUEUE, "ADR-0002", "One queue", RECORDS[QUEUE]),
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


def read(*entries: object) -> Contradictions:
    return parse_contradictions(json.dumps({"findings": entries}), SHOWN, COMPARED)


def test_a_finding_has_the_places_of_line_and_sentence() -> None:
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
def test_the_severity_follows_the_keywords_of_the_sentence(
    record: str, quote: str, severity: Severity
) -> None:
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
def test_findings_without_an_existing_quotation_are_left_out_and_counted(
    wrong: dict[str, object],
) -> None:
    result = read(entry(**wrong), entry())
    assert len(result.findings) == 1
    assert result.notes == ("1 of the judge's findings left out: what they quote is not there",)


@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"findings": 3}', "No contradictions."])
def test_an_answer_of_another_form_is_a_note(answer: str) -> None:
    assert parse_contradictions(answer, SHOWN, COMPARED) == (
        (),
        ("the judge's findings were left out: its answer is not the JSON asked for",),
    )


def test_invalid_entries_are_counted() -> None:
    result = read(None, 3, "x", [], {})
    assert result == ((), ("5 of the judge's findings left out: what they quote is not there",))


def test_one_finding_is_kept_for_each_line_and_record() -> None:
    result = read(entry(), entry(why="Again."), entry(record=QUEUE, quote=SHOULD))
    assert [finding.rule for finding in result.findings] == ["judge/adr-0001", "judge/adr-0002"]
    assert result.notes == ()


def test_the_findings_are_limited() -> None:
    texts = [f"database.write(token{number})" for number in range(40)]
    lines = tuple(NumberedLine(number, text) for number, text in enumerate(texts, 1))
    files = [ChangedFile("a.py", "", "A", "100644", added=lines)]
    entries = [entry(file="a.py", added=text, line=0) for text in texts]
    result = parse_contradictions(
        json.dumps({"findings": entries}), show_added_lines(files, 5_000), COMPARED
    )
    assert len(result.findings) == MAX_FINDINGS
    assert result.notes == (f"the judge found {40 - MAX_FINDINGS} more",)


def test_an_explanation_is_shortened_to_one_line() -> None:
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
def test_every_finding_quotes_existing_text(entries: list[object]) -> None:
    result = read(*entries)
    for finding in result.findings:
        assert NumberedLine(finding.line, finding.evidence) in FILES[0].added
        assert finding.message.isprintable()
    assert len(result.findings) <= len(entries)
