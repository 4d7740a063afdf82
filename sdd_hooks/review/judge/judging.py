"""What a language model adds to a review: two questions at most, and only what it can prove.

The review is whole without it. A model may put another candidate first and add findings of its own;
no finding goes away for it, and what the rules found is never shown to it.
"""

# Governing: SPEC-0010 REQ "Judge", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.findings import Finding, identify_findings, worst_first
from sdd_hooks.models.language_model import LanguageModel
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.review.judge.answer import LONGEST
from sdd_hooks.review.judge.choice import CANDIDATES, choose, with_choice
from sdd_hooks.review.judge.contradictions import RECORDS, drift
from sdd_hooks.review.judge.forks import from_fork
from sdd_hooks.review.judge.prompt import LIMIT, Part, question, random_boundary
from sdd_hooks.review.judge.records import records_of, to_compare
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.suppressions import suppress
from sdd_hooks.text.display import format_count

SECONDS = 60.0
"""How long the model has for an answer."""


def judged(
    model: LanguageModel,
    subject: Subject,
    review: ReviewOutcome,
    *,
    environ: Mapping[str, str],
    suggestions: int = 1,
    limit: int = LIMIT,
    seconds: float = SECONDS,
    boundary: Callable[[], str] = random_boundary,
) -> ReviewOutcome:
    """The review of `subject` with what a model adds; `environ` tells whether a fork is reviewed.

    `suggestions` is how many records are suggested at most, `limit` how many characters a question
    may have, `seconds` how long an answer may take. A model that fails, a question over the limit,
    an answer that proves nothing, and a pull request from a fork are notes.
    """
    judge = _Judge(model, limit, seconds, boundary)
    if from_fork(environ):
        note = "the judge was not asked: the pull request is from a fork, or may be"
        return replace(review, notes=(*review.notes, note))
    notes: list[str] = []
    try:
        review = _with_choice(judge, subject, review, suggestions, notes)
        review = _with_drift(judge, subject, review, notes)
    except EngineUnavailable as error:
        notes.append(f"{error}: the review goes without it")
    if judge.sizes:
        asked = format_count(len(judge.sizes), "question")
        notes.append(f"the judge {model.name} was asked {asked} of {sum(judge.sizes):,} characters")
    elif not notes:
        notes.append("the judge was not asked: there is no record to hold the change against")
    return replace(review, notes=(*review.notes, *notes))


@dataclass
class _Judge:
    """A model within its limits. `sizes` are how many characters each question to it had."""

    model: LanguageModel
    limit: int
    seconds: float
    boundary: Callable[[], str]
    sizes: list[int] = field(default_factory=list)

    def ask(self, instructions: str, parts: Sequence[Part], schema: Mapping[str, Any]) -> str:
        """Put a question, unless it is too long.

        Raises EngineUnavailable when it is, and when the model does not answer.
        """
        asked = question(instructions, parts, self.boundary)
        if asked.size > self.limit:
            raise EngineUnavailable(
                f"the judge was not asked for {asked.size:,} characters, the limit is"
                f" {self.limit:,}"
            )
        self.sizes.append(asked.size)
        return self.model.ask(
            asked.system, asked.text, schema=schema, seconds=self.seconds, longest=LONGEST
        )


def _with_choice(
    judge: _Judge, subject: Subject, review: ReviewOutcome, suggestions: int, notes: list[str]
) -> ReviewOutcome:
    """The review with the record that the model chose first, unless nobody wants suggestions."""
    references = review.references
    records = records_of(subject, references.ranked, CANDIDATES)
    if references.silenced or not records:
        return review
    choice, note = choose(judge.ask, subject.change, records)
    if note:
        notes.append(note)
    if choice is None:
        return review
    chosen = with_choice(references, choice, judge.model.name, suggestions)
    return replace(review, references=chosen)


def _with_drift(
    judge: _Judge, subject: Subject, review: ReviewOutcome, notes: list[str]
) -> ReviewOutcome:
    """The review with the contradictions that the model proves."""
    # What a change does to records is what rules look at.
    changed = subject.change.files
    files = [one for one in changed if one.added and not subject.is_artifact(one.path)]
    records = to_compare(subject, review.references, RECORDS) if files else []
    if not records:
        return review
    found = drift(judge.ask, subject.change, files, records)
    notes += found.notes
    return _with_findings(subject, review, found.findings)


def _with_findings(
    subject: Subject, review: ReviewOutcome, findings: Iterable[Finding]
) -> ReviewOutcome:
    stay, suppressed = suppress(subject, findings, ())
    identified = identify_findings(stay, subject.change.added_lines())
    reported = {one.finding: one for one in (*review.findings, *identified)}
    ordered = tuple(reported[finding] for finding in worst_first(reported))
    return replace(review, findings=ordered, suppressed=(*review.suppressed, *suppressed))
