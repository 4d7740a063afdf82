from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.frontmatter_edit import NotEditable
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.authoring.record_draft import RecordDraft, draft_record
from sdd_hooks.authoring.record_form import FileNameForm, RecordForm, find_record_form

DATE = "2026-11-23"
NYGARD = """\
# {n}. Record architecture decisions

Date: 2016-02-12
{more}
## Status

Accepted

Amended by [2. Other](0002-other.md)

## Context

We need to record decisions.

## Decision

We will.
"""
BULLETS = """\
# ADR-{n:03d} — Queue

- **Status:** Accepted
- **Date:** 2025-01-02
- **Deciders:** A, B
- **Supersedes:** ADR-001

Some prose.

## Context

Words.

## Related decisions

ADR-001
"""
MADR = """\
---
id: ADR-{n:04d}
title: "Queue"
status: "accepted"
date: 2025-01-02
decision-makers: [A, B]
supersedes: [ADR-0001]
tags:
  - one
---

# ADR-{n:04d}: Queue

## Context and Problem Statement

Words.
"""


def form_of(texts: dict[str, str], directory: str = "docs/adr") -> RecordForm:
    records = []
    for name, text in texts.items():
        artifact = read_adr(f"{directory}/{name}", text)
        assert artifact
        records.append((artifact, text))
    return find_record_form(directory, records)


def draft(form: RecordForm, template: str = "", **sections: str) -> str:
    new = RecordDraft(ArtifactId("ADR", 12), "Use gRPC", DATE, sections)
    return draft_record(form, new, template)


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ((), "ADR-0012-use-grpcs-api.md"),
        (("0001-a-b.md", "0002-c.md"), "0012-use-grpcs-api.md"),
        (("adr-001-a.md", "adr-002-c.md", "0003-x.md"), "adr-012-use-grpcs-api.md"),
        (("ADR_001_A_B.md", "ADR_002_C_D.md"), "ADR_012_Use_Grpcs_Api.md"),
        (("adr-001.md", "adr-002.md"), "adr-012.md"),
        (("2025-01-02_001-a.md", "2025-01-03_002-b.md"), "2026-11-23_012-use-grpcs-api.md"),
        (("1-a.markdown",), "12-use-grpcs-api.markdown"),
        (("20200101-a.md", "20200102-b.md"), "20261123-use-grpcs-api.md"),
        (("2020-01-01-a.md", "2020-01-02-b.md"), "2026-11-23-use-grpcs-api.md"),
        (("use-kafka.md", "use_sql.md", "Log-json.md"), "use-grpcs-api.md"),
        (("PAY-0001-a.md", "PAY-0002-b.md"), "PAY-0012-use-grpcs-api.md"),
        (("ODH-ADR-Operator-0001-a.md",), "ODH-ADR-Operator-0012-use-grpcs-api.md"),
        (("2020-01-01-a/README.md",), "2026-11-23-use-grpcs-api/README.md"),
        (("0001-a/README.md", "0002-b/README.md"), "0012-use-grpcs-api/README.md"),
    ],
)
def test_a_file_is_named_like_its_neighbours(names: tuple[str, ...], wanted: str) -> None:
    body = "# X\n\n## Decision\n\nYes.\n"
    records = [(one, body) for name in names if (one := read_adr(f"docs/adr/{name}", body))]
    form = find_record_form("docs/adr", records)
    assert form.file_name.name(12, "Use gRPC's API!", DATE) == wanted


@given(st.text(max_size=200), st.integers(1, 99999))
def test_any_title_makes_a_file_name(title: str, number: int) -> None:
    name = FileNameForm().name(number, title, DATE)
    assert len(name) < 120
    assert not set(name) & set("/\\\0\n :*?\"'<>|")
    assert read_adr(f"docs/adrs/{name}", "# X\n\n## Decision\n\nYes.\n").id == ArtifactId(
        "ADR", number
    )


def test_a_record_in_nygards_form() -> None:
    texts = {f"{n:04d}-x.md": NYGARD.format(n=n, more="") for n in range(1, 5)}
    # What few records have does not belong to the form.
    texts["0005-x.md"] = NYGARD.format(n=5, more="Ticket: 7\n")
    assert draft(form_of(texts)) == (
        "# 12. Use gRPC\n\nDate: 2026-11-23\n\n## Status\n\nProposed\n\n## Context\n\n"
        "<!-- What is the situation, and which question has to be decided? -->\n\n## Decision\n\n"
        "<!-- What is decided, and why? -->\n"
    )


def test_a_record_with_bullets() -> None:
    form = form_of({f"ADR-{n:03d}-x.md": BULLETS.format(n=n) for n in (1, 2)})
    assert draft(form, Context="We are slow.") == (
        "# ADR-012 — Use gRPC\n\n- **Status:** Proposed\n- **Date:** 2026-11-23\n"
        "- **Deciders:**\n\n## Context\n\nWe are slow.\n\n## Related decisions\n"
    )


def test_a_record_with_frontmatter() -> None:
    form = form_of({"0001-x.md": MADR.format(n=1)})
    assert draft(form) == (
        '---\nid: ADR-0012\ntitle: "Use gRPC"\nstatus: "proposed"\ndate: 2026-11-23\n'
        "decision-makers:\ntags:\n---\n\n# ADR-0012: Use gRPC\n\n"
        "## Context and Problem Statement\n\n"
        "<!-- What is the situation, and which question has to be decided? -->\n"
    )


def test_the_first_record_of_a_repository_is_madr() -> None:
    text = draft(find_record_form("docs/adrs", []), More="See the plan.")
    assert text.startswith("---\nstatus: proposed\ndate: 2026-11-23\n---\n\n# ADR-0012: Use gRPC\n")
    assert "\n## Decision Outcome\n" in text
    assert text.endswith("\n## More\n\nSee the plan.\n")


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        (
            "---\nstatus: {proposed | rejected}\ndate: {YYYY-MM-DD when decided}\n---\n"
            "# {short title}\n\n## Context\n\n{Describe it}\n",
            "---\nstatus: proposed\ndate: 2026-11-23\n---\n"
            "# ADR-0012: Use gRPC\n\n## Context\n\n{Describe it}\n",
        ),
        (
            "# NUMBER. TITLE\n\nDate: DATE\n\n## Status\n\nWhat is the status?\n\n## Why\n\nX\n",
            "# ADR-0012: Use gRPC\n\nDate: 2026-11-23\n\n## Status\n\nProposed\n\n## Why\n\nX\n",
        ),
        (
            "# Title\r\n\r\n| Status | Draft/Accepted |\r\n|---|---|\r\n| Date | YYYY-MM-DD |\r\n",
            "# ADR-0012: Use gRPC\n\n| Status | Proposed |\n|---|---|\n| Date | 2026-11-23 |\n",
        ),
    ],
)
def test_a_template_is_filled_in(template: str, wanted: str) -> None:
    assert draft(RecordForm("docs/adrs"), template) == wanted


TEMPLATES = st.lists(
    st.sampled_from(
        [
            "---",
            "status: x",
            "date:",
            "id: 7",
            "# T",
            "## Status",
            "## Date",
            "text",
            "",
            "- **Status:** y",
        ]
    )
    | st.text(max_size=12),
    max_size=14,
).map("\n".join)


@given(TEMPLATES, st.booleans())
def test_any_template_makes_a_record_with_a_status(template: str, is_sample: bool) -> None:
    form = RecordForm("d", sample=template) if is_sample else RecordForm("d")
    try:
        text = draft(form, "" if is_sample else template)
    except NotEditable:
        matter = read_frontmatter(template.rstrip("\n") + "\n")
        assert matter.error or matter.duplicates
        return
    artifact = read_adr("d/ADR-0012-use-grpc.md", text)
    assert artifact is None or artifact.statuses


def test_names_with_the_date_in_place_of_the_number() -> None:
    text = "# Use it\n\n- Status: accepted\n- Date: 2020-01-01\n\n## Decision Outcome\n\nYes.\n"
    paths = [f"adr/2020010{n}-use-it.md" for n in range(1, 4)]
    records = [(artifact, text) for path in paths if (artifact := read_adr(path, text))]
    form = find_record_form("adr", records)
    assert form.file_name.name(7, "Keep it", DATE) == "20261123-keep-it.md"
    name = ArtifactId("ADR", 0, name="20261123-keep-it")
    drafted = draft_record(form, RecordDraft(name, "Keep it", DATE))
    assert read_frontmatter(drafted).fields == {}
    assert "# Keep it\n\n- Status: proposed\n- Date: 2026-11-23\n" in drafted


def test_names_with_letters_behind_the_number() -> None:
    text = "# ADR-{0:03d}: Use it\n\n## Status\n\nAccepted\n"
    records = [
        (artifact, body)
        for n, kind in ((1, "rfc"), (2, "adr"), (3, "adr"))
        if (artifact := read_adr(f"adr/{n:03d}{kind}-use-it.md", body := text.format(n)))
    ]
    assert [artifact.id and artifact.id.number for artifact, _ in records] == [1, 2, 3]
    form = find_record_form("adr", records)
    assert form.file_name.name(4, "Keep it", DATE) == "004adr-keep-it.md"


def test_the_frontmatter_of_a_template_keeps_its_values() -> None:
    template = (
        "---\ntitle: ADR Template\n\n# Replace it\nnav_order: 100\n\n# Keep this\n"
        "parent: Decisions\n---\n# ADR Template\n\n## Context\n"
    )
    drafted = draft_record(
        RecordForm("adr"), RecordDraft(ArtifactId("ADR", 7), "Use it", DATE), template
    )
    assert drafted.startswith(
        "---\ntitle: Use it\n\n# Replace it\nnav_order: 7\n\n# Keep this\nparent: Decisions\n"
        "status: proposed\n---\n"
    )


def test_what_all_records_have_in_the_frontmatter_is_kept() -> None:
    text = "---\nparent: Decisions\nauthors: [A]\nnav_order: {0}\nslug: x{0}\n---\n# {0}. Use it\n"
    records = [
        (artifact, body)
        for n in (1, 2, 3)
        if (artifact := read_adr(f"adr/000{n}-x.md", body := text.format(n)))
    ]
    drafted = draft_record(
        find_record_form("adr", records), RecordDraft(ArtifactId("ADR", 4), "B", DATE)
    )
    assert drafted.startswith(
        "---\nparent: Decisions\nauthors:\nnav_order: 4\nslug:\nstatus: proposed\n---\n\n# 4. B\n"
    )
    drafted = draft_record(
        find_record_form("adr", records[:2]), RecordDraft(ArtifactId("ADR", 4), "B", DATE)
    )
    assert drafted.startswith("---\nparent:\n")


def test_a_table_with_the_fields_as_columns_is_left_out() -> None:
    table = "| authors | last revised |\n| --- | ---: |\n| {1} | 2025 |"
    text = "# ADR-{0:03d}: Use it\n\n" + table + "\n\n## Context\n"
    records = [
        (artifact, body)
        for n in (1, 2, 3)
        if (artifact := read_adr(f"adr/adr-00{n}-x.md", body := text.format(n, chr(64 + n))))
    ]
    drafted = draft_record(
        find_record_form("adr", records), RecordDraft(ArtifactId("ADR", 4), "B", DATE)
    )
    assert "|" not in drafted
