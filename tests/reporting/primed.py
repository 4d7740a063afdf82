"""Reports of `sdd prime` for tests, with any text in them."""

from __future__ import annotations

from hypothesis import strategies as st

from sdd_hooks.reporting.priming import ArtifactName, PrimedArtifact, PrimeReport, Relevance

HOSTILE = st.text(
    alphabet=st.sampled_from("ab| `*_<!->#[]()\\\n\r\x1b\u202e~\"'&;日1."), max_size=30
)


def artifact(number: int, **changes: object) -> PrimedArtifact:
    """An accepted decision with this number; `changes` are of its fields or of its name's."""
    name = ArtifactName("ADR", f"ADR-{number:04d}", f"Title {number}", f"docs/adrs/{number}.md")
    plain = PrimedArtifact(name, "accepted", True, (), 0, 0, (f"Decision {number}.",))
    named = {key: value for key, value in changes.items() if key in name._fields}
    others = {key: value for key, value in changes.items() if key not in named}
    return plain._replace(name=name._replace(**named), **others)  # type: ignore[arg-type]


def spec(number: int, **changes: object) -> PrimedArtifact:
    """A specification with this number."""
    return artifact(number, **{"kind": "SPEC", "id": f"SPEC-{number:04d}", **changes})


def matched(number: int, **changes: object) -> PrimedArtifact:
    """A decision that matches a topic."""
    relevance = Relevance(0.5, "Decision", "why it matches", "auth in the title")
    return artifact(number, **{"relevance": relevance, "text": f"# Text {number}\n", **changes})


def reports() -> st.SearchStrategy[PrimeReport]:
    """Reports of any content, with and without a topic."""
    kinds = st.sampled_from(["ADR", "SPEC"])
    names = st.builds(ArtifactName, kinds, st.sampled_from(["", "ADR-0001"]), HOSTILE, HOSTILE)
    statuses = st.sampled_from(["", "accepted", "superseded", "rejected", "unknown"])
    artifacts = st.builds(
        PrimedArtifact,
        names,
        statuses,
        st.booleans(),
        st.sampled_from([(), ("ADR-0002",)]),
        st.integers(0, 9),
        st.integers(0, 9),
        st.lists(HOSTILE, max_size=3).map(tuple),
        st.builds(Relevance, st.floats(0, 1), HOSTILE, HOSTILE),
        HOSTILE,
    )
    several = st.lists(artifacts, max_size=5).map(tuple)
    return st.builds(
        PrimeReport,
        st.none() | HOSTILE,
        several,
        several,
        st.lists(names, max_size=5).map(tuple),
        st.sampled_from([(), ("api", "worker")]),
        st.lists(HOSTILE, max_size=2).map(tuple),
    )
