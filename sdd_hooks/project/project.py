"""The project: a repository with everything it declares, loaded once per command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.project.collections import ISSUES_DIRECTORY, KINDS, Collection
from sdd_hooks.project.configuration import Configuration, load_configuration
from sdd_hooks.project.languages import LANGUAGES
from sdd_hooks.project.repository import Repository, discover

MARKDOWN = (".md", ".markdown", ".mdx")


class UnknownName(SddError):
    """A kind or module was asked for that the project does not have."""

    exit_code = EXIT_USAGE
    code = "usage"


@dataclass(frozen=True)
class Module:
    """A part of a workspace with artifacts of its own; `root` is relative to the repository's."""

    name: str
    root: str
    description: str
    submodule: bool


@dataclass(frozen=True)
class Project:
    """A repository, its settings, its modules and its collections."""

    repository: Repository
    configuration: Configuration
    modules: tuple[Module, ...]
    collections: tuple[Collection, ...]
    warnings: tuple[str, ...]

    def select(
        self, kinds: Sequence[str] = (), module: str | None = None
    ) -> tuple[Collection, ...]:
        """The collections of these kinds (none: all) and this module (None: all, "": the root).

        Raises UnknownName, which names what there is.
        """
        known = list(dict.fromkeys([*KINDS, *(c.kind for c in self.collections)]))
        for kind in kinds:
            if kind not in known:
                raise UnknownName(f"no kind {kind!r} here: one of {', '.join(known)}")
        if module and module not in {m.name for m in self.modules}:
            names = ", ".join(m.name for m in self.modules)
            hint = f"one of {names}" if names else "this repository declares none"
            raise UnknownName(f"no module {module!r}: {hint}")
        return tuple(
            c
            for c in self.collections
            if (not kinds or c.kind in kinds) and (module is None or c.module == module)
        )


def load_project(start: Path) -> Project:
    """Everything declared by the repository that the directory `start` is in.

    Raises RepositoryError, or ConfigurationError for a value that cannot be used.
    """
    repository = discover(start)
    configuration = load_configuration(repository.root)
    collections = tuple(
        _collections(repository.slug, "", "", ("docs/adrs",), ("docs/openspec/specs",), ())
    )
    return Project(repository, configuration, (), collections, ())


def _collections(
    slug: str,
    module: str,
    root: str,
    adrs: Sequence[str],
    specs: Sequence[str],
    elsewhere: Sequence[str],
) -> Iterator[Collection]:
    prefix = f"{slug}-{module}" if module else slug
    yield Collection(
        f"{prefix}-adrs",
        "adrs",
        module,
        "",
        tuple(adrs),
        MARKDOWN,
        "",
        tuple(specs),
        f"Architecture decision records of {prefix}",
    )
    yield Collection(
        f"{prefix}-specs",
        "specs",
        module,
        "",
        tuple(specs),
        (".md",),
        "",
        (),
        f"Specifications of {prefix}",
    )
    yield Collection(
        f"{prefix}-code",
        "code",
        module,
        "",
        (root,),
        tuple(LANGUAGES),
        "",
        (*adrs, *specs, ".sdd", *elsewhere),
        f"Source code of {prefix}",
    )
    yield Collection(
        f"{prefix}-issues",
        "issues",
        module,
        "",
        (ISSUES_DIRECTORY,),
        (".md",),
        "",
        (),
        f"Issues of {prefix}",
    )
