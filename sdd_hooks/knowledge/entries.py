"""Patterns and lessons: the entries of the knowledge base, and the JSON files that hold them."""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Entries"

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Literal

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import split_mark
from sdd_hooks.text.lazy_regex import lazy_regex

EntryKind = Literal["pattern", "lesson"]

KINDS: tuple[EntryKind, ...] = ("pattern", "lesson")

FOLDERS: Mapping[EntryKind, str] = {"pattern": "patterns", "lesson": "lessons"}

MAX_FILE_BYTES = 1 << 20
"""A larger file is no entry."""

MAX_TEXT = 20_000
"""The most characters of a text of an entry."""

MAX_TAGS = 30
MAX_SUMMARY = 120

_ID = lazy_regex(r"[a-z0-9][a-z0-9_.-]{0,99}")
_FORBIDDEN_ID = lazy_regex(r".*\.\..*|.*\.|.*\.json")
_SENTENCE = lazy_regex(r"(?s).+?[.!?](?=\s|$)")
_TEXTS: Mapping[EntryKind, tuple[str, ...]] = {
    "pattern": ("name", "problem", "solution", "example"),
    "lesson": ("trigger", "context", "advice"),
}
_REQUIRED: Mapping[EntryKind, tuple[str, ...]] = {
    "pattern": ("id", "name", "tags", "problem", "solution"),
    "lesson": ("id", "tags", "trigger", "context", "advice"),
}
_MAIN: Mapping[EntryKind, str] = {"pattern": "name", "lesson": "advice"}


class EntryRefused(SddError):
    """An entry, a draft or an id that cannot be saved. The message names the field."""

    exit_code = EXIT_USAGE
    code = "knowledge"


class InvalidEntry(ValueError):
    """The value of a file that is no entry, no index or no draft, and what is wrong with it."""


class ReusablePattern(NamedTuple):
    """A reusable design. `example` "" is none. `further` are fields that sdd does not know."""

    id: str
    name: str
    tags: tuple[str, ...]
    problem: str
    solution: str
    example: str = ""
    further: tuple[tuple[str, object], ...] = ()


class Lesson(NamedTuple):
    """A gap between expectation and reality, and what to do about it.

    `trigger` is the phase and the domain in which to recall it: `designing-auth`. `further` are
    fields that sdd does not know.
    """

    id: str
    tags: tuple[str, ...]
    trigger: str
    context: str
    advice: str
    further: tuple[tuple[str, object], ...] = ()


Entry = ReusablePattern | Lesson


def kind_of(entry: Entry) -> EntryKind:
    """Whether the entry is a pattern or a lesson."""
    return "pattern" if isinstance(entry, ReusablePattern) else "lesson"


def entry_file(kind: EntryKind, identifier: str) -> str:
    """The file of an entry, relative to the knowledge base."""
    return f"{FOLDERS[kind]}/{identifier}.json"


def entry_data(entry: Entry) -> dict[str, object]:
    """The fields of an entry as JSON values, in the order of the template."""
    data = entry._asdict()
    further = dict(data.pop("further"))
    data["tags"] = list(entry.tags)
    if not data.get("example", "-"):
        del data["example"]
    return {**data, **further}


def entry_text(entry: Entry) -> str:
    """The content of the file of an entry. It is valid JSON, and can be read as the same entry.

    Raises EntryRefused for an entry whose file could not be read.
    """
    text = to_json(entry_data(entry), indent=2) + "\n"
    try:
        same = parse_entry(kind_of(entry), parse_json(text.encode())) == entry
    except ValueError as error:
        raise EntryRefused(f"{kind_of(entry)} {entry.id!a} {error}") from None
    if not same:
        raise EntryRefused(f"{kind_of(entry)} {entry.id!a} changes when it is read again")
    return text


def to_json(data: object, indent: int | None = None) -> str:
    """`data` as JSON that parses to the same data. Raises EntryRefused for a value it has not."""
    try:
        text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)
        text.encode()
        same = json.loads(text) == data
    except (ValueError, TypeError, RecursionError) as error:
        raise EntryRefused(f"this is no JSON: {error}") from None
    if not same:
        raise EntryRefused("this changes when it is read again as JSON: use text as keys")
    return text


def parse_json(data: bytes) -> object:
    """Parse UTF-8 JSON. Raises ValueError for anything else, NaN and lone surrogates included."""
    try:
        value = json.loads(split_mark(data)[1].decode(), parse_constant=_refuse_constant)
        if b"\\u" in data:
            # An escape may stand for half of a character.
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise InvalidEntry("nested too deeply") from None
    return value


def parse_entry(kind: EntryKind, data: object) -> Entry:
    """Parse the value of a file. Raises ValueError with what is wrong."""
    if not isinstance(data, dict):
        raise InvalidEntry("is no JSON object")
    missing = [name for name in _REQUIRED[kind] if name not in data]
    if missing:
        raise InvalidEntry(f"lacks {', '.join(missing)}")
    texts = {name: _text(data, name) for name in _TEXTS[kind]}
    identifier = check_id(_text(data, "id"))
    tags = clean_tags(data["tags"])
    known = {"id", "tags", *_TEXTS[kind]}
    further = tuple((key, value) for key, value in data.items() if key not in known)
    if not texts[_MAIN[kind]].strip():
        raise InvalidEntry(f"{_MAIN[kind]} is empty")
    if kind == "pattern":
        return ReusablePattern(identifier, tags=tags, further=further, **texts)
    return Lesson(identifier, tags=tags, further=further, **texts)


def check_id(identifier: str) -> str:
    """Return an id that can name a file. Raises ValueError."""
    if not _ID.fullmatch(identifier) or _FORBIDDEN_ID.fullmatch(identifier):
        shown = ascii(identifier[:60])
        raise InvalidEntry(f"{shown} is no id: use lower-case letters, digits, '-', '_' and '.'")
    return identifier


def clean_tags(tags: object) -> tuple[str, ...]:
    """Return tags as they are compared: in lower case, with `-` for spaces, each once.

    Raises ValueError for another value than a list of texts.
    """
    if not isinstance(tags, (list, tuple)) or not all(isinstance(tag, str) for tag in tags):
        raise InvalidEntry("tags is no list of texts")
    cleaned = dict.fromkeys(tag for tag in map(clean_tag, tags) if tag)
    if len(cleaned) > MAX_TAGS:
        raise InvalidEntry(f"has {len(cleaned)} tags: {MAX_TAGS} are the most")
    return tuple(cleaned)


def clean_tag(tag: str) -> str:
    """Return a tag in lower case, with `-` for spaces, without punctuation around it."""
    words = re.sub(r"[\s,;|]+", "-", clean_text(tag).lower())
    return words.strip("-#`\"'.")[:60].rstrip("-")


def clean_text(text: str) -> str:
    """Return a text that UTF-8 can express: bytes of arguments that are no text are replaced."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").strip()


def summarize(entry: Entry) -> str:
    """One line for a quick check whether the entry is relevant."""
    if isinstance(entry, ReusablePattern):
        return one_line(f"{entry.name}: {entry.problem}" if entry.problem else entry.name)
    return one_line(entry.advice)


def title_of(entry: Entry) -> str:
    """What a table calls the entry: the name of a pattern, the first sentence of a lesson."""
    if isinstance(entry, ReusablePattern):
        return one_line(entry.name)
    text = " ".join(entry.advice.split())
    first = _SENTENCE.match(text)
    return one_line((first[0] if first else text).rstrip("."))


def one_line(text: str, limit: int = MAX_SUMMARY) -> str:
    """The text on one line of at most `limit` characters, cut between words."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head = cut.rpartition(" ")[0] if " " in cut[limit // 2 :] else cut
    return head.rstrip(" ,;:-") + "…"


def known_fields(kind: EntryKind) -> Iterable[str]:
    """The fields of an entry of this kind, in their order."""
    return (ReusablePattern if kind == "pattern" else Lesson)._fields[:-1]


def empty_form(kind: EntryKind) -> dict[str, object]:
    """The fields of the template of a kind, without values, to be filled in."""
    from importlib import resources

    text = resources.files(__package__).joinpath("templates", f"{kind}.json").read_text("utf-8")
    return {name: type(value)() for name, value in json.loads(text).items()}


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name, "")
    if value is None and name == "example":
        return ""
    if not isinstance(value, str):
        raise InvalidEntry(f"{name} is no text")
    if len(value) > MAX_TEXT:
        raise InvalidEntry(f"{name} has {len(value)} characters: {MAX_TEXT} are the most")
    return value


def _refuse_constant(name: str) -> object:
    raise InvalidEntry(f"{name} is no JSON")
