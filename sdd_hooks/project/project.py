"""The project: a repository with its configuration, modules and collections."""

# Governing: SPEC-0001 (project-declaration)

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sdd_hooks.config.configuration import (
    Configuration,
    ConfigurationWarning,
    apply_memory_file,
    load_configuration,
)
from sdd_hooks.config.memory_file import find_memory_file
from sdd_hooks.config.semantic_search import read_semantic_search
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.catalogue import ProjectPart, build_collections
from sdd_hooks.project.collections import COLLECTION_KINDS, EXTERNAL, Collection
from sdd_hooks.project.discovery import Look, Place, discover_records
from sdd_hooks.project.external_sources import DeclaredSources, find_external_sources
from sdd_hooks.project.knowledge_place import committed_knowledge
from sdd_hooks.project.layout import build_layout, check_declarations, resolve_declarations
from sdd_hooks.project.recognition import Recognition
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.project.workspace import Module, find_modules
from sdd_hooks.text.display import format_count

__all__ = ["Module", "Project", "UnknownName", "load_project"]


_LEFT_OUT = (
    "{} more directories have files named like records, and were not looked at: declare the"
    " directories of records under `## Architecture Context`"
)


_UNREAD = (
    "{} in {}/, which is named after decisions: none has a section or a field of a decision, such"
    " as `## Decision` or `Status: accepted`"
)


class UnknownName(SddError):
    """The project does not have the kind, module or collection that the user names."""

    exit_code = EXIT_USAGE
    code = "usage"


class Project(NamedTuple):
    """A repository, its configuration, its modules, its collections, and warnings about them.

    `external` are the repositories elsewhere that the memory file of the work tree declares. They
    are fetched and used only as far as the base declares them.
    """

    repository: Repository
    configuration: Configuration
    modules: tuple[Module, ...]
    collections: tuple[Collection, ...]
    warnings: tuple[str, ...]
    external: DeclaredSources = DeclaredSources()

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment variables of the command."""
        return self.repository.environ

    def select(
        self, kinds: Sequence[str] = (), module: str | None = None
    ) -> tuple[Collection, ...]:
        """Return the collections of `kinds` (empty: all) in `module` (None: all, "": the root).

        Raises UnknownName, whose message lists the known names.
        """
        known = list(dict.fromkeys([*COLLECTION_KINDS, *(c.kind for c in self.collections)]))
        for kind in kinds:
            if kind not in known:
                raise UnknownName(f"no kind {kind!r} here: it is one of {', '.join(known)}")
        if module is not None:
            self._require(module)
        return tuple(
            c
            for c in self.collections
            if (not kinds or c.kind in kinds or (c.kind == EXTERNAL and "adrs" in kinds))
            and (module is None or c.module == module)
        )

    def module_configuration(self, module: str) -> Configuration:
        """Return the configuration of a module: its memory file over the root's, key by key.

        Raises UnknownName, and ConfigurationError for an invalid value.
        """
        self._require(module)
        roots = [m.root for m in self.modules if m.name == module]
        if not roots:
            return self.configuration
        return load_configuration(self.repository.root / roots[0], self.configuration)

    def _require(self, module: str) -> None:
        names = [m.name for m in self.modules]
        if module and module not in names:
            hint = f"it is one of {', '.join(names)}" if names else "this repository declares none"
            raise UnknownName(f"no module {module!r}: {hint}")


def load_project(start: Path, environ: Mapping[str, str], look: Look = "tracked") -> Project:
    """Load the project of the repository around the directory `start`.

    `look` says where to look for directories of records. Raises RepositoryError, or
    ConfigurationError for an invalid value.
    """
    return read_project(discover(start, environ), look)


def read_project(repository: Repository, look: Look = "tracked") -> Project:
    """Load the project of a repository. Raises like `load_project`."""
    root, git = repository.root, repository.git
    memory, unreadable = find_memory_file(root)
    configuration = apply_memory_file(memory, unreadable, Configuration())
    modules, differences = find_modules(git, memory)
    extras, unknown = read_semantic_search(root)
    memories = {"": memory}
    places = [Place("", is_repository=False)]
    for module in modules:
        # In a submodule that is not checked out, git would report on the repository around it.
        is_repository = module.submodule and (root / module.root / ".git").exists()
        memories[module.root], _ = find_memory_file(root / module.root)
        places.append(Place(module.root, is_repository))
    recognised = discover_records(repository, places, look)
    names = ["", *(module.name for module in modules)]
    parts = []
    missing: list[ConfigurationWarning] = []
    for name, place in zip(names, places, strict=True):
        own = memories[place.root]
        declared = resolve_declarations(root, place.root, own, confined=place.is_repository)
        layout = build_layout(place.root, declared, recognised[place.root])
        repository_of_part = place.root if place.is_repository else ""
        parts.append(ProjectPart(name, place.root, repository_of_part, layout))
        missing += check_declarations(git, own.path, declared) if own else ()
    external = find_external_sources(memory)
    extras = (*extras, *committed_knowledge(repository, configuration))
    collections = build_collections(root, repository.slug, parts, extras, external.sources)
    refused = [ConfigurationWarning(memory.path, *one) for one in external.problems if memory]
    warnings = [*configuration.warnings, *differences, *unknown, *missing, *refused]
    left_out = sum(one.left_out for one in recognised.values())
    shown = [_relative(root, warning) for warning in warnings]
    if left_out:
        shown.append(_LEFT_OUT.format(left_out))
    shown += _unread(parts, recognised)
    return Project(
        repository,
        configuration,
        modules,
        collections,
        tuple(shown),
        external,
    )


def _unread(parts: Sequence[ProjectPart], recognised: Mapping[str, Recognition]) -> Iterator[str]:
    """Say which directories look like those of decisions, and have none that can be read."""
    for part in parts:
        for directory, count in recognised[part.root].unread:
            path = f"{part.root}/{directory}".lstrip("/")
            if not any(f"{path}/".startswith(f"{one}/") for one in part.layout.adrs):
                yield _UNREAD.format(format_count(count, "file"), path or ".")


def _relative(root: Path, warning: ConfigurationWarning) -> str:
    shown = Path(os.path.relpath(warning.path, root))
    return str(ConfigurationWarning(shown, warning.line, warning.text))
