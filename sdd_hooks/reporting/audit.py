"""What an audit adds to its findings: categories, modules, coverage and actions, as plain data."""

# Governing: ADR-0022 (one review, many reports), SPEC-0019 REQ "Report"

from __future__ import annotations

from sdd_hooks.findings import ReportedFinding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.severity_counts import SeverityCounts


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
    """A record in force that no code names: its id or name, title and file."""

    name: str
    title: str
    path: str


class DecisionCoverage(NamedTuple):
    """How many records in force govern code.

    `records` are those in force, `cited` those that a governing comment names, `stated` the others
    that state files or rules themselves (`applies-to`, `sdd-rule`). `uncited` are the rest. `files`
    are the source files in scope, `governed` those that a record governs by one of these ways.
    """

    records: int = 0
    cited: int = 0
    stated: int = 0
    uncited: tuple[UncitedRecord, ...] = ()
    files: int = 0
    governed: int = 0


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
