"""Mentions in a whole tree: only what surely means a record of this repository, today."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sdd_hooks.drift.whole_tree import Scope, whole_tree_rules, whole_tree_subject
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.rules import own
from tests.review.repositories import MEMORY_TEXT
from tests.support.repos import Repo

RECORDS = {
    "CLAUDE.md": MEMORY_TEXT,
    "docs/adrs/ADR-0001-one.md": (
        "---\nsupersedes: [ADR-0002]\n---\n# ADR-0001: One\n\n- Status: accepted\n"
    ),
    "docs/adrs/ADR-0002-two.md": "# ADR-0002: Two\n\n- Status: deprecated\n",
    "docs/adrs/ADR-0009-nine.md": "# ADR-0009: Nine\n\n- Status: accepted\n",
}


def found(repo: Repo, files: Mapping[str, str]) -> list[tuple[str, str]]:
    for path, text in {**RECORDS, **files}.items():
        repo.write(path, text)
    subject = whole_tree_subject(repo.project(), Scope())
    results = apply_rules(subject, whole_tree_rules(own()))
    return [(one.rule, one.path) for one in results.findings]


def test_a_mention_that_is_certain(repo: Repo) -> None:
    assert found(repo, {"src/a.py": "# Polls, see ADR-0005.\n"}) == [
        ("dangling-reference", "src/a.py")
    ]
    assert found(repo, {"src/a.py": "# Polls, see ADR-0002.\n"}) == [
        ("superseded-reference", "src/a.py")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Polls, e.g. ADR-0005 or ADR-0002.\n",
        "# The ADRs ADR-0002..0005.\n",
        "# This was what we did\n# until ADR-0002 and ADR-0005.\n",
        "# Absorbs ADR-0005.\n",
        "# See upstream: `othertool` ADR-0005.\n# ADR-0005 there.\n",
        "# Planned: ADR-0040.\n",
        "# That half is ADR-0002\n# and still stands.\n",
        "# Version 18 adds pairing (ADR-0002).\n",
        "# See ADR-0005.\n# https://a.example/docs/adr-005-queries.md\n",
        "# Pages, see\n# ADR-0002,\n# ADR-0001.\n",
        "# By ADR-0001,\n# pages\n# have\n# no\n# end, see ADR-0002.\n",
    ],
)
def test_a_mention_that_is_not(repo: Repo, text: str) -> None:
    """Scenario "A record that was merged into another" of SPEC-0002."""
    assert found(repo, {"src/a.py": text}) == []


@pytest.mark.parametrize(("status", "count"), [("deprecated", 1), ("superseded by ADR-0001", 0)])
def test_a_sentence_may_mean_what_a_successor_left(repo: Repo, status: str, count: int) -> None:
    record = f"# ADR-0002: Two\n\n- Status: {status}\n"
    files = {"docs/adrs/ADR-0002-two.md": record, "src/a.py": "# Polls, see ADR-0002.\n"}
    assert len(found(repo, files)) == count
    files["src/a.py"] = "# Governing: ADR-0002 (polls)\n"
    assert len(found(repo, files)) == 1
    files["docs/adrs/ADR-0002-two.md"] = f"{record}\nThe order of queues is retained.\n"
    assert found(repo, files) == []


def test_a_memory_of_an_agent_is_history(repo: Repo) -> None:
    assert found(repo, {".agent/memory/a.md": "See ADR-0002 and ADR-0005.\n"}) == []


def test_an_archive_is_history(repo: Repo) -> None:
    assert found(repo, {"docs/archive/a.md": "See ADR-0002 and ADR-0005.\n"}) == []


@pytest.mark.parametrize(
    "path",
    [
        "docs/audits/a.md",
        "audit-report.md",
        "docs/2026-06-agents.md",
        "plans/next.md",
        "docs/roadmap.md",
        "docs/migrations/queues.md",
        "docs/pre-planning/map.md",
        "AI_PLANNING_ORDER.md",
        "docs/issue-884-rename.md",
        "docs/rename-preflight.md",
        "notes/closed/DR-010-versions.md",
    ],
)
def test_a_document_about_a_day_or_about_work_is_no_guide(repo: Repo, path: str) -> None:
    assert found(repo, {path: "See ADR-0002 and ADR-0005.\n"}) == []


def test_a_migration_of_a_database_stays_as_it_was_written(repo: Repo) -> None:
    assert found(repo, {"migrations/030_a.py": "# As ADR-0002 says.\n"}) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("# When it is slow, ADR-0002 (Spatial index) opens.\n\n\n# ADR-0002, part 1.\n", 0),
        ('# See ADR-0002 "Spatial index for queries".\n', 0),
        ("# See ADR-0002 (Two of them).\n", 1),
        ("# See ADR-0002 (part 1).\n", 1),
    ],
)
def test_a_number_with_another_title_is_another_record(repo: Repo, text: str, count: int) -> None:
    record = {"docs/adrs/ADR-0002-two.md": "# ADR-0002: Two rings\n\n- Status: deprecated\n"}
    record["src/a.py"] = text.replace("Two of them", "Both rings")
    assert len(found(repo, record)) == count


def test_a_record_that_says_what_remains_valid_may_be_named(repo: Repo) -> None:
    path = "docs/adrs/ADR-0002-two.md"
    says = f"{RECORDS[path]}\n> The pattern of this record remains valid.\n"
    assert found(repo, {path: says, "src/a.py": "# Polls, see ADR-0002.\n"}) == []


@pytest.mark.parametrize("path", ["docs/plans/ADR-0005-plan.md", "docs/adrs/0005-no-extension"])
def test_a_document_with_the_number_of_a_record_exists(repo: Repo, path: str) -> None:
    assert found(repo, {"src/a.py": "# Polls, see ADR-0005.\n", path: "# ADR-0005: T\n"}) == []


@pytest.mark.parametrize(
    "text",
    [
        "### 2026-06-16 — the layout of ADR-0002\n\nNothing to change.\n",
        "- Gap 4: FIXED\n- By the build of ADR-0002.\n",
        "- ✅ The build of ADR-0002\n",
    ],
)
def test_an_entry_of_a_log_is_about_its_day(repo: Repo, text: str) -> None:
    assert found(repo, {"docs/registry.md": text}) == []
    assert found(repo, {"src/a.py": f"# {text.splitlines()[-1]} See ADR-0002.\n"}) != []


def test_what_is_kept_beside_records_describes_how_they_were_reached(repo: Repo) -> None:
    assert found(repo, {"rfc/notes.md": "See ADR-0002.\n"}) == []
    assert found(repo, {"guide/notes.md": "See ADR-0002.\n"}) == [
        ("superseded-reference", "guide/notes.md")
    ]


def test_what_a_decision_enabled_stays_true(repo: Repo) -> None:
    record = "---\nstatus: accepted\n{}: [ADR-0002]\n---\n# ADR-0007: Seven\n"
    path = "docs/adrs/ADR-0007-seven.md"
    assert found(repo, {path: record.format("enables")}) == []
    assert found(repo, {path: record.format("extends")}) == [("superseded-reference", path)]


def test_a_text_about_the_supersession_knows_of_it(repo: Repo) -> None:
    assert found(repo, {"docs/a.md": "The acceptance criteria for ADR-0002 supersession.\n"}) == []


def test_a_link_to_another_site_is_a_record_of_another_project(repo: Repo) -> None:
    text = "See [ADR 5](https://a.example/5).\n\nSee [ADR 2][UP].\n\n"
    assert found(repo, {"docs/a.md": f"{text}[up]: https://a.example/2\n"}) == []
    assert found(repo, {"docs/a.md": f"{text}[up]: adrs/ADR-0002-two.md\n"}) == [
        ("superseded-reference", "docs/a.md")
    ]


def test_a_specification_may_name_what_its_decision_replaced(repo: Repo) -> None:
    spec = "docs/openspec/specs/s/spec.md"
    text = "# SPEC-0001: S\n\nOne query on each page ({}).\n"
    design = {"docs/openspec/specs/s/design.md": "# Design\n"}
    files = {spec: text.format("ADR-0002"), **design}
    assert found(repo, files) == [("superseded-reference", spec)]
    files[spec] = f"---\nimplements: [ADR-0001]\n---\n{files[spec]}"
    assert found(repo, files) == []
    files = {spec: text.format("ADR-0002"), next(iter(design)): "# Design\n\nSee ADR-0001.\n"}
    assert found(repo, files) == []


def test_a_repository_that_keeps_most_records_elsewhere(repo: Repo) -> None:
    text = "".join(f"# Polls, see ADR-000{number}.\n" for number in range(3, 9))
    assert found(repo, {"src/a.py": text}) == []
    few = "".join(f"# Polls, see ADR-000{number}.\n" for number in range(3, 8))
    assert len(found(repo, {"src/a.py": few})) == 5


def test_a_governing_comment_always_counts(repo: Repo) -> None:
    text = "# It was old.\n# Governing: ADR-0002, ADR-0040\n"
    assert found(repo, {"src/a.py": text}) == [
        ("dangling-reference", "src/a.py"),
        ("superseded-reference", "src/a.py"),
    ]


def test_numbers_of_other_directories_and_statuses_of_pages_are_no_findings(repo: Repo) -> None:
    copy = "# ADR-0001: One\n\n- Status: accepted\n"
    memory = MEMORY_TEXT.replace("`docs/adrs/`", "`docs/adrs/` and `site/adrs/`")
    assert found(repo, {"CLAUDE.md": memory, "site/adrs/ADR-0001-one.md": copy}) == []


@pytest.mark.parametrize(("designs", "count"), [(0, 0), (1, 2)])
def test_specifications_without_a_design_are_a_style(repo: Repo, designs: int, count: int) -> None:
    files = {
        f"docs/openspec/specs/{name}/spec.md": f"# SPEC-000{number}: {name}\n"
        for number, name in enumerate("abc", 1)
    }
    if designs:
        files["docs/openspec/specs/a/design.md"] = "# Design\n"
    assert [rule for rule, _ in found(repo, files)] == ["spec-pair"] * count


def test_a_repository_without_a_design_has_none_in_any_directory(repo: Repo) -> None:
    folders = ("specs/a", "specs/b", "specs/done/c")
    files = {
        f"docs/openspec/{folder}/spec.md": f"# SPEC-000{number}: S\n"
        for number, folder in enumerate(folders, 1)
    }
    assert found(repo, files) == []
