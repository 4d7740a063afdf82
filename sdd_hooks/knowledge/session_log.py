"""The log of a session, `.sdd/logs/session.md`: what happened, until lessons are drawn from it.

An event is an item of a list, with its time, its kind and its text on one line. The items below it
are fields of the lesson that may follow from it.
"""

# Governing: SPEC-0028 REQ "Session log"

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from sdd_hooks.errors import EXIT_USAGE, SddError, StorageError
from sdd_hooks.knowledge.entries import clean_text
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import LOGS_DIRECTORY
from sdd_hooks.system.files import open_state, read_state, state_directory, write_atomically
from sdd_hooks.text.lazy_regex import lazy_regex

LOG_FILE = "session.md"

MAX_LOG_BYTES = 16 << 20

EventKind = Literal["note", "task", "correction", "drift", "guardrail", "obstacle", "surprise"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)

GAPS: Mapping[EventKind, str] = MappingProxyType(
    {
        "correction": "designing",
        "drift": "implementing",
        "guardrail": "guard-check",
        "obstacle": "implementing",
        "surprise": "implementing",
    }
)
"""The kinds of events from which lessons are drawn, with the phase in which they happen. What went
as expected is none."""

FIELDS = ("advice", "tags", "trigger")

_HEAD = "# Session log\n\n"
_EVENT = lazy_regex(r"- (?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (?P<kind>[a-z]+): (?P<text>.*)$")
_FIELD = lazy_regex(rf"  - (?P<name>{'|'.join(FIELDS)}): (?P<value>.*)$")


class EmptyEvent(SddError):
    """An event without a text."""

    exit_code = EXIT_USAGE
    code = "usage"


class Event(NamedTuple):
    """An event: when (ISO, UTC), its kind, its text, and fields of the lesson that may follow."""

    time: str
    kind: EventKind
    text: str
    fields: Mapping[str, str] = MappingProxyType({})


class SessionLog(NamedTuple):
    """The events of the log, and its content when it was read."""

    events: tuple[Event, ...]
    content: bytes = b""


def log_path(root: Path) -> Path:
    """The file of the log. Raises StorageError if a directory above it is a symlink."""
    return state_directory(root, *LOGS_DIRECTORY.split("/")) / LOG_FILE


def make_event(kind: EventKind, text: str, fields: Mapping[str, str], now: float) -> Event:
    """Make an event. `now` is in seconds since the epoch. Raises EmptyEvent."""
    line = _line(text)
    if not line:
        raise EmptyEvent("the event is empty: say what happened")
    when = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
    given = {name: value for name in FIELDS if (value := _line(fields.get(name, "")))}
    return Event(when.strftime("%Y-%m-%dT%H:%M:%SZ"), kind, line, given)


def append_events(root: Path, events: tuple[Event, ...]) -> None:
    """Append events with one write. The caller holds the lock. Raises StorageError."""
    path = log_path(root)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = open_state(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            head = _HEAD if not size else ""
            if size and _last_byte(descriptor, size) != b"\n":
                # A killed process left the beginning of a line.
                head = "\n"
            data = (head + "".join(map(_render, events))).encode()
            if os.write(descriptor, data) != len(data):
                os.ftruncate(descriptor, size)
                raise StorageError(f"cannot write {path} (the disk is full): free some space")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(f"cannot write {path} ({error.strerror}): check it") from None


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def read_log(root: Path) -> SessionLog:
    """Read the events of the log; none without it. Lines of other forms are passed over."""
    try:
        data = read_state(log_path(root), MAX_LOG_BYTES)
    except FileNotFoundError:
        return SessionLog(())
    return SessionLog(tuple(parse_events(data.decode("utf-8", "replace"))), data)


def clear_log(root: Path, content: bytes) -> None:
    """Remove what was read from the beginning of the log. The caller holds the lock.

    A log that begins with something else was cleared by another process, and stays.
    """
    path = log_path(root)
    try:
        data = read_state(path, MAX_LOG_BYTES)
    except FileNotFoundError:
        return
    if not data.startswith(content):
        return
    rest = data[len(content) :]
    write_atomically(path, _HEAD.encode() + rest if rest else b"", durable=True)


def parse_events(text: str) -> Iterator[Event]:
    """Yield the events of a log in order."""
    event: Event | None = None
    for line in text.split("\n"):
        started, field = _EVENT.match(line), _FIELD.match(line)
        if started and started["kind"] in EVENT_KINDS:
            if event:
                yield event
            kind = next(one for one in EVENT_KINDS if one == started["kind"])
            event = Event(started["time"], kind, started["text"])
        elif field and event:
            event = event._replace(fields={**event.fields, field["name"]: field["value"]})
    if event:
        yield event


def lesson_drafts(log: SessionLog) -> list[dict[str, object]]:
    """The drafts of lessons that follow from the events, as parse_drafts reads them."""
    drafts: list[dict[str, object]] = []
    for event in log.events:
        phase = GAPS.get(event.kind)
        if phase is None:
            continue
        tags = [tag.strip() for tag in event.fields.get("tags", "").split(",") if tag.strip()]
        draft: dict[str, object] = {
            "type": "lesson",
            "context": event.text,
            "advice": event.fields.get("advice") or event.text,
            "trigger": event.fields.get("trigger") or "-".join([phase, *tags[:1]]),
        }
        drafts.append({**draft, "tags": tags} if tags else draft)
    return drafts


def _render(event: Event) -> str:
    lines = [f"- {event.time} {event.kind}: {event.text}\n"]
    lines += [f"  - {name}: {value}\n" for name, value in event.fields.items()]
    return "".join(lines)


def _line(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in clean_text(text))
    return " ".join(printable.split())
