"""A model of forges: how they render Markdown, and which parts of the text they act on.

The patterns are broader than those of GitHub, Gitea and GitLab, as their documentation has them
(https://docs.github.com/get-started/writing-on-github, https://docs.gitea.com/usage,
https://docs.gitlab.com/user/markdown).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_VOID = {"br", "hr", "img"}

ACTS = {
    "mention or address": r"@[\w.-]",
    "issue, merge request, epic, label, milestone, alert": r"[#!&~%^][\w\"]",
    "issue by prefix": r"(?i)\bG[HL]-\d",
    "address": r"(?i)[a-z][\w+.-]*:(?!(?a:\d+\b))[\w/]|www\.",
    "emoji": r":[\w+-]+:",
    "commit": r"(?i)(?<![0-9a-z_])[0-9a-f]{7,}(?![0-9a-z_])",
    "inserted or deleted": r"[\[{][+-]",
    "reference by name": r"\[[\w-]+:|\[\[",
    "project": r"\w>",
    "formula": r"(?<=.)\$|\$(?=.)",
}


@dataclass
class Shown(HTMLParser):
    """A rendered page. `texts` are the pieces of text that are neither code nor links."""

    tags: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    text: str = ""
    opened: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert (tag, name) in {("a", "href"), ("ol", "start")}, (tag, name, value)
            self.links += [value or ""] if tag == "a" else []
        if tag not in _VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.opened.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.text += data
        if "code" in self.opened:
            self.codes.append(data)
        elif "a" not in self.opened:
            self.texts.append(data)


def shown(markdown: str, render: Callable[[str], str] = _PARSER.render) -> Shown:
    """Render Markdown. Checks that every tag is closed."""
    page = Shown()
    page.feed(render(markdown))
    page.close()
    assert page.opened == []
    return page


def acted_on(texts: list[str]) -> list[tuple[str, str]]:
    """The texts on which a forge would act, each with the kind of the action."""
    return [
        (action, text)
        for action, pattern in ACTS.items()
        for text in texts
        if re.search(pattern, text)
    ]
