"""What rules look at: a change, and the repository before it and after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.project.collections import Collection
from sdd_hooks.review.mentions import MOST, Mention, mentions


@dataclass(frozen=True)
class Subject:
    """A change, the trees around it, and the collections that hold artifacts (kinds adrs, specs).

    `tip` is the base branch as it is now, when that is not `before`: it may have gone on since the
    change left it. What is read from a tree is read when it is asked for, once.
    """

    change: Change
    before: Tree
    after: Tree
    collections: tuple[Collection, ...]
    tip: Tree | None = None

    def __post_init__(self) -> None:
        for file in self.change.files:
            # A file that is new is none before, and one that is gone is none after.
            if file.was_file or not file.before:
                self.before.expect(Blob(file.before or file.path, file.blob_before))
            if file.is_file or file.status == "D":
                self.after.expect(Blob(file.path, file.blob))

    @cached_property
    def corpus(self) -> Corpus:
        """The artifacts as the change leaves them."""
        return self.after.corpus(self.collections)

    @cached_property
    def corpus_before(self) -> Corpus:
        """The artifacts at the base."""
        if not self._touches_artifacts:
            return self.corpus
        return self.before.corpus(self.collections)

    @cached_property
    def corpus_tip(self) -> Corpus:
        """The artifacts of the base branch as it is now."""
        return self.corpus_before if self.tip is None else self.tip.corpus(self.collections)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The artifacts that the change names, in files by path and line, then by its author."""
        return tuple(islice(mentions(self.change, self.text), MOST))

    def text(self, path: str) -> str:
        """The file as the change leaves it; "" when it is none, binary, or too large."""
        return self.after.text(path)

    def text_before(self, path: str) -> str:
        """The file at the base, likewise."""
        return self.before.text(path)

    def is_artifact(self, path: str) -> bool:
        """Whether a file belongs to a collection of artifacts."""
        return any(collection.contains(path) for collection in self.collections)

    @property
    def _touches_artifacts(self) -> bool:
        """Whether the change has an artifact, or a submodule that holds some."""
        submodules = {collection.repository for collection in self.collections}
        return any(
            path in submodules or self.is_artifact(path)
            for file in self.change.files
            for path in {file.path, file.before} - {""}
        )
