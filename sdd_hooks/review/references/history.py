"""What earlier commits said: which records they named, and which files they touched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.artifacts.identifiers import ArtifactId, references
from sdd_hooks.project.git import start

MOST_COMMITS = 4_000
LONGEST_MESSAGE = 4_000

_MENTION = r"adrs?[-_ #/(]*[0-9]{1,4}"


class Commit(NamedTuple):
    """An earlier commit: its message, the records it names, and the files it touched."""

    id: str
    message: str
    names: frozenset[ArtifactId]
    files: tuple[str, ...]


class Log:
    """A `git log` under way; `commits` waits for it."""

    def __init__(self, root: Path, base: str, *options: str, paths: Sequence[str] = ()) -> None:
        form = "--format=%x01%H%x00%B%x00"
        limits = (f"--max-count={MOST_COMMITS}", "--no-renames", "--name-only", "-z")
        self._process = start(root, "log", form, *limits, *options, base, "--", *paths)

    def commits(self) -> list[Commit]:
        """Newest first. Empty where git cannot tell."""
        output, _ = self._process.communicate()
        return [_commit(entry) for entry in output.split(b"\x01")[1:]]


def naming(root: Path, base: str) -> Log:
    """The commits up to `base` that name a decision record."""
    return Log(root, base, "--regexp-ignore-case", "--extended-regexp", f"--grep={_MENTION}")


def touching(root: Path, base: str, paths: Sequence[str]) -> Log:
    """The commits up to `base` that touched one of `paths`, with those of `paths` they touched."""
    return Log(root, base, paths=[f":(literal){path}" for path in paths])


def _commit(entry: bytes) -> Commit:
    id, _, rest = entry.partition(b"\0")
    message, _, names = rest.partition(b"\0")
    text = message[:LONGEST_MESSAGE].decode("utf-8", "replace")
    files = tuple(os.fsdecode(name) for name in names.strip(b"\n\0").split(b"\0") if name)
    named = frozenset(found.id for found in references(text) if found.id.kind == "ADR")
    return Commit(id.decode(), text, named, files)
