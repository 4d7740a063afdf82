"""The outcome of a review, a check or an audit, as plain data that the formats turn into text."""

# Governing: ADR-0022 (one review, many reports), SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sdd_hooks.findings import (
    FINGERPRINT_LENGTH,
    INCOMPLETE,
    SEVERITIES,
    Finding,
    ReportedFinding,
    Severity,
    SeverityCounts,
    SuppressedFinding,
)
from sdd_hooks.named_tuple import NamedTuple


class AuditRow(NamedTuple):
    """A finding in the table of its category.

    `record` is the name of the record that it is about, `module` the module of its file; both may
    be "".
    """

    reported: ReportedFinding
    record: str = ""
    module: str = ""


class AuditCategory(NamedTuple):
    """A category of findings, the most severe first.

    `id` names it in JSON, `name` is the heading of its table, `short` its name in the summary. A
    category without findings has a row in the summary, too.
    """

    id: str
    name: str
    short: str
    rows: tuple[AuditRow, ...] = ()
    counts: SeverityCounts = SeverityCounts()


class AuditModule(NamedTuple):
    """The findings of a module of the workspace; `name` is "" for files of no module."""

    name: str
    counts: SeverityCounts


class AuditAction(NamedTuple):
    """What to do about findings of one rule: the place and the message of the first.

    `path` and `line` are those of a finding. `more` is how many others the rule has.
    """

    severity: Severity
    rule: str
    text: str
    path: str = ""
    line: int = 0
    more: int = 0


class UncitedRecord(NamedTuple):
    """A record in force that no code names, and that names none: its id or name, title and file."""

    name: str
    title: str
    path: str


class DecisionCoverage(NamedTuple):
    """How many records in force are connected with code.

    `records` are those in force, `cited` those that code names, `both` those of them that name code
    themselves (in `applies-to`, a rule or their text), and `stated` the others that do. `uncited`
    are the rest. `files` are the source files in scope, `governed` those that a record governs so.
    """

    records: int = 0
    cited: int = 0
    stated: int = 0
    uncited: tuple[UncitedRecord, ...] = ()
    files: int = 0
    governed: int = 0
    both: int = 0

    @property
    def naming(self) -> int:
        """The records that name code themselves."""
        return self.stated + self.both


class AuditSummary(NamedTuple):
    """The rest of an audit's report, besides its findings and `CheckedTree`.

    `adrs`, `specs` and `files` count what was looked at. `modules` is empty without a workspace.
    `baseline` is the path of the baseline, "" for none, and `known` how many findings it has.
    """

    adrs: int = 0
    specs: int = 0
    files: int = 0
    categories: tuple[AuditCategory, ...] = ()
    modules: tuple[AuditModule, ...] = ()
    actions: tuple[AuditAction, ...] = ()
    coverage: DecisionCoverage = DecisionCoverage()
    baseline: str = ""
    known: int = 0


SUGGESTION = "missing-reference"
"""The rule of suggestions in formats that know only findings. No rule has this id."""


class Evidence(NamedTuple):
    """A reason to believe that a record governs the change.

    `kind` is one word (`comments`), `detail` one line of text. `path` and `line` are the place, ""
    and 0 for evidence without one.
    """

    kind: str
    detail: str
    path: str = ""
    line: int = 0


class Confidence(NamedTuple):
    """How probable it is that the author would name the record that a review ranks first.

    From `threshold` on the review asks. `features` are the names and the values that the
    probability is computed from.
    """

    probability: float
    threshold: float
    features: tuple[tuple[str, float], ...]


class Candidate(NamedTuple):
    """A record that may govern the change. `score` is from 0 to 1, `path` the record's file.

    `referenced` is whether the change names the record already, `suggested` whether the review asks
    to name it. `quote` is a sentence of the record, unchanged, at `line` of its file, and `section`
    the heading above it. They are "" and 0 for a candidate that no report shows. `url` is the web
    address of a record of another repository, and `origin` the name of that repository, which its
    `path` and its `id` begin with; both are "" for a record of this one. `cut` is whether the quote
    is only the beginning of a sentence. `confidence` is the one that decided about it, None for a
    record that did not come first; `why_not` is the reason that it is not suggested, or "".
    `in_force` is whether its status lets it decide.
    """

    path: str
    id: str
    title: str
    score: float
    suggested: bool = False
    referenced: bool = False
    evidence: tuple[Evidence, ...] = ()
    section: str = ""
    quote: str = ""
    line: int = 0
    url: str = ""
    origin: str = ""
    cut: bool = False
    confidence: Confidence | None = None
    why_not: str = ""
    in_force: bool = True

    def is_place(self, path: str) -> bool:
        """Whether this path is that of the record in another repository."""
        return bool(self.origin) and path == self.path

    @property
    def name(self) -> str:
        """Its id, else its title."""
        return self.id or self.title

    @property
    def shown_quote(self) -> str:
        """The quote for people, with an ellipsis where it is cut."""
        return f"{self.quote} …" if self.cut and self.quote else self.quote

    @property
    def full_name(self) -> str:
        """Its id and its title, or the one that it has."""
        return f"{self.id} ({self.title})" if self.id and self.title else self.name


class TouchedIssue(NamedTuple):
    """A prior issue that the change touches, as its synced file has it.

    `status` is open, closed, merged or draft. `reason` is one line of text, `path` the file.
    """

    id: str
    title: str
    status: str
    reason: str
    path: str


class References(NamedTuple):
    """The records that may govern a change, best first.

    `folded` are the candidates that a report shows behind a fold, after the suggested ones.
    `governing` are those in force that the change names, and does not change itself. `silenced` is
    the trailer of the change that asks for no suggestions, unchanged, or "". `notes` says what was
    not read. `silence` says what was compared where nothing is suggested.
    """

    ranked: tuple[Candidate, ...] = ()
    folded: tuple[Candidate, ...] = ()
    silenced: str = ""
    governing: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()
    silence: str = ""

    @property
    def compared_nothing(self) -> bool:
        """Whether a review found no decision in force to compare the change with."""
        return bool(self.silence) and not any(one.in_force for one in self.ranked)

    @property
    def suggested(self) -> tuple[Candidate, ...]:
        """The candidates that the review asks to name."""
        return tuple(one for one in self.ranked if one.suggested)


class CheckedTree(NamedTuple):
    """What `sdd check` or `sdd audit` looked at in the work tree.

    `command` is check or audit, `target` what the user named, "" for the repository. `header` has
    the lines about the index that precede the report. `modules` are the roots of the modules with
    their names, by which findings are grouped.
    """

    command: str
    target: str = ""
    header: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ReviewOutcome:
    """The outcome of a review.

    `base` and `head` are commit ids, `head` "" for a review of what is staged. `files` is the
    number of changed files. `findings` are ordered by severity, path and line, and do not contain
    the suggestions. `issues` are synced issues that the change touches. `notes` say what the review
    did not cover, and why.

    With `tree`, the work tree was looked at, not a change: `files` is the number of files in scope,
    `base`, `head` and `title` are "", and `references` has the records that were read. `audit` is
    what the report of an audit adds.
    """

    base: str
    head: str
    title: str
    files: int
    references: References = field(default_factory=References)
    findings: tuple[ReportedFinding, ...] = ()
    suppressed: tuple[SuppressedFinding, ...] = ()
    notes: tuple[str, ...] = ()
    issues: tuple[TouchedIssue, ...] = ()
    tree: CheckedTree | None = None
    audit: AuditSummary | None = None

    def count(self, severity: Severity) -> int:
        """How many findings have this severity. A suggestion counts as `info`."""
        findings = sum(one.finding.severity == severity for one in self.findings)
        return findings + (len(self.references.suggested) if severity == "info" else 0)

    @property
    def first_step(self) -> Finding | None:
        """The finding of a check to begin with: the worst one that names a defect, if any."""
        findings = (one.finding for one in self.findings if self.tree)
        return next((one for one in findings if one.rule != INCOMPLETE), None)

    def fails(self, fail_on: str) -> bool:
        """Whether a finding is at least as severe as `fail_on`; False for `never`."""
        if fail_on == "never":
            return False
        failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        return any(self.count(severity) for severity in failing)


def reference_question(candidate: Candidate) -> str:
    """The question to the reviewer about a suggested record, in one line of plain text.

    The title follows the question, which so ends as SPEC-0019 of the SDD plugin has it.
    """
    title = f" ({candidate.title})" if candidate.id and candidate.title else ""
    return f"Should this PR reference {candidate.name}?{title}"


def suggestion_fingerprint(candidate: Candidate) -> str:
    """What identifies a suggestion over time, as a finding's fingerprint identifies a finding."""
    from hashlib import sha256

    text = f"{SUGGESTION}\0{candidate.path}".encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:FINGERPRINT_LENGTH]


def governed_statement(candidate: Candidate) -> str:
    """That a record governs the change and is named by it, in one line of plain text."""
    title = f" ({candidate.title})" if candidate.id and candidate.title else ""
    return f"governed by {candidate.name}, referenced{title}"


def issue_statement(issue: TouchedIssue) -> str:
    """A prior issue and why the change touches it, in one line of plain text."""
    return f"{issue.id} {issue.title} ({issue.status}): {issue.reason}"


def findings_by_module(review: ReviewOutcome, tree: CheckedTree) -> dict[str, list[Finding]]:
    """The findings of each module that has some, in the order of the modules, "" for the root."""
    roots = sorted(tree.modules, key=lambda one: -len(one[0]))
    found: dict[str, list[Finding]] = {"": [], **{name: [] for _, name in tree.modules}}
    for one in review.findings:
        path = one.finding.path
        name = next((name for root, name in roots if f"{path}/".startswith(f"{root}/")), "")
        found[name].append(one.finding)
    return {name: findings for name, findings in found.items() if findings}


def group_alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings grouped by rule and message, the groups in the order of their first ones."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.rule, one.message), []).append(one)
    return list(groups.values())


class Entry(NamedTuple):
    """A finding, or a suggestion as a finding of `info`. Fields are those of a finding."""

    rule: str
    severity: Severity
    text: str
    path: str
    line: int
    fingerprint: str


def list_entries(review: ReviewOutcome) -> Iterator[Entry]:
    """The suggestions, then the findings, the most severe first."""
    for one in review.references.suggested:
        quoted = f" {one.section}: {one.shown_quote}" if one.quote else ""
        # The file of a record of another repository is not in this one.
        path, line = ("", 0) if one.origin else (one.path, one.line)
        text = reference_question(one) + quoted
        yield Entry(SUGGESTION, "info", text, path, line, suggestion_fingerprint(one))
    for finding, fingerprint, _ in review.findings:
        yield Entry(
            finding.rule,
            finding.severity,
            finding.message,
            finding.path,
            finding.line,
            fingerprint,
        )
