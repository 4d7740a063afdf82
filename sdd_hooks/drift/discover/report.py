"""The report of `sdd discover`, as Markdown and as data."""

# Governing: SPEC-0022 REQ "Report", ADR-0012 (untrusted input), SPEC-0022 REQ "Draft"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.decided import Decided
from sdd_hooks.drift.discover.survey import EvidenceLine
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.escape import code_span, escape_inline, table_cell
from sdd_hooks.text.display import format_count

SCHEMA_VERSION = 1
MAX_SHOWN = 10
"""Decisions that a report shows unless all are requested."""
MAX_LINES = 5
"""Lines of evidence of a decision in Markdown."""

_MAX_TITLE = 160

_MAX_LINES = 10


class DiscoverReport(NamedTuple):
    """What `sdd discover` found: decisions without a record, best first, and those with one.

    `scope` is the path that was looked at ("": all), `files` counts its source files. `header` are
    the lines about the index, `notes` what was not read. `more` counts the decisions left out.
    """

    scope: str
    files: int
    candidates: tuple[ImplicitDecision, ...]
    skipped: tuple[Decided, ...]
    header: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    more: int = 0

    def shown(self, limit: int | None = MAX_SHOWN) -> DiscoverReport:
        """This report with at most `limit` decisions (None: all)."""
        if limit is None or len(self.candidates) <= limit:
            return self
        rest = len(self.candidates) - limit
        return self._replace(candidates=self.candidates[:limit], more=rest)


def render_markdown(report: DiscoverReport) -> list[str]:
    """Return the lines of the report. Text of the repository is escaped."""
    where = f" in {code_span(report.scope)}" if report.scope else ""
    lines = [f"# Implicit decisions{where}", ""]
    for note in report.header:
        lines += [escape_inline(note), ""]
    lines.append(_summary(report))
    for number, candidate in enumerate(report.candidates, 1):
        lines += ["", f"## {number}. {escape_inline(candidate.title, _MAX_TITLE)}", ""]
        lines += [_facts(candidate), ""]
        lines += [f"- {_quoted(one)}" for one in candidate.evidence[:MAX_LINES]]
    if report.more:
        lines += ["", f"{format_count(report.more, 'more decision')}: `--all` shows all."]
    if report.skipped:
        lines += ["", "## Skipped", "", "A record decides these already:", ""]
        lines += ["| decision | record | why |", "|---|---|---|"]
        lines += [_skipped(one) for one in report.skipped]
    if report.candidates:
        first = report.candidates[0].id
        lines += ["", f"`sdd discover --draft {first}` prints a record of the first."]
    return lines


def report_data(report: DiscoverReport) -> dict[str, object]:
    """Return the report as JSON values. Lines count from 1."""
    return {
        "schema_version": SCHEMA_VERSION,
        "scope": report.scope,
        "source_files": report.files,
        "header": list(report.header),
        "candidates": [candidate_data(one) for one in report.candidates],
        "more": report.more,
        "skipped": [
            {
                **candidate_data(one.candidate),
                "record": {
                    "id": one.record,
                    "title": one.title,
                    "status": one.status,
                    "path": one.path,
                },
                "reason": one.reason,
                "cosine": one.cosine,
            }
            for one in report.skipped
        ],
        "unread": list(report.notes),
    }


def candidate_data(candidate: ImplicitDecision) -> dict[str, object]:
    """Return a candidate as JSON values."""
    return {
        "id": candidate.id,
        "title": candidate.title,
        "category": candidate.category,
        "technologies": list(candidate.technologies),
        "files": candidate.files,
        "of_files": candidate.all_files,
        "folders": list(candidate.folders),
        "score": candidate.score,
        "evidence": [
            {"path": one.path, "line": one.line, "text": one.text, "shows": one.role}
            for one in candidate.evidence
        ],
    }


def use_sentence(candidate: ImplicitDecision) -> str:
    """How much of the code depends on a decision, as a phrase; "" if its files do not tell."""
    if not candidate.files:
        return ""
    return f"{candidate.files:,} of {format_count(candidate.all_files, 'source file')}"


def _summary(report: DiscoverReport) -> str:
    files = format_count(report.files, "source file")
    found = len(report.candidates) + report.more
    if not found and not report.skipped:
        return f"No evidence of a decision in {files}."
    open_ = format_count(found, "decision") if found else "No decision"
    skipped = len(report.skipped)
    recorded = f", {skipped:,} more {'has' if skipped == 1 else 'have'} one" if skipped else ""
    verb = "has" if found <= 1 else "have"
    return f"{open_} in {files} {verb} no record{recorded}."


def _facts(candidate: ImplicitDecision) -> str:
    parts = [f"`{candidate.id}`", candidate.category]
    if used := use_sentence(candidate):
        folders = ", ".join(code_span(one or ".") for one in candidate.folders)
        parts.append(f"{used}, most in {folders}" if folders else used)
    return " · ".join(parts)


def _quoted(evidence: EvidenceLine) -> str:
    text = f" {code_span(evidence.text)}" if evidence.text else ""
    return f"{code_span(f'{evidence.path}:{evidence.line}')}{text}"


def _skipped(one: Decided) -> str:
    record = table_cell(f"{one.record}: {one.title}" if one.title else one.record, _MAX_TITLE)
    status = f" ({table_cell(one.status)})" if one.status else ""
    return f"| {table_cell(one.candidate.title)} | {record}{status} | {reason_phrase(one)} |"


def reason_phrase(one: Decided) -> str:
    """Why a record is taken for the decision."""
    if one.reason == "cosine":
        return f"cosine {one.cosine:.2f}"
    return f"named in its {one.reason}"


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
    names = ", ".join(escape_inline(one) for one in candidate.technologies)
    return f"relies on {names}"


def _reach(candidate: ImplicitDecision) -> str:
    used = use_sentence(candidate)
    if not used:
        return "a change of this decision affects how the whole system is built or run"
    folders = ", ".join(code_span(one or ".") for one in candidate.folders)
    verb = "depends on" if candidate.files == 1 else "depend on"
    return f"{used} {verb} it, in {folders}" if folders else f"{used} {verb} it"


def _evidence(candidate: ImplicitDecision) -> Iterator[str]:
    for one in candidate.evidence[:_MAX_LINES]:
        text = f": {code_span(one.text)}" if one.text else ""
        yield f"* {code_span(f'{one.path}:{one.line}')}{text}"
    rest = len(candidate.evidence) - _MAX_LINES
    if rest > 0:
        yield f"* and {format_count(rest, 'more line')}"
