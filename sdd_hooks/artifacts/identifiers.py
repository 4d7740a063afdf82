"""Artifact ids: parse them in file names, headings and prose, and format them.

Padding differs between a file, its heading and the texts that mention it, so ids are compared by
number. Every common spelling is read; the written one is `ADR-0012`. The id of an artifact without
such a number is its name (`names`): `20201103-use-lunr`, `use-kafka`, `PAY-0001`.
"""

# Governing: SPEC-0002 REQ "Identifiers in every spelling"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import record_stem
from sdd_hooks.text.lazy_regex import lazy_regex

ArtifactKind = Literal["ADR", "SPEC"]

MAX_RANGE = 64
"""A range of more ids than this (`ADR-0001..9999`) yields its two ends only."""

MAX_HEADING = 500
"""Longer titles, in characters, are cut."""


class ArtifactId(NamedTuple):
    """The kind, number, letter suffix (`0034a`) and module of an artifact.

    `origin` is the name of the repository that it is in, "" for this one. `name` is what an
    artifact without a number is called, "" for one with a number. `str()` returns the canonical
    spelling: `ADR-0012`, `ADR-0034a`, `[api]/SPEC-0007`, `acme/ADR-0012`, `[api]/use-kafka`.
    """

    kind: ArtifactKind
    number: int
    suffix: str = ""
    module: str = ""
    origin: str = ""
    name: str = ""

    def __str__(self) -> str:
        prefix = f"{self.origin}/" if self.origin else ""
        return f"{prefix}[{self.module}]/{self.bare}" if self.module else f"{prefix}{self.bare}"

    @property
    def bare(self) -> str:
        """The spelling without module and origin."""
        return self.name or f"{self.kind}-{self.number:04d}{self.suffix}"

    @property
    def order(self) -> tuple[bool, int, str, str]:
        """The key that sorts numbers before names."""
        return bool(self.name), self.number, self.suffix, self.name


class IdReference(NamedTuple):
    """An id in a text, between the character offsets `start` and `end`."""

    id: ArtifactId
    start: int
    end: int


_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

# A number must not be followed by a digit, a letter, decimals, or the rest of a date.
_NUMBER_END = r"(?![0-9A-Za-z]|\.[0-9]|-[0-9]{2}-[0-9]{2}(?![0-9]))"
# A letter belongs to the id only after a padded number: 3d is not an id.
_DIGITS = r"(?P<number>[0-9]{1,5})(?P<suffix>(?:(?<=[0-9]{3})[a-z])?)"
_NUMBER = _DIGITS + _NUMBER_END

_NAME = lazy_regex(
    rf"""(?:{_DATE}[-_. ])?
    (?:(?P<kind>adr|spec)[-_. ]?|decision[-_. ]|(?:madr|rfc)[-_. ])?
    {_DIGITS}(?=(?:adr|rfc)?[-_. ]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_DATE_NAME = lazy_regex(rf"{_DATE}(?:$|[^0-9])")

_HEADING = lazy_regex(
    rf"""[\[(*_`]*
    (?:(?P<kind>adr|spec|decision|architecture\ decision(?:\ record)?|decision\ record)s?
       (?:[ ]*[-_#:.]?[ ]*)\#?)?
    {_DIGITS}(?![0-9A-Za-z]|[.,][0-9]|-[0-9]{{2}}-[0-9]{{2}}(?![0-9]))
    [\])*_`]*""",
    re.VERBOSE | re.IGNORECASE,
)
_BARE_HEADING = lazy_regex(r"\s*(?:[.:：·・)\]—–|]|-(?![A-Za-z])|(?<=[0-9]{3})-|$)")
_HEADING_LABEL = lazy_regex(
    r"""[\[(*_`]*(?:(?:adr|spec)(?:-[x0n?]+)?|(?:architecture\ )?decision\ record)[\])*_`]*
    \s*(?:[:：·・—–]|-\s)\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_AFTER_ID = lazy_regex(r"\s*(?:design\s*)?(?:[.:：·・•)|—–-]+)?\s*", re.IGNORECASE)

# `ADR`, then any common separator before the number. Lower-case `spec` is also an English word, and
# needs a hyphen and a padded number. The first letter comes before the look-behind:
# `re` goes to the next of a few letters faster than it looks behind at each place.
_MENTION = lazy_regex(
    rf"""[aAsS](?<![A-Za-z0-9].)
    (?: (?P<adr>(?<=[aA])(?i:dr)) (?P<adrs>(?i:s)?)
        (?: [ \t]?[*_`"']{{0,3}}[ \t]?:[*_`"'\[ \t]{{0,8}}\#?(?=[0-9]{{3}})
          | /(?:{_DATE}[-_])?
          | [\s\-_#(\[*`"'№–]{{0,4}}(?:no\.?[ ]?)?
        )
      | (?<=S)PEC(?P<specs>[sS]?) [\s\-_#(\[*`:]{{0,4}}
      | (?<=s)pec[-_#](?=[0-9]{{3}})
    )
    {_NUMBER}""",
    re.VERBOSE,
)

_LOWER_CASE_SPECS = ("spec-", "spec_", "spec#")

# Between the ids of a list. A hyphen does not separate ids: in `adr-012-3-add-index` the 3 is a
# step.
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

Origins = Mapping[str, str]
"""The names, in lower case, that stand before the ids of other repositories, each with the
`origin` of these ids: `acme` in `acme/ADR-0012`. A path that ends so (`docs/acme/ADR-0012`) is
none."""

NO_ORIGINS: Origins = MappingProxyType({})


class NamedOrigins(dict[str, str]):
    """Origins that find the names of artifacts without a number, too."""

    def find_named(self, text: str, labelled: bool = False) -> Sequence[IdReference]:
        """The names in a text, in order. With `labelled`, a usual word may be one."""
        raise NotImplementedError

    @property
    def spelled(self) -> Sequence[str]:
        """What the names depend on."""
        raise NotImplementedError


_MAX_ORIGIN = 400
"""Characters before an id in which the name of a repository is looked for."""

_ORIGIN = lazy_regex(r"[\w.~+@/-]+/\Z")


def may_have_references(text: str, folded: str) -> bool:
    """Whether `find_id_references` may find an id in a text, which is `folded` in lower case.

    Few texts with the word `spec` have an id, and a search takes several times as long as this.
    """
    if "adr" in folded:
        return True
    return "spec" in folded and ("SPEC" in text or any(one in text for one in _LOWER_CASE_SPECS))


def find_id_references(
    text: str, origins: Origins = NO_ORIGINS, *, labelled: bool = False
) -> Iterator[IdReference]:
    """Yield every ADR and spec id in the text, in order and in any common spelling. Never raises.

    A list (`ADRs 0015/0017`) or a range (`ADR-0105..0108`) yields each of its ids. Without
    `origins`, all ids are of this repository. `labelled` is as in `NamedOrigins`.
    """
    named = isinstance(origins, NamedOrigins) and origins.find_named(text, labelled)
    if not named:
        yield from _find_numbered(text, origins)
        return
    end = 0
    # A number within a name or its path is a part of it.
    for one in sorted((*named, *_find_numbered(text, origins)), key=lambda one: one.start):
        if one.id.name or one.start >= end:
            end = max(end, one.end)
            yield one


def _find_numbered(text: str, origins: Origins) -> Iterator[IdReference]:
    position = 0
    for candidate in _starts(text):
        match = _MENTION.match(text, candidate) if candidate >= position else None
        if match is None:
            continue
        kind: ArtifactKind = "ADR" if match["adr"] else "SPEC"
        plural = bool(match["adrs"] or match["specs"])
        module = _module_before(text, match.start())
        start = match.start() - (len(module) + 3 if module else 0)
        origin, start = _origin_before(text, start, origins)
        first = ArtifactId(kind, int(match["number"]), match["suffix"], module, origin)
        yield IdReference(first, start, match.end())
        position = match.end()
        previous = match
        while following := _NEXT.match(text, position):
            a, b = previous["number"], following["number"]
            padded = len(a) == len(b) >= 3 and (a[0] == "0") == (b[0] == "0")
            if following["range"]:
                yield from _range(first, following)
            elif plural or padded:
                first = first._replace(number=int(following["number"]), suffix=following["suffix"])
                yield IdReference(first, following.start("number"), following.end())
            else:
                break
            position = following.end()
            previous = following


def _starts(text: str) -> Iterator[int]:
    """Yield where a mention may begin, in order.

    `find` looks for words ten times as fast as a pattern looks at each `a` and `s`.
    """
    folded = text.lower()
    if len(folded) != len(text):
        # The one letter whose lower case is two.
        folded = text.replace("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "I").lower()
    adr, spec = folded.find("adr"), folded.find("spec")
    while adr >= 0 or spec >= 0:
        if spec < 0 or 0 <= adr < spec:
            yield adr
            adr = folded.find("adr", adr + 1)
        else:
            yield spec
            spec = folded.find("spec", spec + 1)


def _range(first: ArtifactId, match: re.Match[str]) -> Iterator[IdReference]:
    last = int(match["number"])
    start = first.number + 1 if last - first.number < MAX_RANGE else last
    for number in range(start, last + 1) if last > first.number else (last,):
        identifier = first._replace(number=number, suffix="")
        yield IdReference(identifier, match.start("number"), match.end())


def _module_before(text: str, start: int) -> str:
    if not text.endswith("]/", 0, start):
        return ""
    match = _MODULE.search(text[max(0, start - 70) : start])
    return match[1] if match else ""


def _origin_before(text: str, start: int, origins: Origins) -> tuple[str, int]:
    """The origin of the id at `start` and where it begins; "" and `start` for this repository."""
    if not origins or not text.endswith("/", 0, start):
        return "", start
    match = _ORIGIN.search(text[max(0, start - _MAX_ORIGIN) : start])
    name = match[0][:-1] if match else ""
    origin = origins.get(name.lower(), "")
    return (origin, start - len(name) - 1) if origin else ("", start)


def parse_id(
    text: str,
    kind: ArtifactKind | None = None,
    module: str = "",
    origins: Origins = NO_ORIGINS,
) -> ArtifactId | None:
    """Parse the one id in `text`. None: it has none or several.

    A bare number is an id of `kind`. An id without a module belongs to `module`, unless it is one
    of another repository.
    """
    text = text.strip()
    if not text:
        return None
    references = list(find_id_references(text[:300], origins))
    if len(references) == 1:
        return in_module(references[0].id, module)
    if references or kind is None:
        return None
    bare = re.fullmatch(r"#?([0-9]{1,5})([a-z]?)", text)
    return ArtifactId(kind, int(bare[1]), bare[2], module) if bare else None


def parse_reference(
    text: str, kind: ArtifactKind | None = None, origins: Origins = NO_ORIGINS
) -> ArtifactId:
    """The id that a text is, as `parse_id` reads it, else a name with its module."""
    if identifier := parse_id(text, kind, origins=origins):
        return identifier
    module, _, name = text.strip().rpartition("]/")
    return ArtifactId(kind or "ADR", 0, "", module.removeprefix("["), "", name)


def grep_expression(identifier: ArtifactId) -> str:
    """The extended expression of grep(1) for the id in common spellings, in any letter case."""
    number = f"{identifier.kind}[-_ ]?0*{identifier.number}{identifier.suffix}"
    spelled = re.escape(identifier.name) or number
    return rf"(^|[^A-Za-z0-9]){spelled}([^0-9A-Za-z]|$)"


def in_module(identifier: ArtifactId, module: str) -> ArtifactId:
    """An id of this repository without a module as one of `module`; any other id as it is."""
    is_bare = not (identifier.module or identifier.origin)
    return identifier._replace(module=module) if is_bare else identifier


MAX_IDS_TEXT = 4_000
"""Characters of a text in which `find_ids` looks."""

_LINK = lazy_regex(r"\[[^\[\]]{0,300}\]\(([^()\s]{1,300})\)")

RECORD_SUFFIX = lazy_regex(r"\.(?:mdx?|markdown|rst|adoc|asciidoc|html?)$", re.IGNORECASE)
"""The suffix of the file or the page of a record."""
# The suffix of a file is not a part of the name.
_NAME_ALONE = lazy_regex(r"(?!tbd$|none$|null$|n/?a$)(?=.*[^\W\d])\w[\w-]{1,200}", re.IGNORECASE)
LABEL = lazy_regex(
    r"(?:[A-Z]{2,}(?:[-_][A-Za-z]{1,30}){0,4}[-_ ]?[0-9]{2,5}"
    r"|(?i:[a-z]{2,}(?:[-_][a-z]{1,30}){0,4}[-_]0[0-9]{1,4}))(?=[-_.: ]|$)"
)
"""A number with a prefix at the beginning of a name or title: `PAY-0001`, `RFC-12`."""


def find_ids(
    text: str, kind: ArtifactKind, module: str = "", origins: Origins = NO_ORIGINS
) -> tuple[ArtifactId, ...]:
    """Return the ids that a short text spells, or links to as records of `kind`, in order.

    `Superseded by [0009](0009-use-queues.md)` names ADR-0009, and a link to `use-queues.md` the
    record of that name, whether there is one or not. Only the first MAX_IDS_TEXT characters are
    read.
    """
    text = text[:MAX_IDS_TEXT]
    found = find_id_references(text, origins)
    positions = [(reference.start, reference.id) for reference in found]
    spelled = [start for start, _ in positions]
    for link in _LINK.finditer(text):
        if not any(link.start() <= start < link.end() for start in spelled):
            linked = id_from_link(link[1], kind)
            positions += [(link.start(), linked)] if linked else []
    ids = (in_module(identifier, module) for _, identifier in sorted(positions))
    return tuple(dict.fromkeys(ids))


def id_from_name(name: str, kind: ArtifactKind, module: str = "") -> ArtifactId | None:
    """Parse the id in the name of a file or folder, without its suffix. None: it has no number.

    A leading date is not a number. A name of the other kind (`spec-0001` among ADRs) has no id.
    """
    match = _NAME.match(name)
    if not match or (match["kind"] and match["kind"].upper() != kind):
        return None
    if not name.startswith(match["number"]) or not _DATE_NAME.match(name):
        return ArtifactId(kind, int(match["number"]), match["suffix"].lower(), module)
    return None


def id_from_link(target: str, kind: ArtifactKind, module: str = "") -> ArtifactId | None:
    """The id of the record whose file a link or a path leads to. None: it cannot be a record's."""
    path = re.split("[#?]", target)[0]
    name = RECORD_SUFFIX.sub("", path.rsplit("/", 1)[-1])
    if identifier := id_from_name(name, kind, module):
        return identifier
    if "://" in path or not RECORD_SUFFIX.search(path):
        return None
    name = path.split("/")[-2:][0] if kind == "SPEC" else record_stem(path)
    numbered = id_from_name(name, kind, module)
    return numbered or (named_id(kind, name, module) if name.strip(".") else None)


def name_in_text(text: str, kind: ArtifactKind, module: str = "") -> ArtifactId | None:
    """The id of the record whose name is the whole text. None: no file is called so."""
    prefix, _, name = text.strip(" `\"'\t\n").rpartition("]/")
    if not _NAME_ALONE.fullmatch(name):
        return None
    return named_id(kind, name, prefix.removeprefix("[") or module)


def named_id(kind: ArtifactKind, name: str, module: str = "") -> ArtifactId:
    """The id of an artifact whose file or folder is called so: `PAY-0001` of `PAY-0001-retries`."""
    label = LABEL.match(name)
    return ArtifactId(kind, 0, "", module, "", label[0] if label else name)


def split_heading(
    title: str, kind: ArtifactKind, module: str = ""
) -> tuple[ArtifactId | None, str]:
    """Split a document's title into the id at its beginning and the rest.

    `ADR-0012: T`, `ADR 012 — T`, `57. T`, `[SPEC-0007] T`. A number that is part of the sentence
    (`3 ways to log`, `3-axis model`) stays in the title.
    """
    title = title[:MAX_HEADING].strip()
    if title.startswith("**") and title.endswith("**"):
        title = title[2:-2].strip()
    if not title:
        return None, ""
    match = _HEADING.match(title)
    if match:
        named = (match["kind"] or "").upper()
        fits = named == kind if named in ("ADR", "SPEC") else kind == "ADR" or not named
        if fits and (named or _BARE_HEADING.match(title, match.end())):
            identifier = ArtifactId(kind, int(match["number"]), match["suffix"].lower(), module)
            return identifier, _without_label(title, match.end())
    if label := _HEADING_LABEL.match(title):
        return None, title[label.end() :].strip()
    return None, title


def _without_label(title: str, end: int) -> str:
    after = _AFTER_ID.match(title, end)
    return title[after.end() if after else end :].strip()
