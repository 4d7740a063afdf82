"""Where a new artifact goes, and its number or name."""

# Governing: SPEC-0024 REQ "Numbers"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, numbering_directory
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, id_from_link
from sdd_hooks.artifacts.spec import SPEC_FILE
from sdd_hooks.authoring.numbers import UsedNumbers, find_used_numbers, lock_numbers, merged_numbers
from sdd_hooks.authoring.record_form import RecordForm
from sdd_hooks.authoring.reservations import (
    NumberScope,
    Reservation,
    delete_merged_reservations,
    delete_reservations,
    reserve_number,
)
from sdd_hooks.authoring.spec_draft import spec_directory
from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.repository import Repository

MAX_ATTEMPTS = 20
"""How often a number is reserved that another process of this clone takes meanwhile."""

# The folders of a package that lead to its artifacts.
_DOCUMENTS = frozenset(
    {
        *("doc", "docs", "documentation", "architecture", "design", "openspec", "specs"),
        *("adr", "adrs", "decision", "decisions", "decision-log", "decision-records"),
        *("architecture-decisions", "architecture-decision-records", "architectural-decisions"),
    }
)


class NewFile(NamedTuple):
    """A file to create for an artifact, and the id that it gets. `title` and `date` name it."""

    kind: ArtifactKind
    title: str
    date: str
    collection: Collection
    form: RecordForm

    def path(self, number: int) -> str:
        """The path of the file, of a specification that of its spec.md."""
        directory = f"{self.form.directory}/" if self.form.directory else ""
        if self.kind == "SPEC":
            return f"{directory}{spec_directory(self.title)}/{SPEC_FILE}"
        return f"{directory}{self.form.file_name.name(number, self.title, self.date)}"

    def id(self, number: int) -> ArtifactId:
        """The id of the artifact: the number, or a name where the others have names."""
        module = self.collection.module
        if self.form.has_numbers:
            return ArtifactId(self.kind, number, "", module)
        named = id_from_link(self.path(number), self.kind, module)
        return named or ArtifactId(self.kind, number, "", module)


class TakenNumber(NamedTuple):
    """The id of a new artifact, and its path.

    `reservation` is that of the number in the remote, if it was reserved.
    """

    id: ArtifactId
    path: str
    reservation: Reservation | None = None


class NumberChoice(NamedTuple):
    """How a number is chosen. `taken` are the numbers that only the remote knows.

    With `reserve` the number is reserved in the remote as well, with `dry_run` nothing is written.
    """

    taken: frozenset[int] = frozenset()
    reserve: bool = False
    dry_run: bool = False


def home_directory(artifacts: Sequence[Artifact], collection: Collection, near: str) -> str:
    """The directory of a collection in which a new artifact is written.

    It is the one of the package around the directory `near`: `web/docs/adr` for all below `web`.
    Of several, and without such a package, it is the one with the most artifacts; without any
    artifact, the first that the collection declares.
    """
    own = (one.path for one in artifacts if collection.contains(one.path))
    counts = Counter(map(numbering_directory, own))
    if counts:
        return max(counts, key=lambda one: (_closeness(one, near), counts[one], one))
    return collection.directories[0]


def _closeness(directory: str, near: str) -> int:
    """How deep the package of a directory of artifacts is around `near`; 0 if it is elsewhere."""
    package = directory.split("/")
    parts = near.split("/")
    if parts[: len(package)] == package:
        return len(package)
    while package and package[-1].lower() in _DOCUMENTS:
        package.pop()
    return len(package) if parts[: len(package)] == package else 0


@contextmanager
def take_number(
    repository: Repository, new: NewFile, corpus: Corpus, choice: NumberChoice
) -> Iterator[TakenNumber]:
    """Choose the next number, which no process of this clone takes before the block has written it.

    A reservation is deleted if the block fails. Raises SddError when the file exists, StorageError
    when no number can be taken, and what `reserve_number` raises.
    """
    if choice.dry_run:
        number = _used(repository, new, corpus).next(choice.taken)
        yield TakenNumber(new.id(number), new.path(number))
        return
    if choice.reserve and not new.form.has_numbers:
        raise SddError("the records here have no number to reserve: leave --reserve out")
    for _ in range(MAX_ATTEMPTS):
        # The remote is asked without the lock: it may be slow.
        reservation = _reserve(repository, new, corpus, choice) if choice.reserve else None
        try:
            with lock_numbers(repository):
                # Another process may have created a file since the artifacts were read.
                used = _used(repository, new, corpus)
                number = reservation.number if reservation else used.next(choice.taken)
                if reservation is None or not used.has(number):
                    path = _free_path(repository, new, number)
                    yield TakenNumber(new.id(number), path, reservation)
                    return
        except BaseException:
            if reservation:
                delete_reservations(repository.git, [reservation])
            raise
        if reservation:
            delete_reservations(repository.git, [reservation])
    raise StorageError("other processes keep taking the next number: try again")


def _free_path(repository: Repository, new: NewFile, number: int) -> str:
    path = new.path(number)
    if (repository.root / path).exists():
        raise SddError(f"{path} exists: choose another title")
    return path


def _reserve(
    repository: Repository, new: NewFile, corpus: Corpus, choice: NumberChoice
) -> Reservation:
    used = _used(repository, new, corpus)
    git, scope = repository.git, NumberScope(new.kind, new.collection.module)
    reservation = reserve_number(
        git, scope, new.title, lambda reserved: used.next(choice.taken | reserved)
    )
    merged = merged_numbers(git, new.kind, new.form.directory)
    delete_merged_reservations(git, scope, merged - {reservation.number})
    return reservation


def _used(repository: Repository, new: NewFile, corpus: Corpus) -> UsedNumbers:
    if not new.form.has_numbers:
        beside = (one for one in corpus.artifacts if new.collection.contains(one.path))
        named = (new.form.file_name.number_of(one.place.name) for one in beside)
        return UsedNumbers(frozenset(named), frozenset())
    module = new.collection.module
    ids = (id for id in corpus.by_id if (id.kind, id.module) == (new.kind, module))
    numbers = (id.number for id in ids)
    return find_used_numbers(repository, new.kind, new.form.directory, numbers)
