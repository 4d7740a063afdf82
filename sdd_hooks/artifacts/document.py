"""Read the parts that ADRs and specs share: frontmatter, title, id, status, date and edges."""

# Governing: SPEC-0002 REQ "Records as they are found"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.dates import joined_date, read_date
from sdd_hooks.artifacts.edges import (
    Edge,
    EdgeOwner,
    concerns_part,
    read_frontmatter_edges,
    read_prose_edges,
)
from sdd_hooks.artifacts.fields import (
    HeaderField,
    normalize_field_name,
    read_fields,
    read_header_fields,
    read_preamble,
)
from sdd_hooks.artifacts.frontmatter import Frontmatter, read_frontmatter
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    ArtifactKind,
    Origins,
    find_ids,
    name_in_text,
    parse_id,
    split_heading,
)
from sdd_hooks.artifacts.languages import words
from sdd_hooks.artifacts.statement import NON_AUTHORITATIVE, UNKNOWN
from sdd_hooks.artifacts.status import (
    NO_STATUS,
    ArtifactStatus,
    find_status_date,
    find_status_sections,
    find_statuses,
    read_paragraphs,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section, parse_document, without_links

if TYPE_CHECKING:
    from sdd_hooks.findings import Finding, Severity

# Headings of the standard sections of a record: a document title is never one of them.
STANDARD_SECTIONS = frozenset(
    {
        *("status", "context", "context-and-problem-statement", "problem"),
        *("problem-statement", "decision", "decision-outcome", "decision-drivers"),
        *("consequences", "considered-options", "options", "alternatives"),
        *("alternatives-considered", "pros-and-cons-of-the-options", "confirmation"),
        *("more-information", "links", "references", "related", "metadata", "summary"),
        *("overview", "background", "motivation", "rationale", "date", "deciders"),
        *("meta", "preamble", "header", "abstract", "simple-summary"),
        *("requirements", "table-of-contents", "contents"),
    }
)

_BY = lazy_regex(r"\bby\b:?\s", re.IGNORECASE)

_NUMBER_OF_NAME = lazy_regex(
    r"""(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[-_. ]|$))?
    (?:(?:adr|spec)(?:[-_. ]|(?=[0-9])|$))?
    (?:(?:[0-9]+[a-z]?|x{3,}|n{3,})(?=[-_. ]|$))?[-_. ]*""",
    re.VERBOSE | re.IGNORECASE,
)
_PLACEHOLDER = lazy_regex(
    r"""[\[{<](?!.*\]\().*[\]}>] | .*[{\[<](?:short[ ])?title[>\]}].*
    | (?:[a-z]{2,6}[-_ ])?(?:(?:N+|X+|[0-9]+|number)\b\W*)?
    (?: (?:a[ ]|short[ ]|record[ ]|decision[ ]|adr[ ]|the[ ])*title\b(?:[ ]of[ ].*|[ ]here)?
      | (?:the[ ]|m?adr[ ]|architectur(?:e|al)[ ]|decision[ ]|records?[ ]|spec[ ]|[a-z]ep[ ])*
        template (?:[ ](?:for|by|of|and)\b.*)? )""",
    re.VERBOSE | re.IGNORECASE,
)


_TITLE_FIELDS = frozenset(
    {"title", "name", "feature-name", "rfc-title", "rfc-name", "proposal-name"}
)
_KINDS = frozenset({"adr", "rfc", "proposal", "decision", "record"})
_KIND_LABEL = lazy_regex(
    r"(?:adr|rf[cd]|(?:design )?proposal|design doc(?:ument)?|feature name)s?(?:: | [-–—] )",
    re.IGNORECASE,
)
# `ZEP0003` in the frontmatter names no subject.
_ONLY_LABEL = lazy_regex(r"[A-Za-z]{1,10}[-_ #]?[0-9]{1,5}")
_NEAR = 4
"""Lines between such a heading and the next one."""
_TITLE_LABEL = lazy_regex(
    r"""(?:[\w().-]{1,30}[ ]){0,4}[A-Za-z_-]{0,40}[-_ #]{0,2}(?P<number>[0-9]{1,5})[\])]?
    (?:(?P<sign>[ ]*[:：·—–|][ ]*|[ ]+-[ ]+|\.[ ]+)|[ ]+)(?=\S)""",
    re.VERBOSE,
)
# `RFC 5843 - 2021-01-08 - Encoding`
_DAY = lazy_regex(r"(?:^|(?<=[–-][ ])|(?<=:[ ]))[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ ]+[–-]|:)[ ]+(?=\S)")
_DAY_OF_NAME = lazy_regex(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[-_ ](?=[0-9])")
_NUMBER_IN_NAME = lazy_regex(r"(?<![0-9])([0-9]{1,5})(?![0-9])")


class ArtifactDocument(NamedTuple):
    """One parsed Markdown file of an artifact. `title` is without the id, "" when there is none.

    `heading_id` is the id in the title, `own_id` the id in the frontmatter, `own_name` a name there
    that is no number. `prose` is the text without code, comments and frontmatter.
    """

    prose: str
    sections: tuple[Section, ...]
    matter: Frontmatter
    fields: tuple[HeaderField, ...]
    statuses: tuple[ArtifactStatus, ...]
    title: str
    heading_id: ArtifactId | None
    heading_line: int
    own_id: ArtifactId | None
    own_name: ArtifactId | None

    @property
    def status(self) -> ArtifactStatus:
        """The effective status."""
        return self.statuses[0] if self.statuses else NO_STATUS


def read_document(text: str, kind: ArtifactKind, module: str = "") -> ArtifactDocument:
    """Read the text of an ADR or spec. Never raises."""
    parsed, plain = parse_document(text)
    sections = tuple(parsed)
    matter = read_frontmatter(text)
    fields = (*read_preamble(text), *read_header_fields(plain, sections))
    title, identifier, line = _title(matter, fields, sections, kind, module)
    return ArtifactDocument(
        prose=plain,
        sections=sections,
        matter=matter,
        fields=fields,
        statuses=find_statuses(matter, fields, plain, sections),
        title=title,
        heading_id=identifier,
        heading_line=line,
        own_id=parse_id(matter.text("id"), kind, module),
        own_name=name_in_text(matter.text("id"), kind, module),
    )


def _title(
    matter: Frontmatter,
    fields: Sequence[HeaderField],
    sections: Sequence[Section],
    kind: ArtifactKind,
    module: str,
) -> tuple[str, ArtifactId | None, int]:
    """Return the title without its id, the id, and the line: from the heading or frontmatter."""
    heading, identifier, line = "", None, 0
    highest = 1 if any(s.level == 1 for s in sections) else 2
    first = next((s for s in sections if 0 < s.level <= 2), None)
    level = [s for s in sections if 0 < s.level <= highest]
    is_alone = len(level) == 1
    # What follows a section of the record is another one.
    top = level[0] if is_alone else first
    if top and not _is_standard(top):
        identifier, heading = split_heading(without_links(top.title), kind, module)
        line = top.first_line
        if _ONLY_LABEL.fullmatch(top.title):
            # `NIP-02`, and the subject is the next heading.
            near = sections[sections.index(top) + 1 :][:1]
            is_near = near and near[0].first_line - line <= _NEAR and not _is_standard(near[0])
            heading = near[0].title if is_near else heading
    in_matter, title = split_heading(matter.text("title"), kind, module)
    if identifier is None and in_matter:
        identifier, line = in_matter, matter.lines.get("title", 0)
    if _ONLY_LABEL.fullmatch(title) or (heading and is_placeholder_title(title)):
        title = ""
    field = next((one.value for one in fields if one.name in _TITLE_FIELDS), "")
    field = field.strip("[]`")
    return title or (heading if is_alone else field) or heading or field, identifier, line


def without_label(title: str, name: str) -> str:
    """The title without a label at its beginning with the number of its file or folder, `name`.

    `Aries RFC 0046: Relays` of `0046-relays` is `Relays`. Without a sign behind the number, the
    next word has to be that of the name.
    """
    title, name = _DAY.sub("", title, count=1), _DAY_OF_NAME.sub("", name)
    label = _TITLE_LABEL.match(title)
    number = _NUMBER_IN_NAME.search(name)
    if not (label and number and int(label["number"]) == int(number[1])):
        kind = _KIND_LABEL.match(title)
        return (title[kind.end() :].strip(" `") if kind else "") or title
    rest = title[label.end() :]
    # `001 Authorization of plugins` of `001-greenhouse-authorization`
    if number[1][0] == "0" and label[0].strip() == number[1]:
        return rest
    slug = _folded_words(name[number.end() :])
    if label["sign"]:
        words = {*_folded_words(label[0])} - _KINDS
        return title if words.intersection(slug) else rest
    is_named = _folded_words(rest)[:1] == slug[:1] if slug else label[0].split()[0].isupper()
    return rest if is_named else title


def _folded_words(text: str) -> list[str]:
    return re.sub(r"[\W_]+", " ", text).casefold().split()


def _is_standard(section: Section) -> bool:
    return normalize_field_name(section.title) in STANDARD_SECTIONS


def is_placeholder_title(title: str) -> bool:
    """Whether the title is the placeholder of a template."""
    title = title.strip()
    lower = title.lower()
    # What the pattern needs: it is long, and few titles have any of it.
    may_be = title[:1] in "[{<" or "title" in lower or "template" in lower or not title.isascii()
    return may_be and bool(_PLACEHOLDER.fullmatch(title))


def find_date(document: ArtifactDocument, name: str = "") -> str:
    """Return the date as `YYYY-MM-DD`: written as one, in the file name, of a status, or ""."""
    written = (read_date(text) for text, _ in find_dated_texts(document))
    return (
        next(filter(None, written), "")
        or joined_date(name)
        or find_status_date(document.prose, document.sections, document.statuses)
    )


def find_dated_texts(document: ArtifactDocument) -> Iterator[tuple[str, int]]:
    """Yield what is written as the date, with its line: in keys, fields and sections."""
    matter = document.matter
    fields = [(key, matter.text(key), matter.lines.get(key, 0)) for key in matter.fields]
    fields += document.fields
    for kind in ("date", "decided", "created", "updated"):
        names = words(kind).split("|")
        yield from ((text, line) for name, text, line in fields if name in names and text)
    names = words("date").split("|")
    for section in document.sections:
        if section.level and normalize_field_name(section.title) in names:
            body = document.prose[section.start : section.end].partition("\n")[2].strip()
            yield body.partition("\n")[0], section.first_line + 1
    for section in find_status_sections(document.sections):
        for line, text in read_paragraphs(document.prose, section):
            yield from ((one.value, line) for one in read_fields([text], line) if one.name in names)


def title_from_name(name: str) -> str:
    """Make a title of the name of a file or folder: `0004-use-queues` becomes "Use queues"."""
    words = re.sub(r"[-_ ]+", " ", _NUMBER_OF_NAME.sub("", name, count=1)).strip()
    return words[:1].upper() + words[1:]


def find_edges(
    document: ArtifactDocument, holder: EdgeOwner
) -> tuple[tuple[Edge, ...], tuple[Finding, ...]]:
    """Return the written edges of a document, and the findings about them.

    Edges in prose count only for kinds that the frontmatter does not have.
    """
    edges, findings = read_frontmatter_edges(document.matter, holder)
    kinds = {edge.kind for edge in edges}
    written = read_prose_edges(_statements(document), holder)
    return (*edges, *(edge for edge in written if edge.kind not in kinds)), findings


def _statements(document: ArtifactDocument) -> Iterator[tuple[str, str, int]]:
    """Yield the header fields and the text under Status as (field name or "", text, line)."""
    for field in document.fields:
        yield field.name, field.value, field.line
    for section in find_status_sections(document.sections):
        for line, paragraph in read_paragraphs(document.prose, section):
            yield "", paragraph, line


def find_successors(
    document: ArtifactDocument,
    kind: ArtifactKind,
    module: str = "",
    origins: Origins = NO_ORIGINS,
) -> tuple[ArtifactId, ...]:
    """Return the ids that replace a superseded document: from its status or `Superseded by`."""
    if document.status.value != "superseded":
        return ()
    texts = [document.matter.text("superseded-by")]
    texts += [field.value for field in document.fields if field.name == "superseded-by"]
    fields = len(texts)
    texts += [status.text for status in document.statuses if status.value == "superseded"]
    # In brackets is history, but for the end: `accepted (superseded by 9)`
    texts += [
        inner for text in texts for inner in re.findall(r"[(（](?i:(super[sc]eded .*))[)）]", text)
    ]
    for at, text in enumerate(texts):
        # Parentheses contain history: superseded by 9 (was: amended by 7).
        outside = re.sub(r"\s\([^()]*(?:\([^()]*\)[^()]*)*\)", "", text)
        # "the portal's ADR-0005" is a record of another project.
        outside = re.sub(
            r"\b[\w-]{1,40}['’]s\s(?:ADR|SPEC)s?[-\s]?[0-9]{1,5}(?:/[0-9]{1,5})*", "", outside
        )
        # What follows the sentence with the successor is a reason, and may name other records.
        sentence = re.split(r"[.;]\s", outside, maxsplit=1)[0]
        if find_ids(sentence, kind, module, origins):
            outside = sentence
        found = find_ids(outside, kind, module, origins)
        # A link beside a number leads to an explanation.
        named = tuple(one for one in found if not one.name) or found
        if bare := parse_id(outside, kind, module, origins):
            named = named or (bare,)
        words = outside if at < fields else "".join(_BY.split(outside)[1:])
        if called := name_in_text(words.strip(" ."), kind, module):
            named = named or (called,)
        if named:
            return named
    return ()


def check_document(document: ArtifactDocument, path: str) -> Iterator[Finding]:
    """Yield the findings that one document shows, except those about edges."""
    for line, rule, severity, message, evidence in _problems(document):
        # Most documents have none: findings are imported when there is one.
        from sdd_hooks.findings import Finding

        yield Finding(path, line, rule, severity, message, evidence)


def _problems(document: ArtifactDocument) -> Iterator[tuple[int, str, Severity, str, str]]:
    """Yield the line, rule, severity, message and evidence of each finding."""
    matter = document.matter
    if matter.error:
        line, message = matter.error.line, matter.error.message
        yield line, "broken-frontmatter", "critical", message, ""
    for key in dict.fromkeys(matter.duplicates):
        message = f"`{key}` occurs in the frontmatter more than once: keep one"
        yield matter.lines.get(key, 0), "duplicate-key", "warning", message, key
    status = document.status
    if status.value == UNKNOWN:
        message = (
            f"`{_quoted(status.text)}` is not a status: use proposed, accepted, rejected,"
            " deprecated or superseded for an ADR, draft, review, approved, implemented or"
            " deprecated for a spec"
        )
        yield status.line, "unknown-status", "warning", message, status.text
    for other in document.statuses[1:]:
        if UNKNOWN not in (other.value, status.value) and not _agree(status, other):
            message = (
                f"the status is {status.value} in the {_place(status)} and {other.value} in the"
                f" {_place(other)}: make them agree"
            )
            yield other.line, "status-conflict", "warning", message, other.text

    in_force = document.fields if status.value and status.authoritative else ()
    for field in (one for one in in_force if one.name == "superseded-by"):
        if find_ids(field.value, "ADR") and not concerns_part(field.value, 0, 0):
            message = f"it is {status.value}, and has a successor: make status and line agree"
            yield field.line, "status-conflict", "warning", message, field.value


def _agree(first: ArtifactStatus, second: ArtifactStatus) -> bool:
    """Whether two statuses say the same, or one says more about the same.

    What is accepted is built, or a part of what is superseded is retained.
    """
    values = {first.value, second.value}
    in_part = any(one.holds_in_part for one in (first, second))
    return (
        len(values) == 1
        or values <= {"accepted", "approved", "implemented"}
        or (in_part and not NON_AUTHORITATIVE.isdisjoint(values))
    )


def _place(status: ArtifactStatus) -> str:
    places = {"frontmatter": "frontmatter", "field": "text", "section": "Status section"}
    return places.get(status.origin, "text")


def _quoted(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= 60 else f"{text[:59]}…"
