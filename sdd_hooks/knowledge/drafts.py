"""Drafts of patterns and lessons: JSON from people and agents, with what may be left out added."""

# Governing: SPEC-0028 REQ "Recording"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal, TypeVar, get_args

from sdd_hooks.knowledge.entries import (
    Entry,
    EntryKind,
    EntryRefused,
    InvalidEntry,
    Lesson,
    check_id,
    clean_tag,
    clean_tags,
    clean_text,
    kind_of,
    known_fields,
    parse_entry,
    parse_json,
)
from sdd_hooks.knowledge.same_advice import COMMON_WORDS
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

Level = Literal["project-wide", "domain-specific", "feature-specific"]
Action = Literal["SAVE", "MERGE", "PROMOTE", "SKIP"]

ACTIONS: tuple[Action, ...] = get_args(Action)
LEVELS: tuple[Level, ...] = get_args(Level)

MAX_DRAFTS = 1_000

PHASES: Mapping[str, str] = {
    "design": "designing",
    "plan": "planning",
    "implement": "implementing",
    "implementation": "implementing",
    "guard": "guard-check",
    "review": "guard-check",
}
"""The phase of a trigger by the stage of the project."""

_DEFAULT_PHASE = "implementing"
_DERIVED_TAGS = 4
_MAX_ID_WORDS = 5
Choice = TypeVar("Choice", bound=str)

_WORD = lazy_regex(r"[^\W_]+(?:[-_.][^\W_]+)*")
_PLAIN_VERBS_TEXT = """
add adds added call calls called change changes changed check checks checked create creates
created close closes set sets run runs running store stores stored return returns send show
write writes read reads include includes exclude pass passes start stop wait apply applies
assume expect expected match matches handle handles remove removes prevent allow allows exactly
extra new old single second first last next correctly properly
"""
_PLAIN_VERBS = frozenset(_PLAIN_VERBS_TEXT.split())


class Surroundings(NamedTuple):
    """What a draft is completed from: the stage and the features of the project.

    `unique` is set where branches add entries apart: an id then ends with a digest of its text.
    """

    stage: str = ""
    feature: str = ""
    features: tuple[str, ...] = ()
    unique: bool = False


class Draft(NamedTuple):
    """An entry that may be saved. `level` and `answer` are None unless they were stated.

    `feature` is the feature that it comes from, "" if unknown. `has_id` is whether the id was
    stated, `has_tags` whether tags were.
    """

    entry: Entry
    level: Level | None = None
    answer: Action | None = None
    feature: str = ""
    has_id: bool = False
    has_tags: bool = False

    @property
    def kind(self) -> EntryKind:
        """Whether it is a pattern or a lesson."""
        return kind_of(self.entry)

    @property
    def advice(self) -> str:
        """The text that is compared: the advice of a lesson, the solution of a pattern."""
        entry = self.entry
        return entry.advice if isinstance(entry, Lesson) else entry.solution or entry.name


def parse_drafts(data: bytes, around: Surroundings) -> list[Draft]:
    """Parse a file of drafts: one object, a list, or an object with the list `drafts`.

    An object with `patterns` and `lessons` has lists, too. Raises EntryRefused with the number of
    the draft.
    """
    try:
        value = parse_json(data)
    except ValueError as error:
        raise EntryRefused(f"the drafts are no JSON: {error}") from None
    items = list(_items(value))
    if len(items) > MAX_DRAFTS:
        raise EntryRefused(f"{len(items)} drafts: {MAX_DRAFTS} are the most at once")
    drafts = []
    for number, (kind, item) in enumerate(items, 1):
        try:
            drafts.append(parse_draft(kind, item, around))
        except ValueError as error:
            raise EntryRefused(f"draft {number} {error}") from None
    return drafts


def parse_draft(kind: EntryKind | None, item: object, around: Surroundings) -> Draft:
    """Parse one draft; without `kind`, its fields tell it. Raises ValueError."""
    if not isinstance(item, dict):
        raise InvalidEntry("is no JSON object")
    fields = dict(item)
    kind = _kind(kind, fields)
    level = _choice(fields.pop("level", None), LEVELS, "level")
    answer = _choice(fields.pop("action", None), ACTIONS, "action")
    feature = fields.pop("feature", "") or around.feature
    unknown = set(fields) - set(known_fields(kind))
    if unknown:
        known = ", ".join((*known_fields(kind), "type", "level", "action", "feature"))
        raise InvalidEntry(f"has the unknown field {min(unknown)!r}: it is one of {known}")
    if not isinstance(feature, str):
        raise InvalidEntry("feature is no text")
    fields = {name: _cleaned(value) for name, value in fields.items() if value is not None}
    has_id, has_tags = bool(fields.get("id")), bool(fields.get("tags"))
    entry = parse_entry(kind, {**_defaults(kind, fields, around), **_given(fields)})
    return Draft(entry, level, answer, feature, has_id, has_tags)


def derive_tags(text: str) -> tuple[str, ...]:
    """The first words of a text that say what it is about."""
    words = (clean_tag(word) for word in _WORD.findall(text))
    kept = (
        word
        for word in words
        if len(word) > 1
        and not word.isdigit()
        and word not in COMMON_WORDS
        and word not in _PLAIN_VERBS
    )
    return tuple(list(dict.fromkeys(kept))[:_DERIVED_TAGS])


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, and the parts of those with hyphens or dots, as tags."""
    words = [part for word in _WORD.findall(text) for part in (word, *re.split(r"[-_.]", word))]
    tags = dict.fromkeys(map(clean_tag, words))
    return tuple(filter(None, tags))


def make_id(kind: EntryKind, text: str, *, unique: bool) -> str:
    """An id out of the first words of a text. With `unique`, it ends with a digest of the text."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    words = re.findall(r"[a-z0-9]+", clean_text(text).lower())
    kept = [word for word in words if word not in COMMON_WORDS] or words
    name = "-".join(kept[:_MAX_ID_WORDS])[:60].strip("-")
    if not name:
        return f"{kind}-{digest[:8]}"
    return f"{name}-{digest[:6]}" if unique else name


def make_trigger(around: Surroundings, tags: Sequence[str]) -> str:
    """The phase of the project's stage and the domain of the first tag: `designing-auth`."""
    stage = around.stage.lower()
    phase = next((name for start, name in PHASES.items() if stage.startswith(start)), "")
    if stage.startswith(tuple(PHASES.values())):
        phase = next(name for name in PHASES.values() if stage.startswith(name))
    return "-".join([phase or _DEFAULT_PHASE, *tags[:1]])


def _items(value: object) -> Iterator[tuple[EntryKind | None, object]]:
    if isinstance(value, list):
        yield from ((None, item) for item in value)
        return
    if not isinstance(value, dict):
        raise EntryRefused("the drafts are no JSON object or list")
    lists: dict[str, EntryKind | None] = {
        "drafts": None,
        "patterns": "pattern",
        "lessons": "lesson",
    }
    if not set(value) & set(lists):
        yield None, value
        return
    for name, kind in lists.items():
        items = value.get(name, [])
        if not isinstance(items, list):
            raise EntryRefused(f"{name!r} of the drafts is no list")
        yield from ((kind, item) for item in items)


def _kind(kind: EntryKind | None, fields: dict[str, object]) -> EntryKind:
    stated = fields.pop("type", None)
    if stated is not None:
        named = str(stated).lower()
        if named not in {"pattern", "lesson"} or (kind and named != kind):
            raise InvalidEntry(f"has the type {named!r}: it is pattern or lesson")
        return "pattern" if named == "pattern" else "lesson"
    if kind:
        return kind
    if "advice" in fields:
        return "lesson"
    if {"name", "solution"} & set(fields):
        return "pattern"
    raise InvalidEntry("is neither: a lesson has advice, a pattern has a name and a solution")


def _defaults(
    kind: EntryKind, fields: Mapping[str, object], around: Surroundings
) -> dict[str, object]:
    main = fields.get("name" if kind == "pattern" else "advice")
    text = main if isinstance(main, str) else ""
    stated = fields.get("tags")
    tags = clean_tags(stated) if stated else derive_tags(text)
    base: dict[str, object] = {"id": make_id(kind, text, unique=around.unique), "tags": list(tags)}
    if kind == "pattern":
        return {**base, "name": text, "problem": "", "solution": ""}
    return {**base, "trigger": make_trigger(around, tags), "context": "", "advice": text}


def _given(fields: Mapping[str, object]) -> dict[str, object]:
    """The stated fields, without the empty ones that have a default."""
    optional = ("id", "tags", "trigger")
    given = {name: value for name, value in fields.items() if value or name not in optional}
    if isinstance(given.get("id"), str):
        given["id"] = check_id(str(given["id"]))
    if isinstance(given.get("trigger"), str):
        given["trigger"] = clean_tag(str(given["trigger"]))
    return given


def _cleaned(value: object) -> object:
    return clean_text(value) if isinstance(value, str) else value


def _choice(value: object, choices: Sequence[Choice], name: str) -> Choice | None:
    if value is None or value == "":
        return None
    for choice in choices:
        if isinstance(value, str) and value.strip().lower().replace(" ", "-") == choice.lower():
            return choice
    raise InvalidEntry(f"has the {name} {value!r}: it is one of {', '.join(choices)}")
