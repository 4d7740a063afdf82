from __future__ import annotations

import pytest

from sdd_hooks.authoring.candidate_edges import propose_edges
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.retrieval.report import LabelledHit, RecordLabel


def hit(id: str, title: str, score: float = 0.9, authoritative: bool = True) -> LabelledHit:
    found = Hit("a#b", "c", "docs/x.md", 7, 9, title, "", score, None, "A  sentence.\n", "")
    return LabelledHit(found, "adrs", "", RecordLabel(id, title, "accepted", authoritative))


REST = hit("ADR-0008", "Use REST for the API", 0.2)


@pytest.mark.parametrize(
    ("description", "edge"),
    [
        ("Switch from REST to gRPC", "supersedes"),
        ("Move our services from REST into gRPC", "supersedes"),
        ("Replace REST with gRPC", "supersedes"),
        ("Use gRPC instead of REST", "supersedes"),
        ("Prefer gRPC over REST for internal calls", "supersedes"),
        ("Stop using REST", "supersedes"),
        ("Drop REST", "supersedes"),
    ],
)
def test_what_is_taken_back_may_be_superseded(description: str, edge: str) -> None:
    (candidate,) = propose_edges("ADR", description, [REST])
    assert (candidate.kind, str(candidate.target)) == (edge, "ADR-0008")
    assert (candidate.evidence, candidate.line) == ("A sentence.", 7)


@pytest.mark.parametrize(
    ("description", "edge"),
    [
        ("Extend REST with batches", "extends"),
        ("Build on REST hypermedia", "extends"),
        ("Authenticate REST calls", "related"),
        ("Switch from gRPC to REST", "related"),
        ("Replace the API of services", "related"),
    ],
)
def test_other_descriptions(description: str, edge: str) -> None:
    (candidate,) = propose_edges("ADR", description, [hit("ADR-0008", "Use REST for the API")])
    assert candidate.kind == edge


@pytest.mark.parametrize(
    "found",
    [
        hit("ADR-0008", "Use queues", 0.49),
        hit("ADR-0008", "Use REST", authoritative=False),
        hit("SPEC-0001", "REST"),
        hit("readme", "REST"),
        REST._replace(record=None),
    ],
)
def test_no_candidate(found: LabelledHit) -> None:
    assert propose_edges("ADR", "Switch from REST to gRPC", [found]) == ()


def test_a_specification_requires_or_extends() -> None:
    token = hit("SPEC-0014", "Token Validation")
    (candidate,) = propose_edges("SPEC", "Authentication", [token])
    assert (candidate.kind, candidate.choices) == ("requires", ("requires", "extends"))
    (candidate,) = propose_edges("SPEC", "Extend token validation to devices", [token])
    assert candidate.kind == "extends"
