"""Test the page in the real Chromium: its views, addresses, keys, accessibility and defences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

import pytest
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.common.keys import Keys

from sdd_hooks.changes.record_history import RecordOrigin
from sdd_hooks.findings import Finding
from sdd_hooks.reporting.page.model import PageCitation
from sdd_hooks.reporting.page.render import render_page
from tests.reporting.page.pages import page_of
from tests.support.browser import DESKTOP, PHONE, Browser

VIEWS = (
    "#/",
    "#/record/ADR-0002",
    "#/record/SPEC-0001",
    "#/findings",
    "#/coverage",
    "#/graph",
    "#/graph?at=ADR-0002",
    "#/timeline",
    "#/freshness",
    "#/search?q=log",
    "#/record/unknown",
)


@pytest.mark.parametrize(
    ("size", "scheme"),
    [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light")],
    ids=["desktop", "dark", "phone"],
)
def test_every_view_is_accessible_and_fits(
    browser: Browser, small: Path, size: tuple[int, int], scheme: str
) -> None:
    browser.open(small, size, scheme)
    for address in VIEWS:
        browser.go(address)
        assert browser.violations() == [], address
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), address
    assert browser.log() == []


def test_filters_are_in_the_address_and_the_back_button_undoes_them(
    browser: Browser, small: Path
) -> None:
    browser.open(small)
    browser.run("document.querySelector('[name=kind][value=ADR]').click()")
    browser.until("document.querySelector('#shown').innerText === '3 of 4 records'")
    browser.run("document.querySelector('[name=status][value=accepted]').click()")
    browser.until("location.hash === '#/?kind=ADR&status=accepted'")
    assert browser.texts("#records .id") == ["ADR-0001", "ADR-0003"]
    browser.back()
    assert browser.texts("#records .id") == ["ADR-0001", "ADR-0002", "ADR-0003"]
    assert browser.run("return document.querySelector('[value=accepted]').checked") is False
    browser.back()
    assert browser.texts("#shown") == ["4 records"]


def test_an_address_restores_filters_and_order(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.go("#/?order=newest&only=uncited")
    assert browser.texts("#records .id") == ["ADR-0003", "ADR-0002"]
    assert browser.run("return document.querySelector('[name=order]').value") == "newest"
    browser.go("#/?order=constructor")
    assert browser.texts("#records .id")[0] == "ADR-0001"
    browser.go("#/constructor")
    assert browser.texts("h1") == ["Decisions and specifications"]
    browser.go("#/?status=rejected")
    assert browser.texts("#nothing") == ["No record matches these filters. Show all"]


def test_a_record_shows_what_belongs_to_it(browser: Browser, small: Path) -> None:
    """Scenario "A replaced decision" of SPEC-0002."""
    browser.open(small)
    browser.go("#/record/ADR-0002")
    assert browser.texts("#view-record h1") == ["Use streams"]
    assert browser.texts(".replacement") == ["Replaced by ADR-0003 Use logs"]
    assert browser.texts(".own-findings h2") == ["1 finding"]
    assert browser.texts(".own-findings code") == [
        "src/a.py",
        "docs/adrs/ADR-0002-use-streams.md:3",
    ]
    assert "Extends ADR-0001 Use queues" in browser.texts(".side li")
    browser.go("#/record/SPEC-0001")
    assert browser.texts(".cover") == [
        "Named by src/read.py:2, tests/test_read.py:3; tests name 1 of 1 scenario",
        "Neither code nor a test names this requirement.",
    ]
    assert "#7 Read faster open" in browser.texts(".side li")
    assert browser.texts(".part") == ["Design"]
    assert browser.run("return document.title") == "SPEC-0001 Reading logs · Decisions of shop"


def test_links_between_records_lead_to_their_sections(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.go("#/record/ADR-0001")
    browser.run("document.querySelector('.prose a').click()")
    browser.until("document.activeElement.id === 'decision'")
    assert browser.run("return location.hash") == "#/record/ADR-0002/decision"
    assert browser.texts("#view-record h1") == ["Use streams"]
    browser.back()
    assert browser.texts("#view-record h1") == ["Use queues"]


def test_the_keyboard_is_enough(browser: Browser, small: Path) -> None:
    """Scenario "A change of the view" of SPEC-0002."""
    browser.open(small)
    browser.press(Keys.TAB)
    assert browser.run("return document.activeElement.className") == "skip"
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    browser.run("document.querySelectorAll('#records .name')[2].focus()")
    browser.press(Keys.ENTER)
    browser.until("document.activeElement.innerText === 'Use logs'")
    browser.press("/", "weeks after")
    browser.until("document.querySelector('#view-search .empty')?.checkVisibility()")
    browser.back()
    assert browser.texts("#view-record h1") == ["Use logs"]


def test_the_search_covers_texts_findings_and_files(browser: Browser, small: Path) -> None:
    """Scenario "A word of a text" of SPEC-0002."""
    browser.open(small)
    browser.press("/", "bursts")
    browser.until("document.querySelector('#view-search .results')")
    assert browser.texts("#view-search .results a") == ["Use queues"]
    assert browser.texts("#view-search mark") == ["bursts"]
    assert browser.run("return location.hash") == "#/search?q=bursts"
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.innerText") == "Use queues"
    browser.go("#/search?q=ADR-0009")
    assert browser.texts("#view-search h2") == ["1 finding"]
    browser.go("#/search?q=src%20read")
    assert browser.texts("#view-search h2") == ["1 file"]
    assert browser.run("return document.querySelector('#live').innerText") == (
        "0 records, 0 findings, 1 file"
    )


def test_the_graph_is_walked_with_the_arrow_keys(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.go("#/graph")
    focused = "document.activeElement.querySelector('title').textContent"
    browser.run("document.querySelector('.node').focus()")
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(f"return {focused}") == "ADR-0002 Use streams, Superseded"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(f"return {focused}") == "ADR-0003 Use logs, Accepted"
    browser.press(Keys.ENTER)
    browser.until("document.querySelector('.panel h2')?.innerText === 'Use logs'")
    assert browser.run("return location.hash") == "#/graph?at=ADR-0003"
    assert browser.texts(".panel li") == ["ADR-0002 Use streams", "SPEC-0001 Reading logs"]
    assert browser.run(_BOXES) == ["ADR-0001", "ADR-0002", "ADR-0003", "SPEC-0001"]
    browser.run("document.querySelector('[name=shown][value=implements]').click()")
    browser.until("location.hash === '#/graph?at=ADR-0003&hide=implements'")
    browser.until("document.querySelectorAll('.node').length === 3")


_BOXES = """
return [...document.querySelectorAll('.node .id')].map((one) => one.textContent).sort()
"""
# The boxes that overlap another one, and those that a line passes.
_COVERED = """
const boxes = [...document.querySelectorAll('.node')].map((one) => {
  const [x, y] = one.getAttribute('transform').match(/[\\d.-]+/g).map(Number);
  return [x, y, x + 208, y + 44];
});
const inside = ([left, top, right, bottom], x, y) => x > left && x < right && y > top && y < bottom;
const overlapping = boxes.filter((a) => boxes.some((b) => a !== b &&
  a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]));
const along = (path) => Array.from({ length: 200 }, (_, at) =>
  path.getPointAtLength((path.getTotalLength() * at) / 199));
const points = [...document.querySelectorAll('.map path.edge')].flatMap(along);
const passed = boxes.filter((box) => points.some(({ x, y }) => inside(box, x, y)));
return [overlapping.length, passed.length];
"""


def _decisions(count: int, builds_on: Mapping[int, Sequence[int]]) -> dict[str, str]:
    """Decisions, each with the numbers of those that it extends."""
    files = {}
    for number in range(1, count + 1):
        ids = ", ".join(f"ADR-{one:04d}" for one in builds_on.get(number, ()))
        text = (
            f"---\nstatus: accepted\nextends: [{ids}]\n---\n\n# ADR-{number:04d}: Queue {number}\n"
        )
        files[f"docs/adrs/{number:04d}-a.md"] = text
    return files


def test_no_box_and_no_line_covers_a_box(browser: Browser, tmp_path: Path) -> None:
    # Each builds on the one before it and on two much older ones, so that lines pass columns.
    chain = {number: {number - 1, number // 2, number // 3} - {0} for number in range(2, 15)}
    page = tmp_path / "page.html"
    page.write_text(render_page(page_of(_decisions(16, {n: sorted(b) for n, b in chain.items()}))))
    browser.open(page)
    browser.go("#/graph")
    assert browser.run(_BOXES) == [f"ADR-{number:04d}" for number in range(1, 15)]
    assert browser.run(_COVERED) == [0, 0]
    browser.go("#/graph?at=ADR-0007")
    assert browser.run(_COVERED) == [0, 0]


def test_many_records_open_as_groups(browser: Browser, tmp_path: Path) -> None:
    """Scenario "Many records" of SPEC-0020."""
    # Two decisions that others build on, in two groups; and three without a relation.
    builds_on = {number: [1 if number < 15 else 2] for number in range(3, 28)}
    page = tmp_path / "page.html"
    page.write_text(render_page(page_of(_decisions(30, builds_on))))
    browser.open(page)
    browser.go("#/graph")
    assert browser.texts(".groups h2") == [
        "ADR-0002 Queue 2",
        "ADR-0001 Queue 1",
        "Without a written relation",
    ]
    assert browser.texts(".groups .share") == ["14 accepted", "13 accepted", "3 accepted"]
    assert browser.violations() == []
    browser.run("document.querySelector('.groups h2 a').click()")
    browser.until("document.querySelectorAll('.node').length === 14")
    browser.run("document.querySelector('.map-back a').click()")
    browser.until("document.querySelectorAll('.groups h2').length === 3")


def test_the_timeline_begins_with_the_newest(browser: Browser, tmp_path: Path) -> None:
    """Scenario "A proposal that waits" of SPEC-0020."""
    matter = "status: {}\ndate: {}\nsupersedes: [{}]"
    rows = (("accepted", "2024-02-01", ""), ("proposed", "2025-11-30", "ADR-0001"))
    files = {
        f"docs/adrs/{number:04d}-a.md": f"---\n{matter.format(*row)}\n---\n\n# Queue {number}\n"
        for number, row in enumerate(rows, 1)
    }
    origins = {path: RecordOrigin(row[1], "Ada") for path, row in zip(files, rows, strict=True)}
    made = datetime(2026, 1, 30, tzinfo=timezone.utc).timestamp()
    page = tmp_path / "page.html"
    page.write_text(render_page(page_of(files, origins=origins)._replace(made=made)))
    browser.open(page)
    assert browser.texts("#records .status") == ["Accepted", "Proposed\n61 days"]
    assert browser.texts(".tiles dd")[0] == "1 of 2 records, 1 proposed"
    browser.go("#/timeline")
    assert browser.texts(".year time") == ["2025-11-30", "2024-02-01"]
    assert browser.texts(".year .people") == ["Ada", "replaces ADR-0001", "Ada"]


def test_findings_are_filtered_by_severity(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.go("#/findings")
    assert browser.texts(".group h2 code") == ["dangling-reference", "superseded-cited"]
    browser.run("document.querySelector('[name=severity][value=warning]').click()")
    browser.until("location.hash === '#/findings?severity=warning'")
    browser.until("document.querySelectorAll('.group').length === 1")


def test_coverage_lists_what_nothing_names(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.go("#/coverage")
    assert browser.texts("#view-coverage > h2") == [
        "Decisions: code names 1 of 2 in force",
        "Code: decisions for 1 of 3 source files",
        "Requirements: code or tests name 1 of 2",
    ]
    assert browser.texts(".spec tbody th") == ["Order", "Age"]
    browser.go("#/coverage?only=missing")
    assert browser.texts(".spec tbody th") == ["Age"]


def test_the_policy_refuses_scripts_and_requests(browser: Browser, small: Path) -> None:
    browser.open(small)
    with pytest.raises(JavascriptException, match="TrustedHTML"):
        browser.run("document.body.innerHTML = '<b>x</b>'")
    browser.run("""
        const image = new Image();
        image.src = "https://example.org/image.png";
        document.body.append(image);
        window.sent = fetch("data:,").then(() => "sent", () => "refused");
    """)
    assert browser.driver.execute_async_script("sent.then(arguments[0])") == "refused"
    browser.until("[...document.images].every((one) => one.complete)")
    assert browser.run("return document.images[0].naturalWidth") == 0
    with pytest.raises(JavascriptException, match="TrustedScript"):
        browser.run("document.body.setAttribute('onclick', 'window.hacked = 1')")
    refused = [message for message in browser.log() if "Content Security Policy" in message]
    assert all(any(one in message for message in refused) for one in ("data:,", "image.png"))


ACTIVE = """return [...document.querySelectorAll(
    "script, style, img, iframe, object, embed, base, [style], [onerror], [onload], [onclick]"
)].map((one) => one.outerHTML.slice(0, 60))"""

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 1">',
    '"><svg onload="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    "</style><style>body { display: none }</style>",
    "[x](javascript:window.hacked=1)",
    "<javascript:window.hacked=1>",
    "![x](javascript:window.hacked=1)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "{{ 7 * 7 }} {% raw %}",
    "\u202egnirts \u0007 \ufeff",
    "A" * 30_000,
    "`" * 5_000,
    "> " * 2_000 + "deep",
)


def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    """Scenario "A script in a title" of SPEC-0002."""
    files = {}
    for number, text in enumerate(HOSTILE, 1):
        name = "".join(one for one in text[:40] if one not in "/\x00\n")
        files[f"docs/adrs/{number:04d}-{name}.md"] = (
            f"---\nstatus: '{text[:60]}'\n---\n\n# ADR-{number:04d}: {text}\n\n"
            f"## Decision\n\n{text}\n\n- {text}\n\n"
            f"| a | {text[:500]} |\n|---|---|\n| {text[:500]} | b |\n\n"
            f"```{text[:50]}\n{text}\n```\n"
        )
    findings = [Finding(text[:90], 1, text[:40], "critical", text, text) for text in HOSTILE]
    cited = {path: (PageCitation(HOSTILE[0], 1, HOSTILE[1], HOSTILE[2]),) for path in files}
    issue = PageCitation("a", 1, "", HOSTILE[1], HOSTILE[0], HOSTILE[2])
    cited = {path: (*found, issue) for path, found in cited.items()}
    page = page_of(files, findings, cited, notes=HOSTILE, rules={one: one for one in HOSTILE})
    path = tmp_path / "index.html"
    path.write_text(render_page(page), encoding="utf-8")
    browser.open(path)
    addresses = [f"#/record/ADR-{number:04d}" for number in range(1, len(HOSTILE) + 1)]
    views = ["#/findings", "#/coverage", "#/graph?at=ADR-0001", "#/freshness", "#/search?q=hacked"]
    for address in (*addresses, *views, f"#/record/{HOSTILE[1]}", f"#/search?q={HOSTILE[1]}"):
        browser.go(address)
        assert browser.run("return window.hacked") is None
        allowed = ("<style>", "<script>", '<script type="application/octet-stream"')
        assert all(one.startswith(allowed) for one in browser.run(ACTIVE)), address
        links = browser.run("return [...document.links].map((one) => one.getAttribute('href'))")
        assert all(link.startswith("#") for link in links), address
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), address
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.log() == []


def test_a_thousand_records_open_without_their_texts(browser: Browser, thousand: Path) -> None:
    browser.open(thousand)
    # Opening creates the elements of the list alone: no part of the data is opened.
    assert browser.run("return document.querySelectorAll('#records > li').length") == 1_000
    assert browser.run("return document.querySelectorAll('*').length") < 10_000
    browser.run("scrollTo(0, 5000)")
    browser.until("history.state?.y === 5000")
    browser.go("#/record/ADR-1000")
    assert browser.texts("#view-record h1") == ["Decide about queue 1000"]
    assert browser.run("return scrollY") == 0
    browser.back()
    assert browser.run("return scrollY") == 5000
    browser.go("#/search?q=owner%20999")
    assert browser.texts("#view-search .results a")[0] == "Decide about owner 999"
    browser.go("#/graph")
    assert browser.run("return document.querySelectorAll('.groups li').length") > 700
