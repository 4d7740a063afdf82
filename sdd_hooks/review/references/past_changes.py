"""The words of the latest changes of a repository, to which a change is compared.

They are cached by the id of their commit, so that another base reads only the new ones.
"""

# Governing: ADR-0039 (a question needs what sets a change apart)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from sdd_hooks.code.paths import is_generated
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.words import split_words
from sdd_hooks.system.git import is_object_id

MAX_CHANGES = 60
"""Changes that are compared."""
MAX_COMMITS = 100
"""Commits among which they are looked for, newest first, without merges."""
MAX_FILES = 60
"""Files of a change. One with more says nothing of a usual change."""
MAX_CHARACTERS = 20_000
"""Characters of the added lines of a change that are read."""
MAX_LINE = 400
"""Characters of a line that are read."""
MAX_BYTES = 16_000_000
"""Bytes that git prints for all of them."""

_CACHE = "past-changes"
# The first commit, and the oldest one of a shallow clone, add every file: they are no change.
_COMMAND = ("-c", "log.showRoot=false", "-c", "core.quotePath=false", "log", "--no-walk=unsorted")
_OPTIONS = (
    "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-prefix",
    "--format=%x01%H%x00%s",
)  # fmt: skip
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class PastChange(NamedTuple):
    """A commit: the words of its title, of its paths, and of its added lines, with their counts.

    There are no added words when it is not compared.
    """

    id: str
    title: Mapping[str, int]
    paths: tuple[str, ...]
    added: Mapping[str, int]

    @property
    def words(self) -> set[str]:
        """Every word."""
        return {*self.title, *self.paths, *self.added}


def read_past_changes(
    repository: Repository, base: str, wanted: Callable[[str], bool]
) -> list[PastChange]:
    """Read the latest changes up to `base`, newest first, at most MAX_CHANGES.

    Only `wanted` paths are read, without generated files. Raises GitError.
    """
    listed = repository.git.output("rev-list", "--no-merges", f"-n{MAX_COMMITS}", base)
    ids = listed.decode("ascii").split()
    cached = _load(repository)
    if missing := [id for id in ids if id not in cached]:
        for change in _read(repository, missing, wanted):
            cached[change.id] = change
        rows = [_to_row(cached[id]) for id in ids if id in cached]
        store_cached(repository, _CACHE, {"changes": rows})
    compared = (cached[id] for id in ids if id in cached and cached[id].added)
    return list(islice(compared, MAX_CHANGES))


def _read(
    repository: Repository, ids: Sequence[str], wanted: Callable[[str], bool]
) -> Iterator[PastChange]:
    with repository.git.start(*_COMMAND, *_OPTIONS, *ids, "--") as process:
        assert process.stdout is not None
        yield from parse_changes(_limited(process.stdout), wanted)
        process.kill()


def _limited(lines: Iterable[bytes]) -> Iterator[bytes]:
    left = MAX_BYTES
    for line in lines:
        left -= len(line)
        if left < 0:
            return
        yield line


def parse_changes(lines: Iterable[bytes], wanted: Callable[[str], bool]) -> Iterator[PastChange]:
    """Parse the output of `git log -p` in the format of this module."""
    header: bytes | None = None
    files: dict[str, list[str]] = {}
    for part in _parts(lines):
        match part:
            case bytes():
                if header is not None:
                    yield _change(header, files)
                header, files = part, {}
            case (path, added) if wanted(path) and not is_generated(path):
                files[path] = added
    if header is not None:
        yield _change(header, files)


def _parts(lines: Iterable[bytes]) -> Iterator[bytes | tuple[str, list[str]]]:
    """The first line of each commit, and each file of it with its added lines."""
    path, added = "", list[str]()
    old = new = 0
    for line in lines:
        if old + new:
            old -= line.startswith(b"-")
            if line.startswith(b"+"):
                new -= 1
                added.append(line[1 : MAX_LINE + 1].decode("utf-8", "replace"))
        elif line.startswith(b"\1"):
            if path:
                yield path, added
            path, added = "", []
            yield line[1:]
        elif line.startswith(b"diff --git "):
            if path:
                yield path, added
            path, added = "", []
        elif line.startswith(b"+++ ") and line.rstrip() != b"+++ /dev/null":
            path = line[4:].rstrip(b"\t\r\n").decode("utf-8", "replace")
        elif hunk := _HUNK.match(line):
            old, new = (1 if count is None else int(count) for count in hunk.groups())
    if path:
        yield path, added


def _change(header: bytes, files: Mapping[str, Sequence[str]]) -> PastChange:
    id, _, title = header.decode("utf-8", "replace").partition("\0")
    counts: Counter[str] = Counter()
    if len(files) <= MAX_FILES:
        text = "\n".join(line for added in files.values() for line in added)
        counts.update(split_words(text[:MAX_CHARACTERS]))
    paths = dict.fromkeys(word for path in files for word in split_words(path))
    return PastChange(id, Counter(split_words(title[:MAX_LINE])), tuple(paths), counts)


def _to_row(change: PastChange) -> Sequence[Any]:
    return [change.id, change.title, change.paths, change.added]


def _load(repository: Repository) -> dict[str, PastChange]:
    rows = load_cached(repository, _CACHE).get("changes")
    changes: dict[str, PastChange] = {}
    for row in rows if isinstance(rows, list) else ():
        with suppress(TypeError, ValueError):
            id, title, paths, added = row
            change = PastChange(id, _counts(title), _texts(paths), _counts(added))
            if isinstance(id, str) and is_object_id(id):
                changes[id] = change
    return changes


def _counts(value: Any) -> Mapping[str, int]:
    if isinstance(value, dict) and all(type(count) is int for count in value.values()):
        return value
    raise TypeError


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(value)
    raise TypeError
