"""Specifications against the decisions that they are linked with: statuses and statements."""

# Governing: SPEC-0019 REQ "Statuses", SPEC-0019 REQ "Contradictions"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.audit.audited import PENDING, Audited
from sdd_hooks.drift.rules.opposing_requirements import spec_statements
from sdd_hooks.drift.statements import Statement, find_oppositions, read_statements
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.text.markdown import mask_non_prose

SPEC_BEFORE_DECISION = "adr-against-spec/status"
OPPOSING = "adr-against-spec/opposing"

_IN_FORCE = frozenset({"approved", "implemented", "accepted"})
_LINKS = frozenset({"implements", "governs", "related"})


def find_specs_before_decisions(audited: Audited) -> Iterator[Finding]:
    """Find specs in force that implement a decision which is not taken yet."""
    for one in audited.records:
        if one.kind != "SPEC" or one.status.value not in _IN_FORCE:
            continue
        for edge in one.edges:
            targets = audited.corpus.resolve(edge.target) if edge.kind == "implements" else ()
            for target in targets:
                if target.kind == "ADR" and target.status.value in PENDING:
                    message = (
                        f"{one.name} is {one.status.value} and implements {target.name}, which is"
                        f" {target.status.value}: decide it, or set the spec back to draft"
                    )
                    lines = audited.subject.text(edge.path).split("\n")
                    evidence = lines[edge.line - 1].strip() if edge.line <= len(lines) else ""
                    yield Finding(
                        edge.path, edge.line, SPEC_BEFORE_DECISION, "warning", message, evidence
                    )


def find_opposing_decisions(audited: Audited) -> Iterator[Finding]:
    """Find statements of a spec that oppose the decision of an ADR which is linked with it."""
    for adr, spec in _linked_pairs(audited):
        decided = _decided(audited, adr)
        if not decided:
            continue
        required = spec_statements(spec, audited.subject.text(spec.path))
        for decision, other in find_oppositions(decided, required):
            says = (
                f"demands {' '.join(other.numbers)} where {adr.name} decides"
                f" {' '.join(decision.numbers)}"
                if decision.negative == other.negative
                else f"says {other.word} where {adr.name} decides {decision.word}"
            )
            message = (
                f"{spec.name} {says} ({adr.path}:{decision.line}): change the spec, or supersede"
                " the decision"
            )
            yield Finding(
                spec.path, other.line, OPPOSING, _severity(decision, other), message, other.text
            )


def _severity(decision: Statement, other: Statement) -> Severity:
    return "critical" if "must" in (decision.level, other.level) else "warning"


def _linked_pairs(audited: Audited) -> Iterator[tuple[Artifact, Artifact]]:
    """Each ADR with each spec that an edge connects, both in force, and one of them in scope."""
    in_scope = {one.path for one in audited.records}
    seen: set[tuple[str, str]] = set()
    for one in audited.corpus.artifacts:
        for edge in one.edges:
            for other in audited.corpus.resolve(edge.target) if edge.kind in _LINKS else ():
                if {one.kind, other.kind} != {"ADR", "SPEC"}:
                    continue
                adr, spec = (one, other) if one.kind == "ADR" else (other, one)
                key = (adr.path, spec.path)
                is_new = key not in seen and in_scope.intersection(key)
                if is_new and adr.status.authoritative and spec.status.authoritative:
                    seen.add(key)
                    yield adr, spec


def _decided(audited: Audited, adr: Artifact) -> Sequence[Statement]:
    """The statements of the decision."""
    if adr.decision is None:
        return ()
    first, last = adr.decision
    lines = mask_non_prose(audited.subject.text(adr.path)).split("\n")
    return list(read_statements(adr.path, "\n".join(lines[first - 1 : last]), first))
