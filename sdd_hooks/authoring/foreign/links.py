"""The links between records in the forms of other tools.

adr-tools writes `Supercedes [1. Use REST](0001-use-rest.md)` under Status, MADR and log4brains
`- Refined by [20200101-x](20200101-x.md)` under Links, other tools keys such as `supersededBy`.
"""

# Governing: SPEC-0024 REQ "Records of other tools", SPEC-0002 REQ "Edges"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sdd_hooks.artifacts.document import ArtifactDocument
from sdd_hooks.artifacts.edges import concerns_part
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.artifacts.frontmatter import FrontmatterValue
from sdd_hooks.artifacts.languages import find_status_words
from sdd_hooks.artifacts.status import find_status_sections
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

MAX_LINKS = 200
"""Links of one record that are read."""
MAX_CLAUSE = 120
"""Characters behind a verb in which the record of a part is looked for."""
MAX_SECTION = 20_000
"""Characters of a section that are read."""

_FORWARD: Mapping[str, str] = {
    name: kind
    for kind, names in {
        "supersedes": "supersedes supercedes superseeds replaces obsoletes",
        "extends": "amends extends refines clarifies builds-on updates modifies",
        "enables": "enables",
        "related": "related related-to relates-to relates related-adrs related-decisions"
        " relatedadrs see-also see depends-on dependson links-to",
    }.items()
    for name in names.split()
}
_INVERSE: Mapping[str, str] = {
    name: kind
    for kind, names in {
        "supersedes": "superseded-by superceded-by supersededby superseeded-by replaced-by"
        " replacedby obsoleted-by",
        "extends": "amended-by amendedby extended-by extendedby refined-by clarified-by updated-by"
        " modified-by",
        "enables": "enabled-by",
    }.items()
    for name in names.split()
}
_LIST_SECTIONS = frozenset(
    {
        *("links", "related", "related-decisions", "related-adrs", "related-records"),
        *("related-decision-records", "see-also"),
    }
)
"""Sections whose items are links to records, also those that do not say which."""
_TYPED_SECTIONS = frozenset({"references", "more-information", "relationships"})
"""Sections in which only an item that begins with the kind of the link is one."""

_TARGET = (
    r"(?:\[[^\[\]\n]{0,300}\](?:\([^()\s]{1,400}[^()\n]{0,200}\))?"
    r"|[\w./-]{1,200}\.md\b|(?i:adr)s?[-_ #]{0,2}[0-9]{1,5}[a-z]?\b|[0-9]{4,8}-[\w-]{1,200})"
)
_SEPARATOR = r"[ \t]*(?:,|;|&|/|\band\b)[ \t]*"
_TARGETS = lazy_regex(
    rf"[ \t:*_`\"'#(]{{0,8}}(?P<targets>{_TARGET}(?:{_SEPARATOR}{_TARGET}){{0,20}})"
)
_EACH = lazy_regex(_TARGET)
_VERB = lazy_regex(
    r"(?<![A-Za-z])(?P<verb>(?P<noted>supersee?ded[ ](?:\([^()\n]{0,80}\)|"
    r"(?:on[ ])?[0-9]{4}-[0-9]{2}-[0-9]{2},?|in[ ]part|partly|partially)[ ]by)|"
    + "|".join(sorted((name.replace("-", "[- ]") for name in _INVERSE), key=len, reverse=True))
    + "|"
    + "|".join(sorted((name.replace("-", "[- ]") for name in _FORWARD), key=len, reverse=True))
    + r"|superseded|replaced)\b",
    re.IGNORECASE,
)
_ANY_VERB = lazy_regex(r"[*_]{0,3}(?P<verb>[A-Z][A-Za-z]+(?:[ -][a-z]+){0,3})[*_:]{0,4}[ \t]+")
_COMMENT = lazy_regex(r"<!--.*?(?:-->|$)")
_ITEM = lazy_regex(r"[ \t]*(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(.*)")
_BARE = lazy_regex(r"[#]?[0-9]{1,5}")


class ForeignLink(NamedTuple):
    """A link to another record: an edge of this one, or with `is_inverse` one of the other.

    `kind` is "" for a kind that no edge has. `targets` are what may name the record, the first one
    that does counts: the address of a link, its text, an id, a name of a file or a number. A link
    that does not say its kind is not `is_typed`.
    """

    kind: str
    is_inverse: bool
    targets: tuple[str, ...]
    line: int
    text: str
    is_typed: bool = True


def read_links(document: ArtifactDocument) -> tuple[ForeignLink, ...]:
    """The links of a record, in the order of their lines. Never raises."""
    found: dict[tuple[str, bool, tuple[str, ...]], ForeignLink] = {}
    for link in _links(document):
        found.setdefault((link.kind, link.is_inverse, link.targets), link)
        if len(found) == MAX_LINKS:
            break
    return tuple(sorted(found.values(), key=lambda one: one.line))


def _links(document: ArtifactDocument) -> Iterator[ForeignLink]:
    yield from _of_frontmatter(document)
    yield from _of_fields(document)
    for section in find_status_sections(document.sections):
        for line, text in _lines(document, section):
            yield from _of_line(text, line, is_item=False, is_listed=False)
    for section in document.sections:
        name = normalize_field_name(section.title) if section.level else ""
        if name in _LIST_SECTIONS or name in _TYPED_SECTIONS:
            for line, text in _lines(document, section):
                if item := _ITEM.match(text):
                    is_listed = name in _LIST_SECTIONS
                    yield from _of_line(item[1], line, is_item=True, is_listed=is_listed)


def _of_frontmatter(document: ArtifactDocument) -> Iterator[ForeignLink]:
    for key, value in document.matter.fields.items():
        if key in _INVERSE or key in _FORWARD:
            line = document.matter.lines.get(key, 0)
            for text in _values(value):
                yield from _of_field(key, text, line)


def _of_fields(document: ArtifactDocument) -> Iterator[ForeignLink]:
    for field in document.fields:
        if field.name in _INVERSE or field.name in _FORWARD:
            yield from _of_field(field.name, field.value, field.line)
        elif field.name in ("status", "adr-status") and document.status.value:
            # Otherwise it has the choices of a template.
            yield from _of_sentence(field.value, field.line)
        elif field.name == "superseded":
            yield from _of_sentence(f"superseded {field.value}", field.line)


def _lines(document: ArtifactDocument, section: Section) -> Iterator[tuple[int, str]]:
    """The lines below a heading with their numbers."""
    end = min(section.end, section.start + MAX_SECTION)
    body = document.prose[section.start : end].split("\n")
    yield from enumerate(body[1:], section.first_line + 1)


def _of_field(name: str, value: str, line: int) -> Iterator[ForeignLink]:
    """The links of a value whose name says their kind."""
    is_inverse = name in _INVERSE
    kind = _INVERSE[name] if is_inverse else _FORWARD[name]
    text = f"{name}: {value}"
    for target in _EACH.finditer(value):
        link = ForeignLink(kind, is_inverse, _targets(target[0]), line, text)
        yield _unless_part(link, value, target.span())
    if _EACH.search(value) is None:
        # A number, or the id that another tool gives records.
        for part in (part.strip(" \"'`") for part in value.split(",")):
            if _BARE.fullmatch(part) or re.fullmatch(r"\S+", part):
                yield ForeignLink(kind, is_inverse, _targets(part), line, text)


def _of_line(text: str, line: int, *, is_item: bool, is_listed: bool) -> Iterator[ForeignLink]:
    """The links of a line of a section. Without a kind they count only in a list of links."""
    text = text.strip()
    known = list(_of_sentence(text, line, at_start=is_item))
    if known:
        yield from known
        return
    match = None if text.startswith("ADR") else _ANY_VERB.match(text)
    # A status is a word, too: `Accepted [in the meeting](notes.md)`.
    is_status = match is not None and any(True for _ in find_status_words(match["verb"]))
    rest = text[match.end() :] if match else text
    targets = _TARGETS.match(rest)
    if targets is None or is_status or (match is None and not is_listed):
        return
    for target in _EACH.findall(targets["targets"]):
        kind = "" if match else "related"
        yield ForeignLink(kind, False, _targets(target), line, text, is_typed=match is not None)


def _of_sentence(text: str, line: int, *, at_start: bool = False) -> Iterator[ForeignLink]:
    """The links behind words that say their kind, such as `superseded by`."""
    text = _COMMENT.sub("", text[:2_000])
    for match in _VERB.finditer(text):
        if at_start and text[: match.start()].strip(" *_`"):
            return
        if re.search(r"\b(?:not|never|no longer)\W*$", text[: match.start()], re.IGNORECASE):
            continue
        name = "superseded-by" if match["noted"] else re.sub("[- ]", "-", match["verb"].lower())
        is_inverse = name in _INVERSE
        # `Superseded ADR-2` is active, or lacks a word.
        kind = _INVERSE[name] if is_inverse else _FORWARD.get(name, "")
        if targets := _TARGETS.match(text, match.end()):
            for target in _EACH.finditer(text, *targets.span("targets")):
                link = ForeignLink(kind, is_inverse, _targets(target[0]), line, text)
                yield _unless_part(link, text, target.span())
        elif kind in ("supersedes", ""):
            # `supersedes section 3 of ADR-10`
            rest = re.split(r"[.;,]\s", text[match.end() : match.end() + MAX_CLAUSE])[0]
            if named := _EACH.search(rest):
                yield ForeignLink("", is_inverse, _targets(named[0]), line, text)


def _unless_part(link: ForeignLink, clause: str, span: tuple[int, int]) -> ForeignLink:
    """A link to the target at a span of a clause. No edge replaces a part of a record."""
    is_part = link.kind == "supersedes" and concerns_part(clause, *span)
    return link._replace(kind="") if is_part else link


def _targets(target: str) -> tuple[str, ...]:
    """The address of a Markdown link and its text, else the text itself without brackets."""
    link = re.fullmatch(r"\[([^\[\]]*)\](?:\(([^()\s]*)[^()]*\))?", target)
    named = (link[2] or "", link[1]) if link else (target,)
    return tuple(one.strip() for one in named if one.strip())


def _values(value: FrontmatterValue) -> Iterator[str]:
    """The texts of a value; of a mapping its `id`, `target`, `path` or `link`."""
    if isinstance(value, str):
        yield " ".join(value.split())
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)
    else:
        for key in ("id", "target", "path", "link", "adr"):
            if isinstance(named := value.get(key), str):
                yield named
                return
