from __future__ import annotations

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.findings import Finding
from tests.support.cpu_time import assert_linear


def corpus(*files: tuple[str, str]) -> Corpus:
    """ADRs from (number, frontmatter), specs from (SPEC-number, frontmatter)."""
    sources = []
    for name, matter in files:
        text = f"---\n{matter}\n---\n# {name if name.startswith('SPEC') else 'T'}: T\n".encode()
        if name.startswith("SPEC"):
            sources.append(ArtifactFile(f"specs/{name}/spec.md", text, "SPEC"))
            sources.append(ArtifactFile(f"specs/{name}/design.md", b"# Design\n", "SPEC"))
        else:
            sources.append(ArtifactFile(f"adr/{name}.md", text, "ADR"))
    return load_corpus(sources)


def brief(found: tuple[Finding, ...]) -> list[tuple[str, int, str, str]]:
    return [(f.path, f.line, f.rule, f.severity) for f in found]


def test_sound_artifacts_have_no_findings() -> None:
    loaded = corpus(
        ("0001-a", "status: superseded"),
        ("0002-b", "status: accepted\nsupersedes: [ADR-0001]\ngoverns: [SPEC-0001]"),
        ("0003-c", "enables: [ADR-0004]\nrelated: [ADR-0002]"),
        ("0004-d", "extends: [ADR-0003]"),
        ("SPEC-0001", "status: approved\nimplements: [ADR-0002]\nrequires: [SPEC-0002]"),
        ("SPEC-0002", "status: draft\nsupersedes: [SPEC-0003]"),
        ("SPEC-0003", "status: deprecated"),
    )
    assert validate_artifacts(loaded) == ()
    assert validate_artifacts(load_corpus([])) == ()


def test_an_unknown_id() -> None:
    loaded = corpus(("0001-a", "status: accepted\nextends: [ADR-0020]"), ("0002-b", "a: b"))
    (finding,) = validate_artifacts(loaded)
    assert finding == Finding(
        "adr/0001-a.md",
        3,
        "unknown-id",
        "critical",
        "ADR-0001 extends ADR-0020, which does not exist: write an id that exists, or remove it",
        "ADR-0020",
    )
    close = corpus(("0001-a", "governs: [SPEC-0021]"), ("SPEC-0001", "a: b"))
    assert validate_artifacts(close)[0].message == (
        "ADR-0001 governs SPEC-0021, which does not exist: did you mean SPEC-0001?"
    )


def test_unknown_ids_in_other_modules() -> None:
    loaded = corpus(("0001-a", 'governs: ["[api]/SPEC-0001"]'), ("SPEC-0001", "a: b"))
    assert validate_artifacts(loaded)[0].message == (
        "ADR-0001 governs [api]/SPEC-0001, which does not exist: did you mean SPEC-0001?"
    )


def test_edges_in_prose_are_not_validated() -> None:
    text = b"# T\n\n- Supersedes: ADR-0009\n"
    assert validate_artifacts(load_corpus([ArtifactFile("adr/0001-a.md", text, "ADR")])) == ()


def test_versions_of_one_record_share_its_id() -> None:
    assert validate_artifacts(corpus(("0001-a", "x: 1"), ("0001-a.v2", "x: 1"))) == ()
    assert len(validate_artifacts(corpus(("0001-a", "x: 1"), ("0001-b.v2", "x: 1")))) == 2


@pytest.mark.parametrize("translated", ["0001-a.ja", "0001-a.zh-cn", "0001-a_pt_br"])
def test_a_translation_shares_the_id_of_its_record(translated: str) -> None:
    pair = (("0001-a", "x: 1"), (translated, "x: 1"))
    assert validate_artifacts(corpus(*pair)) == ()

    found = {one.path: one.message for one in validate_artifacts(corpus(*pair, ("0001-b", "x: 1")))}

    assert len(found) == 3
    assert translated not in found["adr/0001-a.md"]
    assert "ADR-0001 is also adr/0001-b.md: give" in found["adr/0001-a.md"]


def test_an_appendix_shares_the_number_of_its_record() -> None:
    assert validate_artifacts(corpus(("0001-a", "x: 1"), ("0001-a-research", "x: 1"))) == ()
    assert len(validate_artifacts(corpus(("0001-a", "x: 1"), ("0001-ab", "x: 1")))) == 2


def test_duplicate_ids() -> None:
    """Scenario "Two records of one number" of SPEC-0002."""
    loaded = corpus(("0001-a", "a: b"), ("0001-b", "a: b"), ("0002-c", "extends: [ADR-0001]"))
    found = validate_artifacts(loaded)
    assert brief(found) == [
        ("adr/0001-a.md", 0, "duplicate-id", "critical"),
        ("adr/0001-b.md", 0, "duplicate-id", "critical"),
        ("adr/0002-c.md", 2, "ambiguous-id", "warning"),
    ]
    assert found[0].message == (
        "ADR-0001 is also adr/0001-b.md: give one of them another number, as by `sdd adr renumber"
        " PATH`"
    )


def test_directories_may_count_separately() -> None:
    """Scenario "Directories that count separately" of SPEC-0002."""
    paths = ("api/adr/0001-a.md", "web/adr/0001-b.md", "web/adr/0001/index.md", "web/0001-c.md")
    loaded = load_corpus([ArtifactFile(path, b"# T\n", "ADR") for path in paths])
    assert brief(validate_artifacts(loaded)) == [
        ("api/adr/0001-a.md", 0, "duplicate-id", "warning"),
        ("web/0001-c.md", 0, "duplicate-id", "warning"),
        ("web/adr/0001-b.md", 0, "duplicate-id", "critical"),
        ("web/adr/0001/index.md", 0, "duplicate-id", "critical"),
    ]


def test_directories_that_share_two_numbers_count_separately() -> None:
    """Scenario "Directories that share several numbers" of SPEC-0002."""
    paths = ("en/adr/0001-a.md", "en/adr/0002-b.md", "es/adr/0001-c.md", "es/adr/0002-d.md")
    single, wrong = "web/adr/0002-e.md", "es/adr/0002-f.md"
    loaded = load_corpus([ArtifactFile(path, b"# T\n", "ADR") for path in (*paths, single)])
    assert brief(validate_artifacts(loaded)) == [
        ("en/adr/0002-b.md", 0, "duplicate-id", "warning"),
        ("es/adr/0002-d.md", 0, "duplicate-id", "warning"),
        ("web/adr/0002-e.md", 0, "duplicate-id", "warning"),
    ]
    loaded = load_corpus([ArtifactFile(path, b"# T\n", "ADR") for path in (*paths, wrong)])
    assert brief(validate_artifacts(loaded)) == [
        ("es/adr/0002-d.md", 0, "duplicate-id", "critical"),
        ("es/adr/0002-f.md", 0, "duplicate-id", "critical"),
    ]


def test_a_cycle_is_shown_with_its_path() -> None:
    loaded = corpus(
        ("0001-a", "extends: [ADR-0002]"),
        ("0002-b", "x: y\nextends: [ADR-0003]"),
        ("0003-c", "extends: [ADR-0001]"),
    )
    (finding,) = validate_artifacts(loaded)
    assert brief((finding,)) == [("adr/0001-a.md", 2, "cycle", "critical")]
    assert finding.message == (
        "artifacts form a cycle: ADR-0001 extends ADR-0002 extends ADR-0003 extends ADR-0001:"
        " remove one of these edges"
    )


def test_related_makes_no_cycle() -> None:
    loaded = corpus(("0001-a", "related: [ADR-0002]"), ("0002-b", "related: [ADR-0001]"))
    assert validate_artifacts(loaded) == ()


def test_the_status_of_a_superseded_artifact() -> None:
    loaded = corpus(
        ("0001-a", "status: accepted"),
        ("0002-b", "status: deprecated"),
        ("0003-c", "status: superseded (by ADR-0004)"),
        ("0004-d", "supersedes: [ADR-0001, ADR-0002, ADR-0003]"),
        ("SPEC-0001", "x: y"),
        ("SPEC-0002", "supersedes: [SPEC-0001]"),
    )
    found = validate_artifacts(loaded)
    assert brief(found) == [
        ("adr/0004-d.md", 2, "superseded-status", "warning"),
        ("specs/SPEC-0002/spec.md", 2, "superseded-status", "warning"),
    ]
    assert [f.message for f in found] == [
        "ADR-0004 supersedes ADR-0001, whose status is accepted:"
        " set it to superseded in adr/0001-a.md",
        "SPEC-0002 supersedes SPEC-0001, whose status is missing:"
        " set it to deprecated in specs/SPEC-0001/spec.md",
    ]


def test_findings_of_single_files_are_included() -> None:
    loaded = corpus(("0001-a", "status: odd"), ("0002-b", "a: b: c"))
    assert brief(validate_artifacts(loaded)) == [
        ("adr/0001-a.md", 2, "unknown-status", "warning"),
        ("adr/0002-b.md", 2, "broken-frontmatter", "critical"),
    ]


def test_only_keeps_findings_that_involve_the_paths() -> None:
    loaded = corpus(
        ("0001-a", "extends: [ADR-0002]"),
        ("0002-b", "extends: [ADR-0001]"),
        ("0003-c", "status: odd"),
        ("0004-d", "status: accepted"),
        ("0005-e", "supersedes: [ADR-0004]"),
        ("0006-f", "a: b"),
        ("0006-g", "a: b"),
        ("SPEC-0001", "extends: [SPEC-0009]"),
    )

    def rules(*only: str) -> list[str]:
        return [finding.rule for finding in validate_artifacts(loaded, only)]

    assert rules() == []
    assert rules("adr/0002-b.md") == ["cycle"]
    assert rules("adr/0003-c.md", "elsewhere.md") == ["unknown-status"]
    assert rules("adr/0004-d.md") == ["superseded-status"]
    assert rules("adr/0006-g.md") == ["duplicate-id", "duplicate-id"]
    assert rules("specs/SPEC-0001/design.md") == ["unknown-id"]
    assert len(validate_artifacts(loaded)) == 6


def test_thousands_of_artifacts_in_one_chain() -> None:
    def chain(count: int) -> Corpus:
        return corpus(*((f"{n:05}-a", f"extends: [ADR-{n + 1:05}]") for n in range(count)))

    assert [finding.rule for finding in validate_artifacts(chain(4_000))] == ["unknown-id"]
    assert_linear(validate_artifacts, chain, 1_000)
