"""The pages of the documentation site that are not in `docs/`, and the links between all pages.

MkDocs loads this file as a hook: https://www.mkdocs.org/user-guide/configuration/#hooks. README.md
is the first page, and the other pages of the top directory are beside it. Decisions and
specifications have a list each, and a line with the status and edges of their frontmatter.
"""

# Governing: ADR-0061 (a documentation site without a network)

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
TOP_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md": "CODE_OF_CONDUCT.md",
}
"""The pages of the top directory, and their paths on the site."""
LISTS = {"adrs": "Decisions", "openspec/specs": "Specifications"}
"""The folders of artifacts below `docs/`, and the titles of their lists."""

# A fenced block, an image or a link, or code in a line. A link may have code in its text.
_TOKEN = re.compile(
    r"(?P<fence>^(?P<marks>[ >]*`{3,})[^\n]*\n.*?^[ >]*`{3,}[ \t]*$)"
    r"|(?P<link>!?\[(?P<text>(?:[^\[\]`]|`[^`\n]*`|\[[^\[\]]*\])*)\]\((?P<target>[^)\s]+)\))"
    r"|`[^`\n]*`"
    r"|(?P<directive><!-- test: .*? -->\n)",
    re.MULTILINE | re.DOTALL,
)
_FRONTMATTER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_ID = re.compile(r"(?:ADR|SPEC)-\d{4}")
_EDGES = ("supersedes", "amends", "extends", "implements", "requires", "governs", "related")


class Artifact(NamedTuple):
    """A decision, or the spec.md of a specification: its path on the site, id and title."""

    path: str
    id: str
    title: str
    meta: dict[str, Any]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the artifacts to the navigation."""
    folders: list[Any] = ["openspec/specs/index.md"]
    for artifact in artifacts("openspec/specs"):
        design = posixpath.join(posixpath.dirname(artifact.path), "design.md")
        pages: list[Any] = [{"Requirements": artifact.path}]
        if (ROOT / "docs" / design).exists():
            pages.append({"Design": design})
        folders.append({f"{artifact.id} {_short(artifact)}": pages})
    decisions = ["adrs/index.md", *(artifact.path for artifact in artifacts("adrs"))]
    config.nav = [*(config.nav or []), {"Decisions": decisions}, {"Specifications": folders}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the top directory, and the lists of artifacts."""
    for name, path in TOP_PAGES.items():
        files.append(File.generated(config, path, abs_src_path=str(ROOT / name)))
    for folder, title in LISTS.items():
        content = _list(folder, title)
        files.append(File.generated(config, f"{folder}/index.md", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make the links of a page those of the site, and show the frontmatter of an artifact."""
    site = page.file.src_uri
    sources = {path: name for name, path in TOP_PAGES.items()}
    source = PurePosixPath(sources.get(site) or f"docs/{site}")
    repository = str(config.extra.get("repository") or "").rstrip("/")

    def on_site(match: re.Match[str]) -> str:
        target = match["target"]
        if not target or re.match(r"[a-z]+:|#", target):
            return "" if match["directive"] else match[0]
        path, mark, anchor = target.partition("#")
        inside = posixpath.normpath((source.parent / unquote(path)).as_posix())
        place = _place(inside)
        if files.get_file_from_path(place):
            relative = posixpath.relpath(place, posixpath.dirname(site) or ".")
            return f"{match['link'][: -len(target) - 1]}{relative}{mark}{anchor})"
        if not (ROOT / inside).exists():
            # MkDocs warns, which fails the build.
            return match[0]
        if repository:
            return f"{match['link'][: -len(target) - 1]}{repository}/{inside}{mark}{anchor})"
        return match["text"]

    text = _TOKEN.sub(on_site, markdown)
    line = _facts(page)
    return _HEADING.sub(lambda match: f"{match[0]}\n\n{line}", text, count=1) if line else text


@cache
def artifacts(folder: str) -> tuple[Artifact, ...]:
    """The artifacts in a folder below `docs/`, by their ids."""
    pattern = "*.md" if folder == "adrs" else "*/spec.md"
    found = []
    for path in (ROOT / "docs" / folder).glob(pattern):
        text = path.read_text(encoding="utf-8")
        match = _FRONTMATTER.match(text)
        meta = yaml.safe_load(match[1]) if match else {}
        heading = _HEADING.search(text)
        title = heading[1] if heading else path.stem
        identifier = _ID.search(title)
        place = path.relative_to(ROOT / "docs").as_posix()
        found.append(Artifact(place, identifier[0] if identifier else "", title, meta))
    return tuple(sorted(found, key=lambda artifact: artifact.id))


def _short(artifact: Artifact) -> str:
    return artifact.title.removeprefix(f"{artifact.id}:").strip()


def _list(folder: str, title: str) -> str:
    rows = [
        f"| [{artifact.id}]({posixpath.relpath(artifact.path, folder)}) | {_short(artifact)}"
        f" | {artifact.meta.get('status', '')} |"
        for artifact in artifacts(folder)
    ]
    return "\n".join([f"# {title}", "", "| id | title | status |", "|---|---|---|", *rows, ""])


def _place(inside: str) -> str:
    """The path on the site of a path in the repository."""
    if inside in TOP_PAGES:
        return TOP_PAGES[inside]
    place = inside.removeprefix("docs/")
    return f"{place}/index.md" if place in LISTS else place


def _facts(page: Page) -> str:
    """The status, the date and the edges of an artifact, as one line with links; "" for others."""
    if "status" not in page.meta:
        return ""
    paths = {one.id: one.path for folder in LISTS for one in artifacts(folder)}
    parts = [f"**{page.meta['status']}** {page.meta.get('date', '')}".strip()]
    for edge in _EDGES:
        names = []
        for name in page.meta.get(edge) or []:
            path = paths.get(str(name))
            relative = path and posixpath.relpath(path, posixpath.dirname(page.file.src_uri))
            names.append(f"[{name}]({relative})" if relative else str(name))
        if names:
            parts.append(f"{edge} {', '.join(names)}")
    return " · ".join(parts)
