"""The first question: which record governs the change. The model chooses one and quotes it."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import Candidate, Evidence, References
from sdd_hooks.review.judge.prompt import AskModel, describe_change, parse_answer, text_field
from sdd_hooks.review.judge.quotes import Quotation, find_quotation, show_added_lines
from sdd_hooks.review.judge.records import RecordText, format_record, select_records
from sdd_hooks.review.references.explanation.reasons import MAX_REASONS
from sdd_hooks.review.subject import Subject

MAX_CANDIDATES = 12
"""Records in the prompt. The ranking has nearly all records that govern a change among them."""

_MAX_RECORD = 700
_MAX_LINES = 5_000

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


class ChosenRecord(NamedTuple):
    """The path of the record that a model chose, and the sentence that it quoted."""

    path: str
    quotation: Quotation


class ChoiceAnswer(NamedTuple):
    """An answer: the chosen record or None, and a note about an invalid answer or ""."""

    choice: ChosenRecord | None
    note: str = ""


def choose_record(
    ask: AskModel, subject: Subject, references: References, model: str, max_suggestions: int
) -> tuple[References, str]:
    """Let a model choose the record to suggest.

    Returns the references with its choice and a note, or "". The model is not asked when a trailer
    asks for no suggestion. Raises EngineUnavailable when the model does not answer.
    """
    records = select_records(subject, references.ranked, MAX_CANDIDATES)
    if references.silenced or not records:
        return references, ""
    change = subject.change
    parts = [describe_change(change), show_added_lines(change.files, _MAX_LINES).part]
    parts += [
        format_record(record, number, _MAX_RECORD) for number, record in enumerate(records, 1)
    ]
    choice, note = parse_choice(ask(_INSTRUCTIONS, parts, _SCHEMA), records)
    if choice is None:
        return references, note
    chosen = apply_choice(references, choice, model, max_suggestions)
    first, *others = chosen.ranked
    # The address of a record of another repository has the line that is quoted.
    first = first._replace(url=subject.external.page(first.path, first.line))
    return chosen._replace(ranked=(first, *others)), note


def parse_choice(answer: str, records: Sequence[RecordText]) -> ChoiceAnswer:
    """Parse the choice in an answer. Never raises.

    The path must be that of one of the records, and the quotation must exist in it.
    """
    document = parse_answer(answer)
    if document is None or "path" not in document:
        return _rejected("its answer is not the JSON asked for")
    if document["path"] is None:
        return ChoiceAnswer(None)
    path = text_field(document, "path")
    record = next((record for record in records if record.path == path), None)
    if record is None:
        return _rejected("it is not one of the candidates")
    quotation = find_quotation(record.text, text_field(document, "quote"))
    if quotation is None:
        return _rejected("what it quotes does not stand in the record")
    return ChoiceAnswer(ChosenRecord(path, quotation))


def _rejected(reason: str) -> ChoiceAnswer:
    return ChoiceAnswer(None, f"the judge's choice was left out: {reason}")


def apply_choice(
    references: References, choice: ChosenRecord, model: str, max_suggestions: int
) -> References:
    """Move the chosen record to the first place, and suggest it unless the change cites it."""
    old = next(one for one in references.ranked if one.path == choice.path)
    evidence = Evidence("judge", f"chosen by {model}", old.path, choice.quotation.line)
    wanted = [*([] if old.referenced else [old]), *references.suggested]
    suggested = list(dict.fromkeys(one.path for one in wanted))[:max_suggestions]
    chosen = _chosen_candidate(old, choice, evidence, references.ranked[0].score)
    others = (one for one in references.ranked if one.path != choice.path)
    ranked = tuple(_suggest(one, one.path in suggested) for one in (chosen, *others))
    before = {one.path for one in references.suggested}
    demoted = [one for one in ranked if one.path in before and one.path not in suggested]
    folded = {one.path: one for one in (*demoted, *references.folded) if one.path != choice.path}
    max_folded = max(len(references.folded), len(demoted))
    return references._replace(ranked=ranked, folded=tuple(folded.values())[:max_folded])


def _suggest(candidate: Candidate, suggested: bool) -> Candidate:
    why_not = "" if suggested else candidate.why_not or "the judge chose another record"
    return candidate._replace(suggested=suggested, why_not=why_not)


def _chosen_candidate(
    old: Candidate, choice: ChosenRecord, evidence: Evidence, highest: float
) -> Candidate:
    return old._replace(
        score=max(old.score, highest),
        evidence=(evidence, *old.evidence)[:MAX_REASONS],
        section=choice.quotation.section,
        quote=choice.quotation.text,
        line=choice.quotation.line,
    )
