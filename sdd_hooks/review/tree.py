"""The files of a commit, or of the index, read from git's objects and never from the work tree."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.artifacts.corpus import Corpus, Source, load_corpus
from sdd_hooks.artifacts.identifiers import Kind
from sdd_hooks.artifacts.text import decode
from sdd_hooks.artifacts.work_tree import LARGEST, read_work_tree
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.git import git, nul_split, read_blobs

KINDS: dict[str, Kind] = {"adrs": "ADR", "specs": "SPEC"}
REGULAR = ("100644", "100755")


class Blob(NamedTuple):
    """A regular file of a tree: its path, and the object that is its content."""

    path: str
    id: str


@dataclass(frozen=True)
class Tree:
    """The tree of `commit`, or of the index where that is "". `index` is git's index file when it
    is not the repository's own (`git commit -a` has one)."""

    root: Path
    commit: str = ""
    index: str = ""
    _texts: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def blobs(self, pathspecs: Sequence[str] = ()) -> list[Blob]:
        """The regular files, or those that the pathspecs match, by path."""
        if not self.commit:
            command = ("ls-files", "-z", "--stage", "--", *pathspecs)
            rows = nul_split(git(self.root, *command, index=self.index))
            entries = (row.partition("\t") for row in rows)
            # A stage other than 0 is a side of a conflict.
            return [
                Blob(path, about.split(" ")[1])
                for about, _, path in entries
                if about.startswith(REGULAR) and about.endswith(" 0")
            ]
        # ls-tree knows no pathspec magic, and is fast enough to list everything.
        rows = nul_split(git(self.root, "ls-tree", "-r", "-z", self.commit))
        entries = (row.partition("\t") for row in rows)
        return [
            Blob(path, about.split(" ")[2])
            for about, _, path in entries
            if about.startswith(REGULAR)
        ]

    def texts(self, blobs: Iterable[Blob]) -> Mapping[str, str]:
        """The text of each file by its path; those that are too large or binary are left out."""
        wanted = [blob for blob in blobs if blob.path not in self._texts]
        contents = read_blobs(self.root, [blob.id for blob in wanted])
        found = {}
        for blob, data in zip(wanted, contents, strict=True):
            if data is not None and len(data) <= LARGEST and b"\0" not in data[:8000]:
                found[blob.path] = decode(data)
        return found

    def text(self, path: str) -> str:
        """The text of a file; "" when there is none, or it is too large or binary."""
        if path not in self._texts:
            spec = f"{self.commit}:{path}"
            data = next(iter(read_blobs(self.root, [spec])))
            usable = data is not None and len(data) <= LARGEST and b"\0" not in data[:8000]
            self._texts[path] = decode(data) if data is not None and usable else ""
        return self._texts[path]

    def corpus(self, collections: Sequence[Collection]) -> Corpus:
        """The artifacts in those collections. A submodule's are those of its work tree."""
        own = [one for one in collections if one.kind in KINDS and not one.repository]
        specs = list(dict.fromkeys(spec for one in own for spec in one.pathspecs()))
        chosen = [
            (one, blob)
            for blob in (self.blobs(specs) if own else ())
            for one in own
            if one.contains(blob.path)
        ]
        contents = read_blobs(self.root, [blob.id for _, blob in chosen])
        sources = [
            Source(blob.path, data, KINDS[one.kind], one.module)
            for (one, blob), data in zip(chosen, contents, strict=True)
            # A file that is only going to be added is in the index already, as an empty one.
            if data and len(data) <= LARGEST
        ]
        elsewhere, _ = read_work_tree(self.root, [one for one in collections if one.repository])
        return Corpus((*load_corpus(sources).artifacts, *elsewhere.artifacts))
