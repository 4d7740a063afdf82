"""Write Markdown that this program makes in the markup of the records beside it."""

# Governing: SPEC-0024 REQ "The form of a record"

from __future__ import annotations

from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.text.display import display_width
from sdd_hooks.text.lazy_regex import lazy_regex

_HEADING = lazy_regex(r"(#{1,6}) (.*)")
_COMMENT = lazy_regex(r"<!-- (.*) -->")
_FIELD = lazy_regex(r"(-|\*) ([A-Za-z][\w /-]{0,40}): ?(.*)")
_ROW = lazy_regex(r"\| ?([^|]*?) ?\| ?([^|]*?) ?\|")
_UNDERLINES = "=-~^\"'"


def markup_of(path: str) -> str:
    """Return the suffix of a path that is not Markdown: `rst` or `adoc`; else ""."""
    suffix = path.rpartition(".")[2].lower()
    return {"rst": "rst", "adoc": "adoc", "asciidoc": "adoc"}.get(suffix, "")


def written_link(path: str, text: str, target: str) -> str:
    """Return a link in the markup of the file at `path`."""
    forms = {"rst": f"`{text} <{target}>`_", "adoc": f"xref:{target}[{text}]"}
    return forms.get(markup_of(path), f"[{text}]({target})")


def from_markdown(path: str, text: str) -> str:
    """Return a drafted record in the markup of the file at `path`: the frontmatter as fields."""
    markup = markup_of(path)
    if not markup:
        return text
    matter = read_frontmatter(text)
    title, *rest = text[matter.end :].lstrip("\n").split("\n")
    fields = [f"- {key}: {matter.text(key)}" for key in matter.fields if matter.text(key)]
    lines: list[str] = []
    in_head = True
    for line in (title, *([""] if fields else ()), *fields, *rest):
        if match := _HEADING.match(line):
            level = len(match[1])
            in_head = level == 1
            lines += _heading(markup, level, match[2])
        elif in_head and (match := _ROW.fullmatch(line)):
            lines += [f":{match[1]}: {match[2]}".rstrip()] * bool(match[1].strip("- "))
        elif in_head and (match := _FIELD.fullmatch(line)) and (markup, match[1]) != ("adoc", "*"):
            lines.append(f":{match[2]}: {match[3]}".rstrip())
        elif match := _COMMENT.fullmatch(line):
            lines.append(f"{'..' if markup == 'rst' else '//'} {match[1]}")
        else:
            lines.append(line)
    return "\n".join(lines)


def _heading(markup: str, level: int, title: str) -> list[str]:
    if markup == "adoc":
        return [f"{'=' * level} {title}"]
    return [title, _UNDERLINES[level - 1] * max(4, display_width(title))]
