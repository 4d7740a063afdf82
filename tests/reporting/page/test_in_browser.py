"""Test the page in the real Chromium: its views, addresses, keys, accessibility and defences."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.common.keys import Keys

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
    assert browser.run("return document.querySelectorAll('.node.near').length") == 3
    browser.run("document.querySelector('[name=shown][value=implements]').click()")
    browser.until("location.hash === '#/graph?at=ADR-0003&hide=implements'")
    browser.until("document.querySelectorAll('.node.near').length === 2")


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
    browser.go("#/graph?at=ADR-0500")
    assert browser.run("return document.querySelectorAll('.node').length") == 1_000
