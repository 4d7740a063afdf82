"""The state files from which the hooks in sh decide without starting Python.

Two files say which commit the index reflects and which paths belong to it. A third one, in the
directory that all work trees share, names the collections for a new work tree.
`hooks/sdd-hook.sh` reads them.
"""

# Governing: ADR-0005 (hook shims decide in sh), ADR-0006 (derived state under .sdd)

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES as MEMORY_FILES
from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.errors import StorageError
from sdd_hooks.project.collections import COLLECTION_KINDS, Collection, all_pathspecs
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import REQUEST_FILE, SEARCH_DIR, Repository
from sdd_hooks.system.files import read_state, write_atomically

STATE_FILE = "hook"
ARTIFACTS_FILE = "hook-artifacts"
SHARED_FILE = "collections"
DECLARED_FILE = "declared"
"""The names of the collections that were declared when the state was written."""

# Files that declare the collections: a change to one may change what is indexed.
DECLARATION_FILES = (*MEMORY_FILES, ".gitmodules", "semantic-search.yml")

# Files that tell git what to ignore, and how to check files out. git compares a path with a pattern
# that begins with its only `*` in a fifth of the time that it takes for `:(glob)**/`.
_RULES = tuple(
    f"{start}{name}" for name in (".gitignore", ".gitattributes") for start in (":(literal)", "*/")
)

# Names that a record or a specification may have in a directory where none has been found.
NEW_ARTIFACTS = {
    "adrs": tuple(
        f":(icase,glob)**/{names}.m*"
        for names in (
            *("[0-9]*", "adr*", "*[0-9][0-9][0-9]*"),
            *("*adr*/**/*", "*decision*/**/*", "rfc*/**/*", "*proposal*/**/*"),
        )
    ),
    "specs": (":(icase,glob)**/spec.md", ":(icase,glob)**/requirements.md"),
}

# The hooks read 131,072 bytes of a state file.
_MAX_STATE_BYTES = 120_000

# As a pathspec it matches no file that git tracks.
_LAST_LINE = f":(literal){SEARCH_DIR}/{STATE_FILE}"

# Between the two equal parts of a state file. The parts of a damaged file differ.
_SEPARATOR = b"\t"

# Measured milliseconds that git takes to compare a tracked file, and to compare its path with one
# pathspec. The hooks may add 15 to a commit, most of which starts two processes.
_FILE_MILLISECONDS = 0.0011
_PATHSPEC_MILLISECONDS = 0.000035
_MAX_MILLISECONDS = 6.0
# Size of an entry in git's own index with a path of ordinary length.
_ENTRY_BYTES = 100


def write_state(project: Project, bookmarks: Mapping[str, Bookmark | None]) -> None:
    """Write the state files for an index with these `bookmarks`, as the engine returns them.

    Without bookmarks there is nothing to refresh, and the files are removed. Raises StorageError.
    """
    repository = project.repository
    if not bookmarks:
        remove_state(repository)
        return
    later = {collection.name for collection in declared_later(project, bookmarks)}
    known = (one.name for one in project.collections if one.name not in later)
    write_atomically(
        repository.search_dir / DECLARED_FILE, "".join(f"{n}\n" for n in known).encode()
    )
    indexed = [collection for collection in project.collections if collection.name in bookmarks]
    marks = [
        (collection, bookmarks[collection.name]) for collection in indexed if collection.pathspecs()
    ]
    pathspecs = all_pathspecs(collection for collection, _ in marks)
    if pathspecs:
        more = (*_declaration_pathspecs(project), *_new_artifact_pathspecs(indexed))
        pathspecs = list(dict.fromkeys((*pathspecs, *more)))
    checked = [
        collection
        for collection in project.collections
        if collection.kind in NEW_ARTIFACTS and not collection.repository
    ]
    artifacts = [*all_pathspecs(checked), *_new_artifact_pathspecs(checked)]
    heads = {
        mark.head for collection, mark in marks if mark is not None and not collection.repository
    }
    clean = len(heads) == 1 and all(_is_current(collection, mark) for collection, mark in marks)
    head = heads.pop() if clean else "0" * 40
    submodules = {
        collection.repository: mark.head
        for collection, mark in marks
        if collection.repository and mark
    }
    clean = clean and (not submodules or _recorded(repository, head, submodules))
    large = 0
    if _is_slow_to_compare(repository, len(pathspecs)):
        large = 2 if set(artifacts) <= set(pathspecs) else 1
    header = f"sdd 1 {head} {int(not clean)} {large} {int(bool(submodules))}"
    _write(repository, STATE_FILE, header, pathspecs)
    _write(repository, ARTIFACTS_FILE, header, artifacts)
    _write_shared(repository, [collection.name for collection in indexed])


def declared_later(project: Project, indexed: Container[str]) -> list[Collection]:
    """The collections that are not `indexed`, and were declared after the last full refresh.

    What a user left out of the index stays out: a kind of which nothing is indexed.
    """
    try:
        path = project.repository.search_dir / DECLARED_FILE
        known = read_state(path, _MAX_STATE_BYTES).decode().splitlines()
    except (OSError, UnicodeDecodeError, StorageError):
        return []
    kinds = {one.kind for one in project.collections if one.name in indexed}
    return [
        one
        for one in project.collections
        if one.name not in indexed
        and one.name not in known
        and (one.kind in kinds or one.kind not in COLLECTION_KINDS)
    ]


def distrust_state(repository: Repository) -> None:
    """Make every hook start sdd until the next `write_state`: the index is about to change.

    A refresh that is killed leaves collections that reflect different commits.
    Raises StorageError.
    """
    path = repository.search_dir / STATE_FILE
    try:
        header, *pathspecs = _read(path)
    except (OSError, StorageError, ValueError):
        # Hooks start sdd for a file that is no state, and do nothing without one.
        return
    fields = header.split(" ")
    if len(fields) == 6 and fields[3] == "0":
        fields[3] = "1"
        write_atomically(path, _rendered([" ".join(fields), *pathspecs]))


def remove_state(repository: Repository) -> None:
    """Remove the state files: the hooks then do nothing in this work tree."""
    for name in (STATE_FILE, ARTIFACTS_FILE, DECLARED_FILE):
        with suppress(OSError):
            (repository.search_dir / name).unlink()
    with suppress(OSError):
        (repository.shared_dir / SHARED_FILE).unlink()


def index_reflects(repository: Repository, head: str) -> bool:
    """Whether the index reflects the tracked files of the work tree, where the commit `head` is
    checked out. Decides like the hooks in sh; False in case of doubt.

    Raises RepositoryError where git cannot be run.
    """
    try:
        if os.path.lexists(repository.search_dir / REQUEST_FILE):
            return False
        header, *pathspecs = _read(repository.search_dir / STATE_FILE)
    except (FileNotFoundError, StorageError, ValueError):
        return False
    match header.split(" "):
        # git would start the filters of submodules: those are compared by a scan of each.
        case ["sdd", "1", commit, "0", large, "0"] if commit == head:
            pass
        case _:
            return False
    if not pathspecs:
        return True
    options = ["--quiet", "--ignore-submodules=all"]
    if large != "0":
        options.append("--cached")
    return repository.git.try_output("diff-index", *options, head, "--", *pathspecs) is not None


def shared_collections(repository: Repository) -> frozenset[str]:
    """The names of the collections that the work trees of the repository index."""
    try:
        text = read_state(repository.shared_dir / SHARED_FILE, _MAX_STATE_BYTES).decode()
    except (OSError, UnicodeDecodeError, StorageError):
        return frozenset()
    return frozenset(text.splitlines())


def indexed_names(repository: Repository) -> list[str]:
    """Names for the content of an index that cannot be opened: the collections that a work tree
    indexed last, or the slug of the repository."""
    return sorted(shared_collections(repository)) or [repository.slug]


def _is_current(collection: Collection, mark: Bookmark | None) -> bool:
    return mark is not None and not mark.dirty and mark.definition == collection.definition()


def _recorded(repository: Repository, head: str, submodules: Mapping[str, str]) -> bool:
    """Whether `head` records, for every submodule, the commit that is indexed."""
    listing = repository.git.try_output("ls-tree", "-z", head, "--", *submodules)
    recorded = {}
    for entry in (listing or b"").split(b"\0"):
        description, _, path = entry.partition(b"\t")
        recorded[os.fsdecode(path)] = description.rpartition(b" ")[2].decode()
    return all(recorded.get(path) == commit for path, commit in submodules.items())


def _declaration_pathspecs(project: Project) -> list[str]:
    tops = [
        "",
        *(f"{module.root}/" for module in project.modules if not module.submodule and module.root),
    ]
    declarations = [f":(literal){top}{name}" for top in tops for name in DECLARATION_FILES]
    return [*declarations, *_RULES]


def _new_artifact_pathspecs(indexed: Sequence[Collection]) -> list[str]:
    specs = (spec for one in indexed for spec in NEW_ARTIFACTS.get(one.kind, ()))
    return list(dict.fromkeys(specs))


def _is_slow_to_compare(repository: Repository, pathspecs: int) -> bool:
    try:
        files = (repository.git_dir / "index").stat().st_size / _ENTRY_BYTES
    except OSError:
        return False
    return files * (_FILE_MILLISECONDS + _PATHSPEC_MILLISECONDS * pathspecs) > _MAX_MILLISECONDS


def _write(repository: Repository, name: str, header: str, pathspecs: Sequence[str]) -> None:
    content = _rendered([header, *pathspecs])
    # A name may contain a separator, and there may be any number of names.
    if any("\n" in one or "\t" in one for one in pathspecs) or len(content) > _MAX_STATE_BYTES:
        fields = header.split(" ")
        content = _rendered([" ".join([*fields[:3], "1", *fields[4:]]), "."])
    write_atomically(repository.search_dir / name, content)


def _rendered(lines: Sequence[str]) -> bytes:
    part = os.fsencode("\n".join([*lines, _LAST_LINE, ""]))
    return part + _SEPARATOR + part


def _read(path: Path) -> list[str]:
    """The header and the pathspecs of a state file. Raises ValueError for one that is damaged,
    StorageError for one that is no regular file, and OSError."""
    part, _, copy = read_state(path, _MAX_STATE_BYTES).partition(_SEPARATOR)
    *lines, last, end = os.fsdecode(part).split("\n") if part == copy else ("", "")
    if not lines or last != _LAST_LINE or end:
        raise ValueError("the state is damaged")
    return lines


def _write_shared(repository: Repository, names: Sequence[str]) -> None:
    wanted = "".join(f"{name}\n" for name in names).encode()
    # Without this file, only the first index of a new work tree is not made automatically.
    with suppress(OSError, StorageError):
        path = repository.shared_dir / SHARED_FILE
        with suppress(FileNotFoundError, StorageError):
            if read_state(path, _MAX_STATE_BYTES) == wanted:
                return
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, wanted)
