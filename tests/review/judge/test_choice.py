"""A choice is one of the candidates with a sentence that stands in it, and moves that one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.reporting.outcome import Candidate, Evidence, References
from sdd_hooks.review.judge.choice import Choice, read_choice, with_choice
from sdd_hooks.review.judge.quotes import Quote
from tests.review.judge.records import (
    MUST,
    OLD,
    QUEUE,
    SHOULD,
    TOKENS,
    offered,
    references,
    subject,
)


def test_a_choice_with_its_sentence_is_taken(tmp_path: Path) -> None:
    answer = json.dumps({"path": TOKENS, "quote": MUST, "confidence": 1})
    verdict = read_choice(answer, offered(subject(tmp_path)))
    assert verdict == (Choice(TOKENS, Quote(MUST, 13, "Decision Outcome", "critical")), "")


def test_none_is_an_answer(tmp_path: Path) -> None:
    assert read_choice('{"path": null, "quote": ""}', offered(subject(tmp_path))) == (None, "")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"path": TOKENS, "quote": SHOULD}, "what it quotes does not stand in the record"),
        ({"path": TOKENS, "quote": ""}, "what it quotes does not stand in the record"),
        ({"path": TOKENS}, "what it quotes does not stand in the record"),
        ({"path": TOKENS, "quote": ["x"]}, "what it quotes does not stand in the record"),
        ({"path": OLD, "quote": MUST}, "it is none of the candidates"),
        ({"path": "/etc/passwd", "quote": "root"}, "it is none of the candidates"),
        ({"path": 1, "quote": MUST}, "it is none of the candidates"),
        ({"quote": MUST}, "its answer is not the JSON asked for"),
        ("I choose ADR-0001.", "its answer is not the JSON asked for"),
        ([TOKENS, MUST], "its answer is not the JSON asked for"),
    ],
)
def test_anything_else_is_left_out_and_said(tmp_path: Path, answer: object, why: str) -> None:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    verdict = read_choice(text, offered(subject(tmp_path)))
    assert verdict == (None, f"the judge's choice was left out: {why}")


CHOICE = Choice(TOKENS, Quote(MUST, 13, "Decision Outcome", "critical"))


def paths(found: References) -> list[str]:
    return [one.path for one in found.ranked]


def test_the_chosen_one_is_first_and_suggested_with_its_sentence() -> None:
    found = with_choice(references(), CHOICE, "gpt", 1)
    assert paths(found) == [TOKENS, QUEUE, OLD]
    (first,) = found.suggested
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
    assert found.folded == ()


def test_it_takes_the_place_of_another_which_goes_under_the_fold() -> None:
    old = references(suggested=QUEUE)
    old = replace(old, folded=(old.ranked[1], old.ranked[2]))
    found = with_choice(old, CHOICE, "gpt", 1)
    assert [one.path for one in found.suggested] == [TOKENS]
    assert [one.path for one in found.folded] == [QUEUE, OLD]
    assert not any(one.suggested for one in found.folded)


def test_with_room_for_two_both_are_suggested() -> None:
    found = with_choice(references(suggested=QUEUE), CHOICE, "gpt", 2)
    assert [one.path for one in found.suggested] == [TOKENS, QUEUE]
    assert found.folded == ()


def test_agreeing_changes_nothing_but_the_evidence_and_the_sentence() -> None:
    found = with_choice(references(suggested=TOKENS), CHOICE, "gpt", 1)
    assert [one.path for one in found.suggested] == [TOKENS]
    assert found.suggested[0].evidence[0].kind == "judge"


def test_what_the_change_names_already_is_moved_and_not_suggested() -> None:
    found = with_choice(references(referenced=TOKENS, suggested=QUEUE), CHOICE, "gpt", 1)
    assert paths(found)[0] == TOKENS
    assert [one.path for one in found.suggested] == [QUEUE]


def test_who_wants_no_suggestion_gets_none() -> None:
    found = with_choice(references(), CHOICE, "gpt", 0)
    assert paths(found)[0] == TOKENS
    assert found.suggested == ()
