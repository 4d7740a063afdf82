"""Directories of records are recognised in lists of paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.project.recognition import (
    MAX_FOLDERS,
    MAX_READ_DIRECTORIES,
    Recognition,
    RecordFolder,
    reads_like_record,
    recognise_records,
)
from sdd_hooks.project.record_names import Place, looks_like_record
from tests.support.cpu_time import assert_linear

NYGARD = b"# 12. Use queues\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\nWe do.\n"
PLACES: tuple[Place, ...] = ("decisions", "proposals", "numbered", "anywhere")
PAGE = b"# Chapter 12\n\n## Overview\n\nText.\n"


def find(files: Mapping[str, bytes]) -> Recognition:
    def read(paths: Sequence[str]) -> Iterable[bytes | None]:
        return (files[path] for path in paths)

    return recognise_records(files, read)


def folders(*paths: str, content: bytes = b"") -> list[tuple[str, str, int]]:
    found = find(dict.fromkeys(paths, content))
    return [(folder.kind, folder.path, folder.records) for folder in found.folders]


@pytest.fixture
def evaluation(shared: Path) -> Path:
    return shared / "eval"


def evaluated_places(evaluation: Path) -> list[str]:
    text = (evaluation / "README.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith("- Folders: "))
    places = []
    for place in re.findall(r"`([^`]+)`", line):
        optional = re.fullmatch(r"(.*)\((\w+)\)", place)
        places += [optional[1], optional[1] + optional[2]] if optional else [place]
    return places


def evaluated_names(evaluation: Path) -> list[str]:
    """The patterns of file names, each with a number, a date and words."""
    text = (evaluation / "README.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith("- File names: "))
    patterns = re.findall(r"`([^`]+)`", line)
    numbered = [
        pattern.replace("YYYY-MM-DD", "2026-01-31").replace("slug", "use-queues")
        for pattern in patterns
    ]
    names = [name.replace("NNNN", "0012").replace("NNN", "012") for name in numbered]
    return [name if name.endswith(".md") else f"{name}.md" for name in names]


def test_every_folder_and_name_of_the_evaluation_is_recognised(evaluation: Path):
    places, names = evaluated_places(evaluation), evaluated_names(evaluation)
    assert len(places) >= 10
    assert len(names) >= 6
    for place in places:
        for name in names:
            found = folders(f"{place}/{name}", "src/app.py", "README.md", content=NYGARD)
            assert found == [("adrs", place, 1)], (place, name)


def test_the_records_that_the_cases_name_are_found_and_nothing_else(evaluation: Path):
    directories: dict[str, set[str]] = {}
    expected: dict[str, set[str]] = {}
    for line in (evaluation / "cases.dev.jsonl").read_text().splitlines():
        case = json.loads(line)
        directories.setdefault(case["repo"], set()).update(case["adr_dirs"])
        expected.setdefault(case["repo"], set()).update(case["expected"])
    assert len(expected) == 20
    for repository, records in expected.items():
        # The records alone, and copies that do not belong to the project.
        copies = [
            f"{place}/{record}"
            for place in ("node_modules/x", "docs_archive/2026", "examples/app", "test-fixtures")
            for record in records
        ]
        found = find(dict.fromkeys([*records, *copies, "docs/guide/0001-start.md"], PAGE))
        places = found.paths("adrs")
        assert set(places) <= directories[repository], repository
        assert all(record.startswith(tuple(f"{p}/" for p in places)) for record in records)


@pytest.mark.parametrize(
    ("paths", "place"),
    [
        (["docs/references/architecture/adr-101-a.md"], "docs/references/architecture"),
        (["docs/adr/2026/0001-a.md", "docs/adr/2025/0001-b.md"], "docs/adr"),
        (["docs/adr/0001-a/README.md"], "docs/adr"),
        (["services/pay/docs/adrs/ADR-0001-a.md"], "services/pay/docs/adrs"),
        (["docs/Architecture Decision Records/1-a.md"], "docs/Architecture Decision Records"),
        (["docs/architecture_decisions/12.mdx"], "docs/architecture_decisions"),
        ([".decisions/0001-a.md", ".decisions/old/0002-b.md"], ".decisions"),
        ([".agents/decisions/0001-a.md"], ".agents/decisions"),
        (["web/.agents/architecture/ADR-001-a.md"], "web/.agents/architecture"),
    ],
)
def test_a_name_of_a_record_is_enough(paths: list[str], place: str):
    assert folders(*paths) == [("adrs", place, len(paths))]


def test_a_numbered_document_must_read_like_a_record():
    assert folders("docs/rationale/0012-queues.md", content=NYGARD) == [
        ("adrs", "docs/rationale", 1)
    ]
    assert folders("docs/rationale/0012-queues.md", content=PAGE) == []


def test_a_document_without_a_number_must_read_like_a_record():
    assert folders("docs/decisions/use-queues.md", content=NYGARD) == [
        ("adrs", "docs/decisions", 1)
    ]
    assert folders("docs/guides/use-queues.md", content=NYGARD) == [("adrs", "docs/guides", 1)]
    assert folders("docs/decisions/use-queues.md", content=PAGE) == []
    assert folders("docs/guides/use-queues.md", content=PAGE) == []


def test_names_of_records_close_other_directories_without_names():
    paths = ["docs/adr/0001-a.md", "docs/guides/use-queues.md"]
    assert folders(*paths, content=NYGARD) == [("adrs", "docs/adr", 1)]


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/pkg/docs/adr/0001-a.md",
        "vendor/lib/docs/adr/0001-a.md",
        "docs_archive/2026/docs/adr/0001-a.md",
        "docs/archive/adr/0001-a.md",
        ".agent/memories/adr/0001-a.md",
        "examples/shop/docs/adr/0001-a.md",
        "templates/adr/0001-a.md",
        "pkg/test-fixtures/adr/0001-a.md",
        "tests/fixtures/adr/0001-a.md",
        "versioned_docs/version-1/adr/0001-a.md",
        ".claude/commands/adr/create.md",
        ".claude/agents/decisions/0001-a.md",
        ".agents/critique/ADR-001-a.md",
        ".agents/skills/adr/0001-a.md",
        "docs/validations/adr-001-a.md",
        "docs/runs/adr-001-trace-2026-04-21.md",
        "skills/adr/SKILL.md",
        "docs/adr/0000-adr-template.md",
        "docs/adr/0000-adr-template-de.md",
        "docs/adr/adr-000-template.md",
        "docs/adr/template.md",
        "docs/adr/README.md",
        "docs/adr/0001-a.txt",
        "docs/2024-roadmap.md",
        "blog/2024-01-31-adr.md",
        "adr.md",
        "changes/x/specs/auth/spec.md",
        "openspec/changes/archive/2026-01-31-x/specs/auth/spec.md",
        "spec.md",
    ],
)
def test_copies_templates_and_other_documents_do_not_count(path: str):
    assert folders(path, content=PAGE) == []


def test_a_name_with_the_word_template_is_no_template():
    assert folders("docs/adr/0012-template-engine.md") == [("adrs", "docs/adr", 1)]


def test_records_beside_other_documents_are_taken_alone():
    found = find(dict.fromkeys(["docs/adr-001-a.md", "docs/guide.md", "adr-002-b.md"], b""))
    assert found.folders == (
        RecordFolder("adrs", "", 1, flat=True),
        RecordFolder("adrs", "docs", 1, flat=True),
    )


OTHERS = [f"docs/governance/page-{number}.md" for number in range(3)]


def test_a_name_of_a_record_among_many_other_documents_does_not_decide():
    about = "docs/governance/adr-0001-0009-gap-map.md"
    gap_map = b"# ADR-0001..ADR-0009 gap map\n\n## Summary\n"
    assert find({**dict.fromkeys(OTHERS, PAGE), about: gap_map}).folders == ()


def test_of_a_directory_with_many_other_documents_only_the_records_belong():
    found = find({**dict.fromkeys(OTHERS, PAGE), "docs/governance/adr-0012-queues.md": NYGARD})
    assert found.folders == (RecordFolder("adrs", "docs/governance", 1, flat=True),)
    below = "docs/architecture/topic/adr-001-a.md"
    outer = {"docs/architecture/adr-002-b.md": PAGE, below: NYGARD}
    pages = [f"docs/architecture/topic/page-{number}.md" for number in range(3)]
    assert find({**outer, **dict.fromkeys(pages, PAGE)}).folders == (
        RecordFolder("adrs", "docs/architecture", 2, flat=False),
    )


@pytest.mark.parametrize(
    "path",
    [
        ".changeset/adr-0044-note.md",
        "docs/plans/0008-migration.md",
        "docs/prd/3524-cjs-sdk-hard-seam.md",
        "docs/handoff/adr-0030-notifications.md",
        "plan/history/2608/learning/ADR-0015.md",
    ],
)
def test_plans_and_notes_about_records_are_none(path: str):
    assert folders(path, content=NYGARD) == []
    assert folders("docs/plans/adr/0001-a.md") == [("adrs", "docs/plans/adr", 1)]


PROPOSAL = b"- Feature Name: x\n- Start Date: 2020-01-02\n\n# Summary\n\n# Motivation\n\nx\n"
SIGNED = b"# Time\n\n**Author:** a <br/>\n**Status:** Final <br/>\n\n## Abstract\n"
LOG = b"# Session\n\n## Summary\n\nx\n"


@pytest.mark.parametrize(
    ("paths", "content", "place"),
    [
        # The page at the top says what all is about.
        (["text/0001-a.md", "README.md"], b"# Whiley RFCs\n", "text"),
        (["team/slug.md", "README.md"], b"# Enhancements\n\n## Status\n\n## Decision\n", "team"),
        (["archive/0001-a.md", "README.md"], b"# Proposals\n", "archive"),
        (["text/0001-a.md", "README.md"], b"# A guide\n", ""),
        # Files with names of one form, and fields that only some of them would have.
        ([f"doc/reference/trd{n}-x.md" for n in range(1, 7)], SIGNED, "doc/reference"),
        ([f"doc/reference/trd{n}-x.md" for n in range(1, 7)], PAGE, ""),
        ([f"docs/step-{n}.md" for n in range(1, 7)], LOG, ""),
        ([f"docs/m3-{one}.md" for one in "abcdef"], SIGNED, ""),
        ([f"docs/proposal-{one}.md" for one in "abcde"], PAGE, "docs"),
        (["docs/proposals-accepted/202012-x.md"], PROPOSAL, "docs/proposals-accepted"),
        (
            ["specs/kilo/a.md", "specs/kilo/b.md"],
            PROPOSAL + b"# Work items\n# X impact\n",
            "specs/kilo",
        ),
        (["specs/001-x/spec.md", "specs/001-x/research.md"], NYGARD, ""),
        # Keys of issues that several files are about are none of records.
        ([f"docs/DEF-{n}-{one}.md" for n in (138, 140) for one in "ab"], NYGARD, ""),
        ([f"docs/notes/DEF-{n}-a.md" for n in (99, 138, 140)], NYGARD, "docs/notes"),
        ([f"{one}/RFC-{n}.md" for n in (138, 139) for one in ("de", "en")], NYGARD, "de en"),
        (["batch/WFLY-13128_x.adoc", "README.md"], b"# Analysis documents for x\n", "batch"),
        # A folder of a record is none of records, and may be called like a copy.
        (["docs/adr/adr-001/README.md"], NYGARD, "docs/adr"),
        (["docs/adr/2022-03-02-performance-tests/README.md"], NYGARD, "docs/adr"),
        (["rfcs/0015-x/0015-x.md"], PROPOSAL, "rfcs"),
        (["docs/evidence/adr-0009/report.md", "docs/evidence/adr-0009/README.md"], NYGARD, ""),
        # Dates and numbers among other documents decide nothing.
        ([f"design/2022011{n}.x{n}.md" for n in range(6)], PROPOSAL + b"# Drawbacks\n", "design"),
        ([f".squad/log/2026-01-1{n}-x.md" for n in range(6)], LOG, ""),
    ],
)
def test_what_surrounds_files_shows_that_they_are_records(
    paths: list[str], content: bytes, place: str
):
    found = find(dict.fromkeys(paths, content)).paths("adrs")
    assert found == tuple(place.split())


def test_a_repository_of_proposals_has_them_at_its_top():
    about = b"# Juleps: Enhancement Proposals\n"
    found = find({"README.md": about, "Find.md": SIGNED, "Pkg3.md": SIGNED, "img/a.md": PAGE})
    assert found.folders == (RecordFolder("adrs", "", 2, flat=False),)
    numbered = {f"{one}.md": b"NIP-%b\n===\n\nForum\n---\n" % one.encode() for one in ("01", "7D")}
    assert find({"README.md": b"# NIPs\n"} | numbered).folders == found.folders


def test_few_numbered_files_make_no_collection_of_the_others():
    others = {f"docs/notes/page-{n}.md": PAGE for n in range(9)}
    found = find({**others, "docs/notes/0404-page.md": NYGARD})
    assert found.folders == (RecordFolder("adrs", "docs/notes", 1, flat=True),)


@pytest.mark.parametrize(
    ("paths", "place"),
    [
        (["docs/openspec/specs/auth/spec.md"], "docs/openspec/specs"),
        (["features/auth/spec.md", "features/auth/design.md"], "features"),
        (["specs/auth/spec.md", "specs/done/pay/spec.md"], "specs"),
        (["docs/auth/spec.md", "docs/auth/design.md"], "docs/auth"),
        (["auth/spec.md", "auth/design.md"], "auth"),
    ],
)
def test_specifications_are_pairs_or_lie_in_a_folder_for_them(paths: list[str], place: str):
    count = sum(path.endswith("spec.md") for path in paths)
    assert folders(*paths) == [("specs", place, count)]


def test_one_file_of_a_specification_must_read_like_one():
    text = b"# SPEC-0001: Auth\n\n### Requirement: Tokens\n"
    assert folders("features/auth/spec.md", content=text) == [("specs", "features", 1)]
    assert folders("features/auth/spec.md", content=PAGE) == []


def test_an_outer_directory_has_the_inner_ones():
    paths = ["docs/arch/adr-001-a.md", "docs/arch/decisions/0001-b.md", "docs/archives.md"]
    assert folders(*paths) == [("adrs", "docs/arch", 2)]


def test_too_many_directories_are_left_out_and_counted():
    many = [f"d{n}/adr/0001-a.md" for n in range(MAX_FOLDERS + 3)]
    found = find(dict.fromkeys(many, b""))
    assert (len(found.folders), found.left_out) == (MAX_FOLDERS, 3)
    doubtful = [f"d{n}/0001-a.md" for n in range(MAX_READ_DIRECTORIES + 2)]
    assert find(dict.fromkeys(doubtful, NYGARD)).left_out == 2


def test_files_that_cannot_be_read_do_not_count():
    found = recognise_records(["docs/x/0001-a.md"], lambda paths: [None for _ in paths])
    assert found.folders == ()


def test_few_files_are_read():
    asked: list[str] = []

    def read(paths: Sequence[str]) -> Iterable[bytes | None]:
        asked.extend(paths)
        return [None for _ in paths]

    recognise_records([f"docs/chapters/{n:04}-a.md" for n in range(1000)], read)
    assert 1 <= len(asked) <= 5


@pytest.mark.parametrize("text", ["## Decision\n", "## 2. Decision Outcome\n", "## Entscheidung\n"])
def test_sections_that_a_numbered_record_has(text: str):
    assert reads_like_record("a.md", text.encode(), "numbered")
    assert not reads_like_record("a.md", text.encode(), "anywhere")


@pytest.mark.parametrize(
    "text",
    [
        "# ADR-12: Queues\n",
        "# Architecture decision record: queues\n",
        "# Queues\n## Status\n\n## Decision\n",
        "---\nstatus: accepted\ndecision-makers: [a]\n---\n# Queues\n",
        "# 队列\n\n## 状态\n\n## 决策\n",
        "NIP-7D\n===\n\nForum threads\n---\n",
        "# Q\n* Status: Draft\n* Reviewers: a\n\n## Background\n\n## Goals\n",
    ],
)
def test_documents_that_read_like_records(text: str):
    assert reads_like_record("a.md", text.encode(), "anywhere")
    padded = text + "\nFüllung, 文字 und mehr.\n" * 2000
    assert reads_like_record("a.md", padded.encode(), "anywhere")


@pytest.mark.parametrize(
    "text",
    [
        "# ADR-0008 migration plan\n",
        "# ADR-0001..0009 map\n",
        "# Decisions\n",
        "# Log\n## ADR-1: A\n- Status: Accepted\n- Decision: x\n## ADR-2: B\n## ADR-3: C\n",
        "# STEP-1\n",
        "```\n## Status\n## Decision\n```\n",
        "# Status\n",
        "",
    ],
)
def test_documents_that_do_not(text: str):
    assert not reads_like_record("a.md", text.encode(), "anywhere")


@pytest.mark.parametrize(
    ("directory", "name", "record"),
    [
        ("docs/arch", "0001-x.md", True),
        ("docs/arch", "001_x.md", True),
        ("docs/arch", "ADR-0001.md", True),
        ("docs/arch", "adr-001-x.markdown", True),
        ("docs/arch", "0034a-x.md", True),
        ("docs/arch", "01-overview.md", False),
        ("docs/arch", "2024-roadmap.md", False),
        ("docs/arch", "2024-01-31-outage.md", False),
        ("docs/arch", "rep-2000.rst", True),
        ("docs/arch", "APE10.rst", True),
        ("docs/arch", "review-2000.md", False),
        ("docs/arch", "bytewise_404_pin.md", False),
        ("docs/arch", "rfc-x.md", True),
        ("docs/arch", "0001-x.txt", False),
        ("docs/arch", "overview.md", False),
        ("docs/adr", "1-x.md", True),
        ("docs/adr", "2024-01-31_001-x.md", True),
        ("docs/adr", "0007.mdx", True),
        ("docs/adr", "README.md", False),
        ("docs/adr", "template.md", False),
    ],
)
def test_names_of_records(directory: str, name: str, record: bool):
    assert looks_like_record(directory, name) is record


def test_cost_grows_with_the_paths():
    def recognise(paths: Sequence[str]) -> None:
        recognise_records(paths, lambda asked: [NYGARD for _ in asked])

    for pattern in ("a/b{0}/adr/{0:04}-x.md", "s{0}/x/spec.md", "a/b{0}/adr-{0:04}-x.md"):
        assert_linear(recognise, lambda size, p=pattern: [p.format(n) for n in range(size)], 4_000)


segments = st.sampled_from(["adr", "docs", "specs", "x", "test", "decisions", "changes", "ä\udce9"])
names = st.sampled_from(
    ["0001-a.md", "adr-1.md", "1.md", "spec.md", "design.md", "README.md", "a.md", "a.py"]
)
trees = st.lists(st.builds(lambda s, n: "/".join([*s, n]), st.lists(segments, max_size=4), names))


@given(trees, st.binary(max_size=80))
def test_any_tree(paths: list[str], content: bytes):
    found = recognise_records(paths, lambda asked: [content for _ in asked])
    for kind in ("adrs", "specs"):
        whole = [one.path for one in found.folders if one.kind == kind and not one.flat]
        assert not any(a != b and b.startswith(f"{a}/") for a in whole for b in whole)
    for folder in found.folders:
        assert folder.records >= 1
        assert any(path.startswith(f"{folder.path}/") or not folder.path for path in paths)


@given(st.binary(max_size=300))
def test_any_content(data: bytes):
    found = {place: reads_like_record("a.md", data, place) for place in PLACES}
    assert not (found["anywhere"] and not all(found.values()))
