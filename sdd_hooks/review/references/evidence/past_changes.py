"""The latest changes of a repository, and what sets a change apart from them.

What fits every change fits none: a word that most changes have tells little about this one, and a
record is named only when its decision fits this change better than any fits a usual one. The words
of past changes are cached by the id of their commit, so that another base reads only the new ones.
"""

# Governing: ADR-0039 (a question needs what sets a change apart)

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Any

from sdd_hooks.artifacts.section_roles import SectionRole, find_role
from sdd_hooks.code.paths import is_generated
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.evidence.records import DecisionRecord
from sdd_hooks.review.references.words.bm25 import Bm25
from sdd_hooks.review.references.words.change_words import ChangeWords, Rarity, surprise
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.system.git import is_object_id
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_CHANGES = 60
"""Changes that are compared."""
MIN_CHANGES = 20
"""Past changes below which nothing is known of a usual change."""
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
_FITS_CACHE = "usual-fits"
# The first commit, and the oldest one of a shallow clone, add every file: they are no change.
_COMMAND = ("-c", "log.showRoot=false", "-c", "core.quotePath=false", "log", "--no-walk=unsorted")
_OPTIONS = (
    "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-prefix",
    "--format=%x01%H%x00%s",
)  # fmt: skip
_HUNK = lazy_regex(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


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


class Background:
    """The past changes of a repository, compared with one change."""

    def __init__(
        self,
        past: Sequence[PastChange],
        query: ChangeQuery,
        records: Sequence[DecisionRecord],
        repository: Repository | None = None,
    ) -> None:
        """With `repository`, what past changes fit is cached there.

        `rarity` is how rare words are in the past changes.
        """
        self._past = past
        self._query = query
        self._records = records
        self._repository = repository
        frequency = Counter(word for one in past for word in one.words.distinct())
        self.rarity = Rarity(len(past), frequency)

    def surprise(self) -> list[float]:
        """The share of the past changes that no decision fits as well as each record fits this.

        One number from 0 to 1 for each record; UNKNOWN with fewer than MIN_CHANGES.
        """
        fits = self.usual_fits()
        index = self._index(self._query.words.distinct()) if fits else None
        return surprise(fits, index, self._query.words, self.rarity, len(self._records))

    def usual_fits(self) -> Sequence[float]:
        """The score of the decision that fits each past change best; () with too few of them."""
        if len(self._past) < MIN_CHANGES:
            return ()
        best = self._load_fits()
        if best is None:
            index = self._index(self.rarity.frequency.keys())
            found = (index.scores(self.rarity.query(index, one.words)) for one in self._past)
            best = [max(scores, default=0.0) for scores in found]
            self._store_fits(best)
        return best

    def _index(self, vocabulary: Set[str]) -> Bm25:
        """The decisions as documents, of which the words in the vocabulary are known."""
        documents = [decision_words(record, vocabulary) for record in self._records]
        return Bm25(
            [words for words, _ in documents], vocabulary, [count for _, count in documents]
        )

    def _load_fits(self) -> list[float] | None:
        """The best score of a decision for each past change; None where it is not cached."""
        if self._repository is None:
            return None
        data = load_cached(self._repository, _FITS_CACHE)
        fits = data.get("fits")
        if data.get("of") != self._identity or not isinstance(fits, list):
            return None
        is_whole = len(fits) == len(self._past) and all(type(one) is float for one in fits)
        return fits if is_whole else None

    def _store_fits(self, fits: Sequence[float]) -> None:
        if self._repository is not None:
            store_cached(self._repository, _FITS_CACHE, {"of": self._identity, "fits": fits})

    @cached_property
    def _identity(self) -> str:
        """A digest of the past changes and the records."""
        digest = sha256()
        for one in self._past:
            size = sum(one.words.added.values()), sum(one.words.title.values())
            digest.update(f"{one.id} {size}\n".encode())
        for record in self._records:
            for text in (record.artifact.path, record.text):
                digest.update(sha256(text.encode("utf-8", "surrogatepass")).digest())
        return digest.hexdigest()


def decision_words(record: DecisionRecord, vocabulary: Set[str]) -> tuple[Mapping[str, int], int]:
    """The words of what a record decides; those of all it says when no heading tells.

    Returns the counts of those in the vocabulary, and the number of all.
    """
    roles = [(find_role(section, record.artifact), counts) for section, counts in record.sections]
    decides = any(role == SectionRole.DECISION for role, _ in roles)
    lowest = SectionRole.DECISION if decides else SectionRole.CONTEXT
    words: Counter[str] = Counter()
    length = 0
    for role, counts in roles:
        if role >= lowest:
            length += sum(counts.values())
            for word in counts.keys() & vocabulary:
                words[word] += counts[word]
    return words, length
