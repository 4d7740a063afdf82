"""Compare what is listed with the facts, by layout, and what is read of the sampled records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.discovery.facts import KnownRepository
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.project.recognition import parents

READ = ("title", "status", "date")
_MARKUP = re.compile(r"[\s`*_\\]+")


class Score(NamedTuple):
    """The layouts of the records of a repository, of those found and of what is falsely listed;
    how many titles, statuses and dates are known, and how many misread; all errors as lines."""

    records: Counter[str]
    found: Counter[str]
    false: Counter[str]
    known: Counter[str]
    misread: Counter[str]
    errors: tuple[str, ...]


def score(known: KnownRepository, listed: Iterable[Artifact]) -> Score:
    """Compare what is listed with what is known. A false one counts for the layout nearest to it.

    A record counts as found only as what it is, a decision or a specification, and as misread
    where it is not found.
    """
    artifacts = {one.path: one for one in listed if one.path not in known.either}
    kinds = {path: one.kind.lower() for path, one in artifacts.items()}
    layouts = {path: record.layout for path, record in known.records.items()}
    found = {path for path, record in known.records.items() if kinds.get(path) == record.kind}
    false = sorted(artifacts.keys() - found)
    read = list(_read(known, artifacts))
    misread = [(name, line) for name, is_right, line in read if not is_right]
    return Score(
        Counter(layouts.values()),
        Counter(layouts[path] for path in found),
        Counter(_nearest(path, layouts) for path in false),
        Counter(name for name, *_ in read),
        Counter(name for name, _ in misread),
        (
            *(f"missed {known.name}: {path}" for path in sorted(layouts.keys() - found)),
            *(f"false {known.name}: {path}" for path in false),
            *(f"misread {known.name}: {line}" for _, line in misread),
        ),
    )


def _read(
    known: KnownRepository, artifacts: Mapping[str, Artifact]
) -> Iterator[tuple[str, bool, str]]:
    """Yield the name of each known value, whether it is read rightly, and how it is read."""
    for path, reading in known.readings.items():
        one = artifacts.get(path)
        values = (one.title, one.status.value or "none", one.date) if one else (None,) * len(READ)
        for name, value, wanted in zip(READ, values, reading, strict=True):
            if wanted is not None:
                is_right = value is not None and _bare(value) == _bare(wanted)
                yield name, is_right, f"{path}: {name} is read as {value!r}, and is {wanted!r}"


def _bare(title: str) -> str:
    return _MARKUP.sub(" ", title).strip(" .").casefold()


def _nearest(path: str, layouts: Mapping[str, str]) -> str:
    above = {path, *parents(path)}
    near = max(layouts, key=lambda one: len(above.intersection(parents(one))), default="")
    return layouts.get(near, "none")


def render_found(scores: Sequence[Score]) -> list[str]:
    """The lines of a table with the counts by layout, the largest first."""
    records, found, false = (_sum(column) for column in list(zip(*scores, strict=True))[:3])
    order = sorted({*records, *false}, key=lambda layout: (-records[layout], layout))
    rows = [(one, records[one], found[one], false[one]) for one in order]
    rows.append(("all", records.total(), found.total(), false.total()))
    return [
        "| layout | records | found | missed | listed | false | share found | share false |",
        "|---|---|---|---|---|---|---|---|",
        *(
            f"| {name} | {all_} | {hits} | {all_ - hits} | {hits + wrong} | {wrong} "
            f"| {_share(hits, all_)} | {_share(wrong, hits + wrong)} |"
            for name, all_, hits, wrong in rows
        ),
    ]


def render_read(scores: Sequence[Score]) -> list[str]:
    """The lines of a table with how often a title, a status and a date are read rightly."""
    known, misread = _sum(one.known for one in scores), _sum(one.misread for one in scores)
    rights = [(name, known[name], known[name] - misread[name]) for name in READ]
    return [
        "| read | records | right | share |",
        "|---|---|---|---|",
        *(f"| {name} | {all_} | {n} | {_share(n, all_)} |" for name, all_, n in rights),
    ]


def _sum(counts: Iterable[Counter[str]]) -> Counter[str]:
    return sum(counts, Counter())


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""
