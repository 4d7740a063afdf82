"""Collections: named sets of a repository's files that are indexed and searched together.

The path of a file decides which collections it belongs to, so that git's lists of paths can be
sorted into collections without reading a file.
"""

# Governing: SPEC-0001 (project-declaration)

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from sdd_hooks.code.languages import GENERATED, VENDORED
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import may_be_record
from sdd_hooks.text.globs import compile_glob
from sdd_hooks.text.lazy_regex import lazy_regex

RECORD_KINDS = ("adrs", "specs")
"""The kinds of collections whose files are records: decisions and specifications."""
COLLECTION_KINDS = (*RECORD_KINDS, "code", "issues")

EXTERNAL = "external"
"""The kind of a collection of decision records of another repository, which has no file here. Its
one directory is the name of the repository, and its paths are like `acme:docs/adr/0012-x.md`."""

OUTSIDE_GIT = frozenset({"issues", EXTERNAL})
"""The kinds of collections whose documents no commit of this repository has."""

ISSUES_DIRECTORY = ".sdd/issues"

_VENDORED = lazy_regex(r"(?:^|/)(?:" + "|".join(map(re.escape, VENDORED)) + ")/")


class Collection(NamedTuple):
    """A named set of files. Paths are relative to the repository's root, with `/`.

    `kind` is one of COLLECTION_KINDS, EXTERNAL, or the name of one from `semantic-search.yml`.
    `module` is "" for the root, `repository` the submodule of the files or "". The files are below
    one of `directories` ("" is the root) and not below one of `excluded`. Their names end with one
    of the lower-case `suffixes` (empty: any; `/name` is a whole name), and match the glob `pattern`
    ("": any) below their directory. `context` is a sentence that describes the collection. Of a
    directory in `flat`, only the files directly in it that are named like records belong.
    """

    name: str
    kind: str
    module: str
    repository: str
    directories: tuple[str, ...]
    suffixes: tuple[str, ...]
    pattern: str
    excluded: tuple[str, ...]
    context: str
    flat: tuple[str, ...] = ()

    def contains(self, path: str) -> bool:
        """Whether the file at `path`, relative to the repository's root, belongs here."""
        return _predicate(self)(path)

    def pathspecs(self) -> tuple[str, ...]:
        """Return pathspecs for git that match every file of the collection, and possibly others.

        A submodule is one entry of the repository around it. Issues are ignored by git, and records
        of another repository have no files here: no pathspecs.
        """
        if self.repository:
            return (f":(literal){self.repository}",)
        if self.kind in OUTSIDE_GIT:
            return ()
        if "" not in self.directories:
            return tuple(f":(literal){directory}" for directory in self.directories)
        if not self.suffixes:
            return (".",)
        return tuple(
            f":(icase,glob)**{suffix}" if suffix.startswith("/") else f":(icase)*{suffix}"
            for suffix in self.suffixes
        )

    def definition(self) -> str:
        """Return a digest that changes when the same path may belong elsewhere."""
        from hashlib import sha256

        rules = (GENERATED, VENDORED) if self.kind == "code" else ()
        return sha256(repr((tuple(self), rules)).encode("utf-8", "surrogateescape")).hexdigest()[
            :16
        ]


@lru_cache(maxsize=256)
def _predicate(collection: Collection) -> Callable[[str], bool]:
    """The predicate of `contains`, prepared once for all paths."""
    if collection.kind == EXTERNAL:
        origin = f"{collection.directories[0]}:"
        return lambda path: path.startswith(origin)
    flat = frozenset(collection.flat)
    whole = [directory for directory in collection.directories if directory not in flat]
    inside = () if "" in whole else _below(whole)
    outside = _below(collection.excluded)
    suffixes = collection.suffixes
    code = collection.kind == "code"
    glob = compile_glob(collection.pattern) if collection.pattern else None
    tops = inside or ("",)
    everywhere = "" in whole

    def matches(path: str) -> bool:
        if not everywhere and not path.startswith(inside):
            directory, _, name = path.rpartition("/")
            if directory not in flat or not may_be_record(directory, name):
                return False
        if outside and path.startswith(outside):
            return False
        named = "/" + path.lower()
        if suffixes and not named.endswith(suffixes):
            return False
        if code and (named.endswith(GENERATED) or _VENDORED.search(named)):
            return False
        if glob is None:
            return True
        return any(path.startswith(top) and glob(path[len(top) :]) for top in tops)

    return matches


class CollectionMap:
    """Finds the collections of a path. The cost does not grow with the number of collections."""

    def __init__(self, collections: Iterable[Collection]) -> None:
        self._by_directory: dict[str, list[tuple[int, Collection]]] = {}
        for position, collection in enumerate(collections):
            for directory in collection.directories:
                self._by_directory.setdefault(directory, []).append((position, collection))

    def containing(self, path: str) -> list[Collection]:
        """The collections that contain the file at `path`, in their order."""
        found: dict[int, Collection] = {}
        end = len(path)
        while end >= 0:
            end = path.rfind("/", 0, end)
            for position, collection in self._by_directory.get(path[: max(end, 0)], ()):
                if collection.contains(path):
                    found[position] = collection
        return [collection for _, collection in sorted(found.items())]


def select_paths(collection: Collection, ordered: Sequence[str]) -> tuple[str, ...]:
    """The paths that the collection contains, in order. `ordered` are sorted, distinct.

    The cost does not grow with the paths outside the directories of the collection.
    """
    if "" in collection.directories:
        return tuple(filter(collection.contains, ordered))
    found: dict[str, None] = {}
    for directory in sorted(collection.directories):
        # `0` is the character after `/`.
        first = bisect_left(ordered, f"{directory}/")
        inside = ordered[first : bisect_left(ordered, f"{directory}0", first)]
        found.update(dict.fromkeys(filter(collection.contains, inside)))
    return tuple(found)


def all_pathspecs(collections: Iterable[Collection]) -> list[str]:
    """Return the pathspecs of all the collections, each once."""
    specs = (spec for collection in collections for spec in collection.pathspecs())
    return list(dict.fromkeys(specs))


def _below(directories: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{directory}/" for directory in directories)
