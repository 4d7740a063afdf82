"""Render the page of an audit: one HTML file with its style, its script and its data.

A policy in the page (Content Security Policy Level 3) allows its own script and style by their
hashes, no other ones, and no request. Trusted Types forbid the script to pass text to a parser.
"""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "One self-contained page",
# REQ "Hostile texts", REQ "Accessible", SPEC-0020 REQ "Artifacts", REQ "The graph", REQ "Search"

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from sdd_hooks.changes.record_history import PENDING
from sdd_hooks.findings import ReportedFinding, count_severities
from sdd_hooks.reporting.page.links import GraphEdge
from sdd_hooks.reporting.page.model import AuditPage, PageFreshness
from sdd_hooks.reporting.page.payload import PackedTexts, pack, pack_texts
from sdd_hooks.reporting.page.records import PageRecords
from sdd_hooks.text.display import printable_line, shortened
from sdd_hooks.text.durations import format_duration
from sdd_hooks.text.lazy_regex import lazy_regex

SCRIPTS = (
    "dom",
    "data",
    "list",
    "record",
    "findings",
    "coverage",
    "graph",
    "timeline",
    "search",
    "main",
)
"""The modules of the script, in the order in which they are joined."""

# A page in the work tree must not count as a file that names records. So the first digit of an id
# and of a file name is a character reference, which a browser shows as the digit.
_ID = lazy_regex(r"((?:adr|spec)s?[-_ #/(]*|/)([0-9])", re.IGNORECASE)

_ORDER = ("accepted", "approved", "implemented", "proposed", "draft", "review")

MAX_FINDINGS = 5_000
"""Findings that the page lists, the worst first."""

MAX_MESSAGE = 600
MAX_EVIDENCE = 300


def render_page(page: AuditPage) -> str:
    """Return the page as HTML, which is the same for the same input."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    def finalize(value: object) -> object:
        if not isinstance(value, str) or isinstance(value, Markup):
            return value
        return Markup(_ID.sub(_hide_digit, str(escape(value))))  # noqa: S704 (escaped)

    records = PageRecords(page)
    packed = pack_texts(records.texts)
    style = _asset("page.css")
    script = _script()
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Texts of this package and base64, which no input can close.
    trusted = {
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "data": pack(page_data(page, records, packed)),
    }
    return environment.from_string(_asset("page.html")).render(
        **{name: Markup(text) for name, text in trusted.items()},  # noqa: S704
        parts=[Markup(part) for part in packed.parts],  # noqa: S704
        **_shell(page, records),
    )


def _hide_digit(match: re.Match[str]) -> str:
    return f"{match[1]}&#{ord(match[2])};"


def _shell(page: AuditPage, records: PageRecords) -> dict[str, Any]:
    """What the page shows without its script."""
    rows = records.rows
    requirements = [one for listed in page.requirements.values() for one in listed]
    named = sum(one.is_named for one in requirements)
    decisions = [row for row in rows if row.kind == "ADR" and row.in_force]
    return {
        "name": printable_line(page.name),
        "commit": printable_line(page.commit)[:12],
        "edited": page.edited,
        "made": _time(page.made),
        "rows": rows,
        "modules": sorted({row.module for row in rows if row.module}),
        "statuses": _statuses(records),
        "severities": count_severities(one.finding for one in page.findings)._asdict().items(),
        "decided": sum(row.in_force and row.status not in PENDING for row in rows),
        "within": page.review_within,
        "waiting": sum(row.status in PENDING for row in rows),
        "requirements": len(requirements),
        "percent": named * 100 // len(requirements) if requirements else 0,
        "decisions": len(decisions),
        "cited": sum(bool(row.cited) for row in decisions),
        "freshness": page.freshness,
        "age": _age(page.freshness, page.made),
        "is_stale": _is_stale(page.freshness, page.made),
        "indexed": _time(page.freshness.indexed or 0),
        "notes": [printable_line(note) for note in (*page.notes, *page.freshness.notes)],
    }


def _statuses(records: PageRecords) -> list[tuple[str, str, int]]:
    """The statuses that artifacts have: value, label, number; the common ones first."""
    counts = Counter(row.status for row in records.rows)
    labels = {row.status: row.label for row in records.rows} | {"unknown": "Other"}
    order = {value: place for place, value in enumerate(_ORDER)}
    ranked = sorted(counts, key=lambda value: (order.get(value, len(order)), value))
    return [(value, labels[value], counts[value]) for value in ranked]


def _age(freshness: PageFreshness, now: float) -> str:
    return "" if freshness.indexed is None else format_duration(max(0.0, now - freshness.indexed))


def _is_stale(freshness: PageFreshness, now: float) -> bool:
    return freshness.indexed is not None and now - freshness.indexed > freshness.threshold > 0


def _time(seconds: float) -> str:
    from datetime import datetime, timezone

    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _script() -> str:
    body = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}\n}})();'


def _policy(style: str, script: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def page_data(page: AuditPage, records: PageRecords, packed: PackedTexts) -> dict[str, Any]:
    """Return the data of a page, which are JSON values only."""
    files: dict[str, int] = {}
    artifacts = [
        {
            **records.data(number, files),
            "part": part,
            "place": place,
            "cut": int(number in packed.cut),
        }
        for number, (part, place) in enumerate(packed.places)
    ]
    findings = [_finding(page, records, one) for one in page.findings[:MAX_FINDINGS]]
    data = {
        "artifacts": artifacts,
        "findings": findings,
        "unlisted": max(0, len(page.findings) - MAX_FINDINGS),
        "rules": {name: printable_line(text) for name, text in page.rules.items()},
        "map": _map(page.edges),
        "code": [
            [printable_line(path), files, governed, [records.numbers[one] for one in by]]
            for path, files, governed, by in page.folders
        ],
        "base": _file_address(page),
        "query": page.links.query if page.links else "",
    }
    data["files"] = [printable_line(path) for path in files]
    return data


def _finding(page: AuditPage, records: PageRecords, reported: ReportedFinding) -> list[Any]:
    finding = reported.finding
    artifact = page.corpus.by_path.get(finding.path)
    return [
        finding.severity,
        printable_line(finding.rule),
        shortened(printable_line(finding.message), MAX_MESSAGE),
        printable_line(finding.path),
        finding.line,
        shortened(printable_line(finding.evidence), MAX_EVIDENCE),
        records.numbers[artifact.path] if artifact else -1,
    ]


def _map(edges: Sequence[GraphEdge]) -> dict[str, Any]:
    kinds = sorted({edge.kind for edge in edges})
    return {
        "kinds": kinds,
        "edges": [[kinds.index(kind), older, newer] for kind, older, newer in edges],
    }


def _file_address(page: AuditPage) -> str:
    return f"{page.links.base}/{page.links.head}/" if page.links else ""
