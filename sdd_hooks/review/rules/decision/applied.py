"""The rules of decisions that apply to a change: those of the head, and those of the base."""

# Governing: ADR-0021 (a change is held to the rules of its base), ADR-0031 (what could not be
# checked is a finding), SPEC-0010 REQ "Decision rules", SPEC-0010 REQ "Incomplete"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.code.dependencies import is_manifest
from sdd_hooks.code.imports import supports_imports
from sdd_hooks.findings import SEVERITIES, Finding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.decision.blocks import MARK, DecisionRule
from sdd_hooks.review.rules.decision.records import (
    RecordRules,
    is_superseded,
    read_record_changes,
)
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line

ID = "decision-rule"
"""The id of the rule that applies them."""
MAX_EVIDENCE = 200
"""Characters of the evidence of a finding."""

# Files that a directory may have.
_NAMES = (
    *("a.py", "a.js", "a.ts", "a.go", "a.java", "a.kt", "a.scala", "a.groovy", "a.cs", "a.rs"),
    *("a.fs", "a.vb", "a.ipynb"),
    *("a.rb", "a.vue", "a.c", "a.php", "a.html", "a.sql", "src/a.py", "src/a.ts", "lib/a.rb"),
    *("package.json", "pyproject.toml", "go.mod", "Cargo.toml", "pom.xml", "Gemfile"),
)


class AppliedRule(NamedTuple):
    """A rule that is applied to the change, with the name and the path of its record."""

    name: str
    path: str
    rule: DecisionRule

    def searches(self, path: str) -> bool:
        """Whether the rule searches a file at this path.

        With a `/` at its end, the path is that of a directory of any files.
        """
        if path.endswith("/"):
            return any(self.searches(path + name) for name in _NAMES)
        if not self.rule.path_filter()(path):
            return False
        if self.rule.what == "import":
            return supports_imports(path)
        return self.rule.what == "regex" or is_manifest(path)


class AppliedRules(NamedTuple):
    """The rules that apply to a change, and the findings about the records that state them."""

    rules: tuple[AppliedRule, ...]
    findings: tuple[Finding, ...]


def find_applied_rules(subject: Subject) -> AppliedRules:
    """Find the rules that apply to the change: of each record in force, at the head or the base."""
    return subject.once(ID, _find)


def severity_of_unchecked(subject: Subject, path: str = "") -> Severity:
    """The severity of a finding that a file, or with "" a part of the change, was not checked.

    It is the one that the settings name, else that of the worst rule of a decision that would have
    searched the file, at least `info`.
    """
    if subject.settings.incomplete:
        return subject.settings.incomplete
    rules = find_applied_rules(subject).rules
    found = (one.rule.severity for one in rules if not path or one.searches(path))
    return min(found, key=SEVERITIES.index, default="info")


def severity_of_unapplied(subject: Subject, applied: AppliedRule) -> Severity:
    """The severity of a finding that a rule was not applied."""
    return subject.settings.incomplete or applied.rule.severity


def _find(subject: Subject) -> AppliedRules:
    applied: list[AppliedRule] = []
    findings: list[Finding] = []
    for before, after, changed in read_record_changes(subject):
        if after and changed:
            findings += _invalid_blocks(after)
        rules = after.in_force if after else ()
        if before and (changed or after is None):
            kept = {rule.substance for rule in rules}
            removed = [rule for rule in before.in_force if rule.substance not in kept]
            superseded = bool(after and is_superseded(after.artifact, subject))
            keeps = not superseded or subject.settings.suppressions == "base"
            if removed and keeps:
                findings.append(_changed_record(before.artifact, after, removed))
                applied += _applied(before.artifact, removed)
            elif any(rule.severity == "critical" for rule in removed):
                findings.append(_superseded_record(before.artifact, after, removed))
        if after:
            applied += _applied(after.artifact, rules)
    return AppliedRules(tuple(applied), tuple(findings))


def _applied(artifact: Artifact, rules: Iterable[DecisionRule]) -> list[AppliedRule]:
    return [AppliedRule(one_line(artifact.name), artifact.path, rule) for rule in rules]


def _invalid_blocks(record: RecordRules) -> Iterator[Finding]:
    for error in record.errors:
        message = f"this {MARK} block is not applied: {one_line(error.message)}"
        evidence = one_line(error.text)[:MAX_EVIDENCE]
        path = record.artifact.path
        yield Finding(path, error.line, f"{ID}/unreadable", "warning", message, evidence)


def _changed_record(
    before: Artifact, after: RecordRules | None, removed: Sequence[DecisionRule]
) -> Finding:
    message = (
        f"this change edits or removes {_count(removed)} of {one_line(before.name)}: it is still"
        " held to what the base says, unless another record supersedes it"
    )
    path = after.artifact.path if after else before.path
    return Finding(path, 0, f"{ID}/changed", "info", message, _evidence(removed[0]))


def _superseded_record(
    before: Artifact, after: RecordRules | None, removed: Sequence[DecisionRule]
) -> Finding:
    must = [rule for rule in removed if rule.severity == "critical"]
    message = (
        f"this change supersedes {one_line(before.name)}, and is not held to {_count(must)} that it"
        " states as MUST: check the record that replaces it"
    )
    path = after.artifact.path if after else before.path
    return Finding(path, 0, f"{ID}/superseded", "info", message, _evidence(must[0]))


def _count(rules: Sequence[DecisionRule]) -> str:
    return "a rule" if len(rules) == 1 else f"{len(rules)} rules"


def _evidence(rule: DecisionRule) -> str:
    return one_line(f"{rule.verb} {rule.what}: {', '.join(rule.names)}")[:MAX_EVIDENCE]
