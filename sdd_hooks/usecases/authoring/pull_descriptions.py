"""Rewrite the references to a renumbered record in the description of the branch's pull request."""

# Governing: SPEC-0024 REQ "Renumbering", ADR-0019 (a token belongs to one host)

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from sdd_hooks.artifacts.identifiers import find_id_references, in_module
from sdd_hooks.authoring.renumber import (
    Leftover,
    ReferringFile,
    Renumbering,
    RewrittenFile,
    rewrite_references,
)
from sdd_hooks.errors import SddError
from sdd_hooks.forges.protocol import DescriptionEditor, PullRequest, PullRequestLister
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.file_edits import FileEdit
from sdd_hooks.system.git import Git

MAX_PULLS = 100
"""Open pull requests that are read, those that were updated last."""


class DescriptionEdit(NamedTuple):
    """A description before and after, and how many references were replaced in it."""

    number: int
    before: str
    after: str
    replaced: int

    def diff(self) -> str:
        """The edit as a unified diff."""
        name = f"pull-request-{self.number}"
        return FileEdit(name, self.before.encode(), self.after.encode()).diff()


class DescriptionOutcome(NamedTuple):
    """The edits of descriptions, the lines that stay, and notes about what was not read."""

    edits: tuple[DescriptionEdit, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    notes: tuple[str, ...] = ()


class DescriptionRequest(NamedTuple):
    """The renumbering, the branch whose pull request is rewritten, and the module of bare ids.

    With `dry_run`, nothing is written.
    """

    change: Renumbering
    branch: str
    module: str = ""
    dry_run: bool = False


def current_branch(git: Git) -> str:
    """The branch that is checked out, "" without one."""
    name = git.try_output("symbolic-ref", "--quiet", "--short", "HEAD") or b""
    return name.decode("utf-8", "replace").strip()


def rewrite_descriptions(
    request: DescriptionRequest,
    open_forge: Callable[[], AbstractContextManager[PullRequestLister | None]],
) -> DescriptionOutcome:
    """Rewrite the description of the open pull request of the branch.

    Descriptions of other pull requests that name the record are notes. Raises nothing that the
    forge causes.
    """
    old = request.change.old
    by_hand = f"if the description of an open pull request names {old}, edit it"
    try:
        with open_forge() as forge:
            if forge is None:
                return DescriptionOutcome(notes=(by_hand,))
            return _rewrite(request, forge, forge.open_pull_requests(MAX_PULLS))
    except SddError as error:
        return DescriptionOutcome(notes=(f"{by_hand}: {error}",))


def _rewrite(
    request: DescriptionRequest, forge: PullRequestLister, pulls: tuple[PullRequest, ...]
) -> DescriptionOutcome:
    edits: list[DescriptionEdit] = []
    leftovers: list[Leftover] = []
    notes: list[str] = []
    for pull in pulls:
        # A branch of a fork may have the same name.
        is_own = pull.head_ref == request.branch != "" and not pull.is_fork
        if is_own:
            done = _rewritten(request, pull.number, pull.body)
            leftovers += done.leftovers
            if done.text == pull.body:
                continue
            edit = DescriptionEdit(pull.number, pull.body, done.text, done.replaced)
            problem = "" if request.dry_run else _apply(forge, edit)
            if problem:
                notes.append(
                    f"the description of pull request {pull.number} still names"
                    f" {request.change.old}: edit it ({problem})"
                )
            else:
                edits.append(edit)
        elif _names_record(request, pull.body):
            notes.append(
                f"the description of pull request {pull.number} names {request.change.old}: edit it"
                " if it means this record"
            )
    return DescriptionOutcome(tuple(edits), tuple(leftovers), tuple(notes))


def _apply(forge: PullRequestLister, edit: DescriptionEdit) -> str:
    """Write an edit. Returns why that failed, "" for a success."""
    if not isinstance(forge, DescriptionEditor):
        return "its forge cannot edit it"
    try:
        forge.edit_description(edit.number, edit.after)
    except SddError as error:
        return str(error)
    return ""


def _rewritten(request: DescriptionRequest, number: int, body: str) -> RewrittenFile:
    file = ReferringFile(f"pull request {number}", request.module)
    return rewrite_references(file, body, request.change)


def _names_record(request: DescriptionRequest, body: str) -> bool:
    found = (one.id for one in find_id_references(body))
    return any(in_module(id, request.module) == request.change.old for id in found)
