"""Evidence from records that say what they apply to: patterns of paths, and symbols.

Records without such entries have no score, and the kind has no vote where no record has one.
"""

# Governing: ADR-0036 (a record says what it applies to), ADR-0020 (a decision is found by equal
# votes of evidence)

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdd_hooks.artifacts.applies_to import AppliesTo, AppliesToEntry, read_applies_to
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.evidence.records import DecisionRecord
from sdd_hooks.review.references.words.query import ChangeQuery

MAX_PATTERNS = 2_000
"""Entries of all records that are compared with a change."""
MAX_PATHS = 1_000
"""Files of the repository by which the share that a record applies to is estimated."""


class Applying(NamedTuple):
    """An entry of a record that matches a change, and the changed file; a line only for a symbol.

    The line is one that the change adds.
    """

    entry: AppliesToEntry
    path: str
    line: int = 0


class RecordReach(NamedTuple):
    """What a record applies to among the changed files. `score` is from 0 to 1."""

    score: float
    first: Applying | None


def find_reach(
    query: ChangeQuery, records: Sequence[DecisionRecord], paths: Sequence[str]
) -> list[RecordReach]:
    """Find what each record applies to, in order. `paths` are the files of the repository.

    The score is the share of the changed files, times the share of the repository to which the
    record does not apply: a record that applies to everything tells nothing.
    """
    sample = paths[:: max(1, -(-len(paths) // MAX_PATHS))]
    room = MAX_PATTERNS
    reach = []
    for record in records:
        applies = read_applies_to(record.artifact, record.text)
        room -= len(applies.entries)
        reach.append(_reach(query, applies, sample) if room >= 0 else RecordReach(0.0, None))
    return reach


def _reach(query: ChangeQuery, applies: AppliesTo, sample: Sequence[str]) -> RecordReach:
    if not applies.entries:
        return RecordReach(0.0, None)
    matching = [
        found
        for file in query.files
        if (found := _find_symbol(query, applies, file.path) or _find_pattern(applies, file.path))
    ]
    if not matching:
        return RecordReach(0.0, None)
    everywhere = sum(bool(applies.match(path)) for path in sample) / max(1, len(sample))
    return RecordReach(len(matching) * query.share * (1 - everywhere), matching[0])


def _find_pattern(applies: AppliesTo, path: str) -> Applying | None:
    entry = applies.match(path)
    return Applying(entry, path) if entry else None


def _find_symbol(query: ChangeQuery, applies: AppliesTo, path: str) -> Applying | None:
    for entry in applies.symbols:
        name = entry.last_name
        if name.lower() in query.identifiers:
            names = _whole_word(name)
            for line in query.added.get(path, ()):
                if names(line.text):
                    return Applying(entry, path, line.number)
    return None


def _whole_word(name: str) -> Callable[[str], bool]:
    """Whether a line has a name that is not a part of a longer one. The case matters."""

    def has(line: str) -> bool:
        start = line.find(name)
        while start >= 0:
            end = start + len(name)
            if not (_is_name(line[start - 1 : start]) or _is_name(line[end : end + 1])):
                return True
            start = line.find(name, end)
        return False

    return has


def _is_name(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")
