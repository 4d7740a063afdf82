"""A choice must be one of the candidates with an existing sentence, and moves that candidate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdd_hooks.reporting.outcome import Candidate, Evidence, References
from sdd_hooks.review.judge.choice import ChosenRecord, apply_choice, parse_choice
from sdd_hooks.review.judge.quotes import Quotation
from tests.review.judge.records import (
    MUST,
    OLD,
    QUEUE,
    SHOULD,
    TOKENS,
    candidates,
    references,
    subject,
)


def test_a_choice_with_an_existing_sentence_is_accepted(tmp_path: Path) -> None:
    answer = json.dumps({"path": TOKENS, "quote": MUST, "confidence": 1})
    answered = parse_choice(answer, candidates(subject(tmp_path)))
    assert answered == (
        ChosenRecord(TOKENS, Quotation(MUST, 13, "Decision Outcome", "critical")),
        "",
    )


def test_a_model_can_choose_no_record(tmp_path: Path) -> None:
    assert parse_choice('{"path": null, "quote": ""}', candidates(subject(tmp_path))) == (None, "")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"path": TOKENS, "quote": SHOULD}, "what it quotes does not stand in the record"),
        ({"path": TOKENS, "quote": ""}, "what it quotes does not stand in the record"),
        ({"path": TOKENS}, "what it quotes does not stand in the record"),
        ({"path": TOKENS, "quote": ["x"]}, "what it quotes does not stand in the record"),
        ({"path": OLD, "quote": MUST}, "it is not one of the candidates"),
        ({"path": "/etc/passwd", "quote": "root"}, "it is not one of the candidates"),
        ({"path": 1, "quote": MUST}, "it is not one of the candidates"),
        ({"quote": MUST}, "its answer is not the JSON asked for"),
        ("I choose ADR-0001.", "its answer is not the JSON asked for"),
        ([TOKENS, MUST], "its answer is not the JSON asked for"),
    ],
)
def test_an_invalid_choice_is_left_out_with_a_note(
    tmp_path: Path, answer: object, reason: str
) -> None:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    answered = parse_choice(text, candidates(subject(tmp_path)))
    assert answered == (None, f"the judge's choice was left out: {reason}")


CHOICE = ChosenRecord(TOKENS, Quotation(MUST, 13, "Decision Outcome", "critical"))


def paths(result: References) -> list[str]:
    return [reference.path for reference in result.ranked]


def test_the_chosen_record_is_first_and_suggested_with_its_sentence() -> None:
    result = apply_choice(references(), CHOICE, "gpt", 1)
    assert paths(result) == [TOKENS, QUEUE, OLD]
    (first,) = result.suggested
    assert first == Candidate(
        TOKENS,
        "ADR-0001",
        "Encrypt tokens at rest",
        0.8,
        True,
        evidence=(Evidence("judge", "chosen by gpt", TOKENS, 13),),
        section="Decision Outcome",
        quote=MUST,
        line=13,
    )
    assert result.folded == ()


def test_the_chosen_record_replaces_another_which_is_folded() -> None:
    old = references(suggested=QUEUE)
    old = old._replace(folded=(old.ranked[1], old.ranked[2]))
    result = apply_choice(old, CHOICE, "gpt", 1)
    assert [reference.path for reference in result.suggested] == [TOKENS]
    assert [reference.path for reference in result.folded] == [QUEUE, OLD]
    assert not any(reference.suggested for reference in result.folded)


def test_two_records_are_suggested_when_the_limit_allows_it() -> None:
    result = apply_choice(references(suggested=QUEUE), CHOICE, "gpt", 2)
    assert [reference.path for reference in result.suggested] == [TOKENS, QUEUE]
    assert result.folded == ()


def test_a_choice_of_the_suggested_record_changes_its_evidence_and_sentence() -> None:
    result = apply_choice(references(suggested=TOKENS), CHOICE, "gpt", 1)
    assert [reference.path for reference in result.suggested] == [TOKENS]
    assert result.suggested[0].evidence[0].kind == "judge"


def test_a_cited_record_is_moved_and_not_suggested() -> None:
    result = apply_choice(references(referenced=TOKENS, suggested=QUEUE), CHOICE, "gpt", 1)
    assert paths(result)[0] == TOKENS
    assert [reference.path for reference in result.suggested] == [QUEUE]


def test_no_record_is_suggested_with_a_limit_of_0() -> None:
    result = apply_choice(references(), CHOICE, "gpt", 0)
    assert paths(result)[0] == TOKENS
    assert result.suggested == ()
