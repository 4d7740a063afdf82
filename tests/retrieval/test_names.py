"""Queries that are names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.retrieval.names import parse_name

HIT = Hit(
    "src/api/relay.go#Relay.publish", "c", "src/api/relay.go", 1, 2, "relay.go", "Relay.publish",
    0.5, None, "", "",
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("ADR-0008", ["ADR-0008"]),
        ("adr 8", ["ADR-0008"]),
        (" ADR-0008: ", ["ADR-0008"]),
        ("adr0034a", ["ADR-0034a"]),
        ("spec_7", ["SPEC-0007"]),
        ("[api]/SPEC-0007", ["[api]/SPEC-0007"]),
        ("0008", ["ADR-0008", "SPEC-0008"]),
        ("#12", ["ADR-0012", "SPEC-0012"]),
        ("adr", []),
        ("adr 8 and 9", []),
        ("8 ways to log", []),
        ("123456", []),
        ("", []),
    ],
)
def test_ids(query: str, ids: list[str]) -> None:
    assert [str(identifier) for identifier in parse_name(query).ids] == ids


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("relay.go", True),
        ("relay", True),
        ("src/api/relay.go", True),
        ("publish", True),
        ("Relay.publish", True),
        ("rel", False),
        ("api", False),
        ("", False),
    ],
)
def test_files_and_definitions(query: str, names: bool) -> None:
    assert parse_name(query).is_hit(HIT) is names


def test_a_section_of_a_document_is_no_definition() -> None:
    hit = HIT._replace(path="docs/x.md", section="publish")
    assert not parse_name("publish").is_hit(hit)


@given(st.text(max_size=40))
def test_any_query_is_parsed(text: str) -> None:
    name = parse_name(text)
    assert len(name.ids) <= 2
    assert all(str(identifier) for identifier in name.ids)
