"""The pages people read, and the fenced blocks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]

# Written by other programs, which have tests of their own.
GENERATED = ("benchmarks.md", "commands.md", "plugin-api.md")

_FENCE = re.compile(r"(?P<fence>`{3,})(?P<language>\S*)[ \t]*$")
_DIRECTIVE = re.compile(r"<!-- test: (.*?) -->$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `line` is that of its fence; `directives` are the comments

    `<!-- test: … -->` between the block before and this one: what a test has to know about it.
    """

    page: Path
    line: int
    language: str
    text: str
    directives: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page.relative_to(TOP)}:{self.line}"


def pages() -> list[Path]:
    """The pages written by hand, without the artifacts."""
    docs = sorted(page for page in (TOP / "docs").glob("*.md") if page.name not in GENERATED)
    return [TOP / "README.md", *docs]


def every_page() -> list[Path]:
    """Every Markdown file that a reader can come to."""
    tops = [TOP / name for name in ("README.md", "CHANGELOG.md", "CLAUDE.md", "CONTRIBUTING.md")]
    return [*tops, *sorted((TOP / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found, directives = [], []
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        if directive := _DIRECTIVE.match(line):
            directives.append(directive[1])
        opened = _FENCE.match(line)
        if opened is None:
            continue
        text = []
        for _, inner in lines:
            if inner.rstrip() == opened["fence"]:
                break
            text.append(inner)
        found.append(
            Block(page, number, opened["language"], "\n".join(text) + "\n", tuple(directives))
        )
        directives = []
    return found
