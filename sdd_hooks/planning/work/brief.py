"""The brief of an issue: what is to be known before the first line of code is written."""

# Governing: SPEC-0026 REQ "Brief of an issue"

from __future__ import annotations

from sdd_hooks.artifacts.requirements import Scenario
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.siblings import SiblingManifest
from sdd_hooks.trackers.issue_file import StoredIssue


class BriefRequirement(NamedTuple):
    """A requirement of a specification in full.

    `text` is its Markdown without the heading; `is_named` whether the issue names it. Where an
    issue names none of a specification, all are in the brief.
    """

    spec: str
    name: str
    path: str
    first_line: int
    last_line: int
    text: str
    scenarios: tuple[Scenario, ...]
    is_named: bool


class GoverningArtifact(NamedTuple):
    """A decision or a specification that governs the work, and the reason why it is listed.

    `section` is the title of the section that answers the issue, "" for none, and `excerpt` its
    sentences.
    """

    id: str
    title: str
    path: str
    status: str
    authoritative: bool
    reason: str
    section: str = ""
    excerpt: str = ""


class ExistingCode(NamedTuple):
    """A definition to import rather than to write again. `score` (0..1) is that of the search."""

    path: str
    symbol: str
    signature: str
    first_line: int
    last_line: int
    score: float
    is_type: bool = False

    def announcement(self, issue: str) -> str:
        """The message to other workers that this definition is imported."""
        return f"TYPE_IMPORTED: {issue} will import {self.symbol} from {self.path}"


class Convention(NamedTuple):
    """What the files of a directory have in common: `uses` of the `files` import `name`."""

    directory: str
    name: str
    uses: int
    files: int
    example: str


class BranchPlan(NamedTuple):
    """The branch of the work: its name, the branch that it starts from, and its worktree.

    `exists` says that the branch is there already. `worktree` is a path relative to the root of
    the repository, `checked_out` says that it is there.
    """

    name: str
    base: str
    exists: bool
    worktree: str
    checked_out: bool


class WorkBrief(NamedTuple):
    """The brief of an issue.

    `module` is that of the issue, "" for the root. `blocked_by` are the issues that block it and
    are not closed. `pull` are the lines for the body of the pull request. `protected` are the
    paths that this work does not change. `warnings` are about what could not be read.
    """

    issue: StoredIssue
    module: str
    live: bool
    requirements: tuple[BriefRequirement, ...]
    governing: tuple[GoverningArtifact, ...]
    existing: tuple[ExistingCode, ...]
    conventions: tuple[Convention, ...]
    siblings: SiblingManifest
    blocked_by: tuple[str, ...]
    branch: BranchPlan
    pull: str
    protected: tuple[str, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
