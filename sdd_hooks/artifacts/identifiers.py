"""Artifact ids: as data, in file names and headings, and wherever a text mentions one.

Padding differs between a file, its heading and the texts that mention it, so ids are compared by
number. Text in any spelling that people use is read; `ADR-0012` is the one that is written.
"""

# Governing: SPEC-0002 REQ "Identifiers in every spelling"

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sdd_hooks.text.lazy_regex import lazy_regex

ArtifactKind = Literal["ADR", "SPEC"]

MAX_RANGE = 64
"""A range of more ids than this (`ADR-0001..9999`) is read as its two ends."""


MAX_HEADING = 500
"""Longer titles are cut here."""


@dataclass(frozen=True, order=True, slots=True)
class ArtifactId:
    """A kind, a number, the letter after it (`0034a`), and the module of another project part.

    `str()` is the canonical spelling: `ADR-0012`, `ADR-0034a`, `[api]/SPEC-0007`.
    """

    kind: ArtifactKind
    number: int
    suffix: str = ""
    module: str = ""

    def __str__(self) -> str:
        prefix = f"[{self.module}]/" if self.module else ""
        return f"{prefix}{self.kind}-{self.number:04d}{self.suffix}"


@dataclass(frozen=True, slots=True)
class IdReference:
    """A mention of an artifact, at the character offsets `start` to `end` of the text."""

    id: ArtifactId
    start: int
    end: int


_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

# What may follow a number: no digit, no letter, no decimal, no rest of a date.
_NUMBER_END = r"(?![0-9A-Za-z]|\.[0-9]|-[0-9]{2}-[0-9]{2}(?![0-9]))"
# A letter is part of the id behind a padded number only: 3d is no id.
_DIGITS = r"(?P<number>[0-9]{1,5})(?P<suffix>(?:(?<=[0-9]{3})[a-z])?)"
_NUMBER = _DIGITS + _NUMBER_END

_NAME = lazy_regex(
    rf"""(?:{_DATE}[-_. ])?
    (?:(?P<kind>adr|spec)[-_. ]?|decision[-_. ]|(?:madr|rfc)[-_. ])?
    {_DIGITS}(?=[-_. ]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_DATE_NAME = lazy_regex(rf"{_DATE}(?:$|[^0-9])")

_HEADING = lazy_regex(
    rf"""[\[(*_`]*
    (?:(?P<kind>adr|spec|decision|architecture\ decision(?:\ record)?|decision\ record)s?
       (?:[ ]*[-_#:.]?[ ]*)\#?)?
    {_DIGITS}(?![0-9A-Za-z]|[.,][0-9])
    [\])*_`]*""",
    re.VERBOSE | re.IGNORECASE,
)
_BARE_HEADING = lazy_regex(r"\s*(?:[.:)\]—–|-]|$)")
_HEADING_LABEL = lazy_regex(
    r"""[\[(*_`]*(?:(?:adr|spec)(?:-[x0n?]+)?|(?:architecture\ )?decision\ record)[\])*_`]*
    \s*(?:[:—–]|-\s)\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_AFTER_ID = lazy_regex(r"\s*(?:design\s*)?(?:[.:)|—–-]+)?\s*", re.IGNORECASE)

# `ADR`, then anything people put between it and the number. Lower-case `spec` is also a word of
# the language, and needs a hyphen and a padded number.
_MENTION = lazy_regex(
    rf"""(?<![A-Za-z0-9])
    (?: (?P<adr>(?i:adr)) (?P<adrs>(?i:s)?)
        (?: [ \t]?[*_`"']{{0,3}}[ \t]?:[*_`"'\[ \t]{{0,8}}\#?(?=[0-9]{{3}})
          | /(?:{_DATE}[-_])?
          | [\s\-_#(\[*`"'№–]{{0,4}}(?:no\.?[ ]?)?
        )
      | SPEC(?P<specs>[sS]?) [\s\-_#(\[*`:]{{0,4}}
      | spec[-_#](?=[0-9]{{3}})
    )
    {_NUMBER}""",
    re.VERBOSE,
)

# What may stand between the ids of one mention. A hyphen is none: in `adr-012-3-add-index` the 3
# is a step.
_NEXT = lazy_regex(
    rf"""(?P<link>\]\([^()\s]{{0,200}}\))?
    (?: (?P<range>\.\.\.?|…|–|[ ](?:–|through|thru)[ ]) (?:(?i:adr|spec)s?[-_ \#]?)?
      | [`*\])]{{0,2}}
        (?:\s?(?:,|;|/|&|\+|、|・)\s?(?:(?:and|or|&)\s)?|\s(?:and|or|&)\s)
        [\#\[*`]{{0,3}} )
    {_NUMBER}""",
    re.VERBOSE,
)
_MODULE = lazy_regex(r"\[([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\]/\Z")


def find_id_references(text: str) -> Iterator[IdReference]:
    """Every ADR and spec that the text mentions, in order, in any spelling people use.

    A list (`ADRs 0015/0017`) or a range (`ADR-0105..0108`) yields each of its ids. Never raises.
    """
    position = 0
    while match := _MENTION.search(text, position):
        kind: ArtifactKind = "ADR" if match["adr"] else "SPEC"
        plural = bool(match["adrs"] or match["specs"])
        module = _module_before(text, match.start())
        start = match.start() - (len(module) + 3 if module else 0)
        first = ArtifactId(kind, int(match["number"]), match["suffix"], module)
        yield IdReference(first, start, match.end())
        position = match.end()
        previous = match
        while following := _NEXT.match(text, position):
            a, b = previous["number"], following["number"]
            padded = len(a) == len(b) >= 3 and (a[0] == "0") == (b[0] == "0")
            if following["range"]:
                yield from _range(first, following)
            elif plural or padded:
                first = ArtifactId(kind, int(following["number"]), following["suffix"], module)
                yield IdReference(first, following.start("number"), following.end())
            else:
                break
            position = following.end()
            previous = following


def _range(first: ArtifactId, match: re.Match[str]) -> Iterator[IdReference]:
    last = int(match["number"])
    start = first.number + 1 if last - first.number < MAX_RANGE else last
    for number in range(start, last + 1) if last > first.number else (last,):
        found = ArtifactId(first.kind, number, "", first.module)
        yield IdReference(found, match.start("number"), match.end())


def _module_before(text: str, start: int) -> str:
    if not text.endswith("]/", 0, start):
        return ""
    match = _MODULE.search(text[max(0, start - 70) : start])
    return match[1] if match else ""


def parse_id(text: str, kind: ArtifactKind | None = None, module: str = "") -> ArtifactId | None:
    """The one id that `text` spells, None when it spells none or several.

    A bare number is an id of `kind`. What names no module of its own belongs to `module`.
    """
    text = text.strip()
    found = list(find_id_references(text[:300]))
    if len(found) == 1:
        first = found[0].id
        return first if first.module else replace(first, module=module)
    if found or kind is None:
        return None
    bare = re.fullmatch(r"#?([0-9]{1,5})([a-z]?)", text)
    return ArtifactId(kind, int(bare[1]), bare[2], module) if bare else None


_LINK = lazy_regex(r"\[[^\[\]]{0,300}\]\(([^()\s]{1,300})\)")


def find_ids(text: str, kind: ArtifactKind, module: str = "") -> tuple[ArtifactId, ...]:
    """Ids that a short text names by spelling them or by linking to a record of `kind`, in order.

    `Superseded by [0009](0009-use-queues.md)` names ADR-0009. Only the first 4,000 characters are
    read.
    """
    text = text[:4_000]
    found = [(reference.start, reference.id) for reference in find_id_references(text)]
    spelled = [start for start, _ in found]
    for link in _LINK.finditer(text):
        if not any(link.start() <= start < link.end() for start in spelled):
            name = re.split("[#?]", link[1])[0].rsplit("/", 1)[-1]
            linked = id_from_name(re.sub(r"\.mdx?$", "", name), kind)
            found += [(link.start(), linked)] if linked else []
    ids = (i if i.module else replace(i, module=module) for _, i in sorted(found))
    return tuple(dict.fromkeys(ids))


def id_from_name(name: str, kind: ArtifactKind, module: str = "") -> ArtifactId | None:
    """The id in the name of a file or folder (without its ending), None when it has no number.

    A leading date is no number, and a name of the other kind (`spec-0001` among ADRs) has none.
    """
    match = _NAME.match(name)
    if not match or (match["kind"] and match["kind"].upper() != kind):
        return None
    if not name.startswith(match["number"]) or not _DATE_NAME.match(name):
        return ArtifactId(kind, int(match["number"]), match["suffix"].lower(), module)
    return None


def split_heading(
    title: str, kind: ArtifactKind, module: str = ""
) -> tuple[ArtifactId | None, str]:
    """The id that a document's title begins with, and the title without it.

    `ADR-0012: T`, `ADR 012 — T`, `57. T`, `[SPEC-0007] T`. A number that is part of the sentence
    (`3 ways to log`) is left there.
    """
    title = title[:MAX_HEADING].strip()
    if title.startswith("**") and title.endswith("**"):
        title = title[2:-2].strip()
    match = _HEADING.match(title)
    if match:
        named = (match["kind"] or "").upper()
        fits = named == kind if named in ("ADR", "SPEC") else kind == "ADR" or not named
        if fits and (named or _BARE_HEADING.match(title, match.end())):
            found = ArtifactId(kind, int(match["number"]), match["suffix"].lower(), module)
            return found, _without_label(title, match.end())
    if label := _HEADING_LABEL.match(title):
        return None, title[label.end() :].strip()
    return None, title


def _without_label(title: str, end: int) -> str:
    after = _AFTER_ID.match(title, end)
    return title[after.end() if after else end :].strip()
