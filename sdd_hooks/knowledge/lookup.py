"""Find the entries that matter: by tags, and lessons by the phase of work, too.

A lookup reads the index, and then the files of the entries that it shows.
"""

# Governing: SPEC-0028 REQ "Lookup"

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.knowledge.entries import Entry, clean_tag, clean_tags
from sdd_hooks.knowledge.index import IndexEntry, KnowledgeIndex
from sdd_hooks.knowledge.store import read_entry
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KnowledgePlace

MAX_LOADED = 5
"""Entries that a lookup loads unless more are requested."""


class EmptyLookup(SddError):
    """A lookup has no tag and no phase."""

    exit_code = EXIT_USAGE
    code = "usage"


class Wanted(NamedTuple):
    """What to look for: any of the tags (none: every entry), and any of the phases.

    A phase may have wildcards (`designing-*`); without a domain (`designing`) it covers every one.
    """

    tags: tuple[str, ...]
    phases: tuple[str, ...]
    limit: int = MAX_LOADED


class FoundEntry(NamedTuple):
    """An entry that matches, with the tags in common."""

    entry: Entry
    tags: tuple[str, ...]


class Found(NamedTuple):
    """The entries that were loaded, the most tags in common first.

    `left_out` are those that match and were not loaded, `warnings` are about files.
    """

    entries: tuple[FoundEntry, ...]
    left_out: tuple[IndexEntry, ...]
    warnings: tuple[str, ...]


def parse_wanted(tags: Iterable[str], phases: Iterable[str], limit: int = MAX_LOADED) -> Wanted:
    """Parse tags and phases, several of which may be separated by commas.

    Raises EmptyLookup without any.
    """
    separated = [part for text in tags for part in text.split(",")]
    wanted = clean_tags([tag for tag in separated if tag.strip()])
    named = dict.fromkeys(clean_tag(part) for text in phases for part in text.split(","))
    phases = tuple(phase for phase in named if phase)
    if not wanted and not phases:
        raise EmptyLookup("name what to look up: --tags auth,jwt or --phase 'designing-*'")
    return Wanted(wanted, phases, limit)


def match_entries(
    index: KnowledgeIndex, wanted: Wanted
) -> list[tuple[IndexEntry, tuple[str, ...]]]:
    """Return the entries that match and the tags in common, the best first. Reads no file.

    A pattern belongs to no phase: without tags, none matches.
    """
    tags = frozenset(wanted.tags)
    found = []
    for one in index:
        common = tuple(tag for tag in one.tags if tag in tags)
        if tags and not common:
            continue
        if one.kind == "pattern" and not tags:
            continue
        if one.kind == "lesson" and not matches_phase(one.trigger, wanted.phases):
            continue
        found.append((one, common))
    return sorted(found, key=lambda match: (-len(match[1]), match[0].kind, match[0].id))


def matches_phase(trigger: str, phases: Sequence[str]) -> bool:
    """Whether a lesson is recalled in one of the phases (none: in any).

    Wildcards count on both sides: a trigger may be `designing-*`, too.
    """
    if not phases:
        return True
    own = trigger.lower()
    return any(
        fnmatchcase(own, phase) or fnmatchcase(phase, own) or own.startswith(f"{phase}-")
        for phase in phases
    )


def load_matches(place: KnowledgePlace, index: KnowledgeIndex, wanted: Wanted) -> Found:
    """Load the entries that match, at most as many as the limit. Reads no other file."""
    matches = match_entries(index, wanted)
    entries: list[FoundEntry] = []
    warnings: list[str] = []
    for one, common in matches[: wanted.limit]:
        try:
            entries.append(FoundEntry(read_entry(place, one.kind, one.id), common))
        except FileNotFoundError:
            warnings.append(f"{place.base}/{one.file} is missing: run `sdd knowledge reindex`")
        except ValueError as error:
            warnings.append(f"{place.base}/{one.file}: {error}: correct it, or delete it")
    left_out = tuple(one for one, _ in matches[wanted.limit :])
    return Found(tuple(entries), left_out, tuple(warnings))
