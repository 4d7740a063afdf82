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
from sdd_hooks.text.lazy_regex import lazy_regex

PENDING = frozenset({"proposed", "draft", "review"})
"""The statuses of a record that is not decided yet."""

_PEOPLE = ("decision-makers", "deciders", "authors", "author")
_MAX_PEOPLE = 200
_FORMAT = "--format=%x01%as%x02%aN%x02%s"
# What a forge adds to the subject of a squashed pull request.
_PULL = lazy_regex(r"\(([#!][0-9]{1,9})\)\s*$")


class FirstCommit(NamedTuple):
    """The first commit with a file: its date (ISO), its author, and the pull request it names."""

    date: str
    author: str
    pull: str = ""


class RecordOrigin(NamedTuple):
    """Since when there is a record (ISO date), who decides or wrote it, its pull request; or ""."""

    since: str
    people: str
    pull: str = ""

    @property
    def who(self) -> str:
        """The people and the pull request, as far as they are known."""
        return ", ".join(filter(None, (self.people, self.pull)))


class WaitingRecord(NamedTuple):
    """A record without a decision. It waits for `days`, None without a date."""

    artifact: Artifact
    origin: RecordOrigin
    days: int | None


def find_first_commits(git: Git, paths: Sequence[str]) -> Mapping[str, FirstCommit]:
    """Find the first commit that added each path. A repository without a commit has none."""
    if not paths:
        return {}
    log = ("log", "--no-renames", "--diff-filter=A", "--name-only", "-z", _FORMAT)
    output = git.try_output("--literal-pathspecs", *log, "HEAD", "--", *paths) or b""
    found: dict[str, FirstCommit] = {}
    for entry in output.split(b"\x01")[1:]:
        head, _, names = entry.partition(b"\0")
        day, author, subject = head.decode("utf-8", "replace").split("\x02", 2)
        pull = _PULL.search(subject)
        first = FirstCommit(day, one_line(author), pull[1] if pull else "")
        # The log begins with the last commit.
        found.update((os.fsdecode(name.strip(b"\n")), first) for name in names.split(b"\0"))
    return found


def origin_of(artifact: Artifact, first: FirstCommit | None) -> RecordOrigin:
    """What a record says of its date and its people, otherwise what its first commit says."""
    people = next((text for name in _PEOPLE if (text := _listed(artifact, name))), "")
    first = first or FirstCommit("", "")
    return RecordOrigin(artifact.date or first.date, people or first.author, first.pull)


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


def is_overdue(days: int | None, within: int) -> bool:
    """Whether a record waits for more days than `within`; 0 is no limit."""
    return 0 < within < (days or 0)


def describe_overdue(
    artifacts: Iterable[Artifact], git: Git, today: date, within: int
) -> Mapping[str, str]:
    """A line about each record that waits for more than `within` days (0: none), by its path."""
    return {
        one.artifact.path: f"{one.artifact.name} is {one.artifact.status.value} for {one.days} days"
        f" (`Review Within` is {within}): decide it{one.origin.who and f', {one.origin.who}'}"
        for one in (find_waiting(artifacts, git, today) if within else ())
        if is_overdue(one.days, within)
    }


def days_since(day: str, today: date) -> int | None:
    """The days from an ISO date to `today`, at least 0; None for a text that is no date."""
    with suppress(ValueError):
        return max(0, (today - date.fromisoformat(day)).days)
    return None
