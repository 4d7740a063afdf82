from __future__ import annotations

import io

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.find_artifact import UnknownArtifact
from sdd_hooks.authoring.new_edges import (
    EdgeRefused,
    parse_edges,
    propose_by_theme,
    propose_edges,
)
from sdd_hooks.drift.discover.choices import find_purposes
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.retrieval.report import LabelledHit, RecordLabel

CORPUS = load_corpus(
    [
        ArtifactFile("docs/adrs/0008-a.md", b"# 8. A\n", "ADR"),
        ArtifactFile("api/adrs/0008-b.md", b"# 8. B\n", "ADR", "api"),
        ArtifactFile("docs/adrs/adr-c.md", b"# C\n\n## Decision\n\nYes.\n", "ADR"),
        ArtifactFile("specs/a/spec.md", b"# SPEC-0002: A\n", "SPEC"),
        ArtifactFile("specs/a/design.md", b"# A\n", "SPEC"),
    ]
)


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
        hit("ADR-0008", "Use queues", 0.44),
        hit("ADR-0008", "Use REST", authoritative=False),
        hit("SPEC-0001", "REST"),
        REST._replace(record=None),
    ],
)
def test_no_candidate(found: LabelledHit) -> None:
    assert propose_edges("ADR", "Switch from REST to gRPC", [found]) == ()


def test_what_many_records_name_is_what_a_new_one_builds_on() -> None:
    texts = {"0001-core": "", "0002-x": "See ADR-1.", "rfc-3": "[core](0001-core.md), 0002-y"}
    files = [ArtifactFile(f"{name}.md", text.encode(), "ADR") for name, text in texts.items()]
    records = [(one, texts[one.place.name]) for one in load_corpus(files).artifacts]
    few, core = hit("ADR-0002", "X", 0.44), hit("ADR-0001", "Core", 0.2)
    hits = [
        one._replace(hit=one.hit._replace(path=f"{name}.md"))
        for one, name in ((few, "0002-x"), (core, "0001-core"))
    ]
    offered = propose_edges("ADR", "Things", hits, records)
    assert [(one.title, round(one.score, 2)) for one in offered] == [("Core", 0.87)]


def test_the_trace_says_why_an_edge_is_offered(debug_log: io.StringIO) -> None:
    known = hit("ADR-0009", "Store sessions", 0.62)
    propose_edges("ADR", "Switch from REST to gRPC", [REST, known])
    lines = debug_log.getvalue().splitlines()
    taken_back = "edge supersedes ADR-0008: offered, the description takes back rest"
    assert lines[0].endswith(taken_back)
    assert lines[1].endswith("edge related ADR-0009: offered, score 0.62, 0.45 is enough")


def test_a_specification_requires_or_extends() -> None:
    token = hit("SPEC-0014", "Token Validation")
    (candidate,) = propose_edges("SPEC", "Authentication", [token])
    assert (candidate.kind, candidate.choices) == ("requires", ("requires", "extends"))
    (candidate,) = propose_edges("SPEC", "Extend token validation to devices", [token])
    assert candidate.kind == "extends"


def test_edges_are_parsed_once_each() -> None:
    edges = parse_edges("ADR", ["supersedes=8", " supersedes = ADR-8", "governs=SPEC-2"], CORPUS)
    assert [(edge.kind, str(edge.target.id)) for edge in edges] == [
        ("supersedes", "ADR-0008"),
        ("governs", "SPEC-0002"),
    ]


def test_an_id_is_written_as_its_module_writes_it() -> None:
    (edge,) = parse_edges("ADR", ["related=ADR-8"], CORPUS, "api")
    assert (edge.target.path, edge.spelling("api")) == ("api/adrs/0008-b.md", "ADR-0008")
    assert edge.spelling("") == "[api]/ADR-0008"


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("ADR", "replaces=ADR-8", "'replaces=ADR-8' is no edge of an ADR: write KIND=ID, with"),
        ("ADR", "supersedes", "is no edge of an ADR"),
        ("ADR", "supersedes=SPEC-2", "`supersedes` of ADR needs the id of an ADR, not 'SPEC-2'"),
        ("SPEC", "governs=ADR-8", "is no edge of a spec"),
    ],
)
def test_an_edge_that_is_refused(kind, text, message) -> None:
    with pytest.raises(EdgeRefused, match=message):
        parse_edges(kind, [text], CORPUS)


def test_an_unknown_target() -> None:
    with pytest.raises(UnknownArtifact, match="ADR-0009 does not exist"):
        parse_edges("ADR", ["related=9"], CORPUS)


SPECS = {
    "Token Validation": "How session tokens are validated when a user logs in.",
    "Invoice Payments": "Customers pay their invoices by card.",
    "Shopping Cart": "What a customer puts into the cart stays for a week.",
    "Elasticsearch cluster": "Texts are indexed there, so that people find them.",
    "Thumbnails": "Each photo has a small picture, made by a worker in `src/media/resize.py`.",
    "Table layout": "A message is shown below a table without rows.",
}


@pytest.mark.parametrize(
    ("description", "offered"),
    [
        ("Authentication", ["Token Validation"]),
        ("Single sign-on with OAuth", ["Token Validation"]),
        ("Billing", ["Invoice Payments"]),
        ("Checkout", ["Shopping Cart", "Invoice Payments"]),
        ("Search with Meilisearch", ["Elasticsearch cluster"]),
        ("Avatar upload", ["Thumbnails"]),
        ("Email notifications", []),
        ("Command line", []),
    ],
)
def test_records_of_one_theme_are_offered(description: str, offered: list[str]) -> None:
    files = [
        ArtifactFile(f"specs/{at}/spec.md", f"# SPEC-000{at}: {title}\n\n{text}\n".encode(), "SPEC")
        for at, (title, text) in enumerate(SPECS.items(), 1)
    ]
    records = [(one, SPECS[one.title]) for one in load_corpus(files).artifacts]
    found = propose_by_theme(description, records, find_purposes, ())
    assert [one.title for one in found] == offered
    assert {one.kind for one in found} <= {"requires"}


def test_a_record_that_names_the_code_is_offered_unless_most_do() -> None:
    files = [
        ArtifactFile(f"specs/{at}/spec.md", f"# SPEC-00{at:02d}: T{at}\n".encode(), "SPEC")
        for at in range(1, 9)
    ]
    artifacts = load_corpus(files).artifacts
    few = [(one, "In `src/a.py`." if at < 2 else "") for at, one in enumerate(artifacts)]
    found = propose_by_theme("Things", few, find_purposes, ["src/a.py"])
    assert [(one.title, one.evidence) for one in found] == [
        ("T1", "it names src/a.py"),
        ("T2", "it names src/a.py"),
    ]
    every = [(one, "In `src/a.py`.") for one in artifacts]
    assert propose_by_theme("Things", every, find_purposes, ["src/a.py"]) == ()
