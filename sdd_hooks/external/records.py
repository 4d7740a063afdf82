"""The decision records of the sources, read from what was fetched last. Nothing is fetched here.

The path of such a record is `acme:docs/adr/0012-use-queues.md`, its id `acme/ADR-0012`.
"""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0012 (untrusted
# input), ADR-0031 (the base declares its records)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.edges import Edge
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.errors import RepositoryError, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.external_sources import (
    DeclaredSources,
    ExternalSource,
    find_external_sources,
)
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import Git
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.text.durations import format_duration

if TYPE_CHECKING:
    from sdd_hooks.changes.tree import Tree
    from sdd_hooks.external.snapshots import Snapshot

STALE_SECONDS = 86_400.0
"""From this age on, a report says how old the records of a source are."""

_ADVICE = "`sdd index update` fetches them"


class SourceRecords(NamedTuple):
    """The decision records of one source, with the tree that they are in.

    `snapshot` and `tree` are None for a source that was never fetched. Ids and paths of the
    artifacts have the name of the source in front, `tree_path` removes it.
    """

    source: ExternalSource
    snapshot: Snapshot | None = None
    tree: Tree | None = None
    artifacts: tuple[Artifact, ...] = ()

    def tree_path(self, path: str) -> str:
        """The path in the source's repository of a path of an artifact."""
        return path[len(self.source.name) + 1 :]


class ExternalRecords(NamedTuple):
    """The decision records of all sources. `names` are as in `DeclaredSources`.

    `organisation` are repositories with the name of each, as in `names`. Their records are not
    here: nothing is known of an id of theirs.
    """

    sources: tuple[SourceRecords, ...] = ()
    names: Mapping[str, str] = MappingProxyType({})
    organisation: Mapping[str, str] = MappingProxyType({})

    @property
    def corpus(self) -> Corpus:
        """The records of all sources."""
        return Corpus(tuple(artifact for one in self.sources for artifact in one.artifacts))

    def text(self, path: str) -> str:
        """The text of a record by its path; "" for a path that is none."""
        for one in self.sources:
            if one.tree is not None and path.startswith(f"{one.source.name}:"):
                return as_markdown(path, one.tree.text(one.tree_path(path)))
        return ""

    def origin(self, path: str) -> str:
        """The name of the source of a record by its path; "" for a path of this repository."""
        names = (one.source.name for one in self.sources)
        return next((name for name in names if path.startswith(f"{name}:")), "")

    def page(self, path: str, line: int = 0) -> str:
        """The web address of a record by its path; "" for a path of this repository.

        With `line`, it is the address of a line, where that is known.
        """
        for one in self.sources:
            if one.snapshot and path.startswith(f"{one.source.name}:"):
                place = SourcePlace(one.snapshot.commit, one.tree_path(path), line)
                return page_address(one.source, place)
        return ""

    def notes(self, now: float) -> tuple[str, ...]:
        """A line for each source that was never fetched, or not for a day.

        `now` is in seconds since the epoch.
        """
        lines = []
        for source, snapshot, _, _ in self.sources:
            where = f"{source.name} ({source.address.url})"
            if snapshot is None:
                lines.append(
                    f"not read: the decisions of {where}, which were not fetched: {_ADVICE}"
                )
            elif now - snapshot.fetched >= STALE_SECONDS:
                age = format_duration(now - snapshot.fetched)
                lines.append(f"the decisions of {where} were fetched {age} ago: {_ADVICE}")
        return tuple(lines)


NO_RECORDS = ExternalRecords()

# Of each forge: names of its hosts, what precedes a commit in the address of a file, and the query
# with which it shows the source of a Markdown file.
_FORGES = (
    (("github",), "blob", "?plain=1"),
    (("gitlab",), "-/blob", "?plain=1"),
    (("gitea", "forgejo", "codeberg"), "src/commit", "?display=source"),
)


def read_committed_sources(git: Git, commit: str) -> DeclaredSources:
    """The sources that the memory file of a commit declares. Raises GitError."""
    from sdd_hooks.project.committed import read_committed_files, read_committed_memory

    return find_external_sources(read_committed_memory(read_committed_files(git, commit)))


def read_external_records(repository: Repository, declared: DeclaredSources) -> ExternalRecords:
    """Read the records of the declared sources, as far as they were fetched."""
    found = [_read_source(repository, source) for source in declared.sources]
    names = declared.organisation_names
    organisation = {one: names[one] for one in declared.organisation}
    return ExternalRecords(tuple(found), declared.names, organisation)


def _read_source(repository: Repository, source: ExternalSource) -> SourceRecords:
    # Commands that list records import this module, and most repositories declare no source.
    from sdd_hooks.changes.tree import Tree
    from sdd_hooks.external.snapshots import read_snapshot, snapshot_git

    snapshot = read_snapshot(repository, source)
    if snapshot is None:
        return SourceRecords(source)
    try:
        git = snapshot_git(repository, source, snapshot.commit)
        tree = Tree(git, snapshot.commit)
        corpus = tree.corpus(_collections(git, source, snapshot.commit))
    except (RepositoryError, StorageError):
        # A damaged snapshot is fetched again.
        return SourceRecords(source)
    records = [one for one in corpus.artifacts if one.kind == "ADR" and is_safe(one.path)]
    adopted = tuple(adopt(one, source.name) for one in records)
    return SourceRecords(source, snapshot, tree, adopted)


def _collections(git: Git, source: ExternalSource, commit: str) -> Sequence[Collection]:
    """The collections of ADRs: the declared directories, else those that the source has."""
    if source.paths:
        return [Collection("adrs", "adrs", "", "", source.paths, DOCUMENT_SUFFIXES, "", (), "")]
    from sdd_hooks.project.committed import read_committed_collections, read_committed_files

    found = read_committed_collections(read_committed_files(git, commit), "external")
    return [one for one in found if one.kind == "adrs"]


def is_safe(path: str) -> bool:
    """Whether no part of a path leads elsewhere in an address, or breaks a line."""
    return path.isprintable() and not {"", ".", "..", ".git"} & {*path.split("/")}


def adopt(artifact: Artifact, origin: str) -> Artifact:
    """An artifact of another repository, with ids and paths that say so, and without findings."""

    def foreign(identifier: ArtifactId) -> ArtifactId:
        return identifier._replace(origin=origin)

    def edges() -> Iterator[Edge]:
        for edge in artifact.edges:
            source, target = foreign(edge.source), foreign(edge.target)
            yield edge._replace(source=source, target=target, path=f"{origin}:{edge.path}")

    return artifact._replace(
        id=foreign(artifact.id),
        path=f"{origin}:{artifact.path}",
        edges=tuple(edges()),
        successors=tuple(map(foreign, artifact.successors)),
        findings=(),
    )


class SourcePlace(NamedTuple):
    """A file of a source at a commit, and a line of it, 0 for all of it."""

    commit: str
    path: str
    line: int = 0


def page_address(source: ExternalSource, place: SourcePlace) -> str:
    """The web address of a file of a source; of its repository on an unknown forge.

    "" for a source that is fetched by `git://`, whose host may have no web server.
    """
    from urllib.parse import quote

    address = source.address
    if address.scheme == "git":
        return ""
    port = f":{address.port}" if address.port and address.scheme == "https" else ""
    base = f"https://{address.host}{port}/{quote(address.path, safe='/~')}"
    for names, folder, query in _FORGES:
        if any(name in address.host for name in names):
            anchor = f"{query}#L{place.line}" if place.line else ""
            return f"{base}/{folder}/{place.commit}/{quote(place.path)}{anchor}"
    return base
