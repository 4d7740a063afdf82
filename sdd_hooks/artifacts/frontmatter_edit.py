"""Edit the frontmatter of a document, byte for byte the same outside of what changes.

Each edit changes or adds lines of one key, in the form that the key has. It is then read again, and
refused unless exactly the wanted value changed.
"""

# Governing: ADR-0049 (an edit is verified by reading), SPEC-0002 REQ "Frontmatter", ADR-0012
# (untrusted input)

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sdd_hooks.artifacts.frontmatter import FrontmatterValue, read_frontmatter
from sdd_hooks.errors import SddError
from sdd_hooks.text.lazy_regex import lazy_regex

_LINES = lazy_regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_FLOW_LIST = lazy_regex(
    r"""(?P<start>[^:\[]+:[ \t]*\[)(?P<items>(?:"[^"]*"|'[^']*'|[^\[\]#"'])*)"""
    r"(?P<end>\][ \t]*(?:#.*)?)"
)
_SCALAR = lazy_regex(r"(?P<start>[^:]+:[ \t]*)(?P<value>[^\s#](?:[^#]*[^\s#])?)?(?P<end>[ \t]*)")
_LIST_ITEM = lazy_regex(r"(?P<start>[ \t]*-[ \t]+)\S")
# What YAML reads as a plain scalar that is text: no indicator, no boolean, no number.
_PLAIN = lazy_regex(
    r"(?!(?i:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][A-Za-z0-9 ._/()+-]*"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"
)


class NotEditable(SddError):
    """A part of a document has a form that cannot be edited without changing more than was asked.

    The message begins with the line.
    """

    code = "not-editable"

    def __init__(self, line: int, part: str) -> None:
        super().__init__(f"{line}: {part} has a form that cannot be edited: edit it by hand")


def add_list_items(text: str, key: str, items: Sequence[str]) -> str:
    """The document with these items at the end of a list of its frontmatter.

    Items that the list has are not added again. A scalar becomes the first item. A key that is
    missing is added as the last one, and frontmatter where there is none. Raises NotEditable.
    """
    matter = read_frontmatter(text)
    present = matter.items(key)
    added = [item for item in dict.fromkeys(items) if item not in present]
    if not added:
        return text
    line = matter.lines.get(key, 0)
    lines = _split(text)
    if line:
        _extend(lines, line - 1, [_quoted(item) for item in added])
        edited = "".join(lines)
    else:
        edited = _with_line(text, lines, f"{key}: [{', '.join(map(_quoted, added))}]")
    return _checked(text, edited, key, [*present, *added], line)


def set_field(text: str, key: str, value: str) -> str:
    """The document with a scalar in its frontmatter, in the quotation marks that the key has.

    A key that is missing is added as the last one, and frontmatter where there is none. Raises
    NotEditable.
    """
    matter = read_frontmatter(text)
    line = matter.lines.get(key, 0)
    lines = _split(text)
    if not line:
        return _checked(text, _with_line(text, lines, f"{key}: {_quoted(value)}"), key, value, line)
    body, newline = _body(lines[line - 1])
    match = _SCALAR.match(body)
    if match is None:
        raise _refused(line, key)
    written = match["value"] or ""
    mark = written[:1] if written[:1] in ("'", '"') and written[-1:] == written[:1] else ""
    inner = f"{mark}{value}{mark}" if mark and mark not in value else _quoted(value)
    start = match["start"] if match["start"][-1:].isspace() else f"{match['start']} "
    lines[line - 1] = (
        f"{start}{inner}{body[match.end('value') if written else match.end() :]}{newline}"
    )
    return _checked(text, "".join(lines), key, value, line)


def _extend(lines: list[str], at: int, items: Sequence[str]) -> None:
    """Add items to the list whose key is on a line."""
    body, newline = _body(lines[at])
    if match := _FLOW_LIST.fullmatch(body):
        inner = match["items"].rstrip(" \t")
        space = match["items"][len(inner) :]
        # A trailing comma is valid in YAML.
        before = f"{inner.rstrip(',')}, " if inner.strip(" \t,") else inner
        lines[at] = f"{match['start']}{before}{', '.join(items)}{space}{match['end']}{newline}"
        return
    last, start = at, ""
    for number in range(at + 1, len(lines)):
        item = _LIST_ITEM.match(lines[number])
        if item is None or (start and item["start"] != start):
            break
        last, start = number, item["start"]
    if start:
        lines[last + 1 : last + 1] = [f"{start}{item}{newline}" for item in items]
    elif match := _SCALAR.match(body):
        value = [match["value"]] if match["value"] else []
        prefix = match["start"] if match["start"][-1:].isspace() else f"{match['start']} "
        rest = body[match.end("value") if value else match.end() :]
        lines[at] = f"{prefix}[{', '.join((*value, *items))}]{rest}{newline}"


def _with_line(text: str, lines: list[str], added: str) -> str:
    """The document with a line at the end of its frontmatter, which is created if it has none."""
    newline = _body(lines[0])[1] if lines else "\n"
    end = read_frontmatter(text).end
    if not end:
        return newline.join(["---", added, "---", "", text])
    # The closing line is the last one that ends at or before the offset.
    position = count = 0
    while position < end and count < len(lines):
        position += len(lines[count])
        count += 1
    lines[count - 1 : count - 1] = [f"{added}{newline}"]
    return "".join(lines)


def _checked(before: str, after: str, key: str, value: FrontmatterValue, line: int) -> str:
    """The edited document, if nothing but the key changed. `value` is what is wanted."""
    old, new = read_frontmatter(before), read_frontmatter(after)
    wanted: Mapping[str, FrontmatterValue] = {**old.fields, key: value}
    is_readable = not (old.error or new.error or old.duplicates)
    is_same = after[new.end :].lstrip() == before[old.end :].lstrip()
    if not (is_readable and is_same and new.fields == wanted):
        raise _refused(line, key)
    return after


def _refused(line: int, key: str) -> NotEditable:
    return NotEditable(line or 1, f"`{key}` in the frontmatter")


def _split(text: str) -> list[str]:
    return _LINES.findall(text)


def _body(line: str) -> tuple[str, str]:
    """A line without its end, and its end; `\\n` for a last line without one."""
    body = line.rstrip("\r\n")
    return body, line[len(body) :] or "\n"


def _quoted(value: str) -> str:
    """A scalar as YAML reads it back."""
    if _PLAIN.fullmatch(value) and not value.endswith(" "):
        return value
    escaped = re.sub(r'(["\\])', r"\\\1", value)
    return f'"{escaped}"'
