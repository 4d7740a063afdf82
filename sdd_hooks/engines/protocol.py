"""What every engine does, and the data that goes in and out. Nothing here names a storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from sdd_hooks.project.collections import Collection

SubQueryType = Literal["lex", "vec", "hyde"]

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, how many are done, how many there are)."""


@dataclass(frozen=True)
class Bookmark:
    """The state of a collection's repository that the index reflects.

    `head` is the commit (empty when there was none), `dirty` the repo-relative paths whose content
    was not that commit's, `definition` the digest of the collection's definition. Issues are in no
    commit: their `head` is the state of their folder, as the last sync named it.
    """

    head: str
    dirty: tuple[str, ...]
    definition: str


@dataclass(frozen=True)
class CollectionChanges:
    """What may differ between a collection and the work tree.

    `paths` are repo-relative; each may be new, changed, unchanged or gone: the engine looks.
    With `complete`, `paths` is every document there is, and whatever else is indexed is gone.
    `bookmark` is stored together with the change, or not at all; None keeps the stored one.
    """

    collection: Collection
    paths: tuple[str, ...]
    complete: bool
    bookmark: Bookmark | None


@dataclass(frozen=True)
class Counts:
    """What an update did to one collection, in documents."""

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0

    @property
    def changed(self) -> int:
        """Documents whose index entry is not what it was."""
        return self.added + self.updated + self.removed


@dataclass(frozen=True)
class SubQuery:
    """One way to ask: `lex` by words, `vec` by meaning, `hyde` by a passage that would answer."""

    type: SubQueryType
    query: str


@dataclass(frozen=True)
class Query:
    """A typed query. The first sub-query weighs double. `collections` are names; none means all."""

    searches: tuple[SubQuery, ...]
    collections: tuple[str, ...] = ()
    intent: str = ""
    limit: int = 8
    min_score: float = 0.0


@dataclass(frozen=True)
class Hit:
    """One chunk that answers. Lines are 1-based and inclusive; `score` is in 0..1.

    `id` is the stable `path#anchor`; `cosine` (-1..1) is there when a vector was compared;
    `context` is the collection's own description.
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


@dataclass(frozen=True)
class SearchResult:
    """Hits, best first, and how many chunks of the searched collections have no vector yet."""

    hits: tuple[Hit, ...]
    pending: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """One indexed file. `content_hash` is `sha256:` and the hex digest of its bytes."""

    id: str
    collection: str
    path: str
    title: str
    content_hash: str
    chunks: int


@dataclass(frozen=True)
class CollectionStatus:
    """One collection as the engine holds it; `pending` counts chunks without a vector.

    None stands for what an engine does not count by collection.
    """

    name: str
    kind: str
    module: str
    documents: int
    chunks: int | None
    pending: int | None
    bookmark: Bookmark | None


@dataclass(frozen=True)
class Status:
    """The engine as a whole. `touched` is when it last looked for changes (seconds, epoch);
    `pending` counts chunks without a vector, all collections together."""

    engine: str
    collections: tuple[CollectionStatus, ...]
    touched: float | None
    model: str
    location: str
    bytes: int
    pending: int


@dataclass(frozen=True)
class EmbedReport:
    """What an embed did: chunks embedded, seconds, the model and the device it ran on.

    `remaining` is how many chunks have no vector still, of which `failed` were tried.
    """

    embedded: int
    remaining: int
    seconds: float
    model: str
    device: str
    failed: int = 0
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Coverage:
    """Whether anything was ever embedded with the configured model, and how many chunks lack it."""

    begun: bool
    pending: int


class Engine(Protocol):
    """One index of one repository. Methods raise StorageError or EngineUnavailable.

    `notes` is what had to be said meanwhile: a file left out, an index set aside. `rebuilt` says
    that the index was lost and is empty now, so that every collection has to be made again.
    """

    name: str
    notes: list[str]
    rebuilt: bool

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing and store changed definitions."""
        ...

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Every collection the index holds, with the state it reflects (None: never filled)."""
        ...

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Bring the changed paths up to date. All of a small change is visible, or none of it."""
        ...

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Give a vector to every chunk without one. Raises EngineUnavailable without a model."""
        ...

    def search(self, query: Query) -> SearchResult:
        """Answer a typed query, best first, at most `limit` hits of at least `min_score`."""
        ...

    def documents(self, collection: str) -> Sequence[Document]:
        """Every document of a collection, by path."""
        ...

    def touched(self) -> float | None:
        """When it last looked for changes (seconds, epoch), for next to nothing; None for never.

        An update counts that covers every collection, issues excepted (`bookmarks.covers`).
        """
        ...

    def coverage(self) -> Coverage:
        """How far the whole index is embedded, for less than `status` costs."""
        ...

    def device(self) -> str:
        """Where `embed` would run: `cpu`, `cuda`, `metal`, ….

        Raises EngineUnavailable when it cannot run at all.
        """
        ...

    def status(self) -> Status:
        """Counts, freshness and place of the index."""
        ...

    def remove(self, collections: Sequence[str]) -> None:
        """Forget these collections. Unknown names are ignored."""
        ...

    def reset(self, reason: str) -> None:
        """Set a damaged index aside and start an empty one; `reason` goes into the notes."""
        ...

    def check(self) -> list[str]:
        """What is wrong inside the index, a line each; empty when it is sound."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class VectorExchange(Protocol):
    """The vectors of one model, for other machines and from them.

    A key is the SHA-256 of the text that a vector was made of. `storage` says what a vector is:
    `int8` with a largest component of 127, or `float32`, little-endian, of length 1. `dimensions`
    is 0 where nothing was kept of this model yet. Methods raise StorageError.
    """

    @property
    def model(self) -> str:
        """The id of the model."""
        ...

    @property
    def storage(self) -> str:
        """How its vectors are kept."""
        ...

    @property
    def dimensions(self) -> int:
        """How many components a vector has; 0 where that is not known yet."""
        ...

    def keys(self) -> Sequence[bytes]:
        """Of every text in the index, once, in order, whether it has a vector or not."""
        ...

    def held(self) -> Set[bytes]:
        """Of every vector that is here, whatever text is in the index."""
        ...

    def vectors(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Those of `keys` that have a vector here, in the order of `keys`, each with it."""
        ...

    def adopt(self, dimensions: int, made: Sequence[tuple[bytes, bytes]]) -> int:
        """Keep vectors made elsewhere, all of them or none. Returns how many are new here.

        What is here stays as it is. The caller has looked at each vector. Raises EngineUnavailable
        where the vectors here have other dimensions.
        """
        ...


@runtime_checkable
class ExchangesVectors(Protocol):
    """What an engine can do besides whose vectors mean the same on every machine."""

    def exchange(self) -> VectorExchange:
        """The vectors of the configured model."""
        ...
