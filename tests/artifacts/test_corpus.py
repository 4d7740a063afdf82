from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.corpus import (
    ArtifactFile,
    Corpus,
    IdCollision,
    find_replacements,
    load_corpus,
)
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind


def corpus(**files: str) -> Corpus:
    """ADRs and specs by name, `__` for a slash: `adr__0001_a="# A"`."""
    return load_corpus(
        ArtifactFile(
            f"{name.replace('__', '/')}.md",
            text.encode(),
            "ADR" if name.startswith("adr") else "SPEC",
        )
        for name, text in files.items()
    )


def test_load_corpus_skips_other_pages() -> None:
    loaded = corpus(
        spec__b__spec="# SPEC-0002: B",
        spec__b__design="# SPEC-0002 Design: B",
        spec__b__tasks="# SPEC-0009: Tasks",
        spec__a__design="# SPEC-0001 Design: A",
        adr__0002_b="# B",
        adr__0001_a="# A",
        adr__README="# All",
        adr__template="# Title",
    )
    assert [artifact.path for artifact in loaded.artifacts] == [
        "adr/0001_a.md",
        "adr/0002_b.md",
        "spec/a/design.md",
        "spec/b/spec.md",
    ]
    assert loaded.by_path["spec/b/design.md"].name == "SPEC-0002"
    assert loaded.collisions == ()


def test_resolve_accepts_any_spelling_and_never_guesses() -> None:
    loaded = corpus(adr__0007_a="# A", adr__0007_b="# B", adr__0008_c="# C", adr__0008a_d="# D")
    paths = ("adr/0007_a.md", "adr/0007_b.md")
    assert tuple(artifact.path for artifact in loaded.resolve("ADR 7")) == paths
    assert [artifact.title for artifact in loaded.resolve("adr-008")] == ["C"]
    assert [artifact.title for artifact in loaded.resolve(ArtifactId("ADR", 8, "a"))] == ["D"]
    assert loaded.resolve("SPEC-0008") == ()
    assert loaded.resolve("nonsense") == ()
    assert loaded.collisions == (IdCollision(ArtifactId("ADR", 7), paths),)


def test_collisions() -> None:
    loaded = load_corpus(
        [
            ArtifactFile("docs/adr/0001-a.md", b"# A", "ADR"),
            ArtifactFile("doc/arch/0001-b.md", b"# B", "ADR"),
        ]
    )
    assert [c.paths for c in loaded.collisions] == [("doc/arch/0001-b.md", "docs/adr/0001-a.md")]


def test_modules_have_separate_numbers() -> None:
    loaded = load_corpus(
        [
            ArtifactFile("docs/adr/0001-a.md", b"# A", "ADR"),
            ArtifactFile(
                "api/docs/adr/0001-b.md", b"---\nextends: [ADR-0002]\n---\n# B", "ADR", "api"
            ),
            ArtifactFile("api/docs/adr/0002-c.md", b"# C", "ADR", "api"),
            ArtifactFile("api/s/x/spec.md", b"# SPEC-0001: X", "SPEC", "api"),
            ArtifactFile("s/x/spec.md", b"# SPEC-0001: X", "SPEC"),
        ]
    )
    assert loaded.collisions == ()
    assert [artifact.title for artifact in loaded.resolve("[api]/ADR-0001")] == ["B"]
    assert [artifact.title for artifact in loaded.resolve("ADR-0001")] == ["A"]
    assert [str(edge.target) for edge in loaded.edges()][:1] == ["[api]/ADR-0002"]
    assert {a.path: a.name for a in loaded.artifacts}["api/s/x/spec.md"] == "[api]/SPEC-0001"


def test_inverses_are_derived_once() -> None:
    """Scenario "A derived edge" of SPEC-0002."""
    loaded = corpus(
        adr__0001_a="---\nextends: [ADR-0002]\nrelated: [ADR-0002]\ngoverns: [SPEC-0001]\n---\n# A",
        adr__0002_b="---\nrelated: [ADR-0001]\n---\n# B",
        spec__a__spec="---\nimplements: [ADR-0001]\n---\n# SPEC-0001: A",
    )
    assert [(str(e.source), e.kind, str(e.target), e.derived) for e in loaded.edges()] == [
        ("ADR-0001", "extends", "ADR-0002", False),
        ("ADR-0001", "related", "ADR-0002", False),
        ("ADR-0001", "governs", "SPEC-0001", False),
        ("ADR-0002", "related", "ADR-0001", False),
        ("SPEC-0001", "implements", "ADR-0001", False),
        ("ADR-0002", "extended-by", "ADR-0001", True),
        ("SPEC-0001", "governed-by", "ADR-0001", True),
        ("ADR-0001", "implemented-by", "SPEC-0001", True),
    ]


def test_close_matches() -> None:
    files = {f"adr__{number:04}_x": "# X" for number in (1, 2, 9, 12, 90, 112)}
    loaded = corpus(**files, spec__a__spec="# SPEC-0010: A")
    assert [str(i) for i in loaded.close_matches(ArtifactId("ADR", 10))] == ["ADR-0012", "ADR-0090"]
    assert [str(i) for i in loaded.close_matches(ArtifactId("ADR", 99), limit=1)] == ["ADR-0090"]
    assert [str(i) for i in loaded.close_matches(ArtifactId("SPEC", 11))] == ["SPEC-0010"]
    assert [str(i) for i in loaded.close_matches(ArtifactId("SPEC", 9))] == ["ADR-0009"]
    assert loaded.close_matches(ArtifactId("ADR", 5555)) == ()


kinds: st.SearchStrategy[ArtifactKind] = st.sampled_from(["ADR", "SPEC"])
names = st.sampled_from(["a/0001-x.md", "a/0001-y.md", "s/x/spec.md", "s/x/design.md", "a/t.md"])


@given(st.lists(st.builds(ArtifactFile, names, st.binary(), kinds, st.sampled_from(["", "api"]))))
def test_any_bytes_are_read(sources: list[ArtifactFile]) -> None:
    loaded = load_corpus(sources)
    for identifier, artifacts in loaded.by_id.items():
        assert loaded.resolve(identifier) == artifacts
        assert loaded.resolve(str(identifier)) == artifacts
    loaded.edges()


def test_an_id_without_a_letter_means_those_with_one() -> None:
    files = [
        ArtifactFile(f"docs/adr/020-{name}.md", f"# ADR-020{letter}: X\n".encode(), "ADR", "")
        for name, letter in (("sycl", "b"), ("build", "a"))
    ]
    corpus = load_corpus(files)
    assert [str(one.id) for one in corpus.resolve("ADR-20")] == ["ADR-0020a", "ADR-0020b"]
    assert [str(one.id) for one in corpus.resolve("ADR-020b")] == ["ADR-0020b"]
    assert corpus.resolve("ADR-0020c") == corpus.resolve("ADR-0021") == ()


def replacements(files: dict[str, str], module: str = "") -> dict[str, list[str]]:
    corpus = load_corpus(
        ArtifactFile(f"{name}.md", text.encode(), "ADR", module) for name, text in files.items()
    )
    found = find_replacements(corpus)
    return {path: [str(one) for one in ids] for path, ids in found.items()}


def test_either_side_names_the_other() -> None:
    assert replacements(
        {
            "0001-a": "---\nstatus: superseded by ADR-0003\n---\n# A\n",
            "0002-b": "---\nstatus: superseded\n---\n# B\n",
            "0003-c": "---\nstatus: accepted\n---\n# C\n",
            "0004-d": "---\nsupersedes: [ADR-0002]\n---\n# D\n",
        }
    ) == {"0001-a.md": ["ADR-0003"], "0002-b.md": ["ADR-0004"]}


def test_one_that_both_sides_name_is_listed_once_and_several_in_order() -> None:
    assert replacements(
        {
            "0001-a": "---\nstatus: superseded by ADR-0003\n---\n# A\n",
            "0003-c": "---\nsupersedes: [ADR-0001]\n---\n# C\n",
            "0002-b": "---\nsupersedes: [ADR-0001]\n---\n# B\n",
        }
    ) == {"0001-a.md": ["ADR-0002", "ADR-0003"]}


def test_a_module_is_part_of_the_id() -> None:
    files = {"0001-a": "# A\n", "0002-b": "---\nsupersedes: [ADR-0001]\n---\n# B\n"}
    assert replacements(files, "api") == {"0001-a.md": ["[api]/ADR-0002"]}


def test_one_without_a_number_replaces_by_name() -> None:
    files = {
        "0001-a": "# A\n",
        "adr-b": "---\nsupersedes: [ADR-0001, ADR-0009]\n---\n# B\n\n## Decision\n\nYes.\n",
    }
    assert replacements(files) == {"0001-a.md": ["adr-b"]}
