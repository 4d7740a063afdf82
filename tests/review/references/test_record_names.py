import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.record_names import RecordNames, find_spelled_ids
from tests.support.cpu_time import assert_linear

PATHS = (
    "docs/decisions/0001-use-postgresql.md",
    "docs/decisions/adr-013-fibre-api.md",
    "docs/decisions/0031.md",
    "docs/decisions/2026-01-31_014-Queues.md",
)
NAMES = RecordNames([read_adr(path, f"# Record of {path}\n") for path in PATHS])


def numbers(text: str) -> list[int]:
    return [id.number for id in NAMES.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As ADR-0001 and adr 13 say", [1, 13]),
        ("see docs/decisions/0001-use-postgresql.md#context", [1]),
        ("([0001](../decisions/0001-Use-PostgreSQL.md), too)", [1]),
        ("https://team.example/decisions/0001-use-postgresql.html", [1]),
        ("https://team.example/decisions/0001-use-postgresql/", [1]),
        ("`2026-01-31_014-queues.md`.", [14]),
        ("ADR 0001: docs/decisions/0001-use-postgresql.md", [1]),
        # Other files, and other records of the same number.
        ("db/0001-use-postgresql-now.md and 0001-init.sql", []),
        ("migrations/0031.md", []),
        ("https://github.com/acme/app/blob/main/adr/adr-013-zero-padding.md#a", []),
        ("ADR-0001, unlike https://example.com/adr/adr-013-zero-padding.md", [1]),
        # The record of another name may be the same one under its former name.
        ("https://github.com/acme/app/blob/main/adr/adr-013-the-fibre.md", [13]),
        ("https://team.example/adr/13", [13]),
        ("https://team.example/issues?q=adr-0013-x", [13]),
        ("feature/adr-013-3-add-index", [13]),
    ],
)
def test_records_are_found_by_id_and_by_file_name(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


def test_without_records_ids_are_those_that_are_spelled() -> None:
    text = "adr-013 in https://example.com/adr/adr-013-zero-padding.md, 0001-use-postgresql.md"
    assert set(find_spelled_ids(text)) == set(RecordNames([]).find(text))
    assert find_spelled_ids("SPEC-0002")[0] == ArtifactId("SPEC", 2)


PIECES = ["https://", "/", "adr-013", "-fibre", ".md", "0001-use-postgresql", " ", "?", "ADRs 1/2"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4)).map("".join))
def test_any_text(text: str) -> None:
    found = NAMES.find(text)
    assert len(found) == len(set(found))
    assert set(found) <= {*find_spelled_ids(text), *(ArtifactId("ADR", n) for n in (1, 13, 14))}


def test_the_cost_grows_with_the_text() -> None:
    for piece in ("https://a/adr-013-x ", "a.", "0001-", "https://"):
        assert_linear(NAMES.find, lambda size, piece=piece: piece * size, 2_000)
