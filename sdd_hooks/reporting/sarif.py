"""Report a review as SARIF 2.1.0, for code scanning and editors.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html. The limits and
further requirements of GitHub: https://docs.github.com/en/code-security, "SARIF support for code
scanning".
"""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input),
# SPEC-0010 REQ "Reports", SPEC-0010 REQ "Findings keep their identity"

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import quote

import sdd_hooks
from sdd_hooks.findings import Finding, RuleDescription, Severity
from sdd_hooks.reporting.outcome import (
    SUGGESTION,
    Candidate,
    ReviewOutcome,
    reference_question,
    suggestion_fingerprint,
)
from sdd_hooks.reporting.registry import Reporter
from sdd_hooks.text.display import clipped, format_count, printable_line

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MAX_RESULTS = 25_000
"""Results of one file. GitHub rejects a file with more, and shows 5,000 of them."""
MAX_SIZE = 9_000_000
"""Characters of all results. GitHub accepts 10 MB, compressed."""
MAX_TEXT = 1_000
"""Characters of one text. GitHub cuts some texts at 1,024."""
MAX_LOCATIONS = 100
"""Places of the evidence for one suggestion. GitHub shows no more."""

_LEVELS: dict[Severity, str] = {"critical": "error", "warning": "warning", "info": "note"}
_PROBLEMS: dict[Severity, str] = {
    "critical": "error",
    "warning": "warning",
    "info": "recommendation",
}
_SUGGESTION_TEXTS = (
    "A decision that the change should probably reference",
    "Name the decision in the description, in a commit message or in a governing comment of a"
    " changed file, so that readers find why the code is as it is. `Reviewed-ADRs: none`, on a line"
    " of its own, says that none applies.",
)
# GitHub rejects a whole file for one result without a location.
_NO_FILE = "title, body or message"
_FINGERPRINT = "sddFinding/v1"
# GitHub identifies alerts by it. Its uploader computes it from the line, and warns of other values.
_LINE_FINGERPRINT = "primaryLocationLineHash"

Fields = dict[str, object]


def render_sarif(review: ReviewOutcome, rules: Sequence[RuleDescription]) -> str:
    """The review as a SARIF log with one run, ending in a line end. `rules` are those that ran.

    If GitHub would reject the file for its size, the least severe findings are left out, and a
    notification says how many.
    """
    descriptors = _Descriptors(rules)
    results: list[Fields] = []
    size = 0
    for result in islice(_results(review, descriptors), MAX_RESULTS):
        size += len(json.dumps(result))
        if size > MAX_SIZE:
            break
        results.append(result)
    left = len(review.references.suggested) + len(review.findings) - len(results)
    notes = [*review.notes, *([f"{format_count(left, 'result')} left out"] if left else [])]
    # GitHub opens an alert for a result even if the result says that it is suppressed.
    if review.suppressed:
        notes.append(f"{format_count(len(review.suppressed), 'suppressed finding')} left out")
    if review.references.silenced:
        notes.append(f"nothing is suggested, as asked for: {review.references.silenced}")
    notifications = [{"level": "note", "message": _message(note)} for note in notes]
    run = {
        "tool": {
            "driver": {
                "name": "sdd-hooks",
                "semanticVersion": sdd_hooks.__version__,
                "rules": descriptors.found,
            }
        },
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
        "results": results,
        "properties": {"base": review.base, "head": review.head},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


class _Descriptors:
    """The rules of a run: the described rules, then other rules that findings name."""

    def __init__(self, rules: Sequence[RuleDescription]) -> None:
        self.found: list[Fields] = []
        self._index: dict[str, int] = {}
        self._rules = {rule.id: rule for rule in rules}
        self._add(SUGGESTION, "info", *_SUGGESTION_TEXTS)
        for rule in sorted(rules, key=lambda rule: rule.id):
            self._add(rule.id, rule.severity, rule.summary, rule.advice)

    def of(self, rule: str, severity: Severity) -> Fields:
        """The reference of a result to its rule. `frontmatter/x` has the texts of `frontmatter`."""
        id = _text(rule)
        if id not in self._index:
            described = self._rules.get(rule.partition("/")[0])
            texts = (described.summary, described.advice) if described else (id, id)
            self._add(id, severity, *texts)
        return {"ruleId": id, "ruleIndex": self._index[id]}

    def _add(self, id: str, severity: Severity, summary: str, advice: str) -> None:
        self._index[id] = len(self.found)
        self.found.append(
            {
                "id": id,
                "shortDescription": {"text": _text(summary)},
                "fullDescription": {"text": _text(advice)},
                "help": {"text": _text(advice)},
                "defaultConfiguration": {"level": _LEVELS[severity]},
                "properties": {"problem.severity": _PROBLEMS[severity]},
            }
        )


def _results(review: ReviewOutcome, descriptors: _Descriptors) -> Iterator[Fields]:
    """The suggestions, then the findings, the most severe first."""
    for suggested in review.references.suggested:
        yield {
            **descriptors.of(SUGGESTION, "info"),
            "level": _LEVELS["info"],
            **_suggestion(suggested),
        }
    for one in review.findings:
        keys = {_FINGERPRINT: one.fingerprint}
        if not (one.finding.path and one.finding.line):
            keys[_LINE_FINGERPRINT] = one.fingerprint
        yield {**_result(one.finding, descriptors), "partialFingerprints": keys}


def _suggestion(one: Candidate) -> Fields:
    quoted = f" {one.section}: {one.shown_quote}" if one.quote else ""
    related: list[Fields] = []
    evidence = [each for each in one.evidence if not one.is_place(each.path)]
    for each in evidence[:MAX_LOCATIONS]:
        location = {**_location(each.path, each.line), "message": _message(each.detail)}
        # SARIF allows no duplicates.
        if each.path and location not in related:
            related.append(location)
    # A location is a file of this repository.
    location = _location("", 0) if one.origin else _location(one.path, one.line)
    address = f" {one.url}" if one.url else ""
    return {
        "message": _message(reference_question(one) + quoted + address),
        "locations": [location],
        "relatedLocations": related,
        "partialFingerprints": {_FINGERPRINT: suggestion_fingerprint(one)},
    }


def _result(finding: Finding, descriptors: _Descriptors) -> Fields:
    evidence = {"properties": {"evidence": _text(finding.evidence)}} if finding.evidence else {}
    return {
        **descriptors.of(finding.rule, finding.severity),
        "level": _LEVELS[finding.severity],
        "message": _message(finding.message),
        "locations": [_location(finding.path, finding.line)],
        **evidence,
    }


def _location(path: str, line: int) -> Fields:
    """A place. Line 1 stands for the file as a whole, since GitHub requires a line."""
    artifact = {"uri": _uri(path)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": line or 1}}}


def _uri(path: str) -> str:
    """The path as a relative URI, with the bytes that git has."""
    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = path.encode("utf-8", "replace")
    # Two slashes would begin the name of a host.
    return quote(data.lstrip(b"/")) or quote(_NO_FILE)


def _message(text: str) -> Fields:
    """A message without links and placeholders (SARIF 3.11.5, 3.11.6)."""
    inert = _text(text).replace("](", "] (").replace("{", "{{").replace("}", "}}")
    return {"text": inert or "-"}


def _text(text: str) -> str:
    """The text as one line of at most `MAX_TEXT` printable characters."""
    return clipped(printable_line(" ".join(text[: MAX_TEXT * 4].split())), MAX_TEXT)


REPORTER = Reporter("sarif", lambda outcome, context: render_sarif(outcome, context.rules()))
