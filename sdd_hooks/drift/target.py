"""The target of a check: a file, a directory, a decision, a specification, or the repository."""

# Governing: SPEC-0018 REQ "Targets", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.artifacts.spec import spec_paths
from sdd_hooks.drift.whole_tree import Scope
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.names import parse_name
from sdd_hooks.retrieval.topic_matches import IndexedArtifact
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.display import printable_line

TargetKind = Literal["file", "directory", "record", "repository"]

_MAX_NAMED = 5


class UnknownTarget(SddError):
    """The user names no file, directory or record of the repository."""

    exit_code = EXIT_USAGE
    code = "usage"


class Target(NamedTuple):
    """What is checked. `name` is the path, the id of the record, or "" for the repository.

    `scope` has the files: those of a record are its own. `record` is the record that is named by
    its id, None for other targets. `module` is the module that the user names, None for none.
    """

    kind: TargetKind
    name: str
    scope: Scope
    record: IndexedArtifact | None = None
    module: str | None = None


def find_target(
    project: Project,
    directory: Path,
    name: str,
    module: str | None,
    known: Callable[[], Sequence[IndexedArtifact]],
) -> Target:
    """Find what `name` is: a path relative to `directory`, an id in any spelling, or "" for all.

    `known` returns the records of the index, which an id is looked up in. A file comes before an
    id. Without a name, the target is the module, or the repository.

    Raises:
        UnknownTarget: there is no such file, directory or record, or several records have the id.
        UnknownName: the project does not have the module.
    """
    project.select((), module)
    root = next((one.root for one in project.modules if one.name == module), "")
    if not name:
        return Target("repository", root, Scope((root,)), module=module)
    path = _inside(project.repository.root, directory, name)
    if path is not None and _exists(project.repository.root, path):
        return _path_target(project, path, name, module)
    listed = known()
    called = NamesOfArtifacts(one.as_artifact() for one in listed).called(name)
    if ids := parse_name(name).ids or [one.id for one in called]:
        return _record_target(ids, listed, module)
    raise UnknownTarget(
        f"{printable_line(name)} is no file, no directory and no id such as ADR-0001 or SPEC-0001"
    )


def _inside(root: Path, directory: Path, name: str) -> str | None:
    """The path of `name` relative to the root, "" for the root; None outside of it."""
    if "\0" in name:
        return None
    path = os.path.relpath(os.path.normpath(directory / name), root)
    if path.startswith(".."):
        # The current directory may lead through a link.
        path = os.path.relpath(os.path.realpath(directory / name), os.path.realpath(root))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else Path(path).as_posix()


def _exists(root: Path, path: str) -> bool:
    return os.path.lexists(root / path)


def _path_target(project: Project, path: str, name: str, module: str | None) -> Target:
    if not path:
        return Target("repository", "", Scope(), module=module)
    kind: TargetKind = "directory" if (project.repository.root / path).is_dir() else "file"
    if kind == "file" and not _is_listed(project, path):
        raise UnknownTarget(f"{printable_line(name)} is ignored by git, or a link, and not checked")
    return Target(kind, path, Scope((path,)), module=module)


def _is_listed(project: Project, path: str) -> bool:
    """Whether git tracks the file or would. A file of a submodule is in its own repository."""
    if (project.repository.root / path).is_symlink():
        return False
    inner = next(
        (
            one.repository
            for one in project.collections
            if one.repository and path.startswith(f"{one.repository}/")
        ),
        "",
    )
    git = project.repository.git
    git = git.at(git.root / inner) if inner else git
    spec = f":(literal){path.removeprefix(f'{inner}/') if inner else path}"
    listed = git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", spec)
    return bool(nul_split(listed))


def _record_target(
    ids: Sequence[ArtifactId], known: Sequence[IndexedArtifact], module: str | None
) -> Target:
    """The record with one of the ids: a bare number is that of a decision or a specification."""
    identifier = ids[0]
    found = [
        one
        for one in known
        if any(_is_same(identifier, one.id) for identifier in ids)
        and (module is None or one.module == module)
    ]
    # Without a module, an id of the root comes before those of modules.
    found = [one for one in found if not one.module] or found
    if not found:
        raise UnknownTarget(f"no record has the id {identifier}{_hint(identifier, known)}")
    if len(found) > 1:
        paths = ", ".join(printable_line(one.path) for one in found[:_MAX_NAMED])
        raise UnknownTarget(f"{len(found)} records have the id {identifier}: name one of {paths}")
    (one,) = found
    return Target("record", str(one.id), Scope(files_of(one)), one, module)


def _is_same(wanted: ArtifactId, other: ArtifactId) -> bool:
    """Whether a record has the id. One without a module is that of any module."""
    return wanted._replace(module=wanted.module or other.module) == other


def files_of(record: IndexedArtifact) -> tuple[str, ...]:
    """The files of a record: of a spec all that it may have."""
    if record.kind == "ADR":
        return (record.path,)
    return spec_paths(record.path)


def _hint(identifier: ArtifactId, known: Sequence[IndexedArtifact]) -> str:
    stubs = Corpus(tuple(one.as_artifact() for one in known))
    close = ", ".join(str(one) for one in stubs.close_matches(identifier))
    return f": did you mean {close}?" if close else ": `sdd list` prints those of this repository"
