"""Random hostile records, findings and citations are only displayed by the page of an audit."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import quote

from sdd_hooks.findings import SEVERITIES, Finding
from sdd_hooks.reporting.page.model import PageCitation
from sdd_hooks.reporting.page.render import render_page
from tests.adversarial.conftest import Rounds
from tests.reporting.page.conftest import browser
from tests.reporting.page.pages import page_of
from tests.reporting.page.test_in_browser import ACTIVE
from tests.support.browser import Browser

__all__ = ["browser"]

CODE = "window.hacked=1"
PIECES = (
    *(f"<script>{CODE}</script>", f'<img src=x onerror="{CODE}">', f"<svg/onload={CODE}>"),
    *("</script>", "</style>", "<!--", "-->", "]]>", "<![CDATA[", "<base href=https://e.org>"),
    *(f"[x](javascript:{CODE})", f"[x](<java\tscript:{CODE}>)", f"[x](&#106;avascript:{CODE})"),
    *("[x](data:text/html,x)", '[x](https://e.org/"onmouseover=x)', "[r]: javascript:1", "[r]"),
    *("![i](//e.org/i.png)", "https://e.org/<script>", "<a href=", "`", "```\n", "~~~", "**", "_"),
    *("~~", "> ", "- ", "1. ", "| a | b |\n|---|---|\n| ", "\n", "\n\n", "# ", "## Decision\n"),
    *("ADR-0001", "SPEC-0001", "{{ 1 }}", "{% x %}", "\\", "&lt;", "&#60;", "\u202e", "\u2028"),
    *("\u0000", "\ufeff", "é", "漢字", "%", "#/record/x", "'", '"', " ", "word"),
    *("__proto__", "constructor", "toString"),
)


KEYS = "return [...document.querySelectorAll('#records > li')].map((one) => one.dataset.key)"


def text(generator: random.Random, most: int) -> str:
    return "".join(generator.choices(PIECES, k=generator.randint(1, most)))


def make_page(generator: random.Random) -> str:
    """A page of some records, all of whose texts are random."""
    files = {}
    for number in range(1, generator.randint(2, 5)):
        line = text(generator, 3).replace("\n", " ")
        name = line.replace("/", "").replace("\0", "")[:40]
        files[f"docs/adrs/{number:04d}-{name}.md"] = (
            f"---\nstatus: {generator.choice(['accepted', 'superseded', line])}\n"
            f"related: [ADR-0001]\n---\n\n# ADR-{number:04d}: {line}\n\n"
            f"## Decision\n\n{text(generator, 60)}\n"
        )
    findings = [
        Finding(
            generator.choice([*files, text(generator, 2)]),
            generator.randint(0, 9),
            text(generator, 2),
            generator.choice(SEVERITIES),
            text(generator, 5),
            text(generator, 5),
        )
        for _ in range(generator.randint(0, 6))
    ]
    cited = {
        path: (
            PageCitation(text(generator, 2), 1, text(generator, 2), text(generator, 2)),
            PageCitation("7.md", 1, "", text(generator, 2), text(generator, 1), text(generator, 1)),
        )
        for path in files
    }
    rules = {one.rule: text(generator, 3) for one in findings if generator.random() < 0.5}
    page = page_of(files, findings, cited, rules=rules, notes=(text(generator, 4),))
    return render_page(page._replace(name=text(generator, 2)))


def test_hostile_texts_are_only_displayed(browser: Browser, tmp_path: Path, rounds: Rounds) -> None:
    path = tmp_path / "index.html"

    def case(generator: random.Random) -> None:
        path.write_bytes(make_page(generator).encode("utf-8", "replace"))
        browser.open(path)
        keys = browser.run(
            "return [...document.querySelectorAll('#records > li')].map((one) => one.dataset.key)"
        )
        word = quote(generator.choice(PIECES))
        views = ("#/findings", "#/coverage", "#/graph", "#/freshness", f"#/search?q={word}")
        for address in (*(f"#/record/{quote(key)}" for key in keys), *views, f"#/record/{word}"):
            browser.go(address)
            assert browser.run("return window.hacked") is None, address
            assert "This view failed" not in browser.texts("h1"), address
            allowed = ("<style>", "<script>", '<script type="application/octet-stream"')
            assert all(one.startswith(allowed) for one in browser.run(ACTIVE)), address
            links = browser.run("return [...document.links].map((one) => one.protocol)")
            assert set(links) <= {"file:", "https:", "mailto:"}, address
        assert browser.run("return performance.getEntriesByType('resource').length") == 0
        assert browser.log() == []

    rounds.run(case)
