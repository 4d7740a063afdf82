"""`sdd review` of many pull requests: its arguments, its report, and the merges."""

# Governing: SPEC-0027 REQ "Arguments of a review", SPEC-0027 REQ "Batch review",
# SPEC-0027 REQ "Merge"

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.output import CommandOutput, printable_line, show
from sdd_hooks.cli.shared.progress import SyncOutput, waiting_line
from sdd_hooks.config.settings import FailOn
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.usecases.sprint.merge_pulls import MergeReport
    from sdd_hooks.usecases.sprint.review_pulls import PullBatch, PullReview

_NUMBER = lazy_regex(r"#?([1-9][0-9]{0,8})", re.ASCII)
_SPEC = lazy_regex(r"(?:\[[^\]]+\]/)?SPEC[-_ ]?[0-9]+", re.IGNORECASE | re.ASCII)


class ReviewTarget(NamedTuple):
    """What the arguments name: the two ends of a range, or pull requests and specifications."""

    commits: tuple[str, str] = ("", "")
    numbers: tuple[int, ...] = ()
    specs: tuple[str, ...] = ()

    @property
    def is_batch(self) -> bool:
        """Whether pull requests are named."""
        return bool(self.numbers or self.specs)


class BatchOptions(NamedTuple):
    """The options that the review of pull requests has."""

    fail_on: FailOn | None
    judge: str
    merge: bool
    dry_run: bool
    as_json: bool


def parse_targets(values: Sequence[str]) -> ReviewTarget:
    """Tell ranges, numbers and specifications apart. Raises UsageError for a mixture."""
    numbers: list[int] = []
    specs: list[str] = []
    ranges: list[tuple[str, str]] = []
    for value in values:
        number = _NUMBER.fullmatch(value)
        id = parse_id(value, "SPEC") if _SPEC.fullmatch(value) else None
        base, dots, head = value.partition("..")
        if dots:
            ranges.append((base, head.removeprefix(".")))
        elif number:
            numbers.append(int(number[1]))
        elif id is not None:
            specs.append(str(id))
        else:
            raise click.UsageError(
                f"'{value}' is no range: write BASE..HEAD, or --base {value}; pull requests are"
                " named by numbers, or by a specification such as SPEC-0003"
            )
    if len(ranges) > 1 or (ranges and (numbers or specs)):
        raise click.UsageError("give one range BASE..HEAD, or pull requests, not both")
    return ReviewTarget(ranges[0] if ranges else ("", ""), tuple(numbers), tuple(specs))


def review_batch(directory: Path | None, target: ReviewTarget, options: BatchOptions) -> int:
    """Review pull requests, merge what is ready if that is wanted, and print the report."""
    from sdd_hooks.usecases.forge import find_forge, open_forge
    from sdd_hooks.usecases.sprint.merge_pulls import MergeRun, merge_pulls
    from sdd_hooks.usecases.sprint.review_pulls import PullNames, review_pulls

    if options.dry_run and not options.merge:
        raise click.UsageError("--dry-run needs --merge: a review writes nothing")
    project = open_project(directory)
    names = PullNames(target.numbers, target.specs, options.fail_on, options.judge)
    output = SyncOutput(options.as_json)
    source = find_forge(project, time.time())
    merged: MergeReport | None = None
    with (
        output.callbacks(progress=False) as callbacks,
        open_forge(source, callbacks.on_wait) as forge,
    ):
        with waiting_line(sys.stderr, "Reviewing"):
            batch = review_pulls(project, forge, names, time.time, callbacks)
        if options.merge:
            run = MergeRun(project, forge, batch, time.time, callbacks, options.dry_run)
            merged = merge_pulls(run, names)
    command = " ".join(["sdd review", *map(str, target.numbers), *target.specs, "--merge"])
    warnings = [*batch.warnings, *project.warnings]
    if merged:
        warnings += merged.warnings
        if merged.error:
            warnings.append(f"{merged.error}: run `{command}` again to go on")
    lines = [*batch.header, *_lines(batch), *(_merge_lines(merged, options) if merged else ())]
    notes = [*output.notes, *batch.notes, *(merged.notes if merged else ())]
    data = {**_data(batch), "merge": _merge_data(merged, options) if merged else None}
    return show(
        CommandOutput(data, lines, notes, warnings, _exit_code(batch, merged)), options.as_json
    )


def _exit_code(batch: PullBatch, merged: MergeReport | None) -> int:
    if merged and merged.error:
        return merged.error.exit_code
    is_left = merged is not None and bool(merged.not_merged)
    return EXIT_FINDINGS if is_left or any(one.fails for one in batch.reviews) else EXIT_OK


def _lines(batch: PullBatch) -> Iterator[str]:
    reviews = {review.pull.number: review for review in batch.reviews}
    for place, tier in enumerate(batch.order.tiers, 1):
        yield f"tier {place}"
        for number in tier:
            yield from _review_lines(reviews[number], batch)
    left = [number for number in reviews if batch.order.tier_of(number) is None]
    if left:
        yield "without a place"
    for number in left:
        yield from _review_lines(reviews[number], batch)
    for circle in batch.order.circles:
        yield f"circle: {' → '.join(map(str, circle))}: each comes before the next"
    for number in batch.order.waiting:
        yield f"{number} comes after a circle"


def _review_lines(review: PullReview, batch: PullBatch) -> Iterator[str]:
    from sdd_hooks.reporting.outcome import reference_question

    pull = review.pull
    draft = ", draft" if pull.is_draft else ""
    yield printable_line(f"  {pull.number} {pull.title} ({_checks(review)}{draft})")
    for other, paths in sorted(batch.order.overlaps[pull.number].items()):
        shared = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        yield printable_line(f"    overlaps with {other}: {shared or 'its files are unknown'}")
    before = sorted(batch.after[pull.number])
    if before:
        yield f"    comes after {', '.join(map(str, before))}"
    if review.verdict is None:
        yield printable_line(f"    not reviewed: {review.problem}")
        return
    outcome = review.verdict.review
    for candidate in outcome.references.suggested:
        yield printable_line(f"    {reference_question(candidate)}")
        place = f"{candidate.path}:{candidate.line}" if candidate.line else candidate.path
        section = f"{candidate.section}, " if candidate.section else ""
        yield printable_line(f"      {section}{place}: {candidate.shown_quote}")
    for one in outcome.findings:
        found = one.finding
        place = f"{found.path}:{found.line}: " if found.path else ""
        yield printable_line(f"    {found.severity} {found.rule}: {place}{found.message}")
    for issue in outcome.issues:
        line = f"    prior issue {issue.id} ({issue.status}) {issue.title}: {issue.reason}"
        yield printable_line(line)
    for similar in review.similar:
        yield printable_line(f"    see also {similar.path} ({similar.title}, {similar.score:.2f})")
    for note in outcome.notes:
        yield printable_line(f"    note: {note}")


def _checks(review: PullReview) -> str:
    checks = review.details.checks
    match checks.state:
        case "success":
            return "checks passed"
        case "failure":
            return f"checks failed: {', '.join(checks.failed)}"
        case "pending":
            return f"checks running: {', '.join(checks.pending)}"
        case "none":
            return "no checks"
    return "checks unknown"


def _merge_lines(merged: MergeReport, options: BatchOptions) -> Iterator[str]:
    verb = "would be merged" if options.dry_run else "merged"
    for number in merged.merged:
        yield f"{number} {verb}"
    for one in merged.not_merged:
        yield printable_line(f"{one.number} not merged: {one.reason}")
    if merged.left:
        yield f"not reached: {', '.join(map(str, merged.left))}"
    for id in merged.closed:
        yield printable_line(f"issue {id} closed")


def _data(batch: PullBatch) -> dict[str, object]:
    return {
        "pull_requests": [_review_data(review, batch) for review in batch.reviews],
        "order": {
            "tiers": [list(tier) for tier in batch.order.tiers],
            "circles": [list(circle) for circle in batch.order.circles],
            "waiting": list(batch.order.waiting),
        },
    }


def _review_data(review: PullReview, batch: PullBatch) -> dict[str, object]:
    pull, checks = review.pull, review.details.checks
    outcome = review.verdict.review if review.verdict else None
    return {
        "number": pull.number,
        "title": pull.title,
        "branch": pull.head_ref,
        "base": pull.base_ref,
        "head": pull.head,
        "is_draft": pull.is_draft,
        "tier": batch.order.tier_of(pull.number),
        "after": sorted(batch.after[pull.number]),
        "overlaps": {
            str(other): list(paths) for other, paths in batch.order.overlaps[pull.number].items()
        },
        "files": None if review.details.files is None else list(review.details.files),
        "checks": {
            "state": checks.state,
            "failed": list(checks.failed),
            "pending": list(checks.pending),
        },
        "issues": [issue.id for issue in review.issues.issues],
        "closes": [issue.id for issue in review.issues.closed],
        "problem": review.problem or None,
        "suggested": [
            {
                "id": one.id,
                "title": one.title,
                "path": one.path,
                "section": one.section,
                "line": one.line,
                "quote": one.quote,
            }
            for one in (outcome.references.suggested if outcome else ())
        ],
        "findings": [
            {
                "rule": one.finding.rule,
                "severity": one.finding.severity,
                "path": one.finding.path,
                "line": one.finding.line,
                "message": one.finding.message,
            }
            for one in (outcome.findings if outcome else ())
        ],
        "prior_issues": [one._asdict() for one in (outcome.issues if outcome else ())],
        "similar": [one._asdict() for one in review.similar],
        "notes": list(outcome.notes) if outcome else [],
        "fails": review.fails,
    }


def _merge_data(merged: MergeReport, options: BatchOptions) -> dict[str, object]:
    return {
        "dry_run": options.dry_run,
        "merged": merged.merged,
        "not_merged": [one._asdict() for one in merged.not_merged],
        "not_reached": merged.left,
        "closed_issues": merged.closed,
    }
