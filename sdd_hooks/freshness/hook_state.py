"""What the hooks in sh need to know, so that they can decide without starting Python.

Two files say what the index reflects and where it comes from, one beside the repository's shared
data says which collections a new work tree should begin with. `hooks/sdd-hook.sh` reads them.
"""

# Governing: ADR-0005 (hook shims decide in sh), ADR-0006 (derived state under .sdd)

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES as MEMORY_FILES
from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.errors import SddError
from sdd_hooks.project.collections import Collection, all_pathspecs
from sdd_hooks.project.layout import SPEC_PLACES
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_inside, write_atomically

STATE = "hook"
ARTIFACTS = "hook-artifacts"
SHARED = "collections"
AGAIN = "again"
"""A refresh that nobody has begun."""

# Files that decide what the collections are: a change to one may change what is indexed.
DECLARATIONS = (*MEMORY_FILES, ".gitmodules", "semantic-search.yml")

# Where artifacts appear in a repository that has none of a kind.
APPEARANCES = {
    "adrs": (":(icase)*.md", ":(icase)*.markdown", ":(icase)*.mdx"),
    "specs": tuple(f":(literal){place}" for place in SPEC_PLACES),
}

# What the hooks read of a file.
_MOST_BYTES = 60_000

# Measured in milliseconds: what git takes to look at a tracked file, and to compare its path with
# one pathspec. A commit may cost 15, of which most goes into starting two processes.
_FILE_COST = 0.0011
_PATHSPEC_COST = 0.000035
_BUDGET = 6.0
# Of an entry in git's own index, with a path of ordinary length.
_ENTRY_BYTES = 100


def write_state(project: Project, bookmarks: Mapping[str, Bookmark | None]) -> None:
    """Tell the hooks what the index reflects: `bookmarks`, as the engine has them.

    With no bookmarks there is nothing to keep fresh, and the files go. Raises StorageError.
    """
    repository = project.repository
    if not bookmarks:
        remove_state(repository)
        return
    indexed = [one for one in project.collections if one.name in bookmarks]
    marks = [(one, bookmarks[one.name]) for one in indexed if one.pathspecs()]
    pathspecs = all_pathspecs(one for one, _ in marks)
    if pathspecs:
        more = (*_declarations(project), *_appearances(project, indexed))
        pathspecs = list(dict.fromkeys((*pathspecs, *more)))
    artifacts = all_pathspecs(
        one for one in project.collections if one.kind in {"adrs", "specs"} and not one.repository
    )
    heads = {mark.head for one, mark in marks if mark is not None and not one.repository}
    clean = len(heads) == 1 and all(_is_current(one, mark) for one, mark in marks)
    head = heads.pop() if clean else "0" * 40
    submodules = {one.repository: mark.head for one, mark in marks if one.repository and mark}
    clean = clean and (not submodules or _recorded(repository, head, submodules))
    large = _takes_long(repository, len(pathspecs))
    header = f"sdd 1 {head} {int(not clean)} {int(large)} {int(bool(submodules))}"
    _write(repository, STATE, header, pathspecs)
    _write(repository, ARTIFACTS, header, artifacts)
    _write_shared(repository, [one.name for one in indexed])


def distrust_state(repository: Repository) -> None:
    """Let every hook start sdd until the next `write_state`: the index is about to change.

    A refresh that is killed half way leaves collections that reflect different commits.
    Raises StorageError.
    """
    path = repository.search_dir / STATE
    try:
        header, _, rest = path.read_bytes().partition(b"\n")
    except OSError:
        return
    fields = header.split(b" ")
    if len(fields) == 6 and fields[3] == b"0":
        fields[3] = b"1"
        write_atomically(path, b" ".join(fields) + b"\n" + rest)


def remove_state(repository: Repository) -> None:
    """Let the hooks do nothing here."""
    for name in (STATE, ARTIFACTS):
        with suppress(OSError):
            (repository.search_dir / name).unlink()
    with suppress(OSError):
        (repository.shared_dir / SHARED).unlink()


def reflects(repository: Repository, head: str) -> bool:
    """Whether the index reflects the work tree, as far as git knows its files, with the commit
    `head` checked out: what the hooks in sh decide. Where that is in doubt it does not.

    Raises RepositoryError where git cannot be run.
    """
    if (repository.search_dir / AGAIN).exists():
        return False
    try:
        state = read_inside(repository.root, f".sdd/search/{STATE}", _MOST_BYTES)
    except (FileNotFoundError, SddError):
        return False
    header, *pathspecs = os.fsdecode(state).removesuffix("\n").split("\n")
    match header.split(" "):
        case ["sdd", "1", commit, "0", large, submodules] if commit == head:
            pass
        case _:
            return False
    if not pathspecs:
        return True
    options = ["--quiet"]
    if large != "0":
        options.append("--cached")
    if submodules != "1":
        options.append("--ignore-submodules=all")
    return repository.git.try_output("diff-index", *options, head, "--", *pathspecs) is not None


def shared_collections(repository: Repository) -> frozenset[str]:
    """The names of the collections that other work trees of the repository keep."""
    try:
        text = (repository.shared_dir / SHARED).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(text.splitlines())


def indexed_here(repository: Repository) -> list[str]:
    """Names for what an index holds that cannot be asked: of the collections that some work tree
    kept last, or of the repository."""
    return sorted(shared_collections(repository)) or [repository.slug]


def _is_current(collection: Collection, mark: Bookmark | None) -> bool:
    return mark is not None and not mark.dirty and mark.definition == collection.definition()


def _recorded(repository: Repository, head: str, submodules: Mapping[str, str]) -> bool:
    """Whether the commit `head` records for every submodule the commit that is indexed."""
    listing = repository.git.try_output("ls-tree", "-z", head, "--", *submodules)
    recorded = {}
    for entry in (listing or b"").split(b"\0"):
        description, _, path = entry.partition(b"\t")
        recorded[os.fsdecode(path)] = description.rpartition(b" ")[2].decode()
    return all(recorded.get(path) == commit for path, commit in submodules.items())


def _declarations(project: Project) -> list[str]:
    tops = ["", *(f"{one.root}/" for one in project.modules if not one.submodule and one.root)]
    return [f":(literal){top}{name}" for top in tops for name in DECLARATIONS]


def _appearances(project: Project, indexed: Sequence[Collection]) -> list[str]:
    root = project.repository.root
    return [
        spec
        for one in indexed
        if not any((root / directory).is_dir() for directory in one.directories)
        for spec in APPEARANCES.get(one.kind, ())
    ]


def _takes_long(repository: Repository, pathspecs: int) -> bool:
    try:
        files = (repository.git_dir / "index").stat().st_size / _ENTRY_BYTES
    except OSError:
        return False
    return files * (_FILE_COST + _PATHSPEC_COST * pathspecs) > _BUDGET


def _write(repository: Repository, name: str, header: str, pathspecs: Sequence[str]) -> None:
    text = "\n".join([header, *pathspecs, ""])
    # A directory can have a line break in its name, and there can be any number of them.
    if any("\n" in one for one in pathspecs) or len(os.fsencode(text)) > _MOST_BYTES:
        fields = header.split(" ")
        text = " ".join([*fields[:3], "1", *fields[4:]]) + "\n.\n"
    write_atomically(repository.search_dir / name, os.fsencode(text))


def _write_shared(repository: Repository, names: Sequence[str]) -> None:
    wanted = "".join(f"{name}\n" for name in names)
    path = repository.shared_dir / SHARED
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == wanted:
            return
    with suppress(OSError):
        # A git directory that cannot be written costs new work trees their first index, no more.
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
