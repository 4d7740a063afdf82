"""What an engine with one index for the repositories of an organisation does."""

# Governing: ADR-0060 (grants of the organisation's index), SPEC-0033 (organisation)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from sdd_hooks.engines.protocol import Hit, Query
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from sdd_hooks.project.project import Project


class RepositoryStatus(NamedTuple):
    """One repository in the index of an organisation.

    `name` is `host/owner/name`. `touched` is the time of the last check for changes (seconds since
    the epoch; None: never), `head` the commit that the index reflects ("": none). `incomplete` are
    the collections whose first index was cut short. `bytes` is the size of its texts and vectors.
    """

    name: str
    touched: float | None
    head: str
    documents: int
    chunks: int
    pending: int
    bytes: int
    incomplete: tuple[str, ...] = ()


class RepositoryHit(NamedTuple):
    """A hit, and the repository that it is in, as `host/owner/name`."""

    repository: str
    hit: Hit


class OrganisationResult(NamedTuple):
    """The hits in an organisation's index, best first, and notes on what the search lacks."""

    hits: tuple[RepositoryHit, ...]
    notes: tuple[str, ...] = ()


class OrganisationText(NamedTuple):
    """A document in an organisation's index: its text as far as the index has it, or its head,
    which is the text up to the second heading."""

    repository: str
    collection: str
    kind: str
    module: str
    path: str
    text: str


class Organisation(Protocol):
    """The open index of an organisation: the repositories that the role of the connection may
    read. Methods raise StorageError or EngineUnavailable."""

    def touched(self) -> Mapping[str, float | None]:
        """Return when each repository was last checked for changes (seconds since the epoch)."""
        ...

    def search(
        self, query: Query, kinds: Sequence[str], repositories: Sequence[str] | None = None
    ) -> OrganisationResult:
        """Search the collections of these kinds in these repositories, None for every one.
        `query.collections` is not used."""
        ...

    def heads(self, kinds: Sequence[str]) -> Sequence[OrganisationText]:
        """Return the head of each document of these kinds, by repository and path."""
        ...

    def texts(
        self, documents: Sequence[tuple[str, str, str]], longest: int | None = None
    ) -> Sequence[OrganisationText]:
        """Return the documents with these repositories, collections and paths, without those that
        have more than `longest` characters."""
        ...

    def close(self) -> None:
        """Release the connection."""
        ...


@runtime_checkable
class SearchesOrganisation(Protocol):
    """The backend of an engine that has one index for the repositories of an organisation."""

    def has_organisation(self, environ: Mapping[str, str]) -> bool:
        """Whether the environment says where that index is."""
        ...

    def open_organisation(self, project: Project) -> Organisation:
        """Open it, with the embedding model of a project. Raises EngineUnavailable, StorageError
        and NotIndexed."""
        ...

    def administer(self, environ: Mapping[str, str]) -> OrganisationAdministration:
        """Open it to see its state and to change grants. Raises EngineUnavailable."""
        ...


class OrganisationGrant(NamedTuple):
    """What a role may do with a repository (`*`: every one). Who writes also reads."""

    role: str
    repository: str
    right: Literal["read", "write"]


class OrganisationAdministration(Protocol):
    """The index of an organisation, for those who run it. Methods raise StorageError or
    EngineUnavailable."""

    @property
    def place(self) -> str:
        """The server and the database, for messages; without a password."""
        ...

    def prepare(self) -> int:
        """Create the index, or bring it to the version of this program, and renew the rights of
        each role. Returns how many steps ran."""
        ...

    def repositories(self) -> Sequence[RepositoryStatus]:
        """Return the repositories that the role may read, by name."""
        ...

    def grants(self) -> Sequence[OrganisationGrant]:
        """Return the grants that the role may see, by role and repository."""
        ...

    def grant(self, grant: OrganisationGrant) -> None:
        """Store a grant, in place of the role's former one for the repository."""
        ...

    def revoke(self, role: str, repository: str) -> bool:
        """Remove the grant of a role for a repository. Returns whether there was one."""
        ...

    def close(self) -> None:
        """Release the connection."""
        ...
