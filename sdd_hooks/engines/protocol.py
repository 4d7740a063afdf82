"""What an engine does, before and after its index is open, and the data that it exchanges.

An engine stores the collections of repositories and searches them. Nothing here depends on how or
where it stores them.
"""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import OUTSIDE_GIT, Collection

if TYPE_CHECKING:
    pass

_HEXADECIMAL = frozenset("0123456789abcdef")

SubQueryType = Literal["lex", "vec", "hyde"]


class Stopped(Exception):
    """An operation ended early, because a progress callback requested it."""


class ReadOnlyIndex(StorageError):
    """This machine may read the index, which another one writes: no refresh is expected of it."""


class Progress(Protocol):
    """A callback that an operation reports its progress to, and that may stop the operation."""

    def __call__(self, step: str, done: int, total: int, /) -> bool:
        """Receive the name of the step, and how many of its `total` items are done (0: unknown).

        Returns whether to go on. After False the operation raises Stopped.
        """
        ...


def report_progress(progress: Progress | None, step: str, done: int, total: int) -> None:
    """Call `progress`, if there is one. Raises Stopped if it returns False."""
    if progress is not None and not progress(step, done, total):
        raise Stopped(step)


class Bookmark(NamedTuple):
    """The state of a collection's repository that the index reflects.

    `head` is the commit (empty when there was none), `dirty` the repo-relative paths whose content
    differed from that commit, `definition` the digest of the collection's definition. Issues are in
    no commit: their `head` identifies the state of their folder after the last sync. `sparse` is
    the digest of the rules that git does not track, "" for none: those of a sparse checkout, and
    the patterns of `info/exclude`.
    """

    head: str
    dirty: tuple[str, ...]
    definition: str
    sparse: str = ""


def write_bookmark(bookmark: Bookmark) -> str:
    """Serialise a bookmark as one line of JSON."""
    return json.dumps(bookmark._asdict())


def read_bookmark(text: str | None) -> Bookmark | None:
    """Parse a stored bookmark. Returns None for None and for text that does not parse."""
    try:
        return parse_bookmark(json.loads(text or "null"))
    except (ValueError, RecursionError):
        return None


def parse_bookmark(value: Any) -> Bookmark | None:
    """Parse the JSON value of a bookmark. Returns None for any other value."""
    try:
        head, dirty, definition = value["head"], value["dirty"], value["definition"]
        sparse = value.get("sparse", "")
        texts = [head, definition, sparse, *dirty]
    except (TypeError, KeyError, AttributeError):
        return None
    # The head becomes an argument of git, where a text that begins with `-` would be an option.
    if not all(isinstance(text, str) for text in texts) or set(head) - _HEXADECIMAL:
        return None
    return Bookmark(head, tuple(dirty), definition, sparse)


class CollectionChanges(NamedTuple):
    """The paths at which a collection and the work tree may differ.

    `paths` are repo-relative. Each may be new, changed, unchanged or deleted; the engine finds out.
    With `complete`, `paths` are all documents of the collection, and the engine removes
    every other one. `bookmark` is stored in the same transaction as the change; None keeps the
    stored one. `gone` are those of `paths` that belong to the collection no more although their
    files may exist: ignored ones, and those behind a link. `contents` has the documents of a
    collection without files, by path; None for one with files.
    """

    collection: Collection
    paths: tuple[str, ...]
    complete: bool
    bookmark: Bookmark | None
    gone: frozenset[str] = frozenset()
    contents: Mapping[str, bytes] | None = None


def covers(changes: Sequence[CollectionChanges], kinds: Mapping[str, str]) -> bool:
    """Whether an update with `changes` covers the whole index, so that it counts as touched.

    `kinds` is the kind of each indexed collection, by name. Collections outside of git do not
    count: a sync and a fetch update them, at other times.
    """
    files = {name for name, kind in kinds.items() if kind not in OUTSIDE_GIT}
    return (files or set(kinds)) <= {change.collection.name for change in changes}


class Counts(NamedTuple):
    """What an update did to one collection, in documents."""

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0

    @property
    def changed(self) -> int:
        """Documents that were added, updated or removed."""
        return self.added + self.updated + self.removed


class SubQuery(NamedTuple):
    """One part of a query: `lex` searches by words, `vec` by meaning, `hyde` by the meaning of a
    hypothetical passage that answers the question."""

    type: SubQueryType
    query: str


class Query(NamedTuple):
    """A typed query. The first sub-query has double weight.

    `collections` are names; none means all. `intent` describes the purpose of the search, for
    engines that use it. `snippets` is how many documents, the best ones, need a snippet (None:
    all). An engine may leave out the others.
    """

    searches: tuple[SubQuery, ...]
    collections: tuple[str, ...] = ()
    intent: str = ""
    limit: int = 8
    min_score: float = 0.0
    snippets: int | None = None

    @property
    def text(self) -> str:
        """The text of the sub-queries by words; of all of them if none is by words."""
        lexical = [search.query for search in self.searches if search.type == "lex"]
        return " ".join(lexical or [search.query for search in self.searches])


class Hit(NamedTuple):
    """One chunk that matches a query. Lines are 1-based and inclusive; `score` is in 0..1.

    `id` is the stable `path#anchor`. `cosine` (-1..1) is None when no vector was compared.
    `snippet` has the sentences that answer the query on one line, or the lines of code; a further
    hit of a document may have none.
    `context` is the description of the collection. `lines` are those of the snippet's sentences,
    that of the best one first, if they are known.
    """

    id: str
    collection: str
    path: str
    first_line: int
    last_line: int
    title: str
    section: str
    score: float
    cosine: float | None
    snippet: str
    context: str
    lines: tuple[int, ...] = ()


class SearchResult(NamedTuple):
    """The hits, best first, and how many chunks of the searched collections have no vector."""

    hits: tuple[Hit, ...]
    pending: int
    notes: tuple[str, ...] = ()


class IndexedDocument(NamedTuple):
    """One indexed file. `content_hash` is `sha256:` and the hex digest of its bytes, in which a
    line ends with a line feed."""

    id: str
    collection: str
    path: str
    title: str
    content_hash: str
    chunks: int


class CollectionStatus(NamedTuple):
    """The size and state of one indexed collection; `pending` counts chunks without a vector.

    A count is None when the engine does not count it for each collection.
    """

    name: str
    kind: str
    module: str
    documents: int
    chunks: int | None
    pending: int | None
    bookmark: Bookmark | None


class IndexStatus(NamedTuple):
    """The size and state of the whole index.

    `touched` is the time of the last check for changes (seconds since the epoch). `pending` counts
    the chunks of all collections without a vector.
    """

    engine: str
    collections: tuple[CollectionStatus, ...]
    touched: float | None
    model: str
    location: str
    bytes: int
    pending: int


class EmbedReport(NamedTuple):
    """What an embed did: chunks embedded, seconds, the model and the device it ran on.

    `remaining` is how many chunks still have no vector, of which `failed` were tried.
    """

    embedded: int
    remaining: int
    seconds: float
    model: str
    device: str
    failed: int = 0
    notes: tuple[str, ...] = ()


class Coverage(NamedTuple):
    """Whether any chunk was ever embedded with the configured model, and how many lack a vector."""

    begun: bool
    pending: int


class Engine(Protocol):
    """The open index of one repository. Methods raise StorageError or EngineUnavailable.

    `notes` collects what users should know about the operations so far: a file that was left out,
    an index that was set aside. `rebuilt` says that the index was lost and is empty now, so that
    every collection has to be indexed again.
    """

    name: str
    notes: list[str]

    @property
    def rebuilt(self) -> bool:
        """Whether the index was lost."""
        ...

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing and store changed definitions."""
        ...

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Return every indexed collection with the state it reflects (None: not complete yet)."""
        ...

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Index the changed paths. Readers see all of a small change, or nothing of it.

        Raises Stopped when `progress` returns False. What was stored by then is kept.
        """
        ...

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Embed every chunk that has no vector.

        Raises EngineUnavailable without a model, and Stopped when `progress` returns False. The
        vectors stored by then are kept.
        """
        ...

    def search(self, query: Query) -> SearchResult:
        """Return at most `limit` hits with a score of at least `min_score`, best first."""
        ...

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Return every document of a collection, by path."""
        ...

    def touched(self) -> float | None:
        """Return the time of the last check for changes (seconds since the epoch; None: never).

        Must be cheap. Only an update that covers every collection except issues counts
        (`covers`).
        """
        ...

    def coverage(self) -> Coverage:
        """Return how much of the whole index is embedded. Must be cheaper than `status`."""
        ...

    def device(self) -> str:
        """Return where `embed` would run: `cpu`, `cuda`, `metal`, …; `remote` for a service.

        Raises EngineUnavailable when it cannot run at all.
        """
        ...

    def status(self) -> IndexStatus:
        """Return the counts, freshness and location of the index."""
        ...

    def remove(self, collections: Sequence[str]) -> None:
        """Remove these collections from the index. Unknown names are ignored."""
        ...

    def reset(self, reason: str) -> None:
        """Set a damaged index aside and start an empty one; `reason` is added to the notes."""
        ...

    def check(self) -> list[str]:
        """Return a line for each fault inside the index; none when it is sound."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


@runtime_checkable
class ComparesMeaning(Protocol):
    """An engine that compares any texts with a query, in the process of the search."""

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosine (-1..1) of each text to the query.

        Raises EngineUnavailable if the model cannot run.
        """
        ...


@runtime_checkable
class KnowsTitles(Protocol):
    """An engine whose `documents` reads every file, and whose index knows the titles."""

    def titles(self, collection: str) -> Sequence[tuple[str, str]]:
        """Return the path and title of every document of a collection. Reads no file of it."""
        ...


@runtime_checkable
class SamplesDocuments(Protocol):
    """An engine that stores the hash of each document as `content_digest` computes it."""

    def sample(self, count: int) -> Sequence[IndexedDocument]:
        """Return up to `count` random documents, which were checked for consistency.

        Raises IndexDamaged if one is not consistent.
        """
        ...

    def verify(self) -> None:
        """Check the whole index, and the chunks of each file. Raises IndexDamaged."""
        ...
