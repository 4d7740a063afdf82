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
from typing import Any

from sdd_hooks.code.paths import is_generated
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.change_words import ChangeWords
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
    """A commit and its words. There are none of added lines when it is not compared."""

    id: str
    words: ChangeWords


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
    compared = (cached[id] for id in ids if id in cached and cached[id].words.added)
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
    rest = iter(lines)
    header: bytes | None = None
    files: dict[str, list[str]] = {}
    added: list[str] = []
    for line in rest:
        if line.startswith(b"\1"):
            if header is not None:
                yield _change(header, files)
            header, files = line[1:], {}
        elif line.startswith(b"+++ "):
            added = []
            path = line[4:].rstrip(b"\t\r\n").decode("utf-8", "replace")
            if path != "/dev/null" and wanted(path) and not is_generated(path):
                files[path] = added
        elif hunk := _HUNK.match(line):
            removed_count, added_count = (
                1 if count is None else int(count) for count in hunk.groups()
            )
            added += _read_hunk(rest, removed_count, added_count)
    if header is not None:
        yield _change(header, files)


def _read_hunk(lines: Iterator[bytes], removed: int, added: int) -> Iterator[str]:
    """Read a hunk of so many removed and added lines. Yields the added ones."""
    while (removed > 0 or added > 0) and (line := next(lines, b"")):
        removed -= line.startswith(b"-")
        if line.startswith(b"+"):
            added -= 1
            yield line[1 : MAX_LINE + 1].decode("utf-8", "replace")


def _change(header: bytes, files: Mapping[str, Sequence[str]]) -> PastChange:
    id, _, title = header.decode("utf-8", "replace").partition("\0")
    counts: Counter[str] = Counter()
    if len(files) <= MAX_FILES:
        text = "\n".join(line for added in files.values() for line in added)
        counts.update(split_words(text[:MAX_CHARACTERS]))
    paths = dict.fromkeys(word for path in files for word in split_words(path))
    title_counts = Counter(split_words(title[:MAX_LINE]))
    return PastChange(id, ChangeWords(title_counts, tuple(paths), counts))


def _to_row(change: PastChange) -> Sequence[Any]:
    return [change.id, *change.words]


def _load(repository: Repository) -> dict[str, PastChange]:
    rows = load_cached(repository, _CACHE).get("changes")
    changes: dict[str, PastChange] = {}
    for row in rows if isinstance(rows, list) else ():
        with suppress(TypeError, ValueError):
            id, title, paths, added = row
            words = ChangeWords(_counts(title), _texts(paths), _counts(added))
            if isinstance(id, str) and is_object_id(id):
                changes[id] = PastChange(id, words)
    return changes


def _counts(value: Any) -> Mapping[str, int]:
    if isinstance(value, dict) and all(type(count) is int for count in value.values()):
        return value
    raise TypeError


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return tuple(value)
    raise TypeError
