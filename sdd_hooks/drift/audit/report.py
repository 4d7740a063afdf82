"""The report of an audit: its findings by category and by module, and what to do about them."""

# Governing: SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.drift.audit.coverage import GAP
from sdd_hooks.drift.baseline import STALE
from sdd_hooks.findings import SEVERITIES, Finding, ReportedFinding, Severity, count_severities
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import (
    AuditAction,
    AuditCategory,
    AuditModule,
    AuditRow,
)

MAX_ACTIONS = 12
"""Recommended actions."""


class _Category(NamedTuple):
    id: str
    name: str
    short: str


_SPEC = _Category("code-vs-spec", "Code vs. Specification Drift", "Code vs. Spec")
_ADR = _Category("code-vs-adr", "Code vs. ADR Drift", "Code vs. ADR")
_BETWEEN = _Category("adr-vs-spec", "ADR vs. Spec Inconsistencies", "ADR vs. Spec")
_GAPS = _Category("coverage-gaps", "Coverage Gaps", "Coverage Gaps")
_STALE = _Category("stale-artifacts", "Stale Artifacts", "Stale Artifacts")
_POLICY = _Category("policy-violations", "Policy Violations", "Policy Violations")
_SECURITY = _Category("security", "Security Patterns", "Security")
_TEMPLATES = _Category("templates", "Template Quality", "Templates")
_OTHER = _Category("other", "Other Findings", "Other")

CATEGORIES = (_SPEC, _ADR, _BETWEEN, _GAPS, _STALE, _POLICY, _SECURITY, _TEMPLATES, _OTHER)
"""The categories in the order of the report."""

# By the whole id of a rule, else by the part before the slash.
_OF_RULE: Mapping[str, _Category] = {
    "requirement-coverage": _SPEC,
    "decision-rule": _ADR,
    "ungoverned-code": _GAPS,
    "adr-against-spec": _BETWEEN,
    GAP: _GAPS,
    "stale-artifact": _STALE,
    "superseded-reference": _STALE,
    "spec-pair": _STALE,
    STALE: _OTHER,
    "opposing-requirements": _POLICY,
    "requirement-words": _POLICY,
    "frontmatter": _POLICY,
    "frontmatter/superseded-status": _STALE,
    "frontmatter/status-conflict": _STALE,
    "frontmatter/unknown-status": _STALE,
    "duplicate-number": _POLICY,
    "security": _SECURITY,
    "template": _TEMPLATES,
}


def _category(finding: Finding, record: Artifact | None) -> _Category:
    """The category of a finding. A reference that leads nowhere is drift from what it names."""
    family = finding.rule.partition("/")[0]
    if found := _OF_RULE.get(finding.rule) or _OF_RULE.get(family):
        return found
    if family == "dangling-reference":
        named = next(find_id_references(f"{finding.evidence} {finding.message}"), None)
        is_spec = named is not None and named.id.kind == "SPEC"
        return _POLICY if record else _SPEC if is_spec else _ADR
    return _OTHER


def group_findings(
    findings: Sequence[ReportedFinding], corpus: Corpus, module_of: Callable[[str], str]
) -> tuple[AuditCategory, ...]:
    """Return every category with its findings, in the order of the report.

    `module_of` returns the module of a path, "" for none.
    """
    rows: dict[str, list[AuditRow]] = {one.id: [] for one in CATEGORIES}
    for reported in findings:
        finding = reported.finding
        record = corpus.by_path.get(finding.path)
        row = AuditRow(reported, _record_name(finding, record), module_of(finding.path))
        rows[_category(finding, record).id].append(row)
    return tuple(
        AuditCategory(
            one.id,
            one.name,
            one.short,
            tuple(rows[one.id]),
            count_severities(row.reported.finding for row in rows[one.id]),
        )
        for one in CATEGORIES
        if one is not _OTHER or rows[one.id]
    )


def _record_name(finding: Finding, record: Artifact | None) -> str:
    if record:
        return record.name
    for text in (finding.rule, finding.message, finding.evidence):
        if named := next(find_id_references(text), None):
            return str(named.id)
    return ""


def count_by_module(
    findings: Sequence[ReportedFinding], modules: Sequence[str], module_of: Callable[[str], str]
) -> tuple[AuditModule, ...]:
    """The findings of each module in order, those of no module last; () without a module."""
    if not modules:
        return ()
    found: dict[str, list[Finding]] = {name: [] for name in (*modules, "")}
    for one in findings:
        found.setdefault(module_of(one.finding.path), []).append(one.finding)
    return tuple(
        AuditModule(name, count_severities(each)) for name, each in found.items() if name or each
    )


def recommend_actions(findings: Sequence[ReportedFinding]) -> tuple[AuditAction, ...]:
    """What to do about findings, the most severe first, each rule once, MAX_ACTIONS at most.

    The first action is about the worst finding: its place, and what its message says to do.
    """
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.finding.severity, one.finding.rule), []).append(one.finding)
    ordered = sorted(groups.values(), key=lambda group: SEVERITIES.index(group[0].severity))
    firsts = ((group[0], len(group) - 1) for group in ordered[:MAX_ACTIONS])
    return tuple(
        AuditAction(one.severity, one.rule, one.message, one.path, one.line, more)
        for one, more in firsts
    )
