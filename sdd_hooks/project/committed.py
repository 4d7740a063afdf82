"""The memory files and collections that a commit declares, read from its tree.

A change edits the work tree, and with it the declaration of what its review checks. The base of a
review declares its own collections: in its memory files, also through links, and by the directories
that hold records.
"""

# Governing: ADR-0031 (the base declares its records), SPEC-0012 REQ "Configuration comes from the
# base"

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.config.memory_file import (
    MAX_MEMORY_FILE_BYTES,
    MEMORY_FILE_NAMES,
    MemoryFile,
    read_memory_file,
)
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.catalogue import ProjectPart, build_collections
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.layout import (
    Layout,
    ResolvedDirectory,
    build_layout,
    find_declarations,
)
from sdd_hooks.project.recognition import outermost, parents, recognise_records
from sdd_hooks.project.workspace import GITMODULES_FILE, read_declared_modules
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.system.git_objects import read_blobs, resolve_links

_LINK = "120000"
_FILE = "100"

Entry: TypeAlias = tuple[str, str, str]
"""Mode, object and path of a file, a link or a submodule in a tree."""


class CommittedFiles(NamedTuple):
    """The files of a commit: the object of each by its path, and the targets of its links."""

    git: Git
    files: Mapping[str, str]
    links: Mapping[str, str]

    def find(self, path: str) -> str:
        """The path behind the links of a path, "" for one that leads out of the repository."""
        return resolve_links(path, self.links)

    def read(self, paths: Sequence[str]) -> Iterator[bytes | None]:
        """The content of each path, behind links; None for none, and for a large one."""
        found = [self.files.get(self.find(path), "") for path in paths]
        contents = read_blobs(self.git, [id for id in found if id], limit=MAX_MEMORY_FILE_BYTES)
        for id in found:
            data = next(contents) if id else None
            yield data if data is None or len(data) <= MAX_MEMORY_FILE_BYTES else None


def list_commit(git: Git, commit: str, pathspecs: Sequence[str] = ()) -> Iterator[Entry]:
    """Yield what the tree of a commit holds. Raises GitError for one that does not exist."""
    for row in nul_split(git.output("ls-tree", "-r", "-z", commit, "--", *pathspecs)):
        fields, _, path = row.partition("\t")
        mode, _, id = fields.split(" ")
        yield mode, id, path


def read_committed_files(git: Git, commit: str, pathspecs: Sequence[str] = ()) -> CommittedFiles:
    """List the files of a commit, with `pathspecs` only these. Raises GitError for no commit."""
    return index_committed_files(git, list_commit(git, commit, pathspecs))


def index_committed_files(git: Git, entries: Iterable[Entry]) -> CommittedFiles:
    """The files among the entries of a commit, and the targets of its links."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    for mode, id, path in entries:
        if mode == _LINK:
            links[path] = id
        elif mode.startswith(_FILE):
            files[path] = id
    targets = read_blobs(git, list(links.values()), limit=MAX_MEMORY_FILE_BYTES)
    return CommittedFiles(
        git, files, {path: os.fsdecode(next(targets) or b"") for path in list(links)}
    )


def read_committed_memory(files: CommittedFiles, directory: str = "") -> MemoryFile | None:
    """The memory file in a directory of a commit, None for none with a section of this package."""
    names = [posixpath.join(directory, name) for name in MEMORY_FILE_NAMES]
    for name, data in zip(names, files.read(names), strict=True):
        memory = read_memory_file(files.git.root / name, data) if data else None
        if memory is not None:
            return memory
    return None


def read_committed_collections(files: CommittedFiles, slug: str) -> tuple[Collection, ...]:
    """The collections that a commit declares, without those of submodules.

    What it declares in a wrong way is left out.
    """
    git = files.git
    memory = read_committed_memory(files)
    (gitmodules,) = files.read([GITMODULES_FILE])
    names = {"": ""}
    for name, root in read_declared_modules(git, memory, gitmodules):
        names.setdefault(files.find(root), name)
    documents = _documents(files, names)
    parts = []
    for root, name in names.items():
        own = read_committed_memory(files, root) if root else memory
        declared = tuple(_resolve(files, root, own)) if own else ()
        read = partial(_read_below, files, root)
        layout = build_layout(root, declared, recognise_records(documents[root], read))
        parts.append(ProjectPart(name, root, "", layout))
    try:
        return build_collections(git.root, slug, parts, ())
    except ConfigurationError:
        # Two modules have one name: their records count as those of the repository.
        everything = _merge([part.layout for part in parts])
        return build_collections(git.root, slug, [ProjectPart("", "", "", everything)], ())


def _documents(files: CommittedFiles, roots: Iterable[str]) -> dict[str, list[str]]:
    """The documents of each root, relative to it; a file belongs to the innermost root."""
    found: dict[str, list[str]] = {root: [] for root in roots}
    for path in files.files:
        if path.lower().endswith(DOCUMENT_SUFFIXES):
            root = next(one for one in (*parents(path), "") if one in found)
            found[root].append(path[len(root) + 1 :] if root else path)
    return found


def _resolve(files: CommittedFiles, base: str, memory: MemoryFile) -> Iterator[ResolvedDirectory]:
    """The directories that a memory file declares, behind links."""
    for declaration in find_declarations(memory):
        written = declaration.path.replace("\\", "/")
        path = files.find(posixpath.join(base, written))
        if path or not written.strip("./"):
            yield ResolvedDirectory(declaration, path)


def _read_below(files: CommittedFiles, root: str, paths: Sequence[str]) -> Iterator[bytes | None]:
    return files.read([posixpath.join(root, path) for path in paths])


def _merge(layouts: Sequence[Layout]) -> Layout:
    return Layout(
        outermost(path for layout in layouts for path in layout.adrs),
        outermost(path for layout in layouts for path in layout.specs),
        outermost(path for layout in layouts for path in layout.flat),
    )
