"""The project: a repository with everything it declares, loaded once per command."""

# Governing: SPEC-0001 (project-declaration)

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from sdd_hooks.project.catalogue import Part, catalogue
from sdd_hooks.project.collections import KINDS, Collection
from sdd_hooks.project.layout import find_layout
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.project.workspace import Module, find_modules

__all__ = ["Module", "Project", "UnknownName", "load_project"]


class UnknownName(SddError):
    """A kind or module was asked for that the project does not have."""

    exit_code = EXIT_USAGE
    code = "usage"


@dataclass(frozen=True)
class Project:
    """A repository, its settings, its modules, its collections, and what is odd about them."""

    repository: Repository
    configuration: Configuration
    modules: tuple[Module, ...]
    collections: tuple[Collection, ...]
    warnings: tuple[str, ...]

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment variables of the command."""
        return self.repository.environ

    def select(
        self, kinds: Sequence[str] = (), module: str | None = None
    ) -> tuple[Collection, ...]:
        """The collections of these kinds (none: all) and this module (None: all, "": the root).

        Raises UnknownName, which names what there is.
        """
        known = list(dict.fromkeys([*KINDS, *(c.kind for c in self.collections)]))
        for kind in kinds:
            if kind not in known:
                raise UnknownName(f"no kind {kind!r} here: it is one of {', '.join(known)}")
        if module is not None:
            self._require(module)
        return tuple(
            c
            for c in self.collections
            if (not kinds or c.kind in kinds) and (module is None or c.module == module)
        )

    def module_configuration(self, module: str) -> Configuration:
        """The configuration of a module: its memory file over the root's, key by key.

        Raises UnknownName, and ConfigurationError for a value that cannot be used.
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


def load_project(start: Path, environ: Mapping[str, str]) -> Project:
    """Everything declared by the repository that the directory `start` is in.

    `environ` are the environment variables of the command. Raises RepositoryError, or
    ConfigurationError for a value that cannot be used.
    """
    return project_of(discover(start, environ))


def project_of(repository: Repository) -> Project:
    """Everything that this repository declares. Raises like `load_project`."""
    root, git = repository.root, repository.git
    memory, unreadable = find_memory_file(root)
    configuration = apply_memory_file(memory, unreadable, Configuration())
    modules, differences = find_modules(git, memory)
    extras, odd = read_semantic_search(root)
    layout = find_layout(git, "", memory)
    parts = [Part("", "", "", layout)]
    for module in modules:
        # A submodule that is not checked out has no git directory, and git run there would answer
        # for the repository around it.
        own = module.submodule and (root / module.root / ".git").exists()
        inner, _ = find_memory_file(root / module.root)
        found = find_layout(git, module.root, inner, confined=own)
        parts.append(Part(module.name, module.root, module.root if own else "", found))
    collections = catalogue(root, repository.slug, parts, extras)
    warnings = (*configuration.warnings, *differences, *odd)
    return Project(
        repository,
        configuration,
        modules,
        collections,
        tuple(_relative(root, warning) for warning in warnings),
    )


def _relative(root: Path, warning: ConfigurationWarning) -> str:
    shown = Path(os.path.relpath(warning.path, root))
    return str(ConfigurationWarning(shown, warning.line, warning.text))
