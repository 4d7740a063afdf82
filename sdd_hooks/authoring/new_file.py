"""Where a new artifact goes, and its number: the file is created before anything is drafted."""

# Governing: SPEC-0024 REQ "Numbers"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, numbering_directory
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind
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
from sdd_hooks.system.file_edits import FileEdit, apply_edits

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

    def placeholder(self, id: ArtifactId) -> bytes:
        """What the file has until it is drafted, so that others see that the number is taken."""
        return f"# {id.kind}-{id.number:04d}: {self.title}\n".encode()


class TakenNumber(NamedTuple):
    """The id of a new artifact, its path, and the content of the file: None in a dry run.

    `reservation` is that of the number in the remote, if it was reserved.
    """

    id: ArtifactId
    path: str
    placeholder: bytes | None
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
    """Take the next number by creating the file, which is removed if the block fails.

    A reservation is deleted then as well. Raises SddError when the file exists, StorageError when
    it cannot be created, and what `reserve_number` raises.
    """
    root = repository.root
    if choice.dry_run:
        number = _used(repository, new, corpus).next(choice.taken)
        yield TakenNumber(_id(new, number), new.path(number), None)
        return
    taken = _take(repository, new, corpus, choice)
    try:
        yield taken
    except BaseException:
        with suppress(SddError):
            apply_edits(root, [FileEdit(taken.path, taken.placeholder, None)])
        if taken.reservation:
            delete_reservations(repository.git, [taken.reservation])
        raise


def _take(
    repository: Repository, new: NewFile, corpus: Corpus, choice: NumberChoice
) -> TakenNumber:
    for _ in range(MAX_ATTEMPTS):
        # The remote is asked without the lock: it may be slow.
        reservation = _reserve(repository, new, corpus, choice) if choice.reserve else None
        try:
            with lock_numbers(repository):
                # Another process may have created a file since the artifacts were read.
                used = _used(repository, new, corpus)
                number = reservation.number if reservation else used.next(choice.taken)
                if reservation is None or not used.has(number):
                    return _create(repository, new, number)._replace(reservation=reservation)
        except BaseException:
            if reservation:
                delete_reservations(repository.git, [reservation])
            raise
        if reservation:
            delete_reservations(repository.git, [reservation])
    raise StorageError("other processes keep taking the next number: try again")


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


def _create(repository: Repository, new: NewFile, number: int) -> TakenNumber:
    id = _id(new, number)
    path, placeholder = new.path(number), new.placeholder(id)
    if (repository.root / path).exists():
        raise SddError(f"{path} exists: choose another title")
    apply_edits(repository.root, [FileEdit(path, None, placeholder)])
    return TakenNumber(id, path, placeholder)


def _id(new: NewFile, number: int) -> ArtifactId:
    return ArtifactId(new.kind, number, "", new.collection.module)


def _used(repository: Repository, new: NewFile, corpus: Corpus) -> UsedNumbers:
    module = new.collection.module
    ids = (id for id in corpus.by_id if (id.kind, id.module) == (new.kind, module))
    numbers = (id.number for id in ids)
    return find_used_numbers(repository, new.kind, new.form.directory, numbers)
