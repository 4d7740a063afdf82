from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.governing import (
    GoverningReference,
    has_governing_label,
    read_governing,
)
from sdd_hooks.artifacts.identifiers import ArtifactId
from tests.support.cpu_time import assert_linear


def read(text: str) -> list[str]:
    return [
        " ".join(filter(None, [str(g.id), g.requirement and f'"{g.requirement}"', f"@{g.line}"]))
        for g in read_governing(text)
    ]


def test_parts_of_a_comment() -> None:
    text = (
        "#!/bin/sh\n"
        '# Governing: ADR-0001 (one reason (of two)), SPEC-0003 REQ "Token Validation" (why)\n'
        '# Implements: SPEC-0003 REQ "Name", SPEC-0004\n'
    )
    spec = ArtifactId("SPEC", 3)
    assert read_governing(text) == (
        GoverningReference("governing", ArtifactId("ADR", 1), "", "one reason (of two)", 2),
        GoverningReference("governing", spec, "Token Validation", "why", 2),
        GoverningReference("implements", spec, "Name", "", 3),
        GoverningReference("implements", ArtifactId("SPEC", 4), "", "", 3),
    )


@pytest.mark.parametrize(
    "comment",
    [
        "# Governing: ADR-0001",
        "#Governing: ADR-0001",
        "#: Governing: ADR-0001",
        "#' Governing: ADR-0001",
        "// Governing: ADR-0001",
        "/// Governing: ADR-0001",
        "//! Governing: ADR-0001",
        "/* Governing: ADR-0001 */",
        "/** Governing: ADR-0001 */",
        " * Governing: ADR-0001",
        "-- Governing: ADR-0001",
        "--[[ Governing: ADR-0001 ]]",
        "; Governing: ADR-0001",
        ";;; Governing: ADR-0001",
        "% Governing: ADR-0001",
        "! Governing: ADR-0001",
        "<!-- Governing: ADR-0001 -->",
        "<%-- Governing: ADR-0001 --%>",
        "{# Governing: ADR-0001 #}",
        "{{/* Governing: ADR-0001 */}}",
        "{{! Governing: ADR-0001 }}",
        "{/* Governing: ADR-0001 */}",
        "{- Governing: ADR-0001 -}",
        "(* Governing: ADR-0001 *)",
        ".. Governing: ADR-0001",
        '"""Governing: ADR-0001"""',
        '"""\nGoverning: ADR-0001\n"""',
        "'''Governing: ADR-0001'''",
        "=begin\nGoverning: ADR-0001\n=end",
        "REM Governing: ADR-0001",
        "@rem Governing: ADR-0001",
        ":: Governing: ADR-0001",
        "dnl Governing: ADR-0001",
        "' Governing: ADR-0001",
        '" Governing: ADR-0001',
        "C     Governing: ADR-0001",
        "> Governing: ADR-0001",
        "- Governing: ADR-0001",
        "Governing: ADR-0001",
        "x = 1  # Governing: ADR-0001",
        "SELECT 1; -- Governing: ADR-0001",
        "// It is so because it was decided. Governing: ADR-0001.",
        "# governing: adr 1",
        "# Governed by: ADR-0001",
        "# Governing ADRs: ADR-0001",
        "# Governing: [ADR-0001](docs/adrs/x.md)",
        "# Governing: `ADR-0001`",
        "# Governing: @ADR(1)",
    ],
)
def test_any_comment_syntax(comment: str) -> None:
    """Scenario "Two languages" of SPEC-0002."""
    for newline in ("\n", "\r\n"):
        text = f"{comment}\nADR-0002\n\nADR-0003\n".replace("\n", newline)
        found = read_governing(text)
        assert [str(g.id) for g in found][:1] == ["ADR-0001"]
        assert "ADR-0003" not in [str(g.id) for g in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '// Governing: ADR-0021 ("a + b"), SPEC-0014 REQ "Bundled\n// Runtime".\nfunc ADR-3',
            ["ADR-0021 @1", 'SPEC-0014 "Bundled Runtime" @1'],
        ),
        (
            "/*\n * Governing: ADR-0029 (why\n * wrapped),\n *     ADR-0030\n *\n * ADR-3\n */",
            ["ADR-0029 @2", "ADR-0030 @4"],
        ),
        (
            '"""D.\n\nGoverning: ADR-0001 (a\nb), SPEC-0003\nREQ "Token\nValidation"\n\nADR-3\n"""',
            ["ADR-0001 @3", 'SPEC-0003 "Token Validation" @4'],
        ),
        ("# Governing:\n#   - ADR-0001 (x)\n#   - ADR-0002\n", ["ADR-0001 @2", "ADR-0002 @3"]),
        ("// so. Governing:\n// SPEC-0007, ADR-0013\n", ["SPEC-0007 @2", "ADR-0013 @2"]),
        ("<!-- Governing: ADR-0001,\n     ADR-0002 -->\nADR-0003", ["ADR-0001 @1", "ADR-0002 @2"]),
        ("# Governing: ADR-0001,\nADR-0002 = 1", ["ADR-0001 @1"]),
        ("# Governing: ADR-0001\n# ADR-0002\n", ["ADR-0001 @1", "ADR-0002 @2"]),
        ("# Governing: ADR-0001\n# See ADR-0002", ["ADR-0001 @1"]),
        ("# Governing: ADR-0001 applies, ADR-0002", ["ADR-0001 @1"]),
        ("# Governing: ADR-0001 (never closed\nx(ADR-0003)", ["ADR-0001 @1"]),
        ("# Governing: ADRs 0015/0017; ADR-3", ["ADR-0015 @1", "ADR-0017 @1", "ADR-0003 @1"]),
        ("# Governing: ADR-0001..0003", ["ADR-0001 @1", "ADR-0002 @1", "ADR-0003 @1"]),
        ("# Governing: SPEC-0001 REQ-3, REQ-4a", ['SPEC-0001 "REQ-3" @1', 'SPEC-0001 "REQ-4a" @1']),
        ("# Governing: [api]/SPEC-0007 REQ-0007-001", ['[api]/SPEC-0007 "REQ-0007-001" @1']),
        (
            '// Implements: SPEC-0001 REQ "A" (a), REQ "B", “C”, SPEC-0002 REQ \'D\', `ADR-1`',
            [f'SPEC-0001 "{name}" @1' for name in "ABC"] + ['SPEC-0002 "D" @1', "ADR-0001 @1"],
        ),
        (
            '// Governing: SPEC-0007 REQ "A, and B" scenario "C\n// D", ADR-0013',
            ['SPEC-0007 "A, and B" @1', "ADR-0013 @2"],
        ),
    ],
)
def test_comments_of_several_lines_and_entries(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'print("Governing: ADR-0001")',
        'x = ["Governing: ADR-0001"]',
        "self-governing: ADR-0001",
        "misgoverning: ADR-0001",
        "# Governing: none",
        "# Governing bodies: see ADR-0001",
        "# ADR-0001",
        "class A implements ADR-0001",
        "",
    ],
)
def test_other_text_is_not_a_governing_comment(text: str) -> None:
    assert read_governing(text) == ()


@pytest.mark.parametrize(
    "unit",
    ["# Governing: ADR-1\n", "Governing: ADR-1 (", '# Implements: SPEC-1 REQ "', "Governing: "],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert_linear(read_governing, lambda size: unit * (size // len(unit)), 1 << 18)


ENTRIES = ["ADR-0001", "SPEC-2", "[api]/SPEC-3", "ADRs 1/2", 'REQ "a"', "..0009"]
pieces = st.sampled_from(
    ["# Governing:", "Implements: ", *ENTRIES, "(", ")", ",", "\n", "# ", "/*", "*/", '"', " "]
)


@given(st.one_of(st.text(), st.lists(pieces).map("".join), st.lists(pieces).map(" ".join)))
def test_any_text_is_read_with_lines_within_it(text: str) -> None:
    total = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= governed.line <= total for governed in read_governing(text))


@given(
    st.lists(
        st.sampled_from(
            ["# Governing: ", "GOVERNED BY:", "implements adr: ", "ADR-0001", " ", "\n", "non-"]
        )
    )
)
def test_labels_are_those_in_a_text_that_lower_case_makes_longer(pieces: list[str]) -> None:
    text = "".join(pieces)
    expected = list(read_governing(f"{text}\n# İ"))
    for end in ("a", "ä", "ſ"):
        assert list(read_governing(f"{text}\n# {end}")) == expected


@pytest.mark.parametrize(
    ("text", "labelled"),
    [
        ("// Governing: SPEC user-accounts REQ 3\n", True),
        ("<!-- Implements: the accounts -->\n", True),
        ("# What is governing here\n", False),
        ("x = 'Governing: nothing'\n", False),
        ("", False),
    ],
)
def test_a_label_of_a_comment_about_what_has_no_number(text: str, labelled: bool) -> None:
    assert read_governing(text) == ()
    assert has_governing_label(text) is labelled
