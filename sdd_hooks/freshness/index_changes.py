"""What may differ between the index and the work tree, according to git.

The bookmark of a collection names the commit that the index reflects and the paths whose files
were not as in that commit. The paths to compare are therefore: those that differ between that
commit and HEAD, those that are dirty now, and those that were dirty at the bookmark. That holds
for every way to move the work tree, with or without a hook: `reset`, `stash`, `pull`.
"""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import read_inside
from sdd_hooks.system.git import Git, nul_split

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Bookmark, CollectionChanges, IndexedDocument
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

# Compares the commits of submodules, not their files: filters of their repositories would run.
_SUBMODULES = "--ignore-submodules=dirty"
_DIRTY = ("diff-index", "-z", "--name-status", "--no-renames", _SUBMODULES)
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")
_LISTED = ("ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard")

_DELETED = "D"

IGNORE_RULES = ".gitignore"
CONTENT_RULES = ".gitattributes"
"""A change to one may change files that are the same to git, such as their line ends."""

_FILE_CLOCK = 5
"""On Linux, the clock of the times of files, of which newer kernels are finer. It is up to 10 ms
behind the others."""

_MAX_LINK_BYTES = 4096
_MAX_RULES_BYTES = 1_000_000

_SPARSE_RULES = "info/sparse-checkout"
_HIDDEN = "S"
"""git's tag for a file that a sparse checkout leaves out, and that is absent."""


class _Differences(NamedTuple):
    """Paths whose files are not as in HEAD, and paths of files that are in git's index."""

    dirty: set[str]
    tracked: set[str]


class _Comparison(NamedTuple):
    """Paths that an index may have to read, those whose files are not as in HEAD, those that git
    neither tracks nor lists, and those of the rules files among the second. All are sorted."""

    paths: Sequence[str]
    dirty: Sequence[str]
    gone: Sequence[str]
    rules: Sequence[str]


class Scan:
    """A running scan of one git repository. Its processes run while the index is being opened.

    `prefix` is the path of a submodule, "" for the repository itself. `documents` are the Markdown
    files that were compared for collections of artifacts, inside of them or not.
    """

    def __init__(self, git: Git, prefix: str, head: str, scope: ScanScope, started: float) -> None:
        """Start the processes that the scope needs.

        `head` is a commit or a tree, `started` a time before it was read, by the clock that sets
        the times of files, in seconds since the epoch.
        """
        self.git = git
        self.prefix = prefix
        self.head = head
        self.scope = scope
        self.started = started
        self._dirty_process = None if scope == "committed" else git.start(*_DIRTY, head)
        self._untracked_process = git.start(*_UNTRACKED) if scope in {"all", "full"} else None
        self.documents: set[str] = set()
        self._dirty: dict[str, str] | None = None
        self._untracked: list[str] | None = None
        self._everything: _Comparison | None = None
        self._committed: dict[str, dict[str, str] | None] = {}
        # By bookmark: modules share it, and each would start processes of git.
        self._compared: dict[tuple[str, tuple[str, ...]], _Comparison | None] = {}
        self._expected: set[str] = set()
        self._rules = local_rules(git.root)
        self._present: list[str] | None = None

    def changes(
        self,
        collections: Sequence[Collection],
        bookmarks: Mapping[str, Bookmark | None],
        documents: Callable[[str], Iterable[IndexedDocument]],
    ) -> list[CollectionChanges]:
        """The changes of this repository's collections since their bookmarks.

        `documents` lists what the index has of a collection; it is asked for sparse checkouts only.
        """
        if self._dirty_process and self._dirty is None:
            self._dirty = self._statuses(self._dirty_process.communicate()[0])
        if self._untracked_process and self._untracked is None:
            self._untracked = self._project_paths(self._untracked_process.communicate()[0])
        changes = [
            self._collection_changes(collection, bookmarks.get(collection.name))
            for collection in collections
        ]
        # What a sparse checkout has takes git as long as its index is large.
        if self.scope == "committed" or not has_sparse_rules(self.git):
            return changes
        return [
            change
            if change.complete
            else self._with_sparse_files(change, documents(change.collection.name))
            for change in changes
        ]

    def unsettled(self, changes: CollectionChanges) -> tuple[str, ...]:
        """Those of the changed paths whose files changed after this scan began, sorted.

        The engine may have read another content than that of the commit, which the bookmark
        promises. Called after the engine has read them.
        """
        dirty = frozenset(changes.bookmark.dirty if changes.bookmark else ())
        return tuple(
            path
            for path in changes.paths
            if path not in dirty and path not in changes.gone and self._is_unsettled(path)
        )

    def _is_unsettled(self, path: str) -> bool:
        name = path[len(self.prefix) + 1 :] if self.prefix else path
        try:
            changed = (self.git.root / name).lstat().st_ctime >= self.started
        except OSError:
            return path in self._expected
        return changed or path not in self._expected

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
        since = None
        if (
            bookmark is not None
            and (bookmark.definition, bookmark.sparse) == (definition, self._rules)
            and self.scope != "full"
        ):
            key = (bookmark.head, bookmark.dirty)
            if key not in self._compared:
                self._compared[key] = self._compare(*key)
            since = self._compared[key]
        paths, dirty, gone, rules = since or self._compare_everything()
        if collection.kind in {"adrs", "specs"}:
            self.documents.update(p for p in paths if p.lower().endswith(DOCUMENT_SUFFIXES))
        contained = sorted({*select_paths(collection, dirty), *rules})
        return CollectionChanges(
            collection,
            select_paths(collection, paths),
            since is None,
            Bookmark(self.head, tuple(contained), definition, self._rules),
            frozenset(select_paths(collection, gone)),
        )

    def _compare(self, commit: str, before: Sequence[str]) -> _Comparison | None:
        """What may differ from a bookmark; None if every file may."""
        committed = self._committed_since(commit)
        if committed is None or self._content_rules_changed(committed, before):
            return None
        return self._changed_paths(committed, before)

    def _content_rules_changed(self, committed: Iterable[str], before: Iterable[str]) -> bool:
        paths = {*committed, *before, *(self._dirty or ()), *(self._untracked or ())}
        return any(_name(path) == CONTENT_RULES for path in paths)

    def _compare_everything(self) -> _Comparison:
        if self._everything is None:
            if self._untracked is None:
                self._untracked = self._all_untracked()
            if self._dirty is None:
                self._dirty = self._all_dirty()
            paths = {*self._prefixed(tracked_files(self.git)), *self._untracked}
            self._expected |= paths
            self._everything = _comparison(paths, {*self._dirty, *self._untracked}, ())
        return self._everything

    def _changed_paths(self, committed: Mapping[str, str], before: Sequence[str]) -> _Comparison:
        candidates = {*committed, *before}
        if self._dirty is None:
            dirty, tracked = self._differences_among(candidates)
        else:
            dirty = set(self._dirty)
            tracked = {path for path, status in self._dirty.items() if status != _DELETED}
            tracked |= {
                path
                for path, status in committed.items()
                if status != _DELETED and path not in dirty
            }
        if self._untracked is None and any(
            _name(path) == IGNORE_RULES for path in (*candidates, *dirty)
        ):
            self._untracked = self._all_untracked()
        untracked = set(self._untracked or ())
        doubtful = self._existing((candidates | dirty) - tracked - untracked)
        listed, others = self._listed(doubtful)
        untracked |= others
        self._expected |= tracked | listed | untracked
        dirty |= untracked
        return _comparison(candidates | dirty, dirty, doubtful - listed - others)

    def _existing(self, paths: Iterable[str]) -> set[str]:
        found = self._repository_paths(paths)
        return {path for path in found if os.path.lexists(self.git.root / found[path])}

    def _statuses(self, output: bytes) -> dict[str, str]:
        """The output of `--name-status -z`: the status of each path of the project."""
        fields = nul_split(output)
        paths = self._prefixed(fields[1::2])
        return dict(zip(paths, fields[::2], strict=False))

    def _project_paths(self, output: bytes) -> list[str]:
        """Paths of this repository, NUL-separated, as paths of the project."""
        return self._prefixed(nul_split(output))

    def _prefixed(self, names: list[str]) -> list[str]:
        return [f"{self.prefix}/{name}" for name in names] if self.prefix else names

    def _repository_paths(self, paths: Iterable[str]) -> dict[str, str]:
        """Paths of the project, each with its path in this repository."""
        start = len(self.prefix) + 1 if self.prefix else 0
        return {path: path[start:] for path in paths}

    def _committed_since(self, commit: str) -> dict[str, str] | None:
        """The status of each path that differs between `commit` and HEAD.

        None when git no longer has the commit.
        """
        if commit == self.head:
            return {}
        if commit not in self._committed:
            command = ("diff-tree", "-r", "-z", "--name-status", "--no-renames", commit, self.head)
            # git would read its index, which grows with the work tree; a missing one is empty.
            index = str(self.git.root / ".sdd" / "no-index")
            output = self.git.try_output(*command, index=index)
            self._committed[commit] = None if output is None else self._statuses(output)
        return self._committed[commit]

    def _with_sparse_files(
        self, changes: CollectionChanges, indexed: Iterable[IndexedDocument]
    ) -> CollectionChanges:
        """Add the files of a sparse checkout of which only one of git and the index knows.

        A merge, an edit or a restored path creates a file that the rules leave out, as it is in
        HEAD, and `git sparse-checkout reapply` removes it again: no comparison with HEAD names it.
        """
        from sdd_hooks.project.collections import select_paths

        if self._present is None:
            self._present = sorted(self._prefixed(tracked_files(self.git)))
            self._expected.update(self._present)
        present = {*select_paths(changes.collection, self._present)}
        unknown = present ^ {document.path for document in indexed}
        return changes._replace(paths=tuple(sorted(unknown.union(changes.paths))))

    def _all_untracked(self) -> list[str]:
        return self._project_paths(self.git.output(*_UNTRACKED))

    def _all_dirty(self) -> dict[str, str]:
        return self._statuses(self.git.output(*_DIRTY, self.head))

    def _differences_among(self, paths: set[str]) -> _Differences:
        """Compare these paths alone, without git's index, which grows with the work tree."""
        names = self._repository_paths(paths)
        if not names:
            return _Differences(set(), set())
        files = [name for name in names.values() if (self.git.root / name).is_file()]
        hashes = answers = None
        if not any("\n" in name for name in names.values()):
            hashes = self.git.try_output("hash-object", "--stdin-paths", stdin=_lines(files))
            objects = _lines(f"{self.head}:{name}" for name in names.values())
            answers = self.git.try_output("cat-file", "--batch-check=%(objectname)", stdin=objects)
        if hashes is None or answers is None:
            statuses = self._all_dirty()
            return _Differences(set(statuses), {p for p, s in statuses.items() if s != _DELETED})
        in_work_tree = dict(zip(files, hashes.split(), strict=True))
        in_head = {
            name: answer
            for name, answer in zip(names.values(), answers.split(b"\n"), strict=False)
            if not answer.endswith(b" missing")
        }
        return _Differences(
            {path for path, name in names.items() if in_work_tree.get(name) != in_head.get(name)},
            {path for path, name in names.items() if name in in_work_tree and name in in_head},
        )

    def _listed(self, paths: set[str]) -> tuple[set[str], set[str]]:
        """Those of the paths that git tracks, and those that are untracked and not ignored."""
        names = {
            name: path
            for path, name in self._repository_paths(paths).items()
            if not _is_behind_link(self.git.root, name)
        }
        if not names:
            return set(), set()
        chosen = ("--", *names) if len(names) <= _MAX_ARGUMENTS else ()
        tags: dict[str, str] = {}
        for entry in nul_split(self.git.output("--literal-pathspecs", *_LISTED, *chosen)):
            tags.setdefault(entry[2:], entry[0])
        found = [(path, tags[name]) for name, path in names.items() if name in tags]
        tracked = {path for path, tag in found if tag != "?"}
        return tracked, {path for path, tag in found if tag == "?"}


def _comparison(paths: Iterable[str], dirty: set[str], gone: Iterable[str]) -> _Comparison:
    rules = sorted(filter(is_rules_file, dirty))
    return _Comparison(sorted(paths), sorted(dirty), sorted(gone), rules)


def is_rules_file(path: str) -> bool:
    """Whether the file tells git which files to ignore, or how to check them out."""
    return _name(path) in {IGNORE_RULES, CONTENT_RULES}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _is_behind_link(root: Path, name: str) -> bool:
    """Whether a directory above the file is a link, so that git does not see the file."""
    return any((root / above).is_symlink() for above in Path(name).parents)


def file_time() -> float:
    """Return a time, in seconds since the epoch, before which no later change of a file is dated.

    A file that was changed just before may be dated after it, so that it is compared once more.
    """
    return time.clock_gettime(_FILE_CLOCK) if sys.platform == "linux" else time.time()


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
    started = file_time()
    # An unborn branch has no HEAD: every file is then compared with the empty tree.
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = (head or git.output("hash-object", "-t", "tree", os.devnull)).decode().strip()
    return Scan(git, repository, base, scope, started)


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
    from sdd_hooks.trackers.store import IssueFolder
    from sdd_hooks.trackers.stored_issues import set_damage_aside
    from sdd_hooks.trackers.sync_state import load_sync_state

    files: list[str] = []
    state = ""
    for directory in collection.directories:
        set_damage_aside(IssueFolder(root, directory))
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


def local_rules(root: Path) -> str:
    """Return a digest of the rules of a work tree that git does not track; "" for none."""
    rules = b""
    with suppress(OSError, SddError):
        git_dir = _git_dir(root)
        rules = _exclude_patterns(git_dir)
        sparse = read_inside(git_dir, _SPARSE_RULES, _MAX_RULES_BYTES)
        rules += sparse + b"\0" + read_inside(git_dir, "config.worktree", _MAX_RULES_BYTES)
    if not rules:
        return ""
    from hashlib import sha256

    return sha256(rules).hexdigest()[:16]


def tracked_files(git: Git) -> list[str]:
    """Return the files that git tracks, except those that a sparse checkout leaves out."""
    entries = nul_split(git.output("ls-files", "-z", "-t", "--cached"))
    return [entry[2:] for entry in entries if entry[0] != _HIDDEN]


def has_sparse_rules(git: Git) -> bool:
    """Whether a sparse checkout is on. Starts no process in a work tree that never had one."""
    with suppress(OSError):
        if (_git_dir(git.root) / _SPARSE_RULES).is_file():
            enabled = git.try_output("config", "--type=bool", "--get", "core.sparseCheckout")
            return enabled is not None and enabled.strip() == b"true"
    return False


def _git_dir(root: Path) -> Path:
    git_dir = root / ".git"
    if git_dir.is_file():
        line = git_dir.read_bytes()[:_MAX_LINK_BYTES].removeprefix(b"gitdir: ").rstrip(b"\r\n")
        return root / os.fsdecode(line)
    return git_dir


def _exclude_patterns(git_dir: Path) -> bytes:
    """The lines of `info/exclude` that are no comments, which all work trees share."""
    common_dir = git_dir
    with suppress(OSError, SddError):
        line = read_inside(git_dir, "commondir", _MAX_LINK_BYTES).rstrip(b"\r\n")
        common_dir = git_dir / os.fsdecode(line)
    with suppress(OSError, SddError):
        lines = read_inside(common_dir, "info/exclude", _MAX_RULES_BYTES).splitlines(keepends=True)
        return b"".join(line for line in lines if line.strip() and not line.startswith(b"#"))
    return b""
