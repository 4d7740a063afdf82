"""What scanners found in the files of a change, or of a whole tree."""

# Governing: ADR-0065 (scanners find hazards, and reports take their results),
# ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Results of scanners"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sdd_hooks.artifacts.applies_to import AppliesTo, read_applies_to
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.findings import SEVERITIES, Finding, incomplete_finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.scans import FAMILIES, Family, ScanResult
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import format_count, printable_line
from sdd_hooks.text.lines import split_lines

MAX_EVIDENCE = 300
"""Characters of a line that are kept."""
MAX_GOVERNING = 3
"""Records that are named beside a result."""


class _Counted(NamedTuple):
    """The findings of each family, the worst first; what could not be read; and notes."""

    found: Mapping[Family, Sequence[Finding]]
    problems: Sequence[str]
    notes: tuple[str, ...]


def check(subject: Subject, family: Family) -> Iterator[Finding]:
    """Find each result of a family on the lines that changed, or anywhere in a whole tree."""
    if not subject.scans:
        return
    counted = subject.once("scan", _count)
    if family == FAMILIES[0]:
        for problem in counted.problems:
            yield incomplete_finding(problem, subject.settings.incomplete or "critical")
    yield from counted.found[family]


def scan_notes(subject: Subject) -> tuple[str, ...]:
    """What is said of results that are no findings."""
    return subject.once("scan", _count).notes if subject.scans else ()


def covered_rules(subject: Subject, rules: Iterable[str]) -> frozenset[str]:
    """The rules of a run, with each scanner in place of the rules that take results."""
    tools = {tool for scan in subject.scans for tool in scan.tools}
    return frozenset(
        {rule for rule in rules if rule not in FAMILIES}
        | {f"{family}/{tool}" for family in FAMILIES for tool in tools}
    )


def _count(subject: Subject) -> _Counted:
    found: dict[Family, list[Finding]] = {family: [] for family in FAMILIES}
    problems: list[str] = []
    notes: list[str] = []
    known = frozenset(blob.path for blob in subject.after.blobs())
    places = _Places(subject)
    for scan in subject.scans:
        name = printable_line(scan.name)
        problems += [f"the results in {name}: {problem}" for problem in scan.problems]
        counts: Counter[str] = Counter()
        for result in scan.results:
            path = next((one for one in result.paths if one in known), "")
            kind = _kind(subject, result, path)
            counts[kind] += 1
            if kind == "counts" and (finding := places.finding(result, path)):
                found[result.family].append(finding)
        if counts["unknown"] and counts["unknown"] == len(scan.results):
            problems.append(
                f"the results in {name}: they name no file of this repository: start the scanner in"
                " its top directory"
            )
        elif counts["unknown"]:
            left_out = format_count(counts["unknown"], "result")
            notes.append(
                f"left out: {left_out} in {name} about files that are not in the repository"
            )
        if counts["suppressed"]:
            left_out = format_count(counts["suppressed"], "result")
            notes.append(f"left out: {left_out} in {name} that the scanner calls suppressed")
    for findings in found.values():
        findings.sort(key=lambda one: (SEVERITIES.index(one.severity), one))
    return _Counted(found, problems, tuple(notes))


def _kind(subject: Subject, result: ScanResult, path: str) -> str:
    """Whether a result counts; what is suppressed, or in no file that exists, does not.

    With `Suppressions: base`, a comment that a change may have added does not suppress.
    """
    only_base = subject.settings.suppressions == "base" and not subject.whole_tree
    if result.suppressed == "elsewhere" or (result.suppressed == "in-source" and not only_base):
        return "suppressed"
    return "unknown" if not path and (result.paths or result.is_outside) else "counts"


class _Places:
    """Where results are, and which records govern the place."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._files = {file.path: file for file in subject.change.files}
        self._unread = {part.path for part in subject.change.unread}
        self._changed: dict[str, frozenset[int]] = {}
        self._lines: tuple[str, Sequence[str]] = ("", ())
        self._governing: dict[str, str] = {}
        self._stated: list[tuple[str, AppliesTo]] | None = None

    def finding(self, result: ScanResult, path: str) -> Finding | None:
        """The finding of a result; None where the change does not touch its lines."""
        subject = self._subject
        rule = f"{result.family}/{result.rule}"
        if not path:
            if not subject.whole_tree:
                return None
            return Finding("", 0, rule, result.severity, result.message)
        file = self._files.get(path)
        if file is None or not (subject.whole_tree or self._touches(file, result)):
            return None
        lines = self._read(path)
        is_in_file = not lines or result.line <= len(lines)
        line = result.line if is_in_file else 0
        evidence = result.redacted or (lines[line - 1].strip() if line and lines else "")
        governing = self._named(path)
        message = f"{result.message.rstrip('.')}{governing}" if governing else result.message
        return Finding(path, line, rule, result.severity, message, evidence[:MAX_EVIDENCE])

    def _touches(self, file: ChangedFile, result: ScanResult) -> bool:
        """Whether a change has a line of the result. Lines that were not read may be ones."""
        if not result.line or file.binary or file.path in self._unread:
            return True
        if file.path not in self._changed:
            self._changed[file.path] = frozenset(line.number for line in file.added)
        changed = self._changed[file.path]
        if result.line == result.last_line:
            return result.line in changed
        return any(result.line <= number <= result.last_line for number in changed)

    def _read(self, path: str) -> Sequence[str]:
        if self._lines[0] != path:
            self._lines = (path, split_lines(self._subject.text(path)))
        return self._lines[1]

    def _named(self, path: str) -> str:
        """The records in force that govern a file, for the end of a message; "" for none."""
        if path not in self._governing:
            subject = self._subject
            comments = read_governing(subject.text(path), subject.names)
            cited = (one for each in comments for one in subject.corpus.resolve(each.id))
            names = [one.name for one in cited]
            names += [name for name, applies_to in self._statements() if applies_to.match(path)]
            shown = ", ".join(list(dict.fromkeys(names))[:MAX_GOVERNING])
            self._governing[path] = f" (governed by {shown})" if shown else ""
        return self._governing[path]

    def _statements(self) -> Sequence[tuple[str, AppliesTo]]:
        """What each record in force says that it applies to."""
        if self._stated is None:
            subject = self._subject
            corpus = subject.corpus
            if subject.whole_tree:
                # A check knows most records by their names only.
                corpus = subject.after.corpus(subject.collections, subject.origins)
            self._stated = [
                (one.name, read_applies_to(one, subject.text(one.path)))
                for one in corpus.artifacts
                if one.status.authoritative
            ]
        return self._stated


def _rule(family: Family, what: str) -> Rule:
    checks: Callable[[Subject], Iterable[Finding]] = partial(check, family=family)
    return Rule(
        family,
        "critical",
        f"A scanner found {what}, as the file of --scan says.",
        "Do what the message says, or write down beside the line why it is right as it is. The"
        " documentation of the scanner explains its rule.",
        checks,
        whole_tree=True,
    )


SECURITY = _rule("security", "code that can be attacked")
TEMPLATE = _rule("template", "a page that repeats or mixes what belongs in one place")
