"""What may differ between the index and the work tree, according to git.

The bookmark of a collection names the commit that the index reflects and the paths whose files
were not as in that commit. The paths to compare are therefore: those that differ between that
commit and HEAD, those that are dirty now, and those that were dirty at the bookmark. That holds
for every way to move the work tree, with or without a hook: `reset`, `stash`, `pull`.
"""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sdd_hooks.code.languages import MARKDOWN_SUFFIXES
from sdd_hooks.system.git import Git, nul_split

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Bookmark, CollectionChanges
    from sdd_hooks.project.collections import Collection
    from sdd_hooks.trackers.sync import SyncResult

ScanScope = Literal["committed", "tracked", "all", "full"]
"""Which files a scan compares. `committed`: those that commits changed and those that were dirty,
nothing that grows with the work tree. `tracked`: also every file that git tracks. `all`: also
untracked files, for which git reads the directories. `full` re-reads every document."""

_LARGE_GIT_INDEX = 3_000_000
"""Bytes of git's own index above which a hook does not compare every tracked file: about 30,000
files, which git compares in the time that the hook takes to start."""

_MAX_ARGUMENTS = 500

_DIRTY = ("diff-index", "-z", "--name-only", "--no-renames")
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")


@dataclass
class Scan:
    """A running scan of one git repository. Its processes run while the index is being opened.

    `prefix` is the path of a submodule, "" for the repository itself. `documents` are the Markdown
    files that were compared for collections of artifacts, inside of them or not.
    """

    git: Git
    prefix: str
    head: str
    scope: ScanScope
    _dirty_process: subprocess.Popen[bytes] | None
    _untracked_process: subprocess.Popen[bytes] | None
    documents: set[str] = field(default_factory=set, init=False)
    _dirty: set[str] | None = field(default=None, init=False)
    _untracked: list[str] | None = field(default=None, init=False)
    _every_path: list[str] | None = field(default=None, init=False)
    _every_dirty: list[str] | None = field(default=None, init=False)
    _committed: dict[str, list[str] | None] = field(default_factory=dict, init=False)
    # By bookmark: modules share it, and each would start processes of git.
    _compared: dict[tuple[str, tuple[str, ...]], tuple[list[str], list[str]]] = field(
        default_factory=dict, init=False
    )

    def changes(
        self, collections: Sequence[Collection], bookmarks: Mapping[str, Bookmark | None]
    ) -> list[CollectionChanges]:
        """The changes of this repository's collections since their bookmarks."""
        if self._dirty_process and self._dirty is None:
            self._dirty = set(self._finish(self._dirty_process))
        if self._untracked_process and self._untracked is None:
            self._untracked = self._finish(self._untracked_process)
        return [
            self._collection_changes(collection, bookmarks.get(collection.name))
            for collection in collections
        ]

    def close(self) -> None:
        """Kill the processes that still run; none does after `changes`."""
        for process in filter(None, (self._dirty_process, self._untracked_process)):
            if process.returncode is None:
                process.kill()
                process.communicate()

    def _collection_changes(
        self, collection: Collection, bookmark: Bookmark | None
    ) -> CollectionChanges:
        # Not at the top: git runs while the data classes of the protocol are being created.
        from sdd_hooks.engines.protocol import Bookmark, CollectionChanges
        from sdd_hooks.project.collections import select_paths

        definition = collection.definition()
        committed: list[str] | None = None
        paths: Sequence[str]
        if bookmark is not None and bookmark.definition == definition and self.scope != "full":
            committed = self._committed_since(bookmark.head)
        if bookmark is None or committed is None:
            paths, dirty = self._all_paths()
        else:
            key = (bookmark.head, bookmark.dirty)
            if key not in self._compared:
                self._compared[key] = self._changed_paths(committed, bookmark.dirty)
            paths, dirty = self._compared[key]
        if collection.kind in {"adrs", "specs"}:
            self.documents.update(p for p in paths if p.lower().endswith(MARKDOWN_SUFFIXES))
        contained = select_paths(collection, dirty)
        return CollectionChanges(
            collection,
            select_paths(collection, paths),
            committed is None,
            Bookmark(self.head, contained, definition),
        )

    def _all_paths(self) -> tuple[list[str], list[str]]:
        """Every path, and those whose files are not as in HEAD, both sorted."""
        if self._every_path is None:
            if self._untracked is None:
                self._untracked = self._all_untracked()
            self._every_path = sorted({*self._all_tracked(), *self._untracked})
        if self._dirty is None:
            self._dirty = self._all_dirty()
        if self._every_dirty is None:
            self._every_dirty = sorted(self._dirty.union(self._untracked or ()))
        return self._every_path, self._every_dirty

    def _changed_paths(
        self, committed: list[str], dirty_before: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """The paths that may differ from the bookmark, and those whose files are not as in HEAD,
        both sorted."""
        dirty, untracked = self._dirty, self._untracked
        if dirty is None:
            dirty = self._dirty_among({*committed, *dirty_before})
        if untracked is None:
            untracked = self._still_untracked(dirty_before, dirty)
        dirty = dirty.union(untracked)
        return sorted({*committed, *dirty, *dirty_before}), sorted(dirty)

    def _finish(self, process: subprocess.Popen[bytes]) -> list[str]:
        output, _ = process.communicate()
        return self._project_paths(output)

    def _project_paths(self, output: bytes) -> list[str]:
        """Paths of this repository, NUL-separated, as paths of the project."""
        names = nul_split(output)
        return [f"{self.prefix}/{name}" for name in names] if self.prefix else names

    def _repository_paths(self, paths: Iterable[str]) -> list[str]:
        """Paths of the project as paths of this repository."""
        return [path[len(self.prefix) + 1 :] if self.prefix else path for path in paths]

    def _committed_since(self, commit: str) -> list[str] | None:
        """Paths that differ between `commit` and HEAD; None when git no longer has the commit."""
        if commit == self.head:
            return []
        if commit not in self._committed:
            command = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", commit, self.head)
            # git would read its index, which grows with the work tree; a missing one is empty.
            index = str(self.git.root / ".sdd" / "no-index")
            output = self.git.try_output(*command, index=index)
            self._committed[commit] = None if output is None else self._project_paths(output)
        return self._committed[commit]

    def _all_tracked(self) -> list[str]:
        return self._project_paths(self.git.output("ls-files", "-z", "--cached"))

    def _all_untracked(self) -> list[str]:
        return self._project_paths(self.git.output(*_UNTRACKED))

    def _all_dirty(self) -> set[str]:
        return set(self._project_paths(self.git.output(*_DIRTY, self.head)))

    def _dirty_among(self, paths: set[str]) -> set[str]:
        """Those of the paths whose files are not as in HEAD."""
        names = dict(zip(self._repository_paths(paths), paths, strict=True))
        if not names:
            return set()
        if any("\n" in name for name in names):
            return self._all_dirty()
        # Object ids are compared without git's index, which grows with the work tree.
        files = [name for name in names if (self.git.root / name).is_file()]
        hashes = self.git.try_output("hash-object", "--stdin-paths", stdin=_lines(files))
        objects = _lines(f"{self.head}:{name}" for name in names)
        answers = self.git.try_output("cat-file", "--batch-check=%(objectname)", stdin=objects)
        if hashes is None or answers is None:
            return self._all_dirty()
        in_work_tree = dict(zip(files, hashes.split(), strict=True))
        in_head = {
            name: answer
            for name, answer in zip(names, answers.split(b"\n"), strict=False)
            if not answer.endswith(b" missing")
        }
        return {path for name, path in names.items() if in_work_tree.get(name) != in_head.get(name)}

    def _still_untracked(self, before: Sequence[str], dirty: set[str]) -> list[str]:
        """Those of the paths that were dirty at the bookmark and are still untracked."""
        candidates = self._repository_paths(path for path in before if path not in dirty)
        if not candidates:
            return []
        if len(candidates) > _MAX_ARGUMENTS:
            return self._all_untracked()
        command = ("--literal-pathspecs", *_UNTRACKED, "--", *candidates)
        return self._project_paths(self.git.output(*command))


def commit_scope(git_dir: Path) -> ScanScope:
    """The scope of a scan after a commit, in a repository with this git directory."""
    try:
        large = (git_dir / "index").stat().st_size > _LARGE_GIT_INDEX
    except OSError:
        large = False
    return "committed" if large else "tracked"


def start_scan(git: Git, repository: str, scope: ScanScope) -> Scan:
    """Start a scan of the repository itself ("") or of a submodule (its path).

    Raises:
        RepositoryError: git cannot be run there.
    """
    git = git.at(git.root / repository)
    # An unborn branch has no HEAD: every file is then compared with the empty tree.
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = (head or git.output("hash-object", "-t", "tree", os.devnull)).decode().strip()
    dirty = None if scope == "committed" else git.start(*_DIRTY, base)
    untracked = git.start(*_UNTRACKED) if scope in {"all", "full"} else None
    return Scan(git, repository, base, scope, dirty, untracked)


def issue_changes(
    root: Path,
    collection: Collection,
    scope: ScanScope,
    bookmark: Bookmark | None = None,
    synced: SyncResult | None = None,
) -> CollectionChanges | None:
    """The changes of a collection of issues, whose files git ignores.

    These are all its files for the scopes `all` and `full`, and None for a narrower one. `synced`
    is a sync that knows which files it changed: those are enough where the bookmark names the
    state of the folder in which the sync began.
    """
    from sdd_hooks.engines.protocol import Bookmark, CollectionChanges

    definition = collection.definition()
    if synced is not None and synced.since and scope != "full":
        if bookmark == Bookmark(synced.since, (), definition):
            paths = tuple(filter(collection.contains, synced.changed))
            return CollectionChanges(
                collection, paths, False, Bookmark(synced.revision, (), definition)
            )
    elif scope not in {"all", "full"}:
        return None
    from sdd_hooks.trackers.sync_state import load_sync_state

    files: list[str] = []
    state = ""
    for directory in collection.directories:
        # Read before the files: what a sync changes meanwhile is compared again later.
        state = load_sync_state(root, directory).revision
        try:
            files += sorted(f"{directory}/{file.name}" for file in (root / directory).iterdir())
        except OSError:
            continue
    paths = tuple(filter(collection.contains, files))
    return CollectionChanges(collection, paths, True, Bookmark(state, (), definition))


def _lines(values: Iterable[str]) -> bytes:
    return os.fsencode("".join(f"{value}\n" for value in values))
