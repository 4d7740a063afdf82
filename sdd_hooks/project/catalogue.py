"""The collections of a project: four of the repository, four of each module, and declared ones.

A file belongs to at most one collection of a kind: where directories of two collections are nested,
the outer collection excludes the inner directory.
"""

# Governing: SPEC-0001 (project-declaration)

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES, SUFFIXES
from sdd_hooks.config.semantic_search import SEMANTIC_SEARCH_FILE, ExtraCollection
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import EXTERNAL, ISSUES_DIRECTORY, Collection
from sdd_hooks.project.external_sources import ExternalSource
from sdd_hooks.project.layout import Layout
from sdd_hooks.text.names import slugify

# A spec is a `spec.md`, and an issue is written as `.md`.
_SPEC_SUFFIXES = (".md",)
_ISSUE_SUFFIXES = (".md",)


class ProjectPart(NamedTuple):
    """The repository (module "") or one of its modules.

    `root` is the directory of its code, `repository` the submodule of its files or "".
    """

    module: str
    root: str
    repository: str
    layout: Layout

    @property
    def issues(self) -> str:
        """The directory of its synced issues."""
        return f"{ISSUES_DIRECTORY}/{slugify(self.module)}" if self.module else ISSUES_DIRECTORY


def build_collections(
    root: Path,
    slug: str,
    parts: Sequence[ProjectPart],
    extras: Sequence[ExtraCollection],
    sources: Sequence[ExternalSource] = (),
) -> tuple[Collection, ...]:
    """Return the collections of the repository at `root` with this slug.

    `sources` are the repositories elsewhere whose records count here. Raises ConfigurationError
    when two collections have one name.
    """
    neighbours = _Neighbours(
        DirectorySet(part.root for part in parts),
        DirectorySet(d for part in parts for d in (*part.layout.adrs, *part.layout.specs)),
        DirectorySet(part.issues for part in parts),
    )
    collections = [
        *(collection for part in parts for collection in _of_part(slug, part, neighbours)),
        *map(_extra, extras),
        *_external(slug, sources),
    ]
    _require_distinct(root, collections, extras)
    return tuple(collections)


class DirectorySet:
    """Directories that are looked up by the directory around them.

    The cost of a look-up grows with the directories it returns, not with those of the set.
    """

    def __init__(self, directories: Iterable[str]) -> None:
        # With the `/` at the end, all directories below another one are neighbours in the order.
        self._ordered = sorted({f"{directory}/" for directory in directories if directory})

    def outermost_below(self, directory: str, skipped: str = "") -> Iterator[str]:
        """The directories below `directory` ("" is the root) that are not below another of them.

        `skipped` is left out as if it were not in the set.
        """
        prefix = f"{directory}/" if directory else ""
        at = bisect_left(self._ordered, prefix)
        while at < len(self._ordered) and self._ordered[at].startswith(prefix):
            found = self._ordered[at]
            if found in {prefix, f"{skipped}/"}:
                at += 1
                continue
            yield found[:-1]
            # `0` is the character after `/`.
            at = bisect_left(self._ordered, f"{found[:-1]}0", at)


class _Neighbours(NamedTuple):
    """The directories of all parts: of their code, of their artifacts, of their issues."""

    roots: DirectorySet
    artifacts: DirectorySet
    issues: DirectorySet


def _of_part(slug: str, part: ProjectPart, neighbours: _Neighbours) -> Iterator[Collection]:
    name = f"{slug}-{slugify(part.module)}" if part.module else slug
    adrs, specs = part.layout.adrs, part.layout.specs

    def collection(
        kind: str,
        directories: tuple[str, ...],
        suffixes: tuple[str, ...],
        context: str,
        *elsewhere: DirectorySet,
        flat: tuple[str, ...] = (),
    ) -> Collection:
        return Collection(
            name=f"{name}-{kind}",
            kind=kind,
            module=part.module,
            repository="" if kind == "issues" else part.repository,
            directories=(*directories, *flat),
            suffixes=suffixes,
            pattern="",
            excluded=_inside(elsewhere, (*directories, *flat), part.root),
            context=f"{context} {name}",
            flat=flat,
        )

    yield collection(
        "adrs",
        adrs,
        DOCUMENT_SUFFIXES,
        "Architecture decision records of",
        DirectorySet(specs),
        neighbours.roots,
        flat=part.layout.flat,
    )
    yield collection(
        "specs",
        specs,
        _SPEC_SUFFIXES,
        "Specifications of",
        DirectorySet(adrs),
        neighbours.roots,
    )
    yield collection(
        "code",
        (part.root,),
        tuple(SUFFIXES),
        "Source code of",
        _STATE,
        neighbours.artifacts,
        neighbours.roots,
    )
    yield collection(
        "issues",
        (part.issues,),
        _ISSUE_SUFFIXES,
        "Tracker issues of",
        neighbours.issues,
    )


def _inside(
    elsewhere: Sequence[DirectorySet], directories: Sequence[str], own_root: str
) -> tuple[str, ...]:
    """The directories of `elsewhere` below one of `directories`, without those below another one.

    `own_root` is no other part's directory.
    """
    found = DirectorySet(
        inner
        for candidates in elsewhere
        for directory in directories
        for inner in candidates.outermost_below(directory, own_root)
    )
    return tuple(inner for directory in directories for inner in found.outermost_below(directory))


_STATE = DirectorySet((".sdd",))


def _extra(extra: ExtraCollection) -> Collection:
    directories = (extra.directory,)
    return Collection(
        name=extra.name,
        kind=extra.kind or extra.name,
        module="",
        repository="",
        directories=directories,
        suffixes=(),
        pattern=extra.pattern,
        excluded=_inside((_STATE,), directories, ""),
        context=f"Files in {extra.directory or 'the repository'} that match {extra.pattern}",
    )


def _external(slug: str, sources: Sequence[ExternalSource]) -> Iterator[Collection]:
    names: dict[str, int] = {}
    for source in sources:
        name = f"{slug}-external-{slugify(source.name)}"
        names[name] = names.get(name, 0) + 1
        yield Collection(
            # Two names may have one slug.
            name=f"{name}-{names[name]}" if names[name] > 1 else name,
            kind=EXTERNAL,
            module="",
            repository="",
            directories=(source.name,),
            suffixes=(),
            pattern="",
            excluded=(),
            context=f"Architecture decision records of {source.name} ({source.address.url})",
        )


def _require_distinct(
    root: Path, collections: Sequence[Collection], extras: Sequence[ExtraCollection]
) -> None:
    lines = {extra.name: extra.line for extra in extras}
    seen: dict[str, Collection] = {}
    for collection in collections:
        other = seen.setdefault(collection.name, collection)
        if other is collection:
            continue
        if collection.name in lines:
            text = f"{collection.name!r} is already the name of a collection: choose another"
            raise ConfigurationError(text, root / SEMANTIC_SEARCH_FILE, lines[collection.name])
        text = f"modules {other.module!r} and {collection.module!r} both have {collection.name!r}"
        raise ConfigurationError(f"{text}: rename one of them", root)
