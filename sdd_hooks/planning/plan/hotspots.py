"""Find the hotspots: the files that most merges change, where parallel work conflicts."""

# Governing: SPEC-0025 REQ "Hotspots"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sdd_hooks.code.paths import is_changelog, is_document, is_generated
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.story import Hotspot
from sdd_hooks.system.git import Git

LAST_MERGES = 50
"""Merges that are looked at, unless the last DAYS have more."""
DAYS = 30
MAX_MERGES = 500
MIN_MERGES = 5
"""With fewer merges, nothing can be said."""

_DAY_SECONDS = 86_400.0


class MergedChange(NamedTuple):
    """The time of a merge (epoch seconds), and the paths that it changed."""

    time: float
    paths: tuple[str, ...]


def find_hotspots(
    changes: Iterable[MergedChange], now: float, threshold: float
) -> tuple[Hotspot, ...]:
    """The files in more than the fraction `threshold` of the recent merges, the most first.

    `changes` are the merges, the last first. Documents and generated files count for nothing.
    """
    recent: list[MergedChange] = []
    for change in changes:
        if len(recent) >= LAST_MERGES and change.time < now - DAYS * _DAY_SECONDS:
            break
        recent.append(change)
    if len(recent) < MIN_MERGES:
        return ()
    counts = Counter(path for change in recent for path in set(change.paths) if _counts(path))
    hot = [(count, path) for path, count in counts.items() if count > threshold * len(recent)]
    return tuple(
        Hotspot(path, count, len(recent))
        for count, path in sorted(hot, key=lambda one: (-one[0], one[1]))
    )


def read_merges(git: Git) -> tuple[MergedChange, ...]:
    """Read the last MAX_MERGES merges of HEAD. Raises GitError.

    Where no pull request is merged by a merge commit, each commit of the first parents is one:
    they are squashed or rebased then. There is none without a commit.
    """
    if git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
        return ()
    merges = tuple(_read(git, "--merges"))
    return merges if len(merges) >= MIN_MERGES else tuple(_read(git))


def _read(git: Git, *options: str) -> Iterator[MergedChange]:
    output = git.output(
        "log",
        "--first-parent",
        "-m",
        "-z",
        "--name-only",
        "--no-renames",
        f"--max-count={MAX_MERGES}",
        "--format=%x01%ct",
        *options,
        "HEAD",
        "--",
    )
    for entry in output.split(b"\x01")[1:]:
        time, _, paths = entry.partition(b"\0")
        names = paths.strip(b"\n\0").split(b"\0")
        yield MergedChange(
            float(time.strip() or b"0"),
            tuple(name.decode("utf-8", "surrogateescape") for name in names if name),
        )


def _counts(path: str) -> bool:
    return not (is_document(path) or is_generated(path) or is_changelog(path))
