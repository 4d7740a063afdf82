"""Draft a decision record in the form of a repository: its template, its newest record, or MADR."""

# Governing: SPEC-0024 REQ "The form of a record"

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.document import read_document
from sdd_hooks.artifacts.edges import INVERSES
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.frontmatter_edit import set_field
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.status import find_status_sections
from sdd_hooks.authoring.record_form import RecordForm
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

DEFAULT_SECTIONS = (
    "Context and Problem Statement",
    "Decision Drivers",
    "Considered Options",
    "Decision Outcome",
    "More Information",
)
"""The sections of MADR, for a repository without records."""

_PROMPTS = {
    "context": "What is the situation, and which question has to be decided?",
    "problem": "What is the situation, and which question has to be decided?",
    "drivers": "What matters for the choice?",
    "options": "Which options are there?",
    "alternatives": "Which options are there, and why were they not chosen?",
    "decision": "What is decided, and why?",
    "outcome": "What is decided, and why?",
    "solution": "What is decided, and why?",
    "consequences": "What becomes easier, and what harder?",
    "confirmation": "How can one tell that the decision is followed?",
}
_DATES = frozenset({"date", "created", "decided", "decision-date", "last-updated", "updated"})
_PEOPLE = frozenset({"decision-makers", "deciders", "authors", "author", "consulted", "informed"})
_DROPPED = {*INVERSES, *INVERSES.values(), "applies-to", "review-by", "expires"} - {"related"}
"""Keys and fields that say something about one record."""

_FIELD = lazy_regex(
    r"(?P<label>[ ]{0,3}(?:>[ ]?)?(?:[-*+][ ]+)?[*_]{0,3}(?P<name>[A-Za-z][A-Za-z /_-]{0,40}?)"
    r"[*_]{0,3}[ ]?[:：][*_]{0,3})[ \t]*(?P<value>.*?)(?P<end>(?:[ ]{2,}|\\)?)"
)
_ROW = lazy_regex(
    r"(?P<label>\|[ ]*[*_]{0,3}(?P<name>[A-Za-z][A-Za-z /_-]{0,40}?)[*_]{0,3}[ ]*\|[ ]*)"
    r"(?P<value>[^|]*?)(?P<end>[ ]*\|)"
)
_DELIMITER = lazy_regex(r"[ |:-]*-[ |:-]*\|[ |:-]*")
_DATE_PLACEHOLDER = lazy_regex(r"\{?\b(?:YYYY|yyyy)-(?:MM|mm)-(?:DD|dd)\b[^}\n]{0,80}?(?:\}|\b)")


class RecordDraft(NamedTuple):
    """What a new record says. `date` is ISO; `sections` are texts by the titles of sections."""

    id: ArtifactId
    title: str
    date: str
    sections: Mapping[str, str] = {}

    @property
    def number(self) -> int:
        """The number of the id, or at the end of the name that is the id."""
        in_name = re.search(r"[0-9]{1,5}$", self.id.name)
        return int(in_name[0]) if in_name else self.id.number


def draft_record(form: RecordForm, draft: RecordDraft, template: str = "") -> str:
    """The text of a proposed record: that of `template` if there is one, filled in.

    Raises NotEditable for frontmatter that is no YAML.
    """
    text = template or "\n".join(_skeleton(form))
    filled = _fill(text.replace("\r\n", "\n").rstrip("\n") + "\n", form, draft, bool(template))
    if (
        form.file_name.dash is not None
        and form.has_numbers
        and not read_document(filled, "ADR").own_id
    ):
        filled = set_field(filled, "id", draft.id.bare)
    if not read_document(filled, "ADR").statuses:
        filled = set_field(filled, "status", "proposed")
    for title, content in draft.sections.items():
        filled = _with_section(filled, title, content.strip())
    return filled.rstrip("\n") + "\n"


def _skeleton(form: RecordForm) -> Iterator[str]:
    """The lines of a template: the frontmatter, fields and usual sections of the sample."""
    if not form.sample:
        yield from ("---", "status: proposed", "date:", "---", "", "# Title")
    else:
        text = form.sample.replace("\r\n", "\n")
        end = read_frontmatter(text).end
        yield from text[:end].rstrip("\n").split("\n") if end else ()
        yield from ("", "# Title") if end else ("# Title",)
        yield from _fields(text, form.fields)
    for title in form.sections or DEFAULT_SECTIONS:
        yield from ("", f"## {title}", *_prompt(title))


def _fields(text: str, names: Container[str]) -> Iterator[str]:
    """The lines of these fields below the heading, with a blank line before them."""
    document = read_document(text, "ADR")
    headed = [section for section in document.sections if section.level]
    if not headed or headed[0].level != 1:
        return
    rows = text.split("\n")[headed[0].first_line : headed[0].last_line]
    known = {
        field.line
        for field in document.fields
        if field.name in names and field.name not in _DROPPED
    }
    kept = [
        line
        for number, line in enumerate(rows, headed[0].first_line + 1)
        if number in known or _DELIMITER.fullmatch(line)
    ]
    yield from _without_bare_heads(kept)


def _without_bare_heads(lines: Sequence[str]) -> Iterator[str]:
    """A blank line and the lines, without the head of a table whose columns are fields."""
    kept: list[str] = []
    for line, below in zip(lines, [*lines, ""][1:], strict=True):
        cell = _ROW.match(kept[-1]) if kept and _DELIMITER.fullmatch(line) else None
        # A field in the first row of a table is in its head, too.
        is_field = cell and normalize_field_name(cell["name"]) in ("status", *_DATES)
        if cell and not is_field and not below.startswith("|"):
            kept.pop()
        else:
            kept.append(line)
    if kept:
        yield ""
        yield from kept


def _prompt(title: str) -> Iterator[str]:
    name = normalize_field_name(title)
    if name in ("status", "date"):
        yield from ("", name)
        return
    prompt = next((text for word, text in _PROMPTS.items() if word in name), "")
    if prompt and "related" not in name:
        yield from ("", f"<!-- {prompt} -->")


def _fill(text: str, form: RecordForm, draft: RecordDraft, is_template: bool) -> str:
    """The template with the title, the id, the status and the date of the draft."""
    end = read_frontmatter(text).end
    kept = read_frontmatter(text).fields.keys() if is_template else form.constants - _PEOPLE
    head = _fill_frontmatter(text[:end], draft, kept)
    lines = text[end:].split("\n")
    values = {"status": "Proposed", **dict.fromkeys(_DATES, draft.date)}
    is_titled = in_head = False
    for at, line in enumerate(lines):
        if not is_titled and re.match(r"# ", line):
            lines[at] = f"# {form.heading.heading(draft.number, draft.title)}"
            is_titled = in_head = True
        elif re.match(r"#{2,6} ", line):
            in_head = False
        elif in_head and (match := _ROW.match(line) or _FIELD.fullmatch(line)):
            lines[at] = _with_value(match, line, values)
    body = _fill_sections("\n".join(lines), draft)
    return head + _DATE_PLACEHOLDER.sub(draft.date, body)


def _with_value(match: re.Match[str], line: str, values: Mapping[str, str]) -> str:
    name = normalize_field_name(match["name"])
    value = values.get(name, "")
    if name == "status" and match["value"][:1].islower():
        value = value.lower()
    label = match["label"]
    if not label.endswith((" ", "|")) and value:
        label += " "
    return f"{label}{value}{match['end']}{line[match.end() :]}"


def _fill_frontmatter(text: str, draft: RecordDraft, constants: Container[str]) -> str:
    """The frontmatter with the values of the draft, and those of the keys `constants`.

    Other values, and edges of another record, are left out.
    """
    if not text:
        return ""
    matter = read_frontmatter(text)
    rows = text.split("\n")
    starts = sorted((line - 1, key) for key, line in matter.lines.items())
    ends = [line for line, _ in starts[1:]] + [len(rows) - 2] * bool(starts)
    kept = rows[: starts[0][0]] if starts else rows[:1]
    for (start, key), end in zip(starts, ends, strict=True):
        if key in _DROPPED:
            continue
        value = _value(key, rows[start], draft)
        if value is None and key in constants:
            kept += rows[start:end]
            continue
        label, _, written = rows[start].partition(":")
        mark = written.strip()[:1] if written.strip()[:1] in ("'", '"') else ""
        quoted = f"{mark}{value}{mark}" if value and mark not in value else value
        kept.append(f"{label}: {quoted}" if value else f"{label}:")
        kept += [line for line in rows[start + 1 : end] if line.startswith("#") or not line]
    return "\n".join([*kept, *rows[len(rows) - 2 :]])


def _value(key: str, row: str, draft: RecordDraft) -> str | None:
    """The value of a key of the frontmatter, "" for an empty one; None: the draft says nothing."""
    if key in _DATES:
        return draft.date
    if key == "id" and draft.id.name:
        return draft.id.bare
    if key in ("id", "number", "nav-order"):
        return _numbered(row.partition(":")[2].strip(" \"'"), draft.number)
    return {"status": "proposed", "title": draft.title}.get(key)


def _numbered(written: str, number: int) -> str:
    """The number as another one is spelled: `ADR-0012`, `0012` or `12`; "" for another form."""
    match = re.fullmatch(r"(?P<before>(?:ADR[-_ ]?)?)(?P<digits>[0-9]+)", written, re.IGNORECASE)
    if match is None:
        return ""
    is_padded = match["before"] or match["digits"].startswith("0")
    width = len(match["digits"]) if is_padded else 1
    return f"{match['before']}{number:0{width}d}"


def _fill_sections(text: str, draft: RecordDraft) -> str:
    """The document with the status and the date under the headings of these names."""
    for section in find_status_sections(read_document(text, "ADR").sections):
        text = _with_section(text, section.title, "Proposed")
        break
    titles = {one.title.lower() for one in read_document(text, "ADR").sections}
    return _with_section(text, "Date", draft.date) if "date" in titles else text


def _with_section(text: str, title: str, content: str) -> str:
    """The document with this text in the section of a title, which is added if it is missing."""
    wanted = normalize_field_name(title)
    for section in read_document(text, "ADR").sections:
        if section.level and normalize_field_name(section.title) == wanted:
            lines = text.split("\n")
            before, after = lines[: section.first_line], lines[section.last_line :]
            return "\n".join(_separated([*before, "", content, ""], after))
    return f"{text.rstrip()}\n\n## {title}\n\n{content}\n"


def _separated(before: list[str], after: Iterable[str]) -> list[str]:
    rest = list(after)
    while rest and not rest[0].strip():
        rest.pop(0)
    return [*before, *rest]
