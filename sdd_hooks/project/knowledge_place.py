"""Where the knowledge base of a repository is: ignored under `.sdd`, or committed.

What lies in OWN_DIRECTORIES is written by people and agents. It cannot be made again, so no command
deletes it.
"""

# Governing: ADR-0055 (knowledge belongs to its authors), ADR-0007 (Markdown-native configuration),
# ADR-0012 (no path leaves the repository)

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.semantic_search import ExtraCollection
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import PathRefused, resolve_inside, state_directory

if TYPE_CHECKING:
    from sdd_hooks.config.configuration import Configuration
    from sdd_hooks.project.repository import Repository

KNOWLEDGE_DIRECTORY = ".sdd/knowledge"
CONTEXT_DIRECTORY = ".sdd/context"
LOGS_DIRECTORY = ".sdd/logs"

OWN_DIRECTORIES = (KNOWLEDGE_DIRECTORY, CONTEXT_DIRECTORY, LOGS_DIRECTORY)
"""The directories below `.sdd` that belong to the user."""

KNOWLEDGE = "knowledge"
"""The kind of the collection of committed patterns and lessons."""

_ENTRY_FILES = "*/*.json"


class KnowledgePlace(NamedTuple):
    """The directory `base` of patterns and lessons, relative to the work tree `root`.

    `shared` is whether git has it.
    """

    root: Path
    base: str = KNOWLEDGE_DIRECTORY
    shared: bool = False

    @property
    def directory(self) -> Path:
        """The directory. It need not exist. Raises StorageError if a part is a symlink."""
        return state_directory(self.root, *self.base.split("/"))


def find_knowledge(repository: Repository, configuration: Configuration) -> KnowledgePlace:
    """Return the place of the knowledge base.

    Raises ConfigurationError for a configured path that cannot be used.
    """
    base = _configured(repository.root, configuration)
    if not base or base == KNOWLEDGE_DIRECTORY:
        return KnowledgePlace(own_root(repository))
    return KnowledgePlace(repository.root, base, shared=True)


def own_root(repository: Repository) -> Path:
    """Return the top of the work tree in whose `.sdd` the user's own directories are.

    It is the main one: a linked work tree, and what git ignores in it, is removed after its branch
    is merged. Beside a bare repository, each work tree has its own.
    """
    common = repository.common_dir
    if repository.git_dir != common and common.name == ".git":
        return common.parent
    return repository.root


def check_shared_path(root: Path, path: str) -> str:
    """Return a path for committed knowledge, relative to the repository at `root`, with `/`.

    Raises ValueError with the reason.
    """
    if not path.strip("./ \\"):
        raise ValueError("names no directory")
    try:
        real = resolve_inside(root, path.replace("\\", "/"))
    except PathRefused:
        raise ValueError("is outside the repository") from None
    base = os.path.relpath(real, resolve_inside(root, ""))
    top = base.split("/")[0]
    if top == ".git" or (top == ".sdd" and base != KNOWLEDGE_DIRECTORY):
        raise ValueError(f"is in {top}")
    if real.exists() and not real.is_dir():
        raise ValueError("is not a directory")
    return base


def committed_knowledge(
    repository: Repository, configuration: Configuration
) -> Iterator[ExtraCollection]:
    """Yield the collection of the patterns and lessons, if they are committed.

    Raises ConfigurationError like `find_knowledge`.
    """
    if not configuration.knowledge.path:
        return
    place = find_knowledge(repository, configuration)
    if place.shared:
        name = f"{repository.slug}-{KNOWLEDGE}"
        yield ExtraCollection(name, place.base, _ENTRY_FILES, 0, KNOWLEDGE)


def _configured(root: Path, configuration: Configuration) -> str:
    path = configuration.knowledge.path
    if not path:
        return ""
    try:
        return check_shared_path(root, path)
    except ValueError as error:
        file, line = configuration.locate("knowledge", "path") or (root, 0)
        text = f"'Path' of the knowledge base {error}: name a directory such as docs/knowledge"
        raise ConfigurationError(text, file, line) from None
