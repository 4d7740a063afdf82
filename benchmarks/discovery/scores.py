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
_MARKUP = re.compile(r"[\s`*_]+")


class Score(NamedTuple):
    """The layouts of the records of a repository, of those found and of what is falsely listed;
    what is misread (a title, a status, a date) of how many records; and all errors as lines."""

    records: Counter[str]
    found: Counter[str]
    false: Counter[str]
    misread: Counter[str]
    readings: int
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
    misread = list(_misread(known, artifacts))
    return Score(
        Counter(layouts.values()),
        Counter(layouts[path] for path in found),
        Counter(_nearest(path, layouts) for path in false),
        Counter(name for name, _ in misread),
        len(known.readings),
        (
            *(f"missed {known.name}: {path}" for path in sorted(layouts.keys() - found)),
            *(f"false {known.name}: {path}" for path in false),
            *(f"misread {known.name}: {line}" for _, line in misread),
        ),
    )


def _misread(
    known: KnownRepository, artifacts: Mapping[str, Artifact]
) -> Iterator[tuple[str, str]]:
    for path, wanted in known.readings.items():
        if path not in artifacts:
            yield from ((name, f"{path}: {name} of a missed record") for name in READ)
            continue
        artifact = artifacts[path]
        got = (_bare(artifact.title), artifact.status.value or "none", artifact.date)
        right = (_bare(wanted.title), wanted.status, wanted.date)
        for name, value, expected in zip(READ, got, right, strict=True):
            if value != expected:
                yield name, f"{path}: {name} is read as {value!r}, and is {expected!r}"


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
    misread = _sum(one.misread for one in scores)
    readings = sum(one.readings for one in scores)
    rights = [(name, readings - misread[name]) for name in READ]
    return [
        "| read | records | right | share |",
        "|---|---|---|---|",
        *(f"| {name} | {readings} | {n} | {_share(n, readings)} |" for name, n in rights),
    ]


def _sum(counts: Iterable[Counter[str]]) -> Counter[str]:
    return sum(counts, Counter())


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""
