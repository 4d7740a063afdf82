"""The two objects of a search."""

import pytest

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.reporting.search.json_report import (
    NoPlaceForKind,
    require_places,
    skill_data,
    versioned_data,
)
from sdd_hooks.retrieval.report import HitGroup, LabelledHit, RecordLabel, SearchReport

HIT = Hit("a.md#x", "c", "a.md", 3, 5, "12. A", "X", 0.75, 0.5, "It is so.", "ctx")
ADR = LabelledHit(
    HIT, "adrs", "api", RecordLabel("[api]/ADR-0012", "A", "superseded", False, ("X",))
)
CODE = LabelledHit(HIT._replace(path="a.py"), "code")
REPORT = SearchReport(
    "q", (HitGroup("adrs", ("c",), (ADR,)), HitGroup("code", ("d",), (CODE,))), ("s",), 3
)


def test_the_object_of_the_skill() -> None:
    assert skill_data(REPORT) == {
        "query": "q",
        "adr_matches": [
            {
                "id": "[api]/ADR-0012",
                "title": "A",
                "path": "a.md",
                "score": 0.75,
                "snippet": "It is so.",
            }
        ],
        "spec_matches": [],
        "code_snippets": [{"path": "a.py", "score": 0.75, "snippet": "It is so."}],
        "call_graphs": [],
    }


def test_the_versioned_object_has_id_status_and_kind_of_every_hit() -> None:
    data = versioned_data(REPORT)
    assert (data["schema_version"], data["missing"], data["pending"]) == (2, ["s"], 3)
    adrs, code = data["groups"]  # type: ignore[misc]
    (hit,) = adrs["hits"]
    assert {key: hit[key] for key in ("kind", "module", "artifact_id", "title", "status")} == {
        "kind": "adrs",
        "module": "api",
        "artifact_id": "[api]/ADR-0012",
        "title": "A",
        "status": "superseded",
    }
    assert (hit["authoritative"], hit["replaced_by"], hit["cosine"]) == (False, ["X"], 0.5)
    (other,) = code["hits"]
    assert (other["kind"], other["artifact_id"], other["status"]) == ("code", None, None)


def test_only_three_kinds_have_a_key() -> None:
    require_places(("adrs", "specs", "code"))
    with pytest.raises(NoPlaceForKind, match=r"^--output json has no key for notes: use --json$"):
        require_places(("adrs", "notes"))
