"""What may differ between the index and the work tree, learned from git.

A collection's bookmark names the commit it reflects and the paths that were not that commit's. What
has to be looked at is then: what differs between that commit and HEAD, what is dirty now, and what
was dirty then. That holds whatever happened in between, hook or no hook: `reset`, `stash`, `pull`.
"""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sdd_hooks.system.git import Git, nul_split

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Bookmark, CollectionChanges
    from sdd_hooks.project.collections import Collection
    from sdd_hooks.trackers.sync import SyncResult

Scan = Literal["committed", "tracked", "all", "full"]
"""How far to look. `committed`: what commits changed and what was dirty, nothing that grows with
the work tree. `tracked`: also every file git knows. `all`: also those it has never seen, for which
directories have to be read. `full` re-reads every document, whatever git says."""

_LARGE_INDEX = 3_000_000
"""Bytes of git's own index from which a hook does not wait for a look at every file: about 30,000
files, which git looks at in the time the hook takes to start."""

_MOST_ARGUMENTS = 500


@dataclass
class Look:
    """A look at one git repository under way. Its processes run while the index is being opened."""

    git: Git
    prefix: str
    head: str
    scan: Scan
    _dirty: subprocess.Popen[bytes] | None
    _untracked: subprocess.Popen[bytes] | None

    def changes(
        self, collections: Sequence[Collection], bookmarks: Mapping[str, Bookmark | None]
    ) -> list[CollectionChanges]:
        """The changes of this repository's collections since their bookmarks."""
        # Not before: git is at work while the data classes of the protocol are being made.
        from sdd_hooks.engines.protocol import Bookmark, CollectionChanges

        dirty = set(self._finish(self._dirty)) if self._dirty else None
        untracked = self._finish(self._untracked) if self._untracked else None
        everything: list[str] | None = None
        since: dict[str, list[str] | None] = {}
        found = []
        for collection in collections:
            then = bookmarks.get(collection.name)
            known = then is not None and then.definition == collection.definition()
            committed: list[str] | None = None
            if known and then is not None and self.scan != "full":
                if then.head not in since:
                    since[then.head] = self._committed(then.head)
                committed = since[then.head]
            if committed is None:
                if everything is None:
                    untracked = self._all_untracked() if untracked is None else untracked
                    everything = sorted({*self._tracked(), *untracked})
                dirty = self._all_dirty() if dirty is None else dirty
                paths: Iterable[str] = everything
                now = dirty.union(untracked or ())
            else:
                before = then.dirty if then is not None else ()
                seen = self._dirty_among({*committed, *before}) if dirty is None else dirty
                extra = self._still_untracked(before, seen) if untracked is None else untracked
                now = seen.union(extra)
                paths = sorted({*committed, *now, *before})
            found.append(
                CollectionChanges(
                    collection,
                    tuple(filter(collection.contains, paths)),
                    committed is None,
                    Bookmark(
                        self.head,
                        tuple(sorted(filter(collection.contains, now))),
                        collection.definition(),
                    ),
                )
            )
        return found

    def close(self) -> None:
        """End what is still running; nothing to do once the changes were asked for."""
        for process in filter(None, (self._dirty, self._untracked)):
            if process.returncode is None:
                process.kill()
                process.communicate()

    def _finish(self, process: subprocess.Popen[bytes]) -> list[str]:
        output, _ = process.communicate()
        return self._paths(output)

    def _paths(self, output: bytes) -> list[str]:
        names = nul_split(output)
        return [f"{self.prefix}/{name}" for name in names] if self.prefix else names

    def _committed(self, then: str) -> list[str] | None:
        """Paths that differ between two commits; None when git no longer has the first."""
        if then == self.head:
            return []
        command = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", then, self.head)
        # git would read its index for this, of the size of the work tree; a missing one is empty.
        output = self.git.try_output(*command, index=str(self.git.root / ".sdd" / "no-index"))
        return None if output is None else self._paths(output)

    def _tracked(self) -> list[str]:
        return self._paths(self.git.output("ls-files", "-z", "--cached"))

    def _all_untracked(self) -> list[str]:
        return self._paths(self.git.output(*_UNTRACKED))

    def _all_dirty(self) -> set[str]:
        return set(self._paths(self.git.output(*_DIRTY, self.head)))

    def _dirty_among(self, paths: set[str]) -> set[str]:
        """Those of the paths whose files are not as HEAD has them."""
        names = dict(zip(self._own(paths), paths, strict=True))
        if not names:
            return set()
        if any("\n" in name for name in names):
            return self._all_dirty()
        # By their object ids: git's index, of the size of the work tree, is not read for those.
        files = [name for name in names if (self.git.root / name).is_file()]
        here = self.git.try_output("hash-object", "--stdin-paths", stdin=_lines(files))
        asked = _lines(f"{self.head}:{name}" for name in names)
        known = self.git.try_output("cat-file", "--batch-check=%(objectname)", stdin=asked)
        if here is None or known is None:
            return self._all_dirty()
        found = dict(zip(files, here.split(), strict=True))
        committed = {
            name: answer
            for name, answer in zip(names, known.split(b"\n"), strict=False)
            if not answer.endswith(b" missing")
        }
        return {path for name, path in names.items() if found.get(name) != committed.get(name)}

    def _own(self, paths: Iterable[str]) -> list[str]:
        """Paths of the project as this repository has them."""
        return [path[len(self.prefix) + 1 :] if self.prefix else path for path in paths]

    def _still_untracked(self, before: Sequence[str], dirty: set[str]) -> list[str]:
        """Those of the paths dirty at the last look that git still does not track."""
        candidates = self._own(path for path in before if path not in dirty)
        if not candidates:
            return []
        if len(candidates) > _MOST_ARGUMENTS:
            return self._all_untracked()
        command = ("--literal-pathspecs", *_UNTRACKED, "--", *candidates)
        return self._paths(self.git.output(*command))


_DIRTY = ("diff-index", "-z", "--name-only", "--no-renames")
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")


def _lines(values: Iterable[str]) -> bytes:
    return os.fsencode("".join(f"{value}\n" for value in values))


def scan_of_commit(git_dir: Path) -> Scan:
    """How far to look after a commit, in a repository with this git directory."""
    try:
        large = (git_dir / "index").stat().st_size > _LARGE_INDEX
    except OSError:
        large = False
    return "committed" if large else "tracked"


def look(git: Git, repository: str, scan: Scan) -> Look:
    """Start looking at the repository itself ("") or at a submodule (its path).

    Raises:
        RepositoryError: git cannot be run there.
    """
    git = git.at(git.root / repository)
    # An unborn branch has no HEAD: everything is then new against the empty tree.
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = (head or git.output("hash-object", "-t", "tree", os.devnull)).decode().strip()
    dirty = None if scan == "committed" else git.start(*_DIRTY, base)
    untracked = git.start(*_UNTRACKED) if scan in {"all", "full"} else None
    return Look(git, repository, base, scan, dirty, untracked)


def issues(
    root: Path,
    collection: Collection,
    scan: Scan,
    bookmark: Bookmark | None = None,
    synced: SyncResult | None = None,
) -> CollectionChanges | None:
    """The synced issues, which git ignores: every file there is. Nothing for a narrow look.

    A sync, `synced`, knows what it changed. That is enough where the index, by its bookmark,
    reflects the state of the folder that the sync began with.
    """
    from sdd_hooks.engines.protocol import Bookmark, CollectionChanges

    definition = collection.definition()
    if synced is not None and synced.since and scan != "full":
        if bookmark == Bookmark(synced.since, (), definition):
            paths = tuple(filter(collection.contains, synced.changed))
            return CollectionChanges(
                collection, paths, False, Bookmark(synced.state, (), definition)
            )
    elif scan not in {"all", "full"}:
        return None
    from sdd_hooks.trackers.meta import load_sync_state

    found = []
    state = ""
    for directory in collection.directories:
        # Asked before: what a sync changes meanwhile is looked at once more.
        state = load_sync_state(root, directory).state
        try:
            found += sorted(f"{directory}/{one.name}" for one in (root / directory).iterdir())
        except OSError:
            continue
    paths = tuple(filter(collection.contains, found))
    return CollectionChanges(collection, paths, True, Bookmark(state, (), definition))
