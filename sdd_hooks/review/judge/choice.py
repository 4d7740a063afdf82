"""Which of the candidates governs the change: a model chooses one, and quotes the sentence."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sdd_hooks.changes.change import Change
from sdd_hooks.reporting.outcome import Candidate, Evidence, References
from sdd_hooks.review.judge.added_lines import added_part
from sdd_hooks.review.judge.answer import parse_answer, word
from sdd_hooks.review.judge.prompt import Ask, about
from sdd_hooks.review.judge.quotes import Quote, find_quote
from sdd_hooks.review.judge.records import Record, part

CANDIDATES = 20
"""How many are offered: of a change's true records, nearly all are among the first twenty."""

_RECORD = 1_000
_LINES = 9_000

_INSTRUCTIONS = """\
You help the reviewers of a repository. You are shown a change and records of decisions and \
specifications. Choose the one record that governs what the change does and that its author and \
reviewers should know of, and quote the one sentence of that record which says so. Choose none \
when no record does, or when the change is trivial: a wrong choice costs more than none.
The answer is {"path": PATH, "quote": SENTENCE}, where PATH is the `path` of the record exactly as \
it is given, or {"path": null, "quote": ""} for none."""

_SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": ["string", "null"]}, "quote": {"type": "string"}},
    "required": ["path", "quote"],
    "additionalProperties": False,
}


class Choice(NamedTuple):
    """The candidate that a model chose, and its words that do exist."""

    path: str
    quote: Quote


class Verdict(NamedTuple):
    """What came of asking: a choice or none, and what to say about an answer that was left out."""

    choice: Choice | None
    note: str = ""


def read_choice(answer: str, records: Sequence[Record]) -> Verdict:
    """The choice in an answer. Never raises.

    One that is not among the records, or quotes what does not stand there, is no choice.
    """
    found = parse_answer(answer)
    if found is None or "path" not in found:
        return Verdict(
            None, "the judge's choice was left out: its answer is not the JSON asked for"
        )
    if found["path"] is None:
        return Verdict(None)
    path = word(found, "path")
    record = next((record for record in records if record.path == path), None)
    if record is None:
        return Verdict(None, "the judge's choice was left out: it is none of the candidates")
    quote = find_quote(record.text, word(found, "quote"))
    if quote is None:
        return Verdict(
            None, "the judge's choice was left out: what it quotes does not stand in the record"
        )
    return Verdict(Choice(path, quote))


def choose(ask: Ask, change: Change, records: Sequence[Record]) -> Verdict:
    """Have one of the records chosen. Raises EngineUnavailable when the model does not answer."""
    parts = [about(change), added_part(change.files, _LINES).part]
    parts += [part(record, number, _RECORD) for number, record in enumerate(records, 1)]
    return read_choice(ask(_INSTRUCTIONS, parts, _SCHEMA), records)


def with_choice(references: References, choice: Choice, model: str, most: int) -> References:
    """The references with the chosen record first; `most` are suggested at most.

    A record that the change names already is moved, and never suggested.
    """
    old = next(one for one in references.ranked if one.path == choice.path)
    reason = Evidence("judge", f"chosen by {model}", old.path, choice.quote.line)
    wanted = [*([] if old.referenced else [old]), *references.suggested]
    shown = list(dict.fromkeys(one.path for one in wanted))[:most]
    chosen = _chosen(old, choice, reason, references.ranked[0].score)
    others = (one for one in references.ranked if one.path != choice.path)
    ranked = tuple(one._replace(suggested=one.path in shown) for one in (chosen, *others))
    demoted = [one for one in ranked if one.path not in shown and _was_suggested(one, references)]
    folded = {one.path: one for one in (*demoted, *references.folded) if one.path != choice.path}
    room = max(len(references.folded), len(demoted))
    return replace(references, ranked=ranked, folded=tuple(folded.values())[:room])


def _chosen(old: Candidate, choice: Choice, reason: Evidence, best: float) -> Candidate:
    return old._replace(
        score=max(old.score, best),
        evidence=(reason, *old.evidence),
        section=choice.quote.section,
        quote=choice.quote.text,
        line=choice.quote.line,
    )


def _was_suggested(candidate: Candidate, references: References) -> bool:
    return any(one.path == candidate.path for one in references.suggested)
