"""Draft a lesson from each finding that failed a check, was fixed, and is gone from the next one.

The findings of the last run of each check are in `.sdd/review/findings.json`, which can be deleted:
the next run writes it again.
"""

# Governing: SPEC-0028 REQ "Fail, fix, pass", ADR-0031 (what could not be checked is a finding)

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sdd_hooks.config.configuration import Configuration
from sdd_hooks.embedding.policy import in_ci
from sdd_hooks.errors import SddError
from sdd_hooks.findings import INCOMPLETE, Finding, RuleDescription
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.system.files import is_directory, read_state, state_directory, write_atomically
from sdd_hooks.text.display import format_count
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase, knowledge_of

MAX_SCOPES = 100
MAX_FINDINGS = 1_000
"""Findings of a run that are remembered."""

_MAX_BYTES = 32 << 20
_TRIGGER = "guard-check-code"

Failing = dict[str, tuple[str, str, str]]
"""The rule, the path and the message of findings by their fingerprints."""


class CheckRun(NamedTuple):
    """A run of a check: what it was about, its outcome, and a function that describes its rules."""

    scope: str
    outcome: ReviewOutcome
    rules: Callable[[], Sequence[RuleDescription]]


def learn_from_review(project: Project, outcome: ReviewOutcome, now: float) -> tuple[str, ...]:
    """Draft lessons from what was fixed since the last review of this branch from the same commit.

    `HEAD~1` is another commit after each commit: what such a review has no more may not be fixed.
    Returns notes.
    """
    from sdd_hooks.review.rules import rule_descriptions

    repository = project.repository
    branch = repository.git.try_output("symbolic-ref", "--quiet", "HEAD") or b""
    scope = f"review {outcome.base} {os.fsdecode(branch).strip()}"
    run = CheckRun(scope, outcome, rule_descriptions)
    return draft_fixed(repository, project.configuration, run, now)


def draft_fixed(
    repository: Repository, configuration: Configuration, run: CheckRun, now: float
) -> tuple[str, ...]:
    """Log the findings that this run has no more, and remember those that it has.

    Returns notes about the drafts. Does nothing in CI, and where there is no knowledge base. A
    failure is not raised: the check has another purpose.
    """
    try:
        base = knowledge_of(repository, configuration)
        if in_ci(repository.environ) or not is_directory(base.place.directory):
            return ()
        path = state_directory(repository.root, ".sdd", "review") / "findings.json"
        scopes = _read(path)
        failing = _failing(run.outcome)
        before = scopes.pop(run.scope, {})
        fixed = _fixed(repository.root, run.outcome, before, failing)
        for fingerprint in fixed:
            for others in scopes.values():
                others.pop(fingerprint, None)
        if failing or before:
            newest = dict(list(scopes.items())[-MAX_SCOPES:])
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps({**newest, run.scope: failing}).encode())
        return _log(base, run, fixed, now) if fixed else ()
    except (SddError, OSError):
        return ()


def _failing(outcome: ReviewOutcome) -> Failing:
    """The findings that should be fixed.

    Those of a model may differ every time, and the next run may be without a scanner.
    """
    from sdd_hooks.review.judge.contradictions import JUDGE
    from sdd_hooks.review.scans import FAMILIES

    passed_over = {INCOMPLETE, JUDGE.id, *FAMILIES}
    found = [
        one
        for one in outcome.findings
        if one.finding.severity != "info" and one.finding.rule.partition("/")[0] not in passed_over
    ]
    return {
        one.fingerprint: (one.finding.rule, one.finding.path, one.finding.message)
        for one in found[:MAX_FINDINGS]
    }


def _fixed(root: Path, outcome: ReviewOutcome, before: Failing, failing: Failing) -> Failing:
    """The findings of the run before that were fixed: their files are there, and were checked."""
    if any(one.finding.rule == INCOMPLETE for one in outcome.findings):
        return {}
    if len(failing) >= MAX_FINDINGS:
        return {}
    suppressed = {(one.finding.rule, one.finding.path) for one in outcome.suppressed}
    # An edit of the line that shows a finding changes its fingerprint.
    still = suppressed | {(rule, path) for rule, path, _ in failing.values()}
    return {
        fingerprint: (rule, path, message)
        for fingerprint, (rule, path, message) in before.items()
        if fingerprint not in failing
        and (rule, path) not in still
        and (not path or os.path.lexists(root / path))
    }


def _log(base: KnowledgeBase, run: CheckRun, fixed: Failing, now: float) -> tuple[str, ...]:
    """Log one event for each rule whose findings were fixed."""
    from sdd_hooks.knowledge.session_log import make_event
    from sdd_hooks.usecases.knowledge.state import log_events

    advice = {rule.id: rule.advice for rule in run.rules()}
    by_rule: dict[str, list[Finding]] = {}
    for rule, path, message in fixed.values():
        by_rule.setdefault(rule, []).append(Finding(path, 0, rule, "warning", message))
    events = [
        make_event("guardrail", _what_happened(found), _fields(rule, advice, found), now)
        for rule, found in by_rule.items()
    ]
    log_events(base, events)
    rules = ", ".join(by_rule)
    return (
        f"{format_count(len(fixed), 'finding')} fixed since the last run ({rules}):"
        " `sdd knowledge finish` offers a draft lesson",
    )


def _what_happened(found: Sequence[Finding]) -> str:
    first = found[0]
    place = f"{first.path}: " if first.path else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{place}{first.message}{more}"


def _fields(rule: str, advice: Mapping[str, str], found: Sequence[Finding]) -> dict[str, str]:
    suffixes = (Path(one.path).suffix.lstrip(".") for one in found)
    tags = dict.fromkeys([rule, *filter(None, suffixes)])
    return {
        "advice": advice.get(rule) or found[0].message,
        "tags": ", ".join(tags),
        "trigger": _TRIGGER,
    }


def _read(path: Path) -> dict[str, Failing]:
    """The findings of the last runs; none for a file that cannot be read."""
    try:
        data = json.loads(read_state(path, _MAX_BYTES))
        return {
            scope: {
                str(fingerprint): (str(one[0]), str(one[1]), str(one[2]))
                for fingerprint, one in findings.items()
            }
            for scope, findings in data.items()
        }
    except (FileNotFoundError, SddError, ValueError, AttributeError, LookupError, TypeError):
        return {}
    except RecursionError:
        return {}
