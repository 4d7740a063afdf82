"""Change the status of an artifact, and refresh the index."""

# Governing: SPEC-0024 REQ "Status", SPEC-0007 REQ "After a mutation"

from __future__ import annotations

import posixpath

from sdd_hooks.artifacts.find_artifact import find_artifact
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, read_work_tree
from sdd_hooks.authoring.edit_file import edit_file
from sdd_hooks.authoring.status_change import (
    NewStatus,
    StatusRefused,
    change_status,
    validate_transition,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.system.file_edits import FileEdit, apply_edits
from sdd_hooks.usecases.upkeep.refresh import (
    collections_containing,
    ensure_index,
    refresh_after_write,
)


class StatusRequest(NamedTuple):
    """Which artifact gets which status. `by` names what replaces a superseded one, "" for none.

    With `dry_run`, nothing is written. `module` is the part of the workspace of ids without one.
    """

    target: str
    value: str
    by: str = ""
    module: str | None = None
    dry_run: bool = False


class StatusOutcome(NamedTuple):
    """The artifact, its status before and after, and the edit; the rest is about the index."""

    id: str
    path: str
    before: str
    after: str
    edit: FileEdit
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def set_status(project: Project, request: StatusRequest) -> StatusOutcome:
    """Change the status of an artifact of the work tree.

    Raises UnknownArtifact, StatusRefused for a status that may not follow, and what `edit_file` and
    `apply_edits` raise.
    """
    repository = project.repository
    corpus, _ = read_work_tree(
        repository.git, project.select(tuple(ARTIFACT_KINDS), request.module)
    )
    artifact = find_artifact(corpus, request.target, request.module)
    value = request.value.strip().lower()
    if request.by and value != "superseded":
        raise StatusRefused(f"--by names what supersedes an artifact, which {value!a} does not say")
    validate_transition(artifact.kind, artifact.status.value, value)
    new = NewStatus(value)
    if request.by:
        successor = find_artifact(corpus, request.by, artifact.module)
        if successor.path == artifact.path:
            raise StatusRefused(f"{request.by} cannot supersede {artifact.name}: name another one")
        link = posixpath.relpath(successor.path, posixpath.dirname(artifact.path) or ".")
        new = NewStatus(value, successor.id, link)
    new = new._replace(path=artifact.path)
    edit = edit_file(
        repository.root, artifact.path, lambda text: change_status(text, artifact.kind, new)
    )
    outcome = StatusOutcome(artifact.name, artifact.path, artifact.status.value, value, edit)
    if request.dry_run or edit.before == edit.after:
        return outcome
    apply_edits(repository.root, [edit])
    notes = ensure_index(project)
    written = collections_containing(project, [artifact.path])
    return outcome._replace(notes=notes, warnings=refresh_after_write(project, written))
