"""The subject of a review: a change, the repository before and after it, and the numbers of records
that other work claims before it is merged."""

# Governing: ADR-0034 (numbers that are not merged yet), SPEC-0010 REQ "Numbers"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId, Origins
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.config.settings import ReviewSettings
from sdd_hooks.external.records import NO_RECORDS, ExternalRecords
from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap
from sdd_hooks.review.mentions import MAX_MENTIONS, Mention, find_mentions, stated_texts
from sdd_hooks.review.scans import ScanFile
from sdd_hooks.text.documents import as_markdown

_Result = TypeVar("_Result")


class Claim(NamedTuple):
    """A record whose number is new in another branch or pull request.

    `path` is its file there. `where` follows the path in messages ("in pull request 5, which is
    older"). `is_first` says that it has the number by right, and that the reviewed change takes
    another. `severity` is that of a finding about it.
    """

    id: ArtifactId
    path: str
    where: str
    is_first: bool
    severity: Severity


class Claims(NamedTuple):
    """The claims that were found, and a line about each thing that was not compared."""

    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()


NO_CLAIMS = Claims()


@dataclass(frozen=True)
class Subject:
    """A change, the trees around it, and the collections that hold artifacts (kinds adrs, specs).

    `collections` are those after the change, `collections_before` those of the base, None for the
    same ones. `tip` is the current commit of the base branch, None when that is `before`. `claims`
    are the numbers that work which is not merged takes, `external` the records of the repositories
    that the base declares, `scans` the results of scanners. Trees are read on first use, and each
    part once.

    With `whole_tree` the change adds every file that is checked, as the work tree has it, and
    `before` has the other files: nothing is known about history.
    """

    change: Change
    before: Tree
    after: Tree
    collections: tuple[Collection, ...]
    tip: Tree | None = None
    settings: ReviewSettings = field(default_factory=ReviewSettings)
    collections_before: tuple[Collection, ...] | None = None
    claims: Claims = NO_CLAIMS
    external: ExternalRecords = NO_RECORDS
    whole_tree: bool = False
    scans: tuple[ScanFile, ...] = ()
    _results: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for file in self.change.files:
            # The diff has the object ids already: the trees need not look them up.
            if file.was_file or not file.before:
                self.before.expect(Blob(file.before or file.path, file.blob_before))
            if file.is_file or file.status == "D":
                self.after.expect(Blob(file.path, file.blob))

    def with_claims(self, claims: Claims) -> Subject:
        """The same subject with these claims. What was read stays read."""
        return self._with(claims=claims)

    def with_scans(self, scans: tuple[ScanFile, ...]) -> Subject:
        """The same subject with these results of scanners. What was read stays read."""
        return self._with(scans=scans)

    def with_corpus(self, corpus: Corpus, before: Corpus) -> Subject:
        """The same subject with these artifacts after and before the change, which are not read."""
        return self._with(corpus=corpus, corpus_before=before)

    def _with(self, **values: object) -> Subject:
        other = replace(self)
        vars(other).update({**vars(self), **values})
        return other

    @property
    def base_collections(self) -> tuple[Collection, ...]:
        """The collections of artifacts at the base."""
        return self.collections if self.collections_before is None else self.collections_before

    @cached_property
    def corpus(self) -> Corpus:
        """The artifacts as the change leaves them."""
        return self.after.corpus(self.collections, self.origins)

    @cached_property
    def citable(self) -> Corpus:
        """The artifacts that a change can cite: those of `corpus`, and of other repositories."""
        external = self.external.corpus.artifacts
        return Corpus((*self.corpus.artifacts, *external)) if external else self.corpus

    @property
    def origins(self) -> Origins:
        """The names of other repositories in front of ids, as in `find_id_references`."""
        return self.external.names

    @cached_property
    def names(self) -> Origins:
        """What ids and names in a text mean: artifacts before or after the change, or elsewhere."""
        before = () if self.corpus_before is self.corpus else self.corpus_before.artifacts
        return NamesOfArtifacts((*self.corpus.artifacts, *before), self.origins)

    @cached_property
    def corpus_before(self) -> Corpus:
        """The artifacts at the base."""
        if not self._touches_artifacts and self.base_collections == self.collections:
            return self.corpus
        return self.before.corpus(self.base_collections, self.origins)

    @cached_property
    def corpus_tip(self) -> Corpus:
        """The artifacts at the current commit of the base branch."""
        if self.tip is None:
            return self.corpus_before
        return self.tip.corpus(self.base_collections, self.origins)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The artifacts that the change names: in files by path and line, then in its texts."""
        return tuple(islice(find_mentions(self.change, self.text, self.names), MAX_MENTIONS))

    @cached_property
    def changed_paths(self) -> frozenset[str]:
        """The paths of the changed files, before and after the change."""
        return frozenset(path for file in self.change.files for path in (file.path, file.before))

    @cached_property
    def described(self) -> str:
        """What the title, the body and the messages of the change state, in one text."""
        return "\n".join(text for _, text in stated_texts(self.change))

    def once(self, name: str, compute: Callable[[Subject], _Result]) -> _Result:
        """The result of `compute` for this subject, computed once for all rules that need it.

        `name` identifies it; an exception is raised again by the next call.
        """
        if name not in self._results:
            self._results[name] = compute(self)
        result: _Result = self._results[name]
        return result

    def text(self, path: str) -> str:
        """The text of a file after the change; "" when it is absent, binary or too large."""
        return self._document(path, self.after.text(path))

    def _document(self, path: str, text: str) -> str:
        """The text of a file, which is Markdown where the file is an artifact."""
        return as_markdown(path, text) if self.is_artifact(path) else text

    def record_text(self, path: str) -> str:
        """The text of a citable record, of this repository after the change or of another one."""
        return self.external.text(path) if self.external.origin(path) else self.text(path)

    def text_before(self, path: str) -> str:
        """The text of a file at the base, under the same conditions."""
        return self._document(path, self.before.text(path))

    def is_artifact(self, path: str) -> bool:
        """Whether a file belongs to a collection of artifacts, after the change or at the base."""
        return bool(self._collection_map.containing(path))

    @cached_property
    def _collection_map(self) -> CollectionMap:
        return CollectionMap((*self.collections, *(self.collections_before or ())))

    @property
    def _touches_artifacts(self) -> bool:
        """Whether the change has an artifact, or a submodule with a collection of artifacts."""
        submodules = {collection.repository for collection in self.collections}
        return any(
            path in submodules or self.is_artifact(path)
            for file in self.change.files
            for path in {file.path, file.before} - {""}
        )
