"""The baseline of a repository: known findings, so that only new ones count.

The file has one finding on each line, ordered by path, rule and fingerprint, so that a change is a
small diff. Only the fingerprint identifies a finding; the other fields are for people.
"""

# Governing: ADR-0041 (a baseline shrinks), ADR-0031 (what could not be checked is a finding),
# SPEC-0019 REQ "Baseline"

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from sdd_hooks.drift.whole_tree import Scope
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.findings import INCOMPLETE, Finding, ReportedFinding, RuleDescription
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import printable_line, shortened
from sdd_hooks.text.lazy_regex import lazy_regex

VERSION = 1
MAX_BYTES = 32 << 20
"""The size of a file. That of ten thousand findings is about 3 MB."""
MAX_ENTRIES = 100_000
MAX_MESSAGE = 500
"""Characters of a message that are kept."""
STALE = "stale-baseline"
"""The rule of an entry whose finding no longer occurs."""

_FINGERPRINT = lazy_regex(r"[0-9a-f]{32}")
_NEVER_KNOWN = frozenset({INCOMPLETE, STALE})
_FIELDS = ("fingerprint", "rule", "path", "message")

STALE_RULE = RuleDescription(
    STALE,
    "warning",
    "An entry of the baseline whose finding no longer occurs.",
    "A baseline with old entries hides a finding that comes back. Remove the entry, or write the"
    " baseline again with --write-baseline.",
)


class BaselineEntry(NamedTuple):
    """A known finding. `line` is the line of the entry in the file of the baseline, 1-based."""

    fingerprint: str
    rule: str
    path: str
    message: str
    line: int = 0

    def is_covered(self, scope: Scope, rules: Collection[str]) -> bool:
        """Whether a run of these rules on a scope would have found the entry.

        A finding that is in no file is one of the whole repository. `rules` may name a kind of
        findings of a rule: `security/semgrep`.
        """
        parts = self.rule.split("/")
        ran = parts[0] in rules or "/".join(parts[:2]) in rules
        return ran and scope.contains(self.path)


class Baseline(NamedTuple):
    """The entries of the file at `path`, relative to the root of the repository."""

    path: str
    entries: tuple[BaselineEntry, ...] = ()


class Comparison(NamedTuple):
    """The findings that the baseline lacks, how many it has, and its entries that do not occur."""

    new: tuple[ReportedFinding, ...]
    known: int
    stale: tuple[BaselineEntry, ...]


def parse_baseline(data: bytes, path: str) -> Baseline:
    """Parse the content of the file at `path`.

    Raises ConfigurationError for a file of another format, or of a later version.
    """
    again = "restore it, or write it again with --write-baseline"
    try:
        text = data.decode("utf-8")
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigurationError(f"is no JSON document: {again}", path) from None
    version = document.get("schema_version") if isinstance(document, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise ConfigurationError(f"has version {version}, and this sdd knows {VERSION}", path)
    found = document.get("findings") if version == VERSION else None
    if not isinstance(found, list):
        raise ConfigurationError(f"is no baseline of sdd: {again}", path)
    if len(found) > MAX_ENTRIES:
        raise ConfigurationError(f"has more than {MAX_ENTRIES:,} findings: {again}", path)
    lines = _lines(text)
    entries = []
    for number, one in enumerate(found, 1):
        entry = _entry(one, lines)
        if entry is None:
            raise ConfigurationError(f"finding {number:,} is no entry of a baseline: {again}", path)
        entries.append(entry)
    return Baseline(path, tuple(entries))


def _lines(text: str) -> Mapping[str, int]:
    """The first line that has each fingerprint."""
    lines: dict[str, int] = {}
    number = position = 0
    for match in _FINGERPRINT.finditer(text):
        number += text.count("\n", position, match.start())
        position = match.start()
        lines.setdefault(match[0], number + 1)
    return lines


def _entry(value: object, lines: Mapping[str, int]) -> BaselineEntry | None:
    if not isinstance(value, dict):
        return None
    texts = [value.get(field) for field in _FIELDS]
    if not all(isinstance(text, str) for text in texts):
        return None
    fingerprint, rule, path, message = map(str, texts)
    if not _FINGERPRINT.fullmatch(fingerprint):
        return None
    return BaselineEntry(fingerprint, rule, path, message, lines.get(fingerprint, 0))


def format_baseline(entries: Iterable[BaselineEntry]) -> str:
    """The content of the file of a baseline. Entries with one fingerprint become one."""
    ordered = sorted(
        {entry.fingerprint: entry for entry in entries}.values(),
        key=lambda one: (one.path, one.rule, one.fingerprint),
    )
    rows = ",\n".join(f"    {_row(entry)}" for entry in ordered)
    body = f"[\n{rows}\n  ]" if rows else "[]"
    return f'{{\n  "schema_version": {VERSION},\n  "findings": {body}\n}}\n'


def _row(entry: BaselineEntry) -> str:
    texts = (entry.fingerprint, entry.rule, entry.path, entry.message)
    fields = dict(zip(_FIELDS, texts, strict=True))
    # A path may have bytes that are no text, or characters that reorder a line.
    is_plain = all(text == printable_line(text) for text in fields.values())
    return json.dumps(fields, ensure_ascii=not is_plain)


def compare_with_baseline(
    findings: Sequence[ReportedFinding],
    baseline: Baseline,
    covers: Callable[[BaselineEntry], bool],
) -> Comparison:
    """Compare the findings of a run with a baseline.

    `covers` tells whether the run would have found an entry: its rule ran, on its path. What could
    not be checked is never known.
    """
    known = {entry.fingerprint for entry in baseline.entries}
    new = tuple(
        one for one in findings if one.fingerprint not in known or one.finding.rule in _NEVER_KNOWN
    )
    found = {one.fingerprint for one in findings}
    stale = tuple(
        entry for entry in baseline.entries if entry.fingerprint not in found and covers(entry)
    )
    return Comparison(new, len(findings) - len(new), stale)


def stale_findings(baseline: Baseline, stale: Iterable[BaselineEntry]) -> tuple[Finding, ...]:
    """The findings about entries that no longer occur, at their lines in the baseline."""
    return tuple(
        Finding(
            baseline.path,
            entry.line,
            STALE,
            STALE_RULE.severity,
            f"{_name(entry)} no longer occurs: remove the entry, or write the baseline again with"
            " --write-baseline",
            entry.fingerprint,
        )
        for entry in {entry.fingerprint: entry for entry in stale}.values()
    )


def _name(entry: BaselineEntry) -> str:
    rule, path = (
        shortened(printable_line(entry.rule), 80),
        shortened(printable_line(entry.path), 200),
    )
    return f"{rule} in {path}" if path else rule


def renewed_entries(
    findings: Iterable[ReportedFinding],
    baseline: Baseline | None,
    covers: Callable[[BaselineEntry], bool],
) -> tuple[BaselineEntry, ...]:
    """The entries of a baseline that is written again.

    They are the findings of a run, and the entries of the old baseline that the run does not cover.
    """
    kept = [entry for entry in baseline.entries if not covers(entry)] if baseline else []
    return (*kept, *(_known(one) for one in findings if one.finding.rule not in _NEVER_KNOWN))


def _known(reported: ReportedFinding) -> BaselineEntry:
    finding = reported.finding
    message = shortened(printable_line(finding.message[: 4 * MAX_MESSAGE]), MAX_MESSAGE)
    return BaselineEntry(reported.fingerprint, finding.rule, finding.path, message)
