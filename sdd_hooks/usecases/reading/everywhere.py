"""Read the decisions of every repository of an organisation, from its index."""

# Governing: SPEC-0033 REQ "Search everywhere", ADR-0060 (grants of the organisation's index)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.spec import SPEC_FILES, spec_paths
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.engines.organisation import (
    Organisation,
    OrganisationText,
    RepositoryHit,
)
from sdd_hooks.engines.protocol import (
    Query,
    SubQuery,
)
from sdd_hooks.engines.ranking.hits import query_words
from sdd_hooks.engines.registry import find_organisation
from sdd_hooks.errors import StorageBusy
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.everywhere import RepositoryAge
from sdd_hooks.retrieval.excerpts import answered
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.text.answers import SearchQuestion, read_question
from sdd_hooks.text.names import shorten_names

_HITS_PER_DOCUMENT = 5
"""Hits requested for each document: a document rarely has more among the best."""


class FoundArtifact(NamedTuple):
    """An artifact of a repository, and its text; `name` is the repository's short name."""

    repository: str
    name: str
    artifact: Artifact
    text: str

    @property
    def label(self) -> str:
        """`payments:ADR-0011`; without an id, the name of its file."""
        return f"{self.name}:{self.artifact.name}"


class EverywhereHit(NamedTuple):
    """A hit of a kind in a repository; `found` is None for a document that is no artifact."""

    repository: str
    name: str
    kind: str
    found: FoundArtifact | None
    hit: RepositoryHit

    @property
    def label(self) -> str:
        """`payments:ADR-0011`, or the short name and the path."""
        return self.found.label if self.found else f"{self.name}:{self.hit.hit.path}"


class FoundEverywhere(NamedTuple):
    """The hits of each kind, best first, and how fresh the repositories with hits are."""

    hits: tuple[EverywhereHit, ...]
    repositories: tuple[RepositoryAge, ...]
    notes: tuple[str, ...]


class ListedEverywhere(NamedTuple):
    """The artifacts of all readable repositories, and how fresh these are."""

    artifacts: tuple[FoundArtifact, ...]
    repositories: tuple[RepositoryAge, ...]


class EverywhereReader:
    """Reads an organisation's index that is open. `names` are the short names."""

    def __init__(self, organisation: Organisation) -> None:
        self._organisation = organisation
        self.touched: Mapping[str, float | None] = organisation.touched()
        self.names = shorten_names(self.touched)

    def freshness(self, repositories: Iterable[str]) -> tuple[RepositoryAge, ...]:
        """Return how fresh these repositories are, by name."""
        return tuple(
            RepositoryAge(one, self.names.get(one, one), self.touched.get(one))
            for one in sorted({*repositories})
        )

    def search(
        self, searches: Sequence[SubQuery], kind: str, limits: HitLimits
    ) -> tuple[tuple[EverywhereHit, ...], tuple[str, ...]]:
        """Return the best hit of each document of a kind, best first, and notes."""
        limit = limits.max_hits * _HITS_PER_DOCUMENT
        # The excerpts of records come from the whole record.
        snippets = 0 if kind in ARTIFACT_KINDS else limits.max_hits
        query = Query(tuple(searches), (), "", limit, limits.min_score, snippets)
        try:
            result = self._organisation.search(query, [kind])
        except StorageBusy as error:
            # The vectors alone may be locked, as while their index is built.
            words = tuple(part for part in searches if part.type == "lex")
            result = self._organisation.search(query._replace(searches=words), [kind])
            note = f"searched by words only: {error}"
            result = result._replace(notes=(*result.notes, note))
        best: dict[tuple[str, str, str], RepositoryHit] = {}
        for one in result.hits:
            best.setdefault((one.repository, one.hit.collection, one.hit.path), one)
        hits = [*best.values()][: limits.max_hits]
        found = self._read(kind, hits) if kind in ARTIFACT_KINDS else {}
        question = read_question(query.text, query_words(query.text))
        return tuple(
            self._labelled(
                one, kind, found.get((one.repository, _key(kind, one.hit.path))), question
            )
            for one in hits
        ), result.notes

    def _labelled(
        self, one: RepositoryHit, kind: str, found: FoundArtifact | None, question: SearchQuestion
    ) -> EverywhereHit:
        """Return the hit with what its record answers."""
        if found:
            one = one._replace(hit=answered(one.hit, found.artifact, found.text, question)[0])
        name = self.names.get(one.repository, one.repository)
        return EverywhereHit(one.repository, name, kind, found, one)

    def heads(self, kinds: Sequence[str]) -> list[FoundArtifact]:
        """Return the artifacts of these kinds, by repository, with the heads of their texts."""
        found = self._artifacts(self._organisation.heads(kinds))
        return sorted(found.values(), key=lambda one: (one.repository, one.artifact.path))

    def _read(
        self, kind: str, hits: Sequence[RepositoryHit]
    ) -> Mapping[tuple[str, str], FoundArtifact]:
        documents: dict[tuple[str, str, str], None] = {}
        for one in hits:
            for path in spec_paths(one.hit.path) if kind == "specs" else [one.hit.path]:
                documents[one.repository, one.hit.collection, path] = None
        return self._artifacts(self._organisation.texts([*documents]))

    def _artifacts(
        self, texts: Iterable[OrganisationText]
    ) -> Mapping[tuple[str, str], FoundArtifact]:
        """Return the artifacts in these texts, by repository, and path or folder."""
        files: dict[str, list[OrganisationText]] = {}
        for text in texts:
            files.setdefault(text.repository, []).append(text)
        found = {}
        for repository, parts in files.items():
            joined: dict[str, list[str]] = {}
            for part in parts:
                joined.setdefault(_key(part.kind, part.path), []).append(part.text)
            corpus = load_corpus(
                ArtifactFile(
                    part.path,
                    part.text.encode("utf-8", "surrogateescape"),
                    ARTIFACT_KINDS[part.kind],
                    part.module,
                )
                for part in parts
            )
            name = self.names.get(repository, repository)
            for artifact in corpus.artifacts:
                key = _key("specs" if artifact.kind == "SPEC" else "adrs", artifact.path)
                content = "\n".join(joined.get(key, ()))
                found[repository, key] = FoundArtifact(repository, name, artifact, content)
        return found


@contextmanager
def open_everywhere(project: Project) -> Iterator[EverywhereReader]:
    """Open the organisation's index.

    Raises EngineUnavailable without one, NotIndexed if it is empty, and StorageError.
    """
    with closing(find_organisation(project).open_organisation(project)) as organisation:
        yield EverywhereReader(organisation)


def search_everywhere(
    project: Project, text: str, kinds: Sequence[str], limits: HitLimits
) -> FoundEverywhere:
    """Search these kinds in every repository that the role of the connection may read."""
    searches = (SubQuery("lex", text), SubQuery("vec", text))
    with open_everywhere(project) as reader:
        hits: list[EverywhereHit] = []
        notes: dict[str, None] = {}
        for kind in kinds:
            found, more = reader.search(searches, kind, limits)
            hits += found
            notes |= dict.fromkeys(more)
        return FoundEverywhere(
            tuple(hits), reader.freshness(one.repository for one in hits), tuple(notes)
        )


def list_everywhere(project: Project, kinds: Sequence[str]) -> ListedEverywhere:
    """Return every artifact of these kinds in the repositories that the role may read."""
    with open_everywhere(project) as reader:
        return ListedEverywhere(tuple(reader.heads(kinds)), reader.freshness(reader.touched))


def _key(kind: str, path: str) -> str:
    """The path of an ADR, and the folder of a specification, which has two files."""
    is_file = kind == "specs" and path.rpartition("/")[2] in SPEC_FILES
    return path.rpartition("/")[0] if is_file else path
