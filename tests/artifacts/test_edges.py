from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.edges import (
    FORWARD,
    INVERSES,
    Edge,
    EdgeOwner,
    find_cycles,
    inverse_edge,
    read_frontmatter_edges,
    read_prose_edges,
)
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind

ADR = EdgeOwner("ADR", ArtifactId("ADR", 1), "a.md")
SPEC = EdgeOwner("SPEC", ArtifactId("SPEC", 1, "", "web"), "s/spec.md", "web")


def read(lines: str, holder: EdgeOwner = ADR) -> tuple[list[str], list[tuple[str, str, int]]]:
    edges, findings = read_frontmatter_edges(read_frontmatter(f"---\n{lines}\n---\n"), holder)
    return (
        [f"{edge.kind} {edge.target} {edge.line}" for edge in edges],
        [(finding.rule, finding.severity, finding.line) for finding in findings],
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("supersedes: [ADR-0003]", ["supersedes ADR-0003 2"]),
        ("extends: [ADR-0008, adr-9]", ["extends ADR-0008 2", "extends ADR-0009 2"]),
        ("status: x\nenables:\n  - ADR-0016", ["enables ADR-0016 3"]),
        ("governs: [SPEC-0007, 0010]", ["governs SPEC-0007 2", "governs SPEC-0010 2"]),
        ("related: [ADR-0010, SPEC-0001]", ["related ADR-0010 2", "related SPEC-0001 2"]),
        ('governs: ["[api]/SPEC-0007"]', ["governs [api]/SPEC-0007 2"]),
        ("extends: [0008-use-x.md]", ["extends ADR-0008 2"]),
        ('extends: ["[Use X](0008-use-x.md)"]', ["extends ADR-0008 2"]),
        ("supersedes: []", []),
        ("supersedes:", []),
        ("supersedes: none", []),
        ("supersedes: [n/a]", []),
        ("status: accepted\ntags: [ADR-0001]", []),
    ],
)
def test_edges_of_an_adr(lines: str, expected: list[str]) -> None:
    assert read(lines) == (expected, [])


def test_edges_of_a_spec_belong_to_its_module() -> None:
    lines = (
        "implements: [ADR-0009]\nrequires: [SPEC-0002]\nextends: ['[api]/SPEC-0003']\n"
        "supersedes: [4]\nrelated: [SPEC-0005]"
    )
    edges, findings = read(lines, SPEC)
    assert edges == [
        "implements [web]/ADR-0009 2",
        "requires [web]/SPEC-0002 3",
        "extends [api]/SPEC-0003 4",
        "supersedes [web]/SPEC-0004 5",
        "related [web]/SPEC-0005 6",
    ]
    assert findings == []


@pytest.mark.parametrize(
    ("lines", "edges", "findings"),
    [
        ("extends: ADR-0002", ["extends ADR-0002 2"], [("edge-not-a-list", "warning", 2)]),
        ("superseded-by: [ADR-2]", [], [("inverse-edge", "warning", 2)]),
        ("superseded_by: 0002", [], [("inverse-edge", "warning", 2)]),
        ("a: b\nImplemented By: [SPEC-2]", [], [("inverse-edge", "warning", 3)]),
        ("depended-on-by: [SPEC-2]", [], [("inverse-edge", "warning", 2)]),
        ("implements: [ADR-0002]", [], [("unknown-edge", "warning", 2)]),
        ("governs: [ADR-0002]", ["governs ADR-0002 2"], [("edge-kind", "warning", 2)]),
        ("extends: [some thing]", [], [("unreadable-id", "critical", 2)]),
        ("related: [some thing]", [], [("unreadable-id", "warning", 2)]),
        ("extends: [use-kafka]", ["extends use-kafka 2"], []),
        ("related: [../20201103-use-lunr.md]", ["related 20201103-use-lunr 2"], []),
        ("extends: [[ADR-0002]]", [], [("unreadable-id", "critical", 2)]),
        ("extends: {a: ADR-0002}", [], [("unreadable-id", "critical", 2)]),
        ("extends: [ADR-0002 ADR-0003]", [], [("unreadable-id", "critical", 2)]),
        ("extends: [ADR-0002; ADR-0003]", [], [("unreadable-id", "critical", 2)]),
        (
            "related: ADR-0002 (see ADR-9); ADR-0003 (x); plan 7",
            ["related ADR-0002 2", "related ADR-0003 2"],
            [("edge-not-a-list", "warning", 2)],
        ),
    ],
)
def test_findings(lines: str, edges: list[str], findings: list[tuple[str, str, int]]) -> None:
    found_edges, found = read(lines)
    assert found_edges == edges
    assert set(findings) <= set(found)
    assert len(found) <= 2


def test_the_message_about_a_written_inverse_names_the_edge() -> None:
    _, findings = read_frontmatter_edges(
        read_frontmatter("---\nsuperseded-by: [ADR-2]\n---\n"), ADR
    )
    assert findings[0].message == (
        "`superseded-by` is derived: remove it, and write `supersedes` in the other artifact"
    )
    assert findings[0].path == "a.md"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("", "Supersedes [4. Use X](0004-use-x.md)", ["supersedes ADR-0004"]),
        (
            "",
            "**Supersedes** ADR 4 and ADR-5 (the old ones).",
            ["supersedes ADR-0004", "supersedes ADR-0005"],
        ),
        ("supersedes", "[ADR-0004](0004-x.md) (for 3 reasons)", ["supersedes ADR-0004"]),
        ("builds-on", "ADR-0003", ["extends ADR-0003"]),
        (
            "related-adrs",
            "[ADR-0002 (x)](a/0002-x.md), ADR-3",
            ["related ADR-0002", "related ADR-0003"],
        ),
        ("governs", "SPEC-0002", ["governs SPEC-0002"]),
        # Text that needs interpretation is not an edge.
        ("supersedes", "the old stack of ADR-0004", []),
        ("", "Supersedes ADR-0004 in part", []),
        ("", "Supersedes ADR-0004 (in part)", []),
        ("supersedes", "[4. Use X](0004-x.md) (section 3)", []),
        ("", "Supersedes ADR-0004's retry rule only", []),
        ("", "Superseded ADR-0004", []),
        ("", "Superseded by ADR-0004", []),
        ("", "Accepted", []),
        ("implements", "ADR-0004", []),
        ("governs", "ADR-0004", []),
        ("status", "ADR-0004", []),
        ("supersedes", "", []),
    ],
)
def test_edges_in_prose(name: str, text: str, expected: list[str]) -> None:
    found = list(read_prose_edges([(name, text, 7)], ADR))
    assert [f"{edge.kind} {edge.target}" for edge in found] == expected
    assert all((edge.line, edge.origin, edge.path) == (7, "prose", "a.md") for edge in found)


@pytest.mark.parametrize("kind", ["ADR", "SPEC"])
def test_every_edge_has_an_inverse(kind: ArtifactKind) -> None:
    for edge in FORWARD[kind]:
        written = Edge(edge, ArtifactId(kind, 1), ArtifactId(kind, 2), "a.md", 4)
        back = inverse_edge(written)
        assert back == Edge(
            INVERSES[edge], ArtifactId(kind, 2), ArtifactId(kind, 1), "a.md", 4, "derived"
        )
        assert back.derived
        assert not written.derived


def edge(kind: str, source: int, target: int) -> Edge:
    return Edge(kind, ArtifactId("ADR", source), ArtifactId("ADR", target))


def around(*edges: Edge) -> list[list[tuple[str, int]]]:
    return [[(edge.kind, edge.target.number) for edge in cycle] for cycle in find_cycles(edges)]


def test_cycles() -> None:
    assert around(edge("extends", 1, 2), edge("extends", 2, 3)) == []
    assert around(edge("extends", 1, 1)) == [[("extends", 1)]]
    assert around(edge("supersedes", 2, 1), edge("extends", 1, 2)) == [
        [("extends", 2), ("supersedes", 1)]
    ]
    assert around(
        edge("requires", 1, 2),
        edge("requires", 2, 3),
        edge("requires", 3, 2),
        edge("enables", 9, 9),
    ) == [[("requires", 3), ("requires", 2)], [("enables", 9)]]
    assert around(edge("extends", 1, 2), edge("extends", 1, 3), edge("extends", 2, 3)) == []


def test_edges_without_a_cycle() -> None:
    assert around(edge("related", 1, 2), edge("related", 2, 1)) == []
    # `enables` and `extends`, `governs` and `implements` state the same relation from both ends.
    assert around(edge("enables", 1, 2), edge("extends", 2, 1)) == []
    derived = Edge("extends", ArtifactId("ADR", 2), ArtifactId("ADR", 1), origin="derived")
    assert around(edge("extends", 1, 2), derived) == []


def test_a_long_chain_and_a_long_cycle() -> None:
    chain = [edge("extends", n, n + 1) for n in range(50_000)]
    assert find_cycles(chain) == ()
    ((*circle,),) = find_cycles([*chain, edge("extends", 50_000, 0)])
    assert len(circle) == 50_001


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_find_cycles_finds_a_cycle_if_there_is_one(pairs: list[tuple[int, int]]) -> None:
    edges = [edge("extends", a, b) for a, b in pairs]
    found = find_cycles(edges)
    for cycle in found:
        for one, next_one in itertools.pairwise([*cycle, cycle[0]]):
            assert one.target == next_one.source
            assert one in edges
    # Without the last edge of each cycle no cycle remains.
    last = {cycle[-1] for cycle in found}
    assert find_cycles(e for e in edges if e not in last) == ()
    assert bool(found) == _has_cycle(pairs)
    assert find_cycles(reversed(edges)) == found


def _has_cycle(pairs: list[tuple[int, int]]) -> bool:
    reach = set(pairs)
    for middle in range(8):
        for a in range(8):
            for b in range(8):
                if (a, middle) in reach and (middle, b) in reach:
                    reach.add((a, b))
    return any((n, n) in reach for n in range(8))


@given(st.text(alphabet="ADRSPEC-0123 []{}:,'\"\n/md."), st.sampled_from([ADR, SPEC]))
def test_any_value_is_read(text: str, holder: EdgeOwner) -> None:
    read_frontmatter_edges(read_frontmatter(f"---\nextends: {text}\n---\n"), holder)
    list(read_prose_edges([("", f"Supersedes {text}", 1), ("related", text, 2)], holder))


def test_the_name_of_a_file_without_its_suffix_is_an_edge() -> None:
    adr = read_adr(
        "docs/adrs/0007-a.md", "---\nrelated: [0012-queues, 12 queues]\n---\n# ADR-7: A\n"
    )
    assert adr
    assert [str(edge.target) for edge in adr.edges] == ["ADR-0012"]
    assert [one.rule for one in adr.findings] == ["unreadable-id"]
