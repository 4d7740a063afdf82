"""The two objects of a search in JSON: the versioned one, and that of the search skill."""

# Governing: SPEC-0005 REQ "Search"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.report import LabelledHit, SearchReport

SCHEMA_VERSION = 2
"""Version 1 had the hits of all kinds in one list."""


class NoPlaceForKind(SddError):
    """The object of the search skill has no key for a kind that was requested."""

    exit_code = EXIT_USAGE
    code = "usage"


def versioned_data(report: SearchReport) -> dict[str, object]:
    """Return the object of `--json`, without notes and warnings."""
    groups = [
        {
            "kind": group.kind,
            "collections": list(group.collections),
            "hits": [_hit_data(one) for one in group.hits],
        }
        for group in report.groups
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "query": report.query,
        "groups": groups,
        "missing": list(report.missing),
        "pending": report.pending,
    }


def _hit_data(one: LabelledHit) -> dict[str, object]:
    hit, record = one.hit, one.record
    return {
        **hit._asdict(),
        "kind": one.kind,
        "module": one.module,
        "title": record.title if record else hit.title,
        "artifact_id": record.id if record and record.is_artifact else None,
        "status": record.status or None if record else None,
        "authoritative": record.authoritative if record and record.is_artifact else None,
        "replaced_by": list(record.replaced_by) if record else [],
    }


def require_places(kinds: Sequence[str]) -> None:
    """Raise NoPlaceForKind unless the object of the search skill has a key for each of `kinds`."""
    for kind in kinds:
        if kind not in DEFAULT_KINDS:
            raise NoPlaceForKind(f"--output json has no key for {kind}: use --json")


def skill_data(
    report: SearchReport, call_graphs: Sequence[dict[str, object]] = ()
) -> dict[str, object]:
    """Return the object of the search skill, with exactly its keys."""
    return {
        "query": report.query,
        "adr_matches": [_match_data(one) for one in report.hits("adrs")],
        "spec_matches": [_match_data(one) for one in report.hits("specs")],
        "code_snippets": [_location_data(one) for one in report.hits("code")],
        "call_graphs": list(call_graphs),
    }


def _match_data(one: LabelledHit) -> dict[str, object]:
    id, title = (one.record.id, one.record.title) if one.record else ("", one.hit.title)
    return {"id": id, "title": title, **_location_data(one)}


def _location_data(one: LabelledHit) -> dict[str, object]:
    return {"path": one.hit.path, "score": one.hit.score, "snippet": one.hit.snippet}
