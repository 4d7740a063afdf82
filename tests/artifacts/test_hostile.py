"""Hostile texts and files of 5 MB, through every reader of artifacts."""

from __future__ import annotations

import time

import pytest

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.artifacts.validation import validate_artifacts

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
    for before in BEFORE:
        text = before + unit * ((1 << 17) // len(unit))
        if before.startswith("---"):
            text += "\n---\n"
        data = text.encode()
        started = time.process_time()
        loaded = load_corpus(
            [ArtifactFile("a/0001-x.md", data, "ADR"), ArtifactFile("s/x/spec.md", data, "SPEC")]
        )
        validate_artifacts(loaded)
        sum(1 for _ in find_id_references(text))
        # A fraction of a second when the cost is linear, minutes when it is not.
        assert time.process_time() - started < 10


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
