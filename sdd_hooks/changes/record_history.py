"""Since when there is a record, who wrote it, and which proposals wait for a decision."""

# Governing: SPEC-0024 REQ "Status", SPEC-0020 REQ "Timeline", ADR-0003 (one module talks to git)

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import one_line

PENDING = frozenset({"proposed", "draft", "review"})
"""The statuses of a record that is not decided yet."""

_PEOPLE = ("decision-makers", "deciders", "authors", "author")
_MAX_PEOPLE = 200


class FirstCommit(NamedTuple):
    """The first commit with a file: its date (ISO, as its author wrote it) and its author."""

    date: str
    author: str


class RecordOrigin(NamedTuple):
    """Since when there is a record (ISO date), and who decides or wrote it; "" if unknown."""

    since: str
    people: str


class WaitingRecord(NamedTuple):
    """A record without a decision. It waits for `days`, None without a date."""

    artifact: Artifact
    origin: RecordOrigin
    days: int | None


def find_first_commits(git: Git, paths: Sequence[str]) -> Mapping[str, FirstCommit]:
    """Find the first commit that added each path. A repository without a commit has none."""
    if not paths:
        return {}
    log = ("log", "--no-renames", "--diff-filter=A", "--name-only", "-z", "--format=%x01%as%x02%aN")
    output = git.try_output("--literal-pathspecs", *log, "HEAD", "--", *paths) or b""
    found: dict[str, FirstCommit] = {}
    for entry in output.split(b"\x01")[1:]:
        head, _, names = entry.partition(b"\0")
        day, _, author = head.decode("utf-8", "replace").partition("\x02")
        first = FirstCommit(day, one_line(author))
        # The log begins with the last commit.
        found.update((os.fsdecode(name.strip(b"\n")), first) for name in names.split(b"\0"))
    return found


def origin_of(artifact: Artifact, first: FirstCommit | None) -> RecordOrigin:
    """What a record says of its date and its people, otherwise what its first commit says."""
    people = next((text for name in _PEOPLE if (text := _listed(artifact, name))), "")
    return RecordOrigin(
        artifact.date or (first.date if first else ""), people or (first.author if first else "")
    )


def _listed(artifact: Artifact, name: str) -> str:
    value = artifact.frontmatter.get(name, "")
    values = value if isinstance(value, list) else [value]
    return one_line(", ".join(str(one) for one in values if one))[:_MAX_PEOPLE]


def find_waiting(artifacts: Iterable[Artifact], git: Git, today: date) -> tuple[WaitingRecord, ...]:
    """Return the records without a decision, those that wait longest first."""
    waiting = [one for one in artifacts if one.status.value in PENDING]
    first = find_first_commits(git, [one.path for one in waiting])
    found = []
    for artifact in waiting:
        origin = origin_of(artifact, first.get(artifact.path))
        found.append(WaitingRecord(artifact, origin, days_since(origin.since, today)))
    return tuple(sorted(found, key=lambda one: (-(one.days or 0), one.artifact.path)))


def days_since(day: str, today: date) -> int | None:
    """The days from an ISO date to `today`, at least 0; None for a text that is no date."""
    with suppress(ValueError):
        return max(0, (today - date.fromisoformat(day)).days)
    return None
