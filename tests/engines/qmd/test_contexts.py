"""Descriptions of collections: read from the configuration, compared with the artifacts."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind
from sdd_hooks.artifacts.status import ArtifactStatus
from sdd_hooks.engines.qmd.contexts import (
    describe_outdated,
    find_outdated,
    makes_claims,
    read_contexts,
)


def artifact(number: int, status: str = "accepted", kind: ArtifactKind = "ADR") -> Artifact:
    return Artifact(
        kind, ArtifactId(kind, number), f"{number}.md", "T", status=ArtifactStatus(status)
    )


ARTIFACTS = [artifact(1), artifact(2, "superseded"), artifact(26), artifact(4, "draft", "SPEC")]


@pytest.mark.parametrize(
    ("text", "phrase", "corrected"),
    [
        ("ADR-0001 to ADR-0020 of app", "ADR-0001 to ADR-0020", "ADR-0001 to ADR-0026 of app"),
        ("ADR-0001–ADR-0020", "ADR-0001–ADR-0020", "ADR-0001–ADR-0026"),
        ("Decisions (ADR-0001..0020).", "ADR-0001..0020", "Decisions (ADR-0001..0026)."),
        ("ADRs 1-20: all", "ADRs 1-20", "ADRs 1-26: all"),
        ("adr-0001 through adr-0020", "adr-0001 through adr-0020", "adr-0001 through adr-0026"),
        ("SPEC-0001 - SPEC-0003", "SPEC-0001 - SPEC-0003", "SPEC-0001 - SPEC-0004"),
        ("ADR-0002 is accepted", "ADR-0002 is accepted", "ADR-0002 is superseded"),
        ("See ADR-0002 (accepted) too", "ADR-0002 (accepted", "See ADR-0002 (superseded) too"),
        ("SPEC-0004 is still approved", "SPEC-0004 is still approved", "SPEC-0004 is still draft"),
        (
            "ADR-0001 is draft, of ADR-0001 to ADR-0003",
            "ADR-0001 is draft",
            "ADR-0001 is accepted, of ADR-0001 to ADR-0026",
        ),
    ],
)
def test_an_outdated_phrase_is_found_and_corrected(text: str, phrase: str, corrected: str) -> None:
    assert makes_claims(text)
    outdated = find_outdated(text, ARTIFACTS)
    assert outdated is not None
    assert (outdated.phrase, outdated.corrected) == (phrase, corrected)


@pytest.mark.parametrize(
    "text",
    [
        "ADR-0001 to ADR-0026",
        "ADR-0001 to ADR-0030",
        "ADR-0001 is accepted, ADR-0002 is superseded",
        "ADR-0099 is draft",
        "SPEC-0001 to SPEC-0004",
        "ADR-0026 is older than the 20 others",
        "ADR-2026-01-02 is a date",
        "Architecture decision records of app",
        "",
    ],
)
def test_a_description_that_is_up_to_date_or_claims_nothing_is_kept(text: str) -> None:
    assert find_outdated(text, ARTIFACTS) is None


def test_a_number_of_two_artifacts_may_have_either_status() -> None:
    twice = [artifact(1, "accepted"), artifact(1, "draft")]
    assert find_outdated("ADR-0001 is draft", twice) is None
    assert find_outdated("ADR-0001 is rejected", twice) is not None


def test_an_artifact_without_a_known_status_makes_nothing_outdated() -> None:
    assert find_outdated("ADR-0001 is accepted", [artifact(1, "")]) is None
    assert find_outdated("ADR-0001 is accepted", [artifact(1, "unknown")]) is None


def test_the_note_is_one_line_with_the_command() -> None:
    texts = {"app-adrs": "It's\nADR-0001 to ADR-0020", "app-code": "Code"}
    (line,) = describe_outdated(
        texts, {"app-adrs": ARTIFACTS, "app-code": ARTIFACTS}, ".sdd/search/qmd"
    )
    assert line == (
        "Context for app-adrs still says 'ADR-0001 to ADR-0020' — refresh it with"
        " `QMD_CONFIG_DIR=.sdd/search/qmd INDEX_PATH=.sdd/search/qmd/index.sqlite"
        """ qmd context add "qmd://app-adrs/" 'It'"'"'s ADR-0001 to ADR-0026'`"""
    )
    command = line.partition("`")[2].removesuffix("`")
    assert shlex.split(command)[-1] == "It's ADR-0001 to ADR-0026"


IDS = st.sampled_from(["ADR-0001", "ADR-0020", "adr 2", "SPEC-3", "ADRs 1", "ADR-99999", "20"])
WORDS = st.sampled_from(["to", "–", "..", "is", "accepted", "draft", "(", ")", ":", "\n", "`", "'"])


@given(st.lists(IDS | WORDS | st.text(max_size=3), max_size=12).map(" ".join))
@example("ADR-0001 to \x1b ADR-0020")
def test_a_corrected_description_is_up_to_date(text: str) -> None:
    outdated = find_outdated(text, ARTIFACTS)
    if outdated is not None:
        assert makes_claims(text)
        assert outdated.phrase
        assert outdated.phrase.isprintable()
        assert outdated.corrected.isprintable()
        assert find_outdated(outdated.corrected, ARTIFACTS) is None


@given(st.text(alphabet="ADRSPEC-0123456789 to.–is(", max_size=400))
def test_no_description_takes_long(text: str) -> None:
    find_outdated(text, ARTIFACTS)
    assert find_outdated("Decisions", ARTIFACTS) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "collections: []",
        "collections: {a: 1}",
        "collections: {a: {context: x}}",
        "collections: {a: {context: {'': [1]}}}",
        "collections: {a: {context: {'': ''}}}",
        "collections: {? [x] : {context: {'': y}}}",
        "{",
        "a: !!python/object:os.system x",
        "[" * 5000,
        "\x00",
        "2026-99-99: 1",
    ],
)
def test_another_configuration_has_no_descriptions(tmp_path: Path, text: str) -> None:
    path = tmp_path / "index.yml"
    path.write_text(text)
    assert read_contexts(path) == {}
    assert read_contexts(tmp_path / "missing.yml") == {}


@given(st.binary(max_size=200))
def test_any_file_can_be_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("yml") / "index.yml"
    path.write_bytes(data)
    assert isinstance(read_contexts(path), dict)
