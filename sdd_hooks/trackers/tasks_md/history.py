"""When the files with tasks were created and updated, and by whom: git's word for it."""

# Governing: ADR-0003 (one module talks to git), ADR-0018 (tracker issues as files)

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.remote.json_fields import stamp
from sdd_hooks.system.git import Git, nul_split

_OPTIONS = ("-z", "--relative", "--name-only", "--no-renames")


class Known(NamedTuple):
    """What is known of a file: times as in `Issue`, and the name of who created it."""

    created: str
    updated: str
    author: str


UNKNOWN = Known("", "", "")


def history_of(git: Git, paths: Sequence[str]) -> dict[str, Known]:
    """The history of files below the directory of `git`: from their first commit to the last one.

    What differs from the last commit, or is in none, was updated when it was written.
    """
    if not paths:
        return {}
    only = ("--", *(f":(literal){path}" for path in paths))
    found = _committed(git.try_output("log", "--format=%x01%ct %aN", *_OPTIONS, *only) or b"")
    differing = git.try_output("diff", *_OPTIONS, "HEAD", *only)
    changed = set(paths if differing is None else nul_split(differing))
    for path in paths:
        then = found.get(path)
        if then is None or path in changed:
            written = _written(git.root / path)
            found[path] = then._replace(updated=written) if then else Known(written, written, "")
    return found


def _committed(log: bytes) -> dict[str, Known]:
    """What the log says, which begins with the last commit."""
    found: dict[str, Known] = {}
    when = author = ""
    for part in nul_split(log):
        if part.startswith("\1"):
            seconds, _, author = part[1:].partition(" ")
            when = _time(seconds)
        else:
            # The first name of a commit is on a line of its own.
            name = part.removeprefix("\n")
            known = found.get(name)
            found[name] = Known(when, known.updated if known else when, author)
    return found


def _written(path: Path) -> str:
    try:
        return _time(path.lstat().st_mtime)
    except OSError:
        return ""


def _time(seconds: str | float) -> str:
    try:
        return stamp(float(seconds))
    except (ValueError, OverflowError, OSError):
        return ""
