"""Test sdd_hooks.reporting.page.records."""

from __future__ import annotations

from sdd_hooks.findings import Finding
from sdd_hooks.reporting.page.model import PageCitation
from sdd_hooks.reporting.page.records import PageRecords
from tests.reporting.page.pages import (
    FILES,
    LOGS_PATH,
    QUEUES_PATH,
    STREAMS_PATH,
    page_of,
    small_page,
)

RECORDS = PageRecords(small_page())


def test_a_row_says_what_an_artifact_is() -> None:
    row = RECORDS.rows[1]
    assert (row.key, row.name, row.title) == ("ADR-0002", "ADR-0002", "Use streams")
    assert (row.status, row.label, row.in_force) == ("superseded", "Superseded", False)
    assert (row.date, row.cited, row.counts["warning"]) == ("2026-02-05", 0, 1)
    assert row.replaced_by == (("ADR-0003", "ADR-0003"),)


def test_a_successor_that_does_not_exist_is_named() -> None:
    text = "# ADR-0001: A\n\n## Status\n\nSuperseded by ADR-0009\n"
    (row,) = PageRecords(page_of({"docs/adrs/0001-a.md": text})).rows
    assert row.replaced_by == (("", "ADR-0009"),)


def test_markup_of_a_title_and_control_characters_are_not_shown() -> None:
    text = "# ADR-0001: Use `x` and **y**\u202e\n\n## Decision\n\nYes.\n"
    (row,) = PageRecords(page_of({"docs/adrs/0001-a.md": text})).rows
    assert row.title == "Use x and y\\u202e"


def test_findings_belong_to_the_file_and_to_the_artifacts_that_they_name() -> None:
    findings = [
        Finding(STREAMS_PATH, 3, "a", "warning", "one"),
        Finding("src/a.py", 7, "b", "critical", "names ADR-0002 and ADR-0001"),
    ]
    found = PageRecords(page_of(FILES, findings)).findings
    assert found == {STREAMS_PATH: (0, 1), QUEUES_PATH: (1,)}


def test_texts_mention_other_artifacts() -> None:
    by_path = {one.path: RECORDS.texts[number] for number, one in enumerate(RECORDS.artifacts)}
    assert by_path[QUEUES_PATH].mentions == (1,)  # a link to its file
    assert by_path[STREAMS_PATH].mentions == (2, 0)
    assert by_path[LOGS_PATH].mentions == ()


def test_the_data_has_citations_issues_and_requirements() -> None:
    files: dict[str, int] = {}
    data = RECORDS.data(3, files)
    assert list(files) == ["src/read.py", "tests/test_read.py"]
    assert data["cited"] == [[0, 2, "Order", ""], [1, 3, "order", ""]]
    assert data["issues"] == [["#7", "Read faster", "open", ".sdd/issues/7.md"]]
    assert data["requirements"] == [
        ["Order", "must", "requirement-order", 1, 1, [0, 2], [1, 3]],
        ["Age", "should", "requirement-age", 0, 0, [], []],
    ]
    assert RECORDS.data(0, files)["applies"] == ["src/queue/"]


def test_only_so_many_citations_are_listed() -> None:
    citations = tuple(PageCitation(f"src/{number}.py", 1) for number in range(700))
    data = PageRecords(page_of(FILES, (), {QUEUES_PATH: citations})).data(0, {})
    assert (len(data["cited"]), data["uncited"]) == (500, 200)
