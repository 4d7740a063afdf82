"""The targets of links, paths and module names in the pages exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from sdd_hooks.text.markdown import parse_sections
from tests.docs.pages import TOP, every_page

_LINK = re.compile(
    r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)|src(?:set)?=\"([^\"]+)\""
)
_CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"`((?:(?:sdd_hooks|tests|hooks|scripts|benchmarks)/[\w./-]*|docs/[\w-]+\.md))`")

_FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"`(\w[\w/-]*\.py)`")

# Pages whose examples name modules of other repositories.
EXAMPLES = ("decision-rules.md", "benchmarks.md", "what-is-read.md")


def links(page: Path) -> list[str]:
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    return [target for targets in _LINK.findall(text) for target in targets if target]


def test_the_targets_of_links_exist() -> None:
    broken = []
    for page in every_page():
        for link in links(page):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{page}: {link}")
    assert broken == []


def test_paths_exist() -> None:
    named = {
        (page, path)
        for page in every_page()
        for path in _PATH.findall(page.read_text(encoding="utf-8"))
    }
    assert [(page, path) for page, path in named if not (TOP / path).exists()] == []


def test_named_modules_exist() -> None:
    """A page names a module by its path, or by the end of the path."""
    existing = modules()
    named = {
        (page, path)
        for page in every_page()
        if page.name not in EXAMPLES
        for path in _MODULE.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))
    }
    assert [
        (page, path)
        for page, path in named
        if not any(module.endswith(f"/{path}") for module in existing)
    ] == []


def modules() -> tuple[str, ...]:
    folders = ("sdd_hooks", "tests", "benchmarks")
    paths = (path for folder in folders for path in (TOP / folder).rglob("*.py"))
    return tuple(f"/{path.relative_to(TOP)}" for path in paths)


@cache
def anchors(page: Path) -> set[str]:
    return {section.anchor for section in parse_sections(page.read_text(encoding="utf-8"))}
