from __future__ import annotations

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.review.successors import replacements, successors


def corpus(**records: str) -> Corpus:
    """Records by number (`a1` is ADR-0001), as frontmatter."""
    return load_corpus(
        ArtifactFile(
            f"docs/adrs/ADR-{int(name[1:]):04d}-x.md",
            f"---\n{matter}\n---\n# ADR-{int(name[1:]):04d}: X\n".encode(),
            "ADR",
        )
        for name, matter in records.items()
    )


def ends(found: Corpus, name: str) -> list[str]:
    (artifact,) = found.resolve(name)
    return [one.name for one in replacements(artifact, successors(found))]


def test_both_say_it_or_one_of_them_does() -> None:
    said_by_old = corpus(a1="status: superseded by ADR-0002", a2="status: accepted")
    said_by_new = corpus(a1="status: superseded", a2="status: accepted\nsupersedes: [ADR-0001]")
    both = corpus(
        a1="status: superseded by ADR-0002", a2="status: accepted\nsupersedes: [ADR-0001]"
    )

    for found in (said_by_old, said_by_new, both):
        assert ends(found, "ADR-0001") == ["ADR-0002"]


def test_the_way_is_followed_to_its_end() -> None:
    found = corpus(
        a1="status: superseded by ADR-0002",
        a2="status: superseded by ADR-0003",
        a3="status: superseded",
        a4="status: accepted\nsupersedes: [ADR-0003]",
    )

    assert ends(found, "ADR-0001") == ["ADR-0004"]


def test_it_may_part() -> None:
    found = corpus(
        a1="status: superseded by ADR-0002 and ADR-0003",
        a2="status: accepted",
        a3="status: superseded by ADR-0004",
        a4="status: accepted",
    )

    assert ends(found, "ADR-0001") == ["ADR-0002", "ADR-0004"]


def test_a_circle_and_an_end_that_does_not_hold_lead_to_nothing() -> None:
    found = corpus(
        a1="status: superseded by ADR-0002",
        a2="status: superseded by ADR-0001",
        a3="status: superseded by ADR-0004",
        a4="status: rejected",
        a5="status: superseded by ADR-0005",
        a6="status: superseded by ADR-0099",
    )

    for name in ("ADR-0001", "ADR-0002", "ADR-0003", "ADR-0005", "ADR-0006"):
        assert ends(found, name) == []
