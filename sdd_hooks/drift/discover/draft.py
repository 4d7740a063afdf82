"""A record in the form of MADR for a decision that the code shows. It claims no reasons."""

# Governing: SPEC-0022 REQ "Draft", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.report import use_sentence
from sdd_hooks.reporting.escape import code_span, escape_inline
from sdd_hooks.text.display import format_count

_MAX_LINES = 10


def draft_record(candidate: ImplicitDecision, date: str) -> list[str]:
    """Return the lines of a record with the status `proposed`. `date` is ISO.

    What the code shows is filled in. Each place for what only people know begins with `TODO:`.
    """
    return [
        "---",
        "status: proposed",
        f"date: {date}",
        "decision-makers: []",
        "---",
        "",
        f"# {escape_inline(candidate.title)}",
        "",
        "## Context and Problem Statement",
        "",
        f"The code {_relies(candidate)}, and no record says why. This record describes what is"
        " there, so that the next change can rely on it or argue against it.",
        "",
        "TODO: the problem that it solves, and what limited the choice.",
        "",
        "## Considered Options",
        "",
        f"* {escape_inline(_option(candidate))}",
        "* TODO: what else was or could be considered",
        "",
        "## Decision Outcome",
        "",
        f'Chosen option: "{escape_inline(_option(candidate))}", because TODO: the reason.',
        "",
        "### Consequences",
        "",
        f"* Neutral, because {_reach(candidate)}.",
        "* TODO: good and bad consequences",
        "",
        "### Confirmation",
        "",
        "What shows the decision in the code:",
        "",
        *_evidence(candidate),
    ]


def _option(candidate: ImplicitDecision) -> str:
    return candidate.title


def _relies(candidate: ImplicitDecision) -> str:
    if candidate.technologies:
        names = ", ".join(escape_inline(one) for one in candidate.technologies)
        return f"relies on {names}"
    return "follows a convention"


def _reach(candidate: ImplicitDecision) -> str:
    used = use_sentence(candidate)
    if not used:
        return "a change of this decision affects how the whole system is built or run"
    folders = ", ".join(code_span(one or ".") for one in candidate.folders)
    verb = "depend on" if candidate.technologies else "follow"
    if candidate.files == 1:
        verb = "depends on" if candidate.technologies else "follows"
    return f"{used} {verb} it, in {folders}" if folders else f"{used} {verb} it"


def _evidence(candidate: ImplicitDecision) -> Iterator[str]:
    for one in candidate.evidence[:_MAX_LINES]:
        text = f": {code_span(one.text)}" if one.text else ""
        yield f"* {code_span(f'{one.path}:{one.line}')}{text}"
    rest = len(candidate.evidence) - _MAX_LINES
    if rest > 0:
        yield f"* and {format_count(rest, 'more line')}"
