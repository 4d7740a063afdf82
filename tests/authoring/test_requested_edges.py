from __future__ import annotations

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.find_artifact import UnknownArtifact
from sdd_hooks.authoring.requested_edges import EdgeRefused, parse_edges

CORPUS = load_corpus(
    [
        ArtifactFile("docs/adrs/0008-a.md", b"# 8. A\n", "ADR"),
        ArtifactFile("api/adrs/0008-b.md", b"# 8. B\n", "ADR", "api"),
        ArtifactFile("docs/adrs/adr-c.md", b"# C\n\n## Decision\n\nYes.\n", "ADR"),
        ArtifactFile("specs/a/spec.md", b"# SPEC-0002: A\n", "SPEC"),
        ArtifactFile("specs/a/design.md", b"# A\n", "SPEC"),
    ]
)


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
        ("ADR", "related=docs/adrs/adr-c.md", "needs the id of an ADR or SPEC"),
        ("SPEC", "governs=ADR-8", "is no edge of a spec"),
    ],
)
def test_an_edge_that_is_refused(kind, text, message) -> None:
    with pytest.raises(EdgeRefused, match=message):
        parse_edges(kind, [text], CORPUS)


def test_an_unknown_target() -> None:
    with pytest.raises(UnknownArtifact, match="ADR-0009 does not exist"):
        parse_edges("ADR", ["related=9"], CORPUS)
