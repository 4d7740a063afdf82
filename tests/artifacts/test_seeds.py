"""The decisions that this project was begun from, where they lie beside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.text.decoding import decode

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"


def seed(name: str) -> str:
    path = SEEDS / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside this repository")
    return decode(path.read_bytes())


def test_a_record_copied_from_a_rendered_page() -> None:
    name = "ADR-0026-tiered-index-freshness.md"
    adr = read_adr(f"docs/adrs/{name}", seed(name))
    assert adr is not None
    assert (adr.name, adr.title) == ("ADR-0026", "Tiered index freshness")
    assert (adr.status.value, adr.date) == ("proposed", "2026-05-03")


def test_a_record_without_a_number() -> None:
    name = "ADR-XXX-replace-qmd-with-llm-search.md"
    adr = read_adr(f"docs/adrs/{name}", seed(name))
    assert adr is not None
    assert (adr.name, adr.title) == (name.removesuffix(".md"), "Replace qmd with llm search")


def test_references_and_governing_comments_of_a_skill() -> None:
    text = seed("skill-search.md")
    found = read_governing(text)
    assert ("SPEC-0034", "Graceful Degradation") not in [(str(g.id), g.requirement) for g in found]
    assert ("SPEC-0019", "qmd-helpers Reference") in [(str(g.id), g.requirement) for g in found]
    assert {"ADR-0024", "ADR-0033"} <= {str(reference.id) for reference in find_id_references(text)}
