"""The documentation site has every page, loads nothing from another host, and can be searched."""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from tests.docs.pages import TOP, every_page
from tests.support.browser import Browser, installed_axe, start_browser

PAGES = {"README.md": "index.html"}
"""The paths on the site of pages that have other names there."""

_LINK = re.compile(r"<(\w+)[^>]*?\s(?:href|src)=(?:\"([^\"]*)\"|([^\s>\"]+))")
_ID = re.compile(r"\s(?:id|name)=(?:\"([^\"]*)\"|([^\s>\"]+))")
_HOST = re.compile(r"(?:https?:)?//", re.IGNORECASE)
# What a browser loads on its own; it follows an <a> only when a person does.
_LOADED = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)|srcset=\"([^\"]+)\"")
_TAGS = ("h2", "h3", "h4", "li", "ol", "ul", "table", "tr", "blockquote", "details")


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that `SDD_SITE` names, else a new one where scripts/site has run before."""
    named = os.environ.get("SDD_SITE")
    if named:
        return Path(named)
    if named == "" or not (TOP / ".cache/site/site.stamp").is_file():
        pytest.skip("needs MkDocs: scripts/site DIRECTORY installs it")
    target = tmp_path_factory.mktemp("site") / "built"
    subprocess.run([TOP / "scripts/site", target], check=True, capture_output=True)
    return target


@pytest.fixture(scope="module")
def texts(site: Path) -> dict[str, str]:
    """The HTML of each page."""
    found = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.html")}
    # The host serves this page for any address, so that its links begin at the top.
    del found["404.html"]
    return found


def place(page: Path) -> str:
    """The path of a page on the site."""
    inside = page.relative_to(TOP).as_posix().removeprefix("docs/")
    return PAGES.get(inside) or f"{inside.removesuffix('.md')}.html"


def links(text: str) -> Iterator[tuple[str, str]]:
    """The tag and the target of each link."""
    for tag, quoted, bare in _LINK.findall(text):
        yield tag, unescape(quoted or bare)


def article(text: str) -> str:
    return text.partition("<article")[2].partition("</article>")[0]


def structure(html: str) -> Counter[str]:
    return Counter(tag for tag in re.findall(r"<(\w+)[ >]", html) if tag in _TAGS)


def test_every_page_is_in_the_navigation() -> None:
    """Without MkDocs, which fails as well."""
    listed = re.findall(r"^ +- (\S+\.md)$", (TOP / "mkdocs.yml").read_text(), re.MULTILINE)
    assert {page.name for page in (TOP / "docs").glob("*.md")} <= set(listed)
    assert len(listed) == len(set(listed))


def test_every_page_is_on_the_site(texts: dict[str, str]) -> None:
    left_out = {"CLAUDE.md"}
    assert {place(page) for page in every_page() if page.name not in left_out} <= set(texts)


def test_every_link_leads_to_a_page_and_its_heading(site: Path, texts: dict[str, str]) -> None:
    anchors = {
        path: {unescape(quoted or bare) for quoted, bare in _ID.findall(text)}
        for path, text in texts.items()
    }
    broken = []
    for path, text in texts.items():
        for target in {target for _, target in links(text)}:
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
            other = path if not file else other
            if (site / other).is_dir():
                other = posixpath.normpath(f"{other}/index.html")
            if not (site / other).is_file() or (anchor and anchor not in anchors.get(other, ())):
                broken.append(f"{path}: {target}")
    assert broken == []


def test_no_page_loads_anything_from_another_host(site: Path, texts: dict[str, str]) -> None:
    foreign = []
    for path, text in texts.items():
        assert "Content-Security-Policy" in text.partition("<title>")[0], path
        found = [target for tag, target in links(text) if tag not in {"a", "article"}]
        found += ["".join(targets) for targets in _LOADED.findall(text)]
        foreign += [f"{path}: {target}" for target in found if _HOST.match(target)]
        # Diagrams of this class would load a program from another host.
        assert 'class="mermaid"' not in text
    for sheet in site.rglob("*.css"):
        targets = ["".join(found) for found in _LOADED.findall(sheet.read_text())]
        foreign += [f"{sheet.name}: {target}" for target in targets if _HOST.match(target)]
    assert foreign == []


def test_the_pages_have_the_structure_that_a_forge_shows(texts: dict[str, str]) -> None:
    """MkDocs reads another Markdown: a list without a blank line before it would be a paragraph."""
    different = {}
    for page in every_page():
        # The README quotes a comment with a quotation in a list in a quotation.
        if page.name in {"README.md", "CLAUDE.md"}:
            continue
        text = re.sub(r"\A---\n.*?\n---\n", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        shown = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
        expected, found = structure(shown), structure(article(texts[place(page)]))
        if expected != found:
            different[page.name] = (expected - found, found - expected)
    assert different == {}


def test_the_first_page_begins_with_the_picture_and_names_the_people(
    texts: dict[str, str],
) -> None:
    text = texts["index.html"]
    before = article(text).partition("<h2")[0]
    assert re.search(r"<img[^>]* src=\"?images/demo\.svg", before)
    targets = {target for tag, target in links(text) if tag == "a"}
    assert {f"for-{people}.html" for people in ("developers", "reviewers", "agents")} <= targets


def test_a_record_shows_its_status_and_links_its_edges(texts: dict[str, str]) -> None:
    text = article(texts["adrs/ADR-0067-no-daemon-and-no-question-about-releases.html"])
    assert "<strong>accepted</strong> 2026-11-28" in text
    name = "ADR-0014-qmd-on-an-index-of-its-own-scored-as-evidence"
    extends = rf"extends <a href=\"{name}.html\">ADR-0014</a>"
    assert re.search(extends, text)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the site on a web server."""
    handler = partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with start_browser(installed_axe()) as started:
        yield started


def test_the_search_answers_in_a_browser(address: str, browser: Browser) -> None:
    driver = browser.driver
    driver.get(f"{address}getting-started.html")
    browser.until("document.querySelector('.md-search__input')")
    browser.run("document.querySelector('.md-search__input').focus()")
    browser.press("duplicate id")
    browser.until("document.querySelectorAll('.md-search-result__item a').length")
    found = browser.run(
        "return [...document.querySelectorAll('.md-search-result__item a')].map((one) => one.href)"
    )
    assert all(target.startswith(address) for target in found)
    loaded = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert any("search_index" in name for name in loaded)
    assert [name for name in loaded if not name.startswith(address)] == []
    driver.get(found[0])
    assert browser.run("return document.querySelector('article h1').textContent")
    assert browser.log() == []


def test_the_policy_of_a_page_refuses_another_host(address: str, browser: Browser) -> None:
    browser.driver.get(f"{address}index.html")
    refused = browser.driver.execute_async_script(
        """const done = arguments[0];
        addEventListener("securitypolicyviolation", (event) => done(event.blockedURI));
        new Image().src = "http://localhost:1/picture.png";"""
    )
    assert refused.startswith("http://localhost:1/")
