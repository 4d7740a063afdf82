"""Test sdd_hooks.usecases.drift.audit_map."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.reporting.page.model import PageMap
from sdd_hooks.usecases.drift.audit_map import draw_map
from tests.reporting.page.pages import FILES, corpus_of

COUNT = 8
NUMBERS = st.integers(1, COUNT)
EDGES = st.lists(st.tuples(NUMBERS, NUMBERS, st.sampled_from(["extends", "related"])), max_size=16)


def decisions(edges: list[tuple[int, int, str]]) -> Corpus:
    """Decisions with edges: (source, target, kind)."""
    files = {}
    for number in range(1, COUNT + 1):
        targets: dict[str, list[str]] = {"extends": [], "related": []}
        for source, target, kind in edges:
            if source == number:
                targets[kind].append(f"ADR-{target:04d}")
        matter = "\n".join(f"{kind}: [{', '.join(ids)}]" for kind, ids in targets.items())
        files[f"docs/adrs/{number:04d}-a.md"] = f"---\n{matter}\n---\n\n# ADR-{number:04d}: A\n"
    return corpus_of(files)


def overlaps(drawn: PageMap) -> bool:
    """Whether two artifacts overlap."""
    width, height = drawn.node
    return any(
        abs(ax - bx) < width and abs(ay - by) < height
        for at, (ax, ay) in enumerate(drawn.corners)
        for bx, by in drawn.corners[:at]
    )


def test_what_builds_on_another_is_right_of_it() -> None:
    drawn = draw_map(corpus_of(FILES))
    assert [x for x, _ in drawn.corners] == sorted({x for x, _ in drawn.corners})
    assert drawn.loose_at == -1
    for edge in drawn.edges:
        (start, _), (end, _) = edge.points[0], edge.points[-1]
        assert start == drawn.corners[edge.older][0] + drawn.node[0]
        assert end == drawn.corners[edge.newer][0]


def test_artifacts_without_an_edge_are_below_the_others() -> None:
    drawn = draw_map(decisions([(2, 1, "extends")]))
    linked, loose = drawn.corners[:2], drawn.corners[2:]
    assert drawn.loose_at > max(y for _, y in linked)
    assert min(y for _, y in loose) == drawn.loose_at
    assert not overlaps(drawn)


def test_a_related_edge_orders_only_an_artifact_without_another() -> None:
    drawn = draw_map(decisions([(2, 1, "extends"), (1, 2, "related"), (3, 1, "related")]))
    assert [(one.kind, bool(one.points)) for one in drawn.edges] == [
        ("related", False),
        ("extends", True),
        ("related", True),
    ]


def test_nothing_has_a_map() -> None:
    assert draw_map(Corpus()) == PageMap(size=PageMap().node)


@given(EDGES)
def test_artifacts_never_overlap_and_are_inside(edges: list[tuple[int, int, str]]) -> None:
    drawn = draw_map(decisions(edges))
    assert drawn == draw_map(decisions(edges))
    assert not overlaps(drawn)
    for x, y in drawn.corners:
        assert 0 <= x <= drawn.size[0] - drawn.node[0]
        assert 0 <= y <= drawn.size[1] - drawn.node[1]
