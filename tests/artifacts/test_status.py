from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.fields import read_header_fields
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.languages import STATUSES
from sdd_hooks.artifacts.status import (
    NO_STATUS,
    UNKNOWN,
    ArtifactStatus,
    find_statuses,
    parse_status,
)
from sdd_hooks.text.markdown import mask_non_prose, parse_sections
from tests.artifacts.blocks import record, rows
from tests.support.cpu_time import assert_linear


def status_in(block: str) -> str:
    """The status of a record with a block of one of the tables."""
    return found[0].value if (found := found_in(record(block))) else "none"


def found_in(text: str) -> tuple[ArtifactStatus, ...]:
    plain, found = mask_non_prose(text), parse_sections(text)
    return find_statuses(read_frontmatter(text), read_header_fields(plain, found), plain, found)


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        ("accepted", "accepted", ""),
        ("Accepted.", "accepted", ""),
        ("ACCEPTED", "accepted", ""),
        ("**Accepted**", "accepted", ""),
        ("`accepted`", "accepted", ""),
        ("accepted (refined by ADR-7)", "accepted", "refined by ADR-7"),
        ("accepted（由 ADR-0012 细化）", "accepted", "由 ADR-0012 细化"),
        ("accepted (a) (b)", "accepted", "(a) (b)"),
        ("Accepted on 2020/1/1.", "accepted", "on 2020/1/1."),
        ("Accepted. (but not used)", "accepted", "but not used"),
        ("2020-01-01: accepted", "accepted", ""),
        ("This record was accepted in May.", "accepted", "in May."),
        ("Proposed → Accepted", "accepted", ""),
        ("Superseded → ADR-0018", "superseded", "→ ADR-0018"),
        ("Accepted: the verdict→term table is used", "accepted", "the verdict→term table is used"),
        ("~~Proposed~~ Accepted", "accepted", ""),
        ("active", "accepted", ""),
        ("Adopted", "accepted", ""),
        ("proposed", "proposed", ""),
        ("💡 PROPOSED", "proposed", ""),
        ("Pending", "proposed", ""),
        ("✅ Accepted", "accepted", ""),
        (":white_check_mark: Accepted", "accepted", ""),
        ("![Accepted](https://img.example/accepted)", "accepted", ""),
        ("implemented", "implemented", ""),
        ("approved", "approved", ""),
        ("draft", "draft", ""),
        ("Requirements Draft", "draft", ""),
        ("Under review", "review", ""),
        ("on hold", "on-hold", ""),
        ("On-Hold (until May)", "on-hold", "until May"),
        ("deferred", "deferred", ""),
        ("rejected", "rejected", ""),
        ("withdrawn", "rejected", ""),
        ("Cancelled. No team needs it.", "rejected", "No team needs it."),
        ("deprecated (no successor)", "deprecated", "no successor"),
        ("retired by [3](3.md)", "deprecated", "by [3](3.md)"),
        ("superseded", "superseded", ""),
        ("Superseded by [ADR 7](/adr/7)", "superseded", "by [ADR 7](/adr/7)"),
        ("Superceded by 7", "superseded", "by 7"),
        ("Accepted; superseded by ADR-9", "superseded", "superseded by ADR-9"),
        ("Accepted - superseded by ADR-9", "superseded", "superseded by ADR-9"),
        # Partly superseded: still accepted
        ("amended-in-part by [12](12.md)", "accepted", "amended-in-part by [12](12.md)"),
        ("superseded-in-part by [2](2.md)", "accepted", "superseded-in-part by [2](2.md)"),
        ("Superseded in part by ADR-2", "accepted", "Superseded in part by ADR-2"),
        ("partially superseded by ADR-2", "accepted", "partially superseded by ADR-2"),
        (
            "Superseded by ADR-2 (spelling) — the contract is retained",
            "accepted",
            "by ADR-2 (spelling) — the contract is retained",
        ),
        ("proposed; amended-in-part by [3](3.md)", "proposed", "amended-in-part by [3](3.md)"),
        ("accepted; superseded in part by 3", "accepted", "superseded in part by 3"),
        ("superseded by 9 (was: accepted)", "superseded", "by 9 (was: accepted)"),
        # Unknown statuses
        ("reference", UNKNOWN, ""),
        ("🟡 Requirements (not started)", UNKNOWN, ""),
        ("Not yet accepted", UNKNOWN, ""),
    ],
)
def test_parse_status(text: str, value: str, note: str) -> None:
    status = parse_status(text, 3)
    assert status is not None
    assert (status.value, status.note, status.text, status.line) == (value, note, text, 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "—",
        "🎉",
        "{proposed | rejected | accepted | deprecated | … | superseded by ADR-0123}",
        "[proposed | accepted | rejected]",
        "Proposed | Accepted | Deprecated | Superseded",
        "What is the status, such as proposed, accepted, rejected, deprecated, superseded, etc.?",
        "Proposed, Accepted, Deprecated or Superseded",
        "<!-- accepted -->",
    ],
)
def test_the_placeholder_of_a_template_is_not_a_status(text: str) -> None:
    assert parse_status(text) is None


def test_statuses_as_people_write_them() -> None:
    """A history, another language, and 490 other forms."""
    for expected, block in rows("statuses.txt"):
        assert (block, status_in(block)) == (block, expected)


LABELS = rows("languages.txt")
LAYOUTS = (
    "{0}: {1}",
    "- **{0}**：{1}",
    "> {0}: {1}",
    "*{0}:* {1}",
    "| {0} | {1} |\n| Date | x |",
    "| {0} | Date |\n|---|---|\n| {1} | 2020-01-01 |",
    "## {0}\n\n{1}",
    "## {0}: {1}",
    "### ADR {0}\n\n> **{1}**",
    "{0}:\n{1}",
    "**{0}**\n\n{1}",
    "- {0}:\n  - {1}",
)


@pytest.mark.parametrize("layout", [*LAYOUTS, "---\n{0}: {1}\n---\n"])
def test_every_language_in_every_layout(layout: str) -> None:
    for label, *words, other in LABELS:
        for expected, word in zip(
            ("accepted", "rejected", "deprecated", "superseded", UNKNOWN),
            (*words, other),
            strict=True,
        ):
            # A colon in a value of YAML would need quotes.
            written = word.replace(": ", " ") if layout.startswith("---") else word
            assert (label, word, status_in(layout.format(label, written))) == (
                label,
                word,
                expected,
            )


OTHERS = st.sampled_from(
    ["ADR-0002", "[ADR-2](0002-x.md)", "[2. Use kites](0002-use-kites.md)", "ADR 2"]
)
ABOUT_OTHERS = st.sampled_from(
    [
        "{0} was superseded by {1}.",
        "{0} is deprecated, and {1} rejected.",
        "Amends {0}, which is superseded by {1}",
        "Supersedes {0}",
        "Superseded {0}",
        "**Superseded** {0}, {1}",
        "Deprecated {0} and {1}",
        "Replaces {0} (superseded, see {1})",
        "Builds on the rejected {0}",
        "Section 3 superseded by {0}",
        "May be superseded by {0}",
        "If superseded, {0} holds.",
        "Superseded by {0} once it is accepted",
        "Superseded in part by {0}",
        "Ersetzt {0}",
        "Remplace {0}",
        "取代 {0}",
        "| {0} | superseded |\n| {1} | deprecated |",
    ]
)


KNOWN = [row for row in rows("statuses.txt") if row[1][:1] == "§" and row[0] in STATUSES]


@given(st.sampled_from(KNOWN), OTHERS, OTHERS, ABOUT_OTHERS)
def test_words_about_another_record_change_nothing(row, one: str, two: str, words: str) -> None:
    """Another record in a paragraph below the status."""
    begin, *rest = row[1].split("¶¶## ", 1)
    added = "¶¶".join([begin, words.format(one, two).replace("\n", "¶")])
    assert status_in("¶¶## ".join([added, *rest])) == row[0]


@pytest.mark.parametrize(
    "size",
    [
        "accepted, ",
        "superseded by (",
        "[",
        "[x](",
        "| a ",
        "- [ ] ",
        "2020-01-01 ",
        "で",
        "**a: ",
        "_",
        "> ",
    ],
)
def test_the_cost_grows_with_the_text(size: str) -> None:
    assert_linear(found_in, lambda n: f"# T\n\n{size * n}\n\n## Status\n\n{size * n}\n", 2_000)


def test_the_choices_of_a_template_in_another_language() -> None:
    choices = "Vorgeschlagen | **Akzeptiert** | Abgelehnt | Überholt | Ersetzt"
    assert found_in(f"# T\n\n## Status\n\n{choices}\n") == ()


@pytest.mark.parametrize("value", [*STATUSES, UNKNOWN, ""])
def test_authoritative(value: str) -> None:
    assert ArtifactStatus(value).authoritative == (
        value not in ("superseded", "deprecated", "rejected")
    )


def test_an_artifact_without_a_status_is_authoritative() -> None:
    assert NO_STATUS.authoritative


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nstatus: accepted\n---\n# T", [("accepted", "frontmatter", 2)]),
        ("---\nstatus: [accepted]\n---\n# T", [("accepted", "frontmatter", 2)]),
        ("# T\n\n- **Status:** accepted (x)", [("accepted", "field", 3)]),
        ("# T\n\n* Status: accepted", [("accepted", "field", 3)]),
        ("# T\n\n| Status | accepted |\n| Date | x |", [("accepted", "field", 3)]),
        ("Status:💡 PROPOSED\nDate:📅 2026-05-03", [("proposed", "field", 1)]),
        ("# T\n\n## Status\n\nAccepted\n\n## Context", [("accepted", "section", 5)]),
        ("# T\n\nStatus\n------\nAccepted", [("accepted", "section", 5)]),
        ("# T\n\n## 2. Status:\n\n- Accepted", [("accepted", "section", 5)]),
        ("# T\n\n### Status: Accepted\n", [("accepted", "section", 3)]),
        ("# T\n\n## ✅ **Status**\n\n**Accepted**", [("accepted", "section", 5)]),
        (
            "# T\n\n## Status\n\n> What is the status, such as proposed?\n\nAccepted",
            [("accepted", "section", 7)],
        ),
        ("# T\n\n## Status\n\n> rejected\n> deprecated\n", [("unknown", "section", 5)]),
        ("# T\n\n## Status\n\n<!-- accepted -->\nproposed", [("proposed", "section", 6)]),
        (
            "# T\n\n## Status\n\n- [ ] Proposed\n- [x] Accepted\n- [ ] Old",
            [("accepted", "section", 6)],
        ),
        ("# T\n\n## Status\n\n---\nAccepted\nby the team", [("accepted", "section", 6)]),
        (
            "# T\n\n## Status\n\nAccepted\n\nSuperseded by [9. X](0009-x.md)\n",
            [("superseded", "section", 7)],
        ),
        ("# T\n\n## Status\n\nAccepted\nSuperseded by [9](9.md)", [("superseded", "section", 6)]),
        (
            "# T\n\n## Status\n\nAccepted\n\nAmends [9. X](0009-x.md)\n",
            [("accepted", "section", 5)],
        ),
        (
            "# T\n\n## Status\n\n- 2026-01-02: Drafted\n- 2026-01-09: Edited & Accepted\n",
            [("accepted", "section", 6)],
        ),
        (
            "# T\n\n## Status\n\n- 2026-01-09: Merged\n- 2026-01-02: Drafted\n",
            [("accepted", "section", 5)],
        ),
        (
            "# T\n\n## Status\n\n- 2026-01-02: Drafted\n- 2026-01-09: Discussed\n",
            [("draft", "section", 5)],
        ),
        ("# T\n\n## Status\n\n- 2026-01-02: Drafted\n\nAccepted\n", [("draft", "section", 5)]),
        ("# T\n\n## Status\n\n| accepted |\n", [("accepted", "section", 5)]),
        ("# T\n\n## Status\n\n## Context\n\naccepted", []),
        ("# T\n\n### `status:planning` is a lock\n\n## Status quo\n\nx", []),
        ("# T\n\ntext\n", []),
        (
            "---\nstatus: Accepted\n---\n# T\n\n## Status\n\nDeprecated",
            [("accepted", "frontmatter", 2), ("deprecated", "section", 8)],
        ),
    ],
)
def test_places_of_a_status(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert [(s.value, s.origin, s.line) for s in found_in(text)] == expected


@given(
    st.one_of(
        st.text(),
        st.text(alphabet="accepted-superseded by()[]|→*~ \n"),
        st.lists(
            st.sampled_from(["accepted", "superseded by", "(", ")", "in part", "->", "9"])
        ).map(" ".join),
    )
)
def test_any_text_parses_to_a_known_value(text: str) -> None:
    status = parse_status(text)
    if status:
        assert status.value in (*STATUSES, UNKNOWN)
        assert "\n" not in status.note
    for found in found_in(f"# T\n\n## Status\n\n{text}"):
        assert found.line >= 1


@pytest.mark.parametrize(
    "word",
    [
        "proposed",
        "accepted",
        "rejected",
        "deprecated",
        "superseded",
        "draft",
        "review",
        "approved",
        "implemented",
    ],
)
def test_a_plain_word_is_the_status_that_it_is_in_other_spellings(word: str) -> None:
    plain, other = parse_status(word), parse_status(f"**{word.capitalize()}**")
    assert plain and other
    assert (plain.value, plain.text, plain.note) == (word, word, "")
    assert (other.value, other.note) == (word, "")


def test_an_arrow_in_a_note_is_no_later_stage() -> None:
    note = "Accepted (superseded in part by [ADR-0098](0098.md): rename of `int` → `int32`.)"
    status = parse_status(note)
    assert status is not None
    assert status.value == "accepted"
