import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.drift.stated_edges import find_stated_edges
from tests.drift.graphs import adr, path_of, spec

OTHERS = ("ADR-0001", "ADR-0002", "ADR-0003", "SPEC-0001", "SPEC-0002")


def stated(body: str, matter: str = "", name: str = "ADR-0009", **others: str) -> list[str]:
    """The edges of the artifact `name`; `others` is the frontmatter of other artifacts."""
    texts = {}
    for one in (*OTHERS, name):
        number = int(one.split("-")[1])
        own = matter if one == name else others.get(one.replace("-", "_"), "")
        make = adr if one.startswith("ADR") else spec
        texts[path_of(one)] = make(number, own, body=body if one == name else "")
    corpus = load_corpus(
        ArtifactFile(path, text.encode(), "ADR" if "/adrs/" in path else "SPEC")
        for path, text in texts.items()
    )
    return [f"{one.type} {one.target.name}" for one in find_stated_edges(corpus, texts)]


@pytest.mark.parametrize(
    ("sentence", "edges"),
    [
        ("This extends ADR-0001.", ["extends ADR-0001"]),
        (
            "It builds on [ADR-0001](ADR-0001-x.md) and ADR-0002.",
            ["extends ADR-0001", "extends ADR-0002"],
        ),
        ("**Supersedes**: ADR-0001", ["supersedes ADR-0001"]),
        ("It supersedes ADR-0001's retry rule only.", ["related ADR-0001"]),
        ("It partially supersedes ADR-0001.", ["related ADR-0001"]),
        ("It supersedes section 3 of ADR-0001.", ["related ADR-0001"]),
        ("Replaces ADR-0001; see ADR-0002.", ["supersedes ADR-0001", "related ADR-0002"]),
        ("It enables ADR-0003.", ["enables ADR-0003"]),
        ("Related: ADR-0001 (why), SPEC-0001", ["related ADR-0001", "related SPEC-0001"]),
        ("SPEC-0001 describes it.", ["governs SPEC-0001"]),
        ("Superseded by ADR-0001.", []),
        ("When enabled, it calls the role of ADR-0001.", ["related ADR-0001"]),
        ("It does not extend ADR-0001.", []),
        ("Unlike ADR-0001, it is fast.", []),
        ("ADR-0001 does not apply.", []),
        ('Write `extends ADR-0001`, or "Supersedes ADR-0002".', []),
        ("An id, e.g. ADR-0001, is a link.", []),
        ("See ADR-0099 and ADR-0009.", []),
        ("| extends ADR-0001 |", []),
    ],
)
def test_a_sentence_states_edges(sentence: str, edges: list[str]) -> None:
    assert stated(f"## More Information\n\n{sentence}\n") == edges


def test_the_section_states_what_a_mention_means() -> None:
    assert stated("## Decision Outcome\n\nADR-0001 is used by SPEC-0001.\n") == [
        "governs SPEC-0001"
    ]
    assert stated("## Consequences\n\nIt extends ADR-0001.\n") == ["extends ADR-0001"]
    assert stated("## Related Decisions\n\n- ADR-0001\n- ADR-0002\n") == [
        "related ADR-0001",
        "related ADR-0002",
    ]
    overview = "## Overview\n\nIt realizes ADR-0001, see ADR-0002, after SPEC-0001.\n"
    assert stated(overview, name="SPEC-0009") == [
        "implements ADR-0001",
        "implements ADR-0002",
        "requires SPEC-0001",
    ]
    assert stated("## Context\n\nIt extends ADR-0001.\n") == []


def test_what_is_written_at_either_end_is_not_proposed() -> None:
    body = "## Related\n\nADR-0001, ADR-0002, SPEC-0001, SPEC-0002\n"
    assert stated(
        body,
        "extends: [ADR-0001]",
        ADR_0002="related: [ADR-0009]",
        SPEC_0001="implements: [ADR-0009]",
    ) == ["governs SPEC-0002"]


def test_no_proposal_closes_a_cycle() -> None:
    body = "## More Information\n\nIt extends ADR-0001. It extends ADR-0003.\n"
    assert stated(body, "", ADR_0001="supersedes: [ADR-0002]", ADR_0002="extends: [ADR-0009]") == [
        "extends ADR-0003"
    ]


def test_the_strongest_statement_about_an_artifact_counts() -> None:
    body = "## More Information\n\nSee ADR-0001. It supersedes ADR-0001, and extends ADR-0001.\n"
    assert stated(body) == ["supersedes ADR-0001"]


def test_a_status_line_states_an_edge() -> None:
    assert stated("## Status\n\nSupersedes [ADR-0001](ADR-0001-x.md)\n") == ["supersedes ADR-0001"]
