"""Files that a record names in its decision, and that are gone."""

# Governing: ADR-0066 (what a record names it governs), SPEC-0019 REQ "Right or silent"

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sdd_hooks.artifacts.named_code import NamedCode, find_unresolved
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.findings import Finding
from sdd_hooks.text.lazy_regex import lazy_regex

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
