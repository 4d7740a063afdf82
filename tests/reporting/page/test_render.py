"""Test sdd_hooks.reporting.page.render."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from pathlib import Path

from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.findings import Finding
from sdd_hooks.reporting.page.model import PageFreshness
from sdd_hooks.reporting.page.payload import pack_texts
from sdd_hooks.reporting.page.records import PageRecords
from sdd_hooks.reporting.page.render import MAX_FINDINGS, page_data, render_page
from sdd_hooks.reporting.registry import Links
from tests.reporting.page.pages import FILES, HOSTILE, STREAMS_PATH, opened, page_of, small_page


def test_the_page_lists_the_records_without_a_script() -> None:
    html = unescape(render_page(small_page()))
    assert html.count("<li class=") == 4
    assert '<span class="title">Use streams</span>' in html
    assert 'replaced by <a href="#/record/ADR-0003">ADR-0003</a>' in html
    assert "<strong>3</strong> of 4 records" in html
    assert "<strong>1</strong> of 2 decisions" in html
    assert "<strong>50 %</strong> of 2" in html
    assert "<strong>Fresh</strong>, 3 minutes old" in html
    assert "on 2026-09-21 14:13 UTC at <code>0123456789ab</code>" in html


def test_the_same_input_has_the_same_page() -> None:
    assert render_page(small_page()) == render_page(small_page())


def test_the_policy_has_the_hashes_of_the_script_and_the_style() -> None:
    html = render_page(small_page())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    found = dict(part.split(" ", 1) for part in policy[1].replace("&#39;", "'").split("; "))
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert script and style
    for text, directive in ((script[1], "script-src"), (style[1], "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert found.pop(directive) == f"'sha256-{digest}'"
    assert found == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_the_page_names_no_record_for_an_audit_of_the_directory_that_it_is_in() -> None:
    html = render_page(small_page())
    assert html.startswith("<!doctype html>\n<!-- @generated")
    assert list(find_id_references(html)) == []
    assert "ADR-0001" in unescape(html)
    assert "docs/adrs/ADR-0001-use-queues.md" not in html


def test_the_page_loads_nothing_and_sends_nothing() -> None:
    html = render_page(small_page())
    assert re.findall(r'(?:src|href)="(?!#)([^"]*)"', html) == ["data:,"]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|innerHTML|eval\(", html)


def test_texts_are_escaped() -> None:
    name = f"docs/adrs/0001-{HOSTILE.replace('/', '')}.md"
    files = {name: f"# ADR-0001: {HOSTILE}\n\n## Status\n\n{HOSTILE}\n"}
    html = render_page(page_of(files, commit=HOSTILE, notes=(HOSTILE,))._replace(name=HOSTILE))
    assert HOSTILE not in html
    assert html.count("<script>") == 1
    assert "&lt;script&gt;" in html


def test_a_file_name_of_other_bytes_is_shown_as_an_escape() -> None:
    html = render_page(page_of({"docs/adrs/0001-\udcff.md": "# ADR-0001: A\n\n## Decision\n\nB\n"}))
    assert html.encode()


def test_a_page_without_records_or_an_index_says_so() -> None:
    html = render_page(page_of({}))
    assert "<strong>0</strong> of 0 records" in html
    assert "run <code>sdd index</code>" in html
    assert "none written" in html


def test_an_old_index_is_stale() -> None:
    page = page_of(FILES)
    freshness = PageFreshness("embedded", page.made - 8000, 7200)
    assert "<strong>Stale</strong>, 2 hours old" in render_page(page._replace(freshness=freshness))


def test_a_thousand_records_stay_below_three_megabytes(thousand: Path) -> None:
    """Scenario "A thousand long records" of SPEC-0002."""
    assert thousand.stat().st_size < 3_000_000
    data = opened(thousand.read_text(encoding="utf-8"))
    assert len(data["artifacts"]) == 1_000
    assert not any(artifact["cut"] for artifact in data["artifacts"])


def test_the_data_are_json() -> None:
    page = small_page()._replace(links=Links("https://forge.example/o/r/blob", "abc"))
    records = PageRecords(page)
    data = page_data(page, records, pack_texts(records.texts))
    assert json.loads(json.dumps(data)) == data
    assert data["base"] == "https://forge.example/o/r/blob/abc/"
    assert data["map"]["kinds"] == ["extends", "implements", "supersedes"]
    assert data["map"]["edges"] == [[0, 0, 1], [2, 1, 2], [1, 2, 3]]
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
