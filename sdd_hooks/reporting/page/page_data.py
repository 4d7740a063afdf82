"""The data of a page of an audit besides its texts: artifacts, findings, map."""

# Governing: SPEC-0020 REQ "Artifacts", REQ "The graph", REQ "Search"

from __future__ import annotations

from typing import Any

from sdd_hooks.findings import ReportedFinding
from sdd_hooks.reporting.page.model import AuditPage, PageMap
from sdd_hooks.reporting.page.payload import PackedTexts
from sdd_hooks.reporting.page.records import PageRecords
from sdd_hooks.text.display import printable_line, shortened

MAX_FINDINGS = 5_000
"""Findings that the page lists, the worst first."""

MAX_MESSAGE = 600
MAX_EVIDENCE = 300


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
        "map": _map(page.map),
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


def _map(drawn: PageMap) -> dict[str, Any]:
    kinds = sorted({edge.kind for edge in drawn.edges})
    return {
        "corners": [value for corner in drawn.corners for value in corner],
        "size": list(drawn.size),
        "node": list(drawn.node),
        "loose": drawn.loose_at,
        "kinds": kinds,
        "edges": [
            [kinds.index(kind), older, newer, *(value for point in points for value in point)]
            for kind, older, newer, points in drawn.edges
        ],
    }


def _file_address(page: AuditPage) -> str:
    return f"{page.links.base}/{page.links.head}/" if page.links else ""
