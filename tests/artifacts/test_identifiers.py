from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.identifiers import (
    _MENTION,
    MAX_RANGE,
    ArtifactId,
    ArtifactKind,
    _starts,
    find_id_references,
    find_ids,
    id_from_name,
    may_have_references,
    parse_id,
    split_heading,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ADR-0012", "ADR-0012"),
        ("ADR 12", "ADR-0012"),
        ("ADR-3", "ADR-0003"),
        ("ADR20", "ADR-0020"),
        ("adr-012", "ADR-0012"),
        ("adr56", "ADR-0056"),
        ("ADRs 0015/0017", "ADR-0015 ADR-0017"),
        ("ADR #3", "ADR-0003"),
        ("[adr-3]", "ADR-0003"),
        ("adr/0012", "ADR-0012"),
        ("adr(0012)", "ADR-0012"),
        ("**ADR**: 0049", "ADR-0049"),
        ("@ADR(45)", "ADR-0045"),
        ("ADR-0105..0108", "ADR-0105 ADR-0106 ADR-0107 ADR-0108"),
        ("feature/adr-012-3-add-index", "ADR-0012"),
        ("ADR_0012", "ADR-0012"),
        ("ADR–0012", "ADR-0012"),
        ("ADR no. 5", "ADR-0005"),
        ("adr:0012", "ADR-0012"),
        ("see ADR\n0012", "ADR-0012"),
        ("test_adr_0012_is_kept", "ADR-0012"),
        ("`ADR-0012`, **ADR-0013**", "ADR-0012 ADR-0013"),
        ("ADR-0012's rule, ADR-0013に", "ADR-0012 ADR-0013"),
        ("docs/adrs/ADR-0012-use-x.md", "ADR-0012"),
        ("docs/adr/0012-use-x.md", "ADR-0012"),
        ("docs/adr/2024-01-02_003-use-x.md", "ADR-0003"),
        ("ADR-0034a", "ADR-0034a"),
        # Lists and ranges
        ("ADR 0028, 0029 and 0030", "ADR-0028 ADR-0029 ADR-0030"),
        ("ADRs 12, 13", "ADR-0012 ADR-0013"),
        ("ADRs [0001](a.md), [0002](b.md) and [0003](c.md)", "ADR-0001 ADR-0002 ADR-0003"),
        ("ADR [0028](28.md) / ADR [0115](115.md)", "ADR-0028 ADR-0115"),
        ("ADR-0105–0107", "ADR-0105 ADR-0106 ADR-0107"),
        ("ADR-0105..ADR-0106", "ADR-0105 ADR-0106"),
        ("ADR-0001 through ADR-0003", "ADR-0001 ADR-0002 ADR-0003"),
        ("ADR-0001 to ADR-0009", "ADR-0001 ADR-0009"),
        ("ADR-0009..0007", "ADR-0009 ADR-0007"),
        ("ADR-0012-0014", "ADR-0012"),
        ("ADR 3 and 4 options", "ADR-0003"),
        ("ADR-0012, 2024 was the year", "ADR-0012"),
        # Specs
        ("SPEC-0003 REQ", "SPEC-0003"),
        ("SPEC 7, spec-0008", "SPEC-0007 SPEC-0008"),
        ("SPECs 0001, 0002", "SPEC-0001 SPEC-0002"),
        ("[api]/SPEC-0007", "[api]/SPEC-0007"),
        ("[api]/ADRs 0001, 0002", "[api]/ADR-0001 [api]/ADR-0002"),
        # No mentions
        ("quadr 4, MADR 4.0.0, ADR 4.0, ADR §3", ""),
        ("ADR: 3 options", ""),
        ("ADR-2024-01-15", ""),
        ("ADR-000012", ""),
        ("ADR-12ab34", ""),
        ("the spec 3 of us wrote, spec 3.0, RSpec 3", ""),
        ("ADR-NNNN and ADR", ""),
        ("", ""),
    ],
)
def test_find_id_references(text: str, expected: str) -> None:
    """Scenario "A list and a range of ids" of SPEC-0002."""
    assert " ".join(str(reference.id) for reference in find_id_references(text)) == expected


def test_a_reference_has_its_offsets() -> None:
    text = "As [api]/SPEC-0007 and ADRs 0015/0017 say"
    assert [text[r.start : r.end] for r in find_id_references(text)] == [
        "[api]/SPEC-0007",
        "ADRs 0015",
        "0017",
    ]


def test_a_long_range_yields_its_two_ends() -> None:
    assert len(list(find_id_references(f"ADR-0001..{MAX_RANGE:04}"))) == MAX_RANGE
    assert [r.id.number for r in find_id_references("ADR-0001..9999")] == [1, 9999]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("ADR-0001", None, "ADR-0001"),
        (" adr 1 ", None, "ADR-0001"),
        ("[api]/SPEC-0007", None, "[api]/SPEC-0007"),
        ("0007", "SPEC", "[web]/SPEC-0007"),
        ("#7", "ADR", "[web]/ADR-0007"),
        ("0034a", "ADR", "[web]/ADR-0034a"),
        ("0005-support-async", "ADR", None),
        ("0007", None, None),
        ("ADR-0001, ADR-0002", None, None),
        ("nothing", "ADR", None),
    ],
)
def test_parse_id(text: str, kind: ArtifactKind | None, expected: str | None) -> None:
    found = parse_id(text, kind, "web" if kind else "")
    assert (str(found) if found else None) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ADR-0001-use-x", "ADR-0001"),
        ("0001-use-x", "ADR-0001"),
        ("001-use-x", "ADR-0001"),
        ("adr-001-use-x", "ADR-0001"),
        ("001_use_x", "ADR-0001"),
        ("ADR-0012", "ADR-0012"),
        ("adr0012", "ADR-0012"),
        ("12", "ADR-0012"),
        ("2024-01-02_003-use-x", "ADR-0003"),
        ("2024-01-02-adr-7-use-x", "ADR-0007"),
        ("0034a-options", "ADR-0034a"),
        ("decision-12-x", "ADR-0012"),
        ("0012.x", "ADR-0012"),
        ("012adr-x", "ADR-0012"),
        ("012adrift-x", None),
        ("2024-01-02-use-x", None),
        ("20240102-use-x", None),
        ("3d-engine", None),
        ("use-x", None),
        ("template", None),
        ("spec-0001-x", None),
        ("", None),
    ],
)
def test_id_from_name(name: str, expected: str | None) -> None:
    found = id_from_name(name, "ADR")
    assert (str(found) if found else None) == expected


@pytest.mark.parametrize(
    ("heading", "identifier", "title"),
    [
        ("ADR-0012: Use X", "ADR-0012", "Use X"),
        ("ADR 012 — Use X", "ADR-0012", "Use X"),
        ("ADR-0012 Use X", "ADR-0012", "Use X"),
        ("57. Use X", "ADR-0057", "Use X"),
        ("0005 — Use X", "ADR-0005", "Use X"),
        ("[ADR-0001] Use X", "ADR-0001", "Use X"),
        ("**ADR-3: Use X**", "ADR-0003", "Use X"),
        ("ADR #3: Use X", "ADR-0003", "Use X"),
        ("Architecture Decision Record 12: Use X", "ADR-0012", "Use X"),
        ("ADR-0034a: Use X", "ADR-0034a", "Use X"),
        ("ADR-12", "ADR-0012", ""),
        ("ADR: Use X", None, "Use X"),
        ("ADR-XXX: Use X", None, "Use X"),
        ("Decision Record: Use X", None, "Use X"),
        ("Use X", None, "Use X"),
        ("3 ways to log", None, "3 ways to log"),
        ("2FA: always", None, "2FA: always"),
        ("1.5 times faster", None, "1.5 times faster"),
        ("2026-08-16 Second run", None, "2026-08-16 Second run"),
        ("100% coverage", None, "100% coverage"),
        ("SPEC-0002: Search", None, "SPEC-0002: Search"),
        ("", None, ""),
    ],
)
def test_split_heading(heading: str, identifier: str | None, title: str) -> None:
    found, rest = split_heading(heading, "ADR")
    assert (str(found) if found else None, rest) == (identifier, title)


def test_split_heading_of_a_spec() -> None:
    assert split_heading("SPEC-0002 Design: Search", "SPEC") == (ArtifactId("SPEC", 2), "Search")
    assert split_heading("ADR-0002: Search", "SPEC") == (None, "ADR-0002: Search")


def test_find_ids_follows_links() -> None:
    text = "by [0009](0009-x.md), [ADR 7](/adr/7), [B](../spec/0003-b.md#c), ADR-9, [w](https://w)"
    assert [str(i) for i in find_ids(text, "ADR", "m")] == [
        "[m]/ADR-0009",
        "[m]/ADR-0007",
        "[m]/ADR-0003",
    ]


kinds: st.SearchStrategy[ArtifactKind] = st.sampled_from(["ADR", "SPEC"])
ids = st.builds(
    ArtifactId,
    kinds,
    st.integers(0, 99_999),
    st.sampled_from(["", "a", "z"]),
    st.sampled_from(["", "api", "lib.core"]),
    st.just(""),
    st.just(""),
)


@given(ids)
def test_a_formatted_id_parses_to_itself(identifier: ArtifactId) -> None:
    assert parse_id(str(identifier)) == identifier
    assert [r.id for r in find_id_references(f"see {identifier}.")] == [identifier]


@given(kinds, st.integers(0, 99_999), st.sampled_from(["-", "_", " ", "."]))
def test_a_number_in_a_name_or_heading_is_compared_as_an_integer(
    kind: ArtifactKind, number: int, mark: str
) -> None:
    expected = ArtifactId(kind, number)
    for width in (1, 3, 4):
        assert id_from_name(f"{number:0{width}}{mark}slug", kind) == expected
        assert id_from_name(f"{kind.lower()}-{number:0{width}}", kind) == expected
        assert split_heading(f"{kind}-{number:0{width}}: T", kind) == (expected, "T")


@given(
    st.one_of(
        st.text(),
        st.text(alphabet="ADRSPECadrspec0123456789 -_/.,#()[]*:–\n"),
        st.from_regex("adr"),
    ),
    kinds,
)
def test_any_text_yields_references_within_it(text: str, kind: ArtifactKind) -> None:
    end = 0
    for reference in find_id_references(text):
        assert 0 <= reference.start < reference.end <= len(text)
        assert reference.end >= end
        end = reference.end
    assert not end or may_have_references(text, text.lower())
    parse_id(text, kind)
    id_from_name(text, kind)
    find_ids(text, kind)
    _, title = split_heading(text, kind)
    assert title == title.strip()


# Letters whose lower case is two letters, or depends on what follows.
WORDS = ["ad", "ADR-0012", "adrs 3", "aDr/0007", "SPEC-0002", "spec-003", "Spec-3"]
FRAGMENTS = [*"sax 7\n\u0130\u1e9e\u03a3", *WORDS]


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join))
def test_each_match_of_the_pattern_begins_at_a_start(text: str) -> None:
    starts = list(_starts(text))
    assert starts == sorted(set(starts))
    assert {match.start() for match in _MENTION.finditer(text)} <= set(starts)
