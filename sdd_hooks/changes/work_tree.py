"""The files of the work tree, committed or not, read like the tree of a commit.

Files that git does not track count unless git ignores them. The id of a file's content is its path.
"""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository), ADR-0040 (a whole tree is checked as a change that adds it)

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, Origins
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES, read_artifact_files
from sdd_hooks.changes.patch import MAX_LINE
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.committed import Entry
from sdd_hooks.system.files import (
    MAX_SNIFFED_BYTES,
    FileTooLarge,
    PathRefused,
    is_binary,
    read_inside,
    read_start,
)
from sdd_hooks.system.git import Git, GitError, first_error_line, nul_split
from sdd_hooks.text.decoding import decode, is_text
from sdd_hooks.text.lines import NumberedLine, TextLines, split_lines

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
_GREP = ("grep", "-l", "-z", "-F", "--no-color", "--no-recurse-submodules", "--untracked")
_STATE = ".sdd/"
_LITERAL = ":(literal)"


@dataclass
class WorkFiles:
    """The files below the root of a work tree and in its submodules, listed once for all trees.

    `submodules` are the paths of those that are checked out.
    """

    git: Git
    submodules: Sequence[str] = ()
    _listed: dict[tuple[str, ...], list[Entry]] = field(default_factory=dict, repr=False)
    _sources: dict[tuple[Collection, ...], list[ArtifactFile]] = field(
        default_factory=dict, repr=False
    )

    def entries(self, pathspecs: tuple[str, ...] = ()) -> list[Entry]:
        """The mode, the path as id, and the path of each file and link. Raises GitError."""
        if pathspecs not in self._listed:
            names = dict.fromkeys(self._names(pathspecs))
            modes = ((self._mode(name), name) for name in names)
            self._listed[pathspecs] = sorted(
                ((mode, name, name) for mode, name in modes if mode), key=lambda one: one[2]
            )
        return self._listed[pathspecs]

    def grep(
        self, texts: Sequence[str], pathspecs: Sequence[str], options: Sequence[str]
    ) -> set[str]:
        """The paths of the files that have one of `texts`. Raises GitError."""
        patterns = [argument for text in texts for argument in ("-e", text)]
        found: set[str] = set()
        for prefix, git, specs in self._repositories(tuple(pathspecs)):
            done = git.run(*_GREP, *options, *patterns, "--", *specs)
            # git exits with 1 if no file matches.
            if done.returncode > 1:
                raise GitError(f"git grep: {first_error_line(done.stderr)}")
            found.update(prefix + name for name in nul_split(done.stdout))
        return found

    def read(self, path: str, limit: int) -> bytes | None:
        """The content of a file, None where there is none; a larger one is cut after the limit."""
        try:
            return read_inside(self.git.root, path, limit, follow=False)
        except FileTooLarge:
            return bytes(limit + 1)
        except (OSError, PathRefused):
            return None

    def is_binary(self, path: str) -> bool:
        """Whether a file is binary, or cannot be read."""
        try:
            return is_binary(read_start(self.git.root, path, MAX_SNIFFED_BYTES))
        except (OSError, PathRefused):
            return True

    def is_large(self, path: str) -> bool:
        """Whether a file is too large to be read as text."""
        try:
            return os.lstat(f"{self.git.root}/{path}").st_size > MAX_ARTIFACT_BYTES
        except (OSError, ValueError):
            return False

    def sources(self, collections: Sequence[Collection]) -> list[ArtifactFile]:
        """The files of the artifacts in the collections."""
        key = tuple(collections)
        if key not in self._sources:
            self._sources[key] = read_artifact_files(self.git, collections)[0]
        return self._sources[key]

    def _names(self, pathspecs: tuple[str, ...]) -> Iterator[str]:
        for prefix, git, specs in self._repositories(pathspecs):
            for name in nul_split(git.output(*_LIST, *specs)):
                if prefix or not name.startswith(_STATE):
                    yield prefix + name

    def _repositories(
        self, pathspecs: tuple[str, ...]
    ) -> Iterator[tuple[str, Git, tuple[str, ...]]]:
        """The repositories in which the pathspecs match, with the prefix of their paths."""
        yield "", self.git, pathspecs
        for path in self.submodules:
            if not pathspecs or f"{_LITERAL}{path}" in pathspecs:
                yield f"{path}/", self.git.at(self.git.root / path), ()

    def _mode(self, name: str) -> str:
        """git's mode of a file or link, "" for anything else."""
        try:
            mode = os.lstat(f"{self.git.root}/{name}").st_mode
        except (OSError, ValueError):
            return ""
        if stat.S_ISLNK(mode):
            return "120000"
        return f"100{755 if mode & stat.S_IXUSR else 644}" if stat.S_ISREG(mode) else ""


@dataclass(frozen=True)
class WorkTree(Tree):
    """The work tree as a tree, without the paths for which `skips` is true."""

    files: WorkFiles = field(kw_only=True)
    skips: Callable[[str], bool] = field(default=lambda _: False, kw_only=True)

    def text(self, path: str) -> str:
        """The text of a file; "" if it does not exist, is too large, or is binary."""
        cached = self._cache.get(path)
        return dict(self._read([Blob(path, path)]))[path] if cached is None else cached

    def contents(self, ids: Sequence[str], limit: int) -> Iterator[bytes | None]:
        """The content of each file, as `Tree.contents`; of a link the path that it leads to."""
        for path in ids:
            yield None if self.skips(path) else self._content(path, limit)

    def grep(
        self, texts: Sequence[str], pathspecs: Sequence[str] = (), *options: str
    ) -> list[Blob]:
        """The regular files that contain one of `texts`; `options` are those of `git grep`."""
        found = self.files.grep(texts, pathspecs, options)
        return [blob for blob in self.blobs(pathspecs) if blob.path in found] if found else []

    def corpus(self, collections: Sequence[Collection], origins: Origins = NO_ORIGINS) -> Corpus:
        """The artifacts in the collections, those of submodules included."""
        sources = [one for one in self.files.sources(collections) if not self.skips(one.path)]
        for source in sources:
            if is_text(source.data):
                self._cache.keep(source.path, decode(source.data))
        return load_corpus(sources, origins)

    def _content(self, path: str, limit: int) -> bytes | None:
        link = self.root / path
        if link.is_symlink():
            return os.fsencode(os.readlink(link))[: limit + 1]  # noqa: PTH115 (a str)
        return self.files.read(path, limit)

    def _list_entries(self, specs: Sequence[str]) -> Iterator[Entry]:
        return (one for one in self.files.entries(tuple(specs)) if not self.skips(one[2]))

    def _without_intended(self, blobs: list[Blob]) -> list[Blob]:
        return blobs

    def _read(self, blobs: Sequence[Blob]) -> Generator[tuple[str, str], None, None]:
        contents = self.contents([blob.path for blob in blobs], MAX_ARTIFACT_BYTES)
        for blob, data in zip(blobs, contents, strict=True):
            usable = data is not None and len(data) <= MAX_ARTIFACT_BYTES and is_text(data)
            text = decode(data) if data is not None and usable else ""
            self._cache.keep(blob.path, text)
            yield blob.path, text


class FileLines(TextLines):
    """The lines of a file of a tree, cut as in a diff. They are read when needed, and not kept."""

    def __init__(self, tree: Tree, path: str) -> None:
        self._tree = tree
        self._path = path

    @property
    def text(self) -> str:
        """The text of the file."""
        return self._tree.text(self._path)

    @property
    def texts(self) -> Sequence[str]:
        """The text of each line, cut as in a diff."""
        return [text[:MAX_LINE] for text in split_lines(self.text)]

    def __bool__(self) -> bool:
        return bool(self.text)

    def __len__(self) -> int:
        return len(split_lines(self.text))

    def __iter__(self) -> Iterator[NumberedLine]:
        return (NumberedLine(number, text) for number, text in enumerate(self.texts, 1))

    @overload
    def __getitem__(self, index: int) -> NumberedLine: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[NumberedLine]: ...

    def __getitem__(self, index: int | slice) -> NumberedLine | Sequence[NumberedLine]:
        if isinstance(index, slice):
            return tuple(self)[index]
        texts = self.texts
        return NumberedLine(range(1, len(texts) + 1)[index], texts[index])
