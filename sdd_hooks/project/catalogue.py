"""The collections of a project: four of the repository, four of each module, and declared ones.

A file belongs to at most one collection of a kind: where directories of two collections are nested,
the outer collection excludes the inner directory.
"""

# Governing: SPEC-0001 (project-declaration)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.code.languages import LANGUAGES, MARKDOWN_SUFFIXES
from sdd_hooks.config.semantic_search import SEMANTIC_SEARCH_FILE, ExtraCollection
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.collections import ISSUES_DIRECTORY, Collection
from sdd_hooks.project.layout import Layout
from sdd_hooks.text.slugs import slugify

# A spec is a `spec.md`, and an issue is written as `.md`.
_SPEC_SUFFIXES = (".md",)
_ISSUE_SUFFIXES = (".md",)


@dataclass(frozen=True)
class ProjectPart:
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
    root: Path, slug: str, parts: Sequence[ProjectPart], extras: Sequence[ExtraCollection]
) -> tuple[Collection, ...]:
    """Return the collections of the repository at `root` with this slug.

    Raises ConfigurationError when two collections have one name.
    """
    collections = [
        *(collection for part in parts for collection in _of_part(slug, part, parts)),
        *map(_extra, extras),
    ]
    _require_distinct(root, collections, extras)
    return tuple(collections)


def _of_part(slug: str, part: ProjectPart, parts: Sequence[ProjectPart]) -> Iterator[Collection]:
    name = f"{slug}-{slugify(part.module)}" if part.module else slug
    adrs, specs = part.layout.adrs, part.layout.specs
    modules = [other.root for other in parts if other is not part]
    artifacts = [d for other in parts for d in (*other.layout.adrs, *other.layout.specs)]

    def collection(
        kind: str,
        directories: tuple[str, ...],
        suffixes: tuple[str, ...],
        context: str,
        *elsewhere: str,
    ) -> Collection:
        return Collection(
            name=f"{name}-{kind}",
            kind=kind,
            module=part.module,
            repository="" if kind == "issues" else part.repository,
            directories=directories,
            suffixes=suffixes,
            pattern="",
            excluded=_inside(elsewhere, directories),
            context=f"{context} {name}",
        )

    yield collection(
        "adrs", adrs, MARKDOWN_SUFFIXES, "Architecture decision records of", *specs, *modules
    )
    yield collection("specs", specs, _SPEC_SUFFIXES, "Specifications of", *adrs, *modules)
    yield collection(
        "code",
        (part.root,),
        tuple(LANGUAGES),
        "Source code of",
        ".sdd",
        *artifacts,
        *modules,
    )
    yield collection(
        "issues",
        (part.issues,),
        _ISSUE_SUFFIXES,
        "Tracker issues of",
        *(other.issues for other in parts),
    )


def _inside(candidates: Sequence[str], directories: Sequence[str]) -> tuple[str, ...]:
    """Return the candidates that lie below one of the directories."""
    below = [f"{directory}/" if directory else "" for directory in directories]
    inside = [c for c in candidates if c and c not in directories and c.startswith(tuple(below))]
    return tuple(dict.fromkeys(inside))


def _extra(extra: ExtraCollection) -> Collection:
    directories = (extra.directory,)
    return Collection(
        name=extra.name,
        kind=extra.name,
        module="",
        repository="",
        directories=directories,
        suffixes=(),
        pattern=extra.pattern,
        excluded=_inside((".sdd",), directories),
        context=f"Files in {extra.directory or 'the repository'} that match {extra.pattern}",
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
