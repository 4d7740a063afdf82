"""Collections: named sets of a repository's files that are indexed and searched together.

A file belongs to a collection by its path alone, so that git's lists of paths can be sorted into
collections without looking at a file.
"""

# Governing: SPEC-0001 (project-declaration)

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.code.languages import GENERATED, VENDORED
from sdd_hooks.text.globs import compile_glob
from sdd_hooks.text.slugs import slugify

KINDS = ("adrs", "specs", "code", "issues")

ISSUES_DIRECTORY = ".sdd/issues"

_VENDORED = re.compile(r"(?:^|/)(?:" + "|".join(map(re.escape, VENDORED)) + ")/")


@dataclass(frozen=True)
class Collection:
    """A named set of files. Paths are relative to the repository's root, with `/`.

    `kind` is one of KINDS, or the name itself for one from `semantic-search.yml`. `module` is ""
    for the root; `repository` is "" or the submodule that the files belong to. Files are those
    below `directories` ("" is everything) and not below `excluded`, whose name has one of the
    lower-case `suffixes` (none: any; `/name` is a whole name) and that match the glob `pattern`
    below their directory. `context` is a sentence that describes it.
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

    def contains(self, path: str) -> bool:
        """Whether the file at `path`, relative to the repository's root, belongs to this."""
        return self._matches(path)

    def pathspecs(self) -> tuple[str, ...]:
        """What to give git so that it sees every change to this, and perhaps others.

        A submodule is one entry of the repository above it. Issues are ignored by git: none.
        """
        if self.repository:
            return (f":(literal){self.repository}",)
        if self.kind == "issues":
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
        """A digest that differs when the same paths could sort differently."""
        from hashlib import sha256

        rules = (GENERATED, VENDORED) if self.kind == "code" else ()
        return sha256(repr((self._fields, rules)).encode("utf-8", "surrogateescape")).hexdigest()[
            :16
        ]

    @property
    def _fields(self) -> tuple[str | tuple[str, ...], ...]:
        return (
            self.name,
            self.kind,
            self.module,
            self.repository,
            self.directories,
            self.suffixes,
            self.pattern,
            self.excluded,
            self.context,
        )

    @cached_property
    def _matches(self) -> Callable[[str], bool]:
        """`contains`, with everything that does not depend on the path done once."""
        inside = () if "" in self.directories else _below(self.directories)
        outside = _below(self.excluded)
        suffixes = self.suffixes
        code = self.kind == "code"
        glob = compile_glob(self.pattern) if self.pattern else None
        tops = ("",) if "" in self.directories else inside

        def matches(path: str) -> bool:
            if inside and not path.startswith(inside):
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


def all_pathspecs(collections: Iterable[Collection]) -> list[str]:
    """What to give git so that it sees every change to any of these, each once."""
    return list(dict.fromkeys(spec for one in collections for spec in one.pathspecs()))


def membership(name: str, slug: str, modules: Sequence[str]) -> bool:
    """Whether the collection `name` belongs to the repository `slug` with these `modules`.

    Exact: `not-app-adrs` and `app-two-adrs` are no collections of `app`.
    """
    prefixes = (slug, *(f"{slug}-{slugify(module)}" for module in modules))
    return any(name == f"{prefix}-{kind}" for prefix in prefixes for kind in KINDS)


def _below(directories: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{directory}/" for directory in directories)
