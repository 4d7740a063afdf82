from __future__ import annotations

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.review.successors import find_replacements, find_successors


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


def replacements_of(records: Corpus, name: str) -> list[str]:
    (artifact,) = records.resolve(name)
    return [
        replacement.name for replacement in find_replacements(artifact, find_successors(records))
    ]


def test_either_record_or_both_declare_the_successor() -> None:
    declared_by_old = corpus(a1="status: superseded by ADR-0002", a2="status: accepted")
    declared_by_new = corpus(a1="status: superseded", a2="status: accepted\nsupersedes: [ADR-0001]")
    both = corpus(
        a1="status: superseded by ADR-0002", a2="status: accepted\nsupersedes: [ADR-0001]"
    )

    for records in (declared_by_old, declared_by_new, both):
        assert replacements_of(records, "ADR-0001") == ["ADR-0002"]


def test_successors_are_followed_to_the_record_in_force() -> None:
    records = corpus(
        a1="status: superseded by ADR-0002",
        a2="status: superseded by ADR-0003",
        a3="status: superseded",
        a4="status: accepted\nsupersedes: [ADR-0003]",
    )

    assert replacements_of(records, "ADR-0001") == ["ADR-0004"]


def test_a_record_can_have_several_replacements() -> None:
    records = corpus(
        a1="status: superseded by ADR-0002 and ADR-0003",
        a2="status: accepted",
        a3="status: superseded by ADR-0004",
        a4="status: accepted",
    )

    assert replacements_of(records, "ADR-0001") == ["ADR-0002", "ADR-0004"]


def test_cycles_and_records_not_in_force_are_no_replacements() -> None:
    records = corpus(
        a1="status: superseded by ADR-0002",
        a2="status: superseded by ADR-0001",
        a3="status: superseded by ADR-0004",
        a4="status: rejected",
        a5="status: superseded by ADR-0005",
        a6="status: superseded by ADR-0099",
    )

    for name in ("ADR-0001", "ADR-0002", "ADR-0003", "ADR-0005", "ADR-0006"):
        assert replacements_of(records, name) == []
