"""The rules that only an audit has. Another one is a function here, and a line in this table."""

# Governing: ADR-0021 (rules are functions), ADR-0066 (what a record names it governs),
# SPEC-0019 REQ "Right or silent", SPEC-0019 REQ "Statuses", SPEC-0019 REQ "Contradictions"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.named_code import NamedCode, find_unresolved
from sdd_hooks.changes.record_history import PENDING
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.audit.coverage import GAP, NearRecord, find_gaps
from sdd_hooks.drift.audit.due_dates import find_overdue
from sdd_hooks.drift.audit.statuses import find_not_accepted, find_undecided, find_unimplemented
from sdd_hooks.drift.rules import described_rules
from sdd_hooks.drift.rules.opposing_requirements import spec_statements
from sdd_hooks.drift.statements import Statement, find_oppositions, read_statements
from sdd_hooks.findings import Finding, RuleDescription, Severity
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import mask_non_prose

SPEC_BEFORE_DECISION = "adr-against-spec/status"
OPPOSING = "adr-against-spec/opposing"

_IN_FORCE = frozenset({"approved", "implemented", "accepted"})
_LINKS = frozenset({"implements", "governs", "related"})


LOST_PATH = "stale-artifact/lost-path"

MAX_PATHS = 50
"""Names without a file that are looked for in the history."""

# A decision about the end of a file names it rightly.
_ENDS = lazy_regex(
    r"(?i)\b(?:remov|delet|drop|replac|renam|mov(?:e|ed|es|ing)\b|migrat|retir|deprecat|obsolet"
    r"|split|merg|supersed|no longer|former|previous|was|were|instead of|extract)"
)


def find_lost_paths(audited: Audited) -> Iterator[Finding]:
    """Find the files that a record in force names and that the history once had."""
    missing = list(islice(_missing(audited), MAX_PATHS))
    lost = audited.lost_files([named.path for _, named in missing]) if missing else {}
    for path, named in missing:
        if found := lost.get(named.path):
            became = f" renamed it to {found.renamed}" if found.renamed else " removed it"
            message = (
                f"{named.path} no longer exists: {found.commit[:10]}{became}; say in the record"
                " what holds now"
            )
            yield Finding(path, named.line, LOST_PATH, "info", message, named.path)


def _missing(audited: Audited) -> Iterator[tuple[str, NamedCode]]:
    for one in audited.records:
        if one.status.authoritative:
            text = audited.subject.text(one.path)
            for named in find_unresolved(one, text, audited.code_paths):
                if named.governs and not _ENDS.search(named.sentence):
                    yield one.path, named


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


AUDIT_RULES = (
    RuleDescription(
        "stale-artifact",
        "warning",
        "A record whose status or date does not fit what the repository shows.",
        "Readers and tools follow records by their status. Set it to what holds, or change the code"
        " or the date.",
    ),
    RuleDescription(
        "adr-against-spec",
        "critical",
        "A specification against a decision that it is linked with.",
        "Code cannot follow both. Change the specification, or supersede the decision.",
    ),
    RuleDescription(
        GAP,
        "info",
        "A directory of code that no record governs, in a repository where records govern most.",
        "Name the decision that the code rests on in a governing comment or under applies-to, or"
        " record it.",
    ),
)


def described_audit_rules() -> tuple[RuleDescription, ...]:
    """What a report of an audit says about every rule that may run."""
    return (*described_rules(), *AUDIT_RULES)


Near = Callable[[str], NearRecord | None]


def audit_rules(audited: Audited, near: Near) -> tuple[Rule, ...]:
    """The rules of an audit, for what is audited. `near` is as in `coverage.find_gaps`."""
    return tuple(_rule(one, audited, near) for one in AUDIT_RULES)


def _rule(description: RuleDescription, audited: Audited, near: Near) -> Rule:
    def check(_: Subject) -> Iterator[Finding]:
        return _find(description.id, audited, near)

    return Rule(*description, check, whole_tree=True)


def _find(id: str, audited: Audited, near: Near) -> Iterator[Finding]:
    if id == GAP:
        return find_gaps(audited, near)
    found = {
        "stale-artifact": (
            *(find_unimplemented, find_not_accepted, find_undecided, find_overdue, find_lost_paths),
        ),
        "adr-against-spec": (find_specs_before_decisions, find_opposing_decisions),
    }
    return chain.from_iterable(find(audited) for find in found[id])
