"""Where the files of a commit mention decision records."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.artifacts.identifiers import ArtifactId, references
from sdd_hooks.project.git import start

LONGEST_LINE = 600

_MENTION = r"adrs?[-_ #/(]*[0-9]{1,4}|decision[-_ #]*[0-9]+"


class Mention(NamedTuple):
    """A line of a file that mentions records."""

    line: int
    text: str
    names: tuple[ArtifactId, ...]


Mentions = Mapping[str, "list[Mention]"]
"""By the path of the file."""


class Search:
    """A `git grep` under way; `found` waits for it."""

    def __init__(self, root: Path, commit: str) -> None:
        options = ("-I", "--line-number", "--ignore-case", "--null", "--extended-regexp")
        self._commit = commit
        self._process: subprocess.Popen[bytes] = start(
            root, "grep", *options, "-e", _MENTION, commit, "--"
        )

    def found(self, wanted: Callable[[str], bool]) -> Mentions:
        """The mentions in files that are `wanted`."""
        output, _ = self._process.communicate()
        mentions: dict[str, list[Mention]] = {}
        prefix = len(self._commit) + 1
        for row in output.split(b"\n"):
            name, _, rest = row.partition(b"\0")
            number, _, line = rest.partition(b"\0")
            path = os.fsdecode(name[prefix:])
            if not number.isdigit() or not wanted(path):
                continue
            text = line[:LONGEST_LINE].decode("utf-8", "replace")
            names = tuple(found.id for found in references(text) if found.id.kind == "ADR")
            if names:
                mentions.setdefault(path, []).append(Mention(int(number), text, names))
        return mentions
