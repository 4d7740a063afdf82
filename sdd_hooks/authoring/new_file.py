"""Where a new artifact goes, and its number: the file is created before anything is drafted."""

# Governing: SPEC-0024 REQ "Numbers"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, numbering_directory
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind
from sdd_hooks.artifacts.spec import SPEC_FILE
from sdd_hooks.authoring.numbers import lock_numbers, next_number
from sdd_hooks.authoring.record_form import RecordForm
from sdd_hooks.authoring.spec_draft import spec_directory
from sdd_hooks.errors import SddError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.file_edits import FileEdit, apply_edits


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
    """The id of a new artifact, its path, and the content of the file: None in a dry run."""

    id: ArtifactId
    path: str
    placeholder: bytes | None


def main_directory(artifacts: Sequence[Artifact], collection: Collection) -> str:
    """The directory with the most artifacts of a collection, else the first that it declares."""
    own = (one.path for one in artifacts if collection.contains(one.path))
    counts = Counter(map(numbering_directory, own))
    if counts:
        return max(counts, key=lambda directory: (counts[directory], directory))
    return collection.directories[0]


@contextmanager
def take_number(
    repository: Repository, new: NewFile, corpus: Corpus, *, dry_run: bool = False
) -> Iterator[TakenNumber]:
    """Take the next number by creating the file, which is removed if the block fails.

    Raises SddError when the file exists, StorageError when it cannot be created.
    """
    module, root = new.collection.module, repository.root
    if dry_run:
        number = _next(repository, new, corpus)
        yield TakenNumber(ArtifactId(new.kind, number, "", module), new.path(number), None)
        return
    with lock_numbers(repository):
        # Another process may have created a file since the artifacts were read.
        number = _next(repository, new, corpus)
        id = ArtifactId(new.kind, number, "", module)
        path, placeholder = new.path(number), new.placeholder(id)
        if (root / path).exists():
            raise SddError(f"{path} exists: choose another title")
        apply_edits(root, [FileEdit(path, None, placeholder)])
    try:
        yield TakenNumber(id, path, placeholder)
    except BaseException:
        with suppress(SddError):
            apply_edits(root, [FileEdit(path, placeholder, None)])
        raise


def _next(repository: Repository, new: NewFile, corpus: Corpus) -> int:
    module = new.collection.module
    ids = (id for id in corpus.by_id if (id.kind, id.module) == (new.kind, module))
    return next_number(repository, new.kind, new.form.directory, (id.number for id in ids))
