"""The form of the decision records that a directory has: file names, heading, fields, sections.

A new record gets the form of those that are there, so that it looks like its neighbours.
"""

# Governing: ADR-0049 (an edit is verified by reading), SPEC-0024 REQ "The form of a record"

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import PurePosixPath
from typing import Literal, TypeVar

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.document import ArtifactDocument, read_document
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.artifacts.frontmatter import Frontmatter
from sdd_hooks.artifacts.identifiers import LABEL
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import FOLDER_PAGES
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_RECORDS = 10
"""Records that are looked at: those with the highest numbers, which have the form of today."""

MIN_CONSTANT = 3
"""Records that have one value for a key, from which on it is none of a single record."""

_SHARE = 0.5
"""The share of these records that has what belongs to the form."""

_PREFIX = r"[A-Z]{2,}(?:[-_][A-Za-z]{1,30}){0,4}"
_NAME = lazy_regex(
    r"(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P<after_date>[-_. ]))?"
    rf"(?P<prefix>(?:(?:[A-Za-z]+|{_PREFIX})[-_. ])?)(?P<digits>[0-9]{{1,5}})"
    r"(?:(?P<separator>(?i:adr|rfc)?[-_. ]+)(?P<slug>.+))?",
)
_DATE_NAME = lazy_regex(
    r"[0-9]{4}(?P<dash>-?)[0-9]{2}(?P=dash)[0-9]{2}(?P<separator>[-_. ])(?P<slug>.+)"
)
_HEADING = lazy_regex(
    rf"(?P<before>(?:(?i:ADR|{_PREFIX})[-_ #]?)?)(?P<digits>[0-9]{{1,5}})"
    r"(?P<after>(?:[.:)]|[ ]?[—–-]|[ ]?\|)?[ ]+)"
)

StatusPlace = Literal["frontmatter", "field", "section"]

_Key = TypeVar("_Key")


class FileNameForm(NamedTuple):
    """How files are named: `ADR-`, four digits, `-`, words joined by `-`, `.md`.

    `capitals` is whether the words begin with capitals. Without a `separator` there are no words.
    `after_date` is what follows a date at the beginning, "" for no date. A form of the `width` 0
    has no number: with `dash` the date is in its place, as in `20200131-use-queues.md` (""), or
    `2020-01-31-use-queues.md` ("-"); without, the words are all. With a `page`, the record is a
    folder with that file.
    """

    prefix: str = "ADR-"
    width: int = 4
    separator: str = "-"
    joiner: str = "-"
    suffix: str = ".md"
    capitals: bool = False
    after_date: str = ""
    dash: str | None = None
    page: str = ""

    def name(self, number: int, title: str, date: str) -> str:
        """The name of the file of a record. `date` is ISO."""
        words = re.findall(r"[^\W_]+", title.replace("'", ""))
        slug = self.joiner.join(
            word.capitalize() if self.capitals else word.lower() for word in words
        )
        slug = slug[:80].rstrip(self.joiner) or "decision"
        if self.dash is not None:
            name = f"{date.replace('-', self.dash)}{self.separator}{slug}"
        elif not self.width:
            name = slug
        else:
            before = f"{date}{self.after_date}{self.prefix}" if self.after_date else self.prefix
            words_after = f"{self.separator}{slug}" if self.separator else ""
            name = f"{before}{number:0{self.width}d}{words_after}"
        return f"{name}/{self.page}" if self.page else f"{name}{self.suffix}"

    def number_of(self, name: str) -> int:
        """The number in the name of a record with this prefix, 0 for none."""
        match = re.match(rf"{re.escape(self.prefix)}([0-9]{{1,5}})(?![0-9])", name)
        return int(match[1]) if match and self.width else 0


class HeadingForm(NamedTuple):
    """What is before the title in the heading: `ADR-`, four digits, `: `; no digits for 0."""

    before: str = "ADR-"
    width: int = 4
    after: str = ": "

    def heading(self, number: int, title: str) -> str:
        """The text of the heading of a record."""
        return f"{self.before}{number:0{self.width}d}{self.after}{title}" if self.width else title


class RecordForm(NamedTuple):
    """The form of a record. `sample` is the text of the newest record that has it, "" for none.

    `directory` is that of the files, `has_numbers` whether the ids are numbers. `sections` are the
    titles of the usual sections of level 2, `fields` the names of the usual fields below the
    heading. `constants` are the keys of the frontmatter whose value all of these records share.
    """

    directory: str
    has_numbers: bool = True
    file_name: FileNameForm = FileNameForm()
    heading: HeadingForm = HeadingForm()
    status: StatusPlace = "frontmatter"
    sections: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()
    sample: str = ""
    constants: frozenset[str] = frozenset()


def find_record_form(directory: str, records: Sequence[tuple[Artifact, str]]) -> RecordForm:
    """The form of the records in a directory, each given with its text.

    Without a record it is MADR's with the names that this project recommends.
    """
    named = [one for one in records if one[0].id.name]
    has_numbers = len(named) <= len(records) / 2
    alike = [one for one in records if not one[0].id.name] if has_numbers else named
    # Without numbers, dates at the beginning of the names tell which are the newest.
    newest = sorted(alike, key=lambda one: (one[0].id.number, one[0].path))[-MAX_RECORDS:]
    if not newest:
        return RecordForm(directory)
    documents = [(artifact, read_document(text, "ADR"), text) for artifact, text in newest]
    headings = [_heading(document) for _, document, _ in documents]
    places = [_place(artifact) for artifact, _, _ in documents]
    place = _most([one for one in places if one]) or "frontmatter"
    sections = _sections([document for _, document, _ in documents])
    fitting = [
        text
        for (_, document, text), found in zip(documents, places, strict=True)
        if found == place and set(sections) <= set(_titles(document))
    ]
    sample = (fitting or [text for _, _, text in documents])[-1]
    # Records of two forms have sections that never occur together.
    in_sample = _titles(read_document(sample, "ADR"))
    sections = tuple(title for title in sections if title in in_sample)
    return RecordForm(
        directory,
        has_numbers,
        _file_name([artifact.path for artifact, _, _ in documents]),
        _most(headings) or HeadingForm("", 0, ""),
        place,
        sections,
        frozenset(_usual(({one.name for one in document.fields} for _, document, _ in documents))),
        sample,
        _constants([document.matter for _, document, _ in documents]),
    )


def _constants(matters: Sequence[Frontmatter]) -> frozenset[str]:
    """The keys that have one value in all records, of which there are at least three."""
    first, *others = matters
    if len(others) < MIN_CONSTANT - 1:
        return frozenset()
    return frozenset(
        key
        for key, value in first.fields.items()
        if value and all(one.fields.get(key) == value for one in others)
    )


def _file_name(paths: Sequence[str]) -> FileNameForm:
    """The form of the names that most of these files have."""
    files = [PurePosixPath(path) for path in paths]
    pages = [path.name for path in files if path.stem.lower() in FOLDER_PAGES]
    page = _most(pages) or "" if len(pages) > _SHARE * len(files) else ""
    if page:
        files = [path.parent.with_name(f"{path.parent.name}{path.suffix}") for path in files]
    named = {path: _NAME.fullmatch(path.stem) for path in files}
    dated = [
        match
        for path, name in named.items()
        if not (name and name["date"]) and (match := _DATE_NAME.fullmatch(path.stem))
    ]
    found = [(path, match) for path, match in named.items() if match]
    if len(dated) > len(files) / 2 or not found or len(found) < len(files) / 2:
        slugs = [match["slug"] for match in dated] or [path.stem for path in files]
        separator, dash = (dated[-1]["separator"], dated[-1]["dash"]) if dated else ("", None)
        form = FileNameForm("", 0, separator, _joiner(slugs), files[-1].suffix)
        capitals = _is_usual(slugs, lambda slug: slug[:1].isupper())
        return form._replace(capitals=capitals, dash=dash, page=page)
    parts = ("prefix", "separator", "after_date")
    prefix, separator, after_date, suffix = _most(
        [(*(match[part] or "" for part in parts), path.suffix) for path, match in found]
    ) or ("ADR-", "-", "", ".md")
    widths = [len(match["digits"]) for _, match in found]
    slugs = [match["slug"] or "" for _, match in found]
    joiner = _joiner(slugs)
    capitals = _is_usual(slugs, lambda slug: slug[:1].isupper())
    width = _most(widths) or 4
    form = FileNameForm(prefix, width, separator, joiner, suffix, capitals, after_date)
    return form._replace(page=page)


def _joiner(slugs: Sequence[str]) -> str:
    if _is_usual(slugs, lambda slug: " " in slug):
        return " "
    return "_" if _is_usual(slugs, lambda slug: "_" in slug and "-" not in slug) else "-"


def _heading(document: ArtifactDocument) -> HeadingForm:
    section = next((one for one in document.sections if one.level == 1), None)
    has_id = section and (document.heading_id or LABEL.match(section.title))
    match = _HEADING.match(section.title) if section and has_id else None
    if match is None or match.end() == len(match.string):
        return HeadingForm("", 0, "")
    return HeadingForm(match["before"], len(match["digits"]), match["after"])


def _place(artifact: Artifact) -> StatusPlace | None:
    origin = artifact.status.origin
    return None if origin == "none" else origin


def _sections(documents: Sequence[ArtifactDocument]) -> tuple[str, ...]:
    """The sections that are usual, in the order in which the newest record has them."""
    usual = _usual([set(_titles(document)) for document in documents])
    positions = {title: at for document in documents for at, title in enumerate(_titles(document))}
    return tuple(sorted(usual, key=lambda title: positions[title]))


def _titles(document: ArtifactDocument) -> list[str]:
    titles = (one.title for one in document.sections if one.level == 2)
    return [title for title in titles if normalize_field_name(title)]


def _usual(groups: Iterable[Set[str]]) -> list[str]:
    """What is in enough of the groups."""
    listed = list(groups)
    counts = Counter(value for group in listed for value in group)
    return [value for value, count in counts.items() if count >= _SHARE * len(listed)]


def _is_usual(values: Iterable[str], has: Callable[[str], bool]) -> bool:
    found = [has(value) for value in values]
    return bool(found) and sum(found) > _SHARE * len(found)


def _most(values: Sequence[_Key]) -> _Key | None:
    """The most frequent value; of several, the last."""
    counts = Counter(reversed(values))
    return max(counts, key=lambda value: counts[value]) if counts else None
