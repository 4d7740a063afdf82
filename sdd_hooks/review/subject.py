"""What rules look at: a change, and the repository before it and after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.project.collections import Collection
from sdd_hooks.review.change import Change
from sdd_hooks.review.tree import Tree


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

    @cached_property
    def corpus(self) -> Corpus:
        """The artifacts as the change leaves them."""
        return self.after.corpus(self.collections)

    @cached_property
    def corpus_before(self) -> Corpus:
        """The artifacts at the base."""
        return self.before.corpus(self.collections)

    @cached_property
    def corpus_tip(self) -> Corpus:
        """The artifacts of the base branch as it is now."""
        return self.corpus_before if self.tip is None else self.tip.corpus(self.collections)

    def text(self, path: str) -> str:
        """The file as the change leaves it; "" when it is none, binary, or too large."""
        return self.after.text(path)

    def text_before(self, path: str) -> str:
        """The file at the base, likewise."""
        return self.before.text(path)

    def is_artifact(self, path: str) -> bool:
        """Whether a file belongs to a collection of artifacts."""
        return any(collection.contains(path) for collection in self.collections)
