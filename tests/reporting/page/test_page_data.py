"""Test sdd_hooks.reporting.page.page_data."""

from __future__ import annotations

import json

from sdd_hooks.findings import Finding
from sdd_hooks.reporting.page.page_data import MAX_FINDINGS, page_data
from sdd_hooks.reporting.page.payload import pack_texts
from sdd_hooks.reporting.page.records import PageRecords
from sdd_hooks.reporting.registry import Links
from tests.reporting.page.pages import FILES, STREAMS_PATH, page_of, small_page


def test_the_data_are_json() -> None:
    page = small_page()._replace(links=Links("https://forge.example/o/r/blob", "abc"))
    records = PageRecords(page)
    data = page_data(page, records, pack_texts(records.texts))
    assert json.loads(json.dumps(data)) == data
    assert data["base"] == "https://forge.example/o/r/blob/abc/"
    assert data["map"]["kinds"] == ["extends", "implements", "supersedes"]
    assert [edge[:3] for edge in data["map"]["edges"]] == [[0, 0, 1], [2, 1, 2], [1, 2, 3]]
    assert len(data["map"]["corners"]) == 2 * len(records.rows)
    warning, critical = data["findings"]
    assert warning[:6] == [
        "warning",
        "superseded-cited",
        "`src/a.py` still names it",
        STREAMS_PATH,
        3,
        "",
    ]
    assert (warning[6], critical[6]) == (1, -1)


def test_only_so_many_findings_are_listed() -> None:
    findings = [
        Finding("a.py", line, "r", "info", "m", str(line)) for line in range(MAX_FINDINGS + 3)
    ]
    page = page_of(FILES, findings)
    records = PageRecords(page)
    data = page_data(page, records, pack_texts(records.texts))
    assert (len(data["findings"]), data["unlisted"]) == (MAX_FINDINGS, 3)
