"""A tree whose files are in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.system.git import Git


class MemoryTree(Tree):
    """The files of a mapping. The id of a blob is its path."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(Git(Path(os.devnull), {}), "memory")
        self._files: Mapping[str, str]
        object.__setattr__(self, "_files", files)

    def blobs(self, pathspecs: Sequence[str] = ()) -> list[Blob]:
        assert not pathspecs
        return [Blob(path, path) for path in self._files]

    def contents(self, ids: Sequence[str], limit: int) -> Iterator[bytes | None]:
        return (self._files[id].encode()[: limit + 1] for id in ids)

    def texts(self, blobs: Iterable[Blob]) -> Mapping[str, str]:
        return {blob.path: self._files[blob.path] for blob in blobs}
