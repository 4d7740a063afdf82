"""Hostile texts and files of 5 MB, through every reader of artifacts."""

from __future__ import annotations

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.artifacts.validation import validate_artifacts
from tests.support.cpu_time import assert_linear

BEFORE = (
    "",
    "# T\n\n## Status\n\n",
    "---\nstatus: ",
    "### Requirement: R\n#### Scenario: S\n- WHEN ",
    "## Decision\nin the context of ",
)


@pytest.mark.parametrize(
    "unit",
    [
        *"#`~([|*-_ \t\n",
        *("**a:** b\n", "| a | b |\n", "- [x] a\n", "> a\n", "- a: b\n", "a: b\n", "<!-- ", "~~"),
        *("[a](b)", "## Status\n", "in the context of ", "superseded by [9](9-x.md) ", "accepted|"),
        *("### Requirement: R\n", "#### Scenario: S\n- WHEN x\n", "MUST NOT\n", "- THEN x\ny\n"),
        *("ADR-0001, ", "ADRs 1/", "ADR-1..9", "adr:    ", "[a]/SPEC-1 ", "\r", " \n", "\x00"),
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    def make(size: int) -> list[str]:
        texts = [before + unit * (size // len(unit)) for before in BEFORE]
        return [text + "\n---\n" if text.startswith("---") else text for text in texts]

    def read(texts: list[str]) -> None:
        for text in texts:
            data = text.encode()
            adr = ArtifactFile("a/0001-x.md", data, "ADR")
            spec = ArtifactFile("s/x/spec.md", data, "SPEC")
            validate_artifacts(load_corpus([adr, spec]))
            sum(1 for _ in find_id_references(text))

    assert_linear(read, make, 1 << 15)


def test_five_megabytes_in_any_encoding() -> None:
    text = (
        "# ADR-0001: Größe\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\n" + "Text – ADR-2.\r\n" * 350_000
    )
    for encoding in ("utf-8-sig", "cp1252", "utf-16"):
        (adr,) = load_corpus([ArtifactFile("a/0001-x.md", text.encode(encoding), "ADR")]).artifacts
        assert (adr.title, adr.status.value, adr.status.line) == ("Größe", "accepted", 5)
        assert adr.sections[-1].last_line == 350_006


def test_five_megabytes_of_noise() -> None:
    data = bytes(range(256)) * (5 << 12)
    assert len(data) == 5 << 20
    (adr,) = load_corpus([ArtifactFile("a/0001-x.md", data, "ADR")]).artifacts
    assert str(adr.id) == "ADR-0001"
