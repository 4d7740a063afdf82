"""The review by a language model: at most two questions, and only answers that quote existing text.

The review is complete without the model. The model can move another candidate to the first place
and add findings. It cannot remove a finding, and no prompt contains the findings of the rules.
"""

# Governing: SPEC-0010 REQ "Judge", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.findings import Finding, identify_findings, worst_first
from sdd_hooks.forges.actions_event import is_same_repository, read_event
from sdd_hooks.models.language_model import LanguageModel
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import field as json_field
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.review.judge.choice import choose_record
from sdd_hooks.review.judge.contradictions import find_contradictions
from sdd_hooks.review.judge.prompt import (
    MAX_ANSWER,
    MAX_PROMPT,
    PromptPart,
    build_prompt,
    random_boundary,
)
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.suppressions import suppress
from sdd_hooks.text.display import format_count

FROM_FORK = "the judge was not asked: the pull request is from a fork, or may be"
ANSWER_TIMEOUT = 60.0
"""Seconds that the model has for one answer."""


class JudgeOptions(NamedTuple):
    """How the model is asked.

    `max_suggestions` limits the suggested records, `max_prompt` the bytes of a prompt,
    `timeout` the seconds for an answer. `draw_boundary` returns the boundary of a prompt.
    """

    max_suggestions: int = 1
    max_prompt: int = MAX_PROMPT
    timeout: float = ANSWER_TIMEOUT
    draw_boundary: Callable[[], str] = random_boundary


DEFAULT_OPTIONS = JudgeOptions()


def judge_review(
    model: LanguageModel,
    subject: Subject,
    review: ReviewOutcome,
    *,
    environ: Mapping[str, str],
    options: JudgeOptions = DEFAULT_OPTIONS,
) -> ReviewOutcome:
    """Add the choice and the findings of a model to the review of `subject`.

    A model that fails, a prompt over its limit, an answer without proof and a pull request from a
    fork, by the CI variables in `environ`, become notes.
    """
    if is_from_fork(environ):
        return replace(review, notes=(*review.notes, FROM_FORK))
    judge = ModelJudge(model, options)
    notes: list[str] = []
    try:
        # What is there already needs no reference in a commit.
        if not subject.whole_tree:
            references, note = choose_record(
                judge.ask, subject, review.references, model.name, options.max_suggestions
            )
            review = replace(review, references=references)
            notes += [note] if note else []
        contradictions = find_contradictions(judge.ask, subject, review.references)
        review = _add_findings(subject, review, contradictions.findings)
        notes += contradictions.notes
    except EngineUnavailable as error:
        notes.append(f"{error}: the review goes without it")
    if judge.sizes:
        notes.append(judge.describe_questions())
    elif not notes:
        notes.append("the judge was not asked: there is no record to hold the change against")
    return replace(review, notes=(*review.notes, *notes))


@dataclass
class ModelJudge:
    """A model with its limits. `sizes` are the bytes of each prompt that was sent."""

    model: LanguageModel
    options: JudgeOptions
    sizes: list[int] = field(default_factory=list)

    def ask(self, instructions: str, parts: Sequence[PromptPart], schema: Mapping[str, Any]) -> str:
        """Send a prompt and return the answer.

        Raises EngineUnavailable when the prompt is too long, and when the model does not answer.
        """
        prompt = build_prompt(instructions, parts, self.options.draw_boundary)
        limit = self.options.max_prompt
        if prompt.size > limit:
            raise EngineUnavailable(
                f"the judge was not asked for {prompt.size:,} bytes, the limit is {limit:,}"
            )
        self.sizes.append(prompt.size)
        return self.model.respond(
            prompt.system,
            prompt.text,
            schema=schema,
            timeout=self.options.timeout,
            max_length=MAX_ANSWER,
        )

    def describe_questions(self) -> str:
        """How many questions of what size the model was asked, for a note."""
        questions = format_count(len(self.sizes), "question")
        size = f"{sum(self.sizes):,} bytes"
        return f"the judge {self.model.name} was asked {questions} of {size}"


def _add_findings(
    subject: Subject, review: ReviewOutcome, findings: Iterable[Finding]
) -> ReviewOutcome:
    remaining, suppressed = suppress(subject, findings, ())
    added = {} if subject.whole_tree else subject.change.added_lines()
    identified = identify_findings(remaining, added)
    reported = {one.finding: one for one in (*review.findings, *identified)}
    ordered = tuple(reported[finding] for finding in worst_first(reported))
    return replace(review, findings=ordered, suppressed=(*review.suppressed, *suppressed))


def is_from_fork(environ: Mapping[str, str]) -> bool:
    """Whether the CI job in `environ` runs for a pull request that is or can be from a fork.

    GitHub and Gitea describe the event in a file: a pull request is from a fork when the repository
    of its head is not that of its base, or is deleted; so is a job that a workflow of another
    repository started. GitLab sets two variables. An event about a pull request without a head
    counts as one from a fork; a job without a pull request does not.
    """
    target = environ.get("CI_MERGE_REQUEST_PROJECT_ID", "")
    if target and environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != target:
        return True
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return _is_pull_request_event(environ)
    event = read_event(path)
    if event is None:
        return True
    if pull := event.get("pull_request"):
        head, base = (json_field(pull, side, "repo") for side in ("head", "base"))
        return not is_same_repository(head, base)
    if run := event.get("workflow_run"):
        return not is_same_repository(json_field(run, "head_repository"), event.get("repository"))
    on_pull_request = bool(json_field(event.get("issue"), "pull_request"))
    return on_pull_request or _is_pull_request_event(environ)


def _is_pull_request_event(environ: Mapping[str, str]) -> bool:
    return environ.get("GITHUB_EVENT_NAME", "").startswith("pull_request")
