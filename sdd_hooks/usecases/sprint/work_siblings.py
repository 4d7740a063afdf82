"""Find the work beside an issue: open pull requests, those of the tracker, and branches."""

# Governing: SPEC-0026 REQ "Sibling manifest", ADR-0019 (a token belongs to one host)

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from sdd_hooks.changes.base import default_base, resolve_commit
from sdd_hooks.config.settings import PullRequestSettings
from sdd_hooks.errors import RepositoryError, SddError
from sdd_hooks.forges.protocol import PullDetails
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.pulls import branch_issue, find_pull_issues
from sdd_hooks.planning.work.branches import open_branches
from sdd_hooks.planning.work.siblings import Sibling, SiblingManifest, build_manifest
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import Git
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.usecases.forge import NoForge, find_forge, open_forge
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

MAX_PULLS = 30
"""Open pull requests that are requested."""

_OPEN = ("open", "draft")


class OwnWork(NamedTuple):
    """The work whose siblings are sought: its issue, its branch, and the branch that it starts
    from. `issues` are the other issues of the tracker, by their ids."""

    issue: StoredIssue | None
    branch: str
    base: str
    issues: Mapping[str, StoredIssue]

    def closes(self, details: PullDetails, settings: PullRequestSettings) -> bool:
        """Whether a pull request closes the issue, as its description says."""
        if self.issue is None:
            return False
        issues = [*self.issues.values()]
        found = find_pull_issues(details.pull, issues, self.issue.tracker, settings)
        return any(one.id == self.issue.id for one in found.closed)

    def is_on(self, sibling: Sibling) -> bool:
        """Whether a branch or a linked pull request is one of the issue."""
        if self.issue is None:
            return False
        id = self.issue.id
        named = branch_issue(sibling.branch, [*self.issues.values()])
        return id in sibling.issues or any(one.id == id for one in named)


def starting_branch(repository: Repository) -> str:
    """The branch that work starts from: the main branch, else what is checked out."""
    try:
        return default_base(repository)
    except RepositoryError:
        checked_out = repository.git.try_output("symbolic-ref", "--quiet", "--short", "HEAD")
        return os.fsdecode(checked_out or b"").strip() or "HEAD"


def find_siblings(
    project: Project, own: OwnWork, now: float, callbacks: SyncCallbacks
) -> tuple[SiblingManifest, tuple[str, ...]]:
    """Build the manifest of the work beside an issue, with warnings about what was not requested.

    `now` is in seconds since the epoch.

    Where the forge fails, the pull requests are those that the issues are linked with. Raises
    RepositoryError without a commit to start from.
    """
    git = project.repository.git
    base = resolve_commit(git, own.base)
    heads = _remote_heads(git)
    pulls, warnings = _forge_pulls(project, now, callbacks)
    settings = project.configuration.pull_requests
    own_branches = {own.branch, *(one.pull.head_ref for one in pulls if own.closes(one, settings))}
    found = [_of_forge(one, own, git, heads) for one in pulls]
    known = {one.number for one in found}
    linked = [one for one in _of_issues(own, heads) if one.number not in known]
    found += [one for one in linked if one.status != "merged"]
    branches = {one.branch for one in found}
    for branch in open_branches(git, base, own.branch, now):
        if branch.branch not in branches:
            found.append(branch)
    found = [one for one in found if one.branch not in own_branches and not own.is_on(one)]
    found += [one for one in linked if one.status == "merged"]
    return build_manifest(git, base, found), warnings


def _forge_pulls(
    project: Project, now: float, callbacks: SyncCallbacks
) -> tuple[tuple[PullDetails, ...], tuple[str, ...]]:
    """The open pull requests of the forge, and a warning where it cannot be queried."""
    try:
        source = find_forge(project, now)
    except NoForge:
        return (), ()
    try:
        with open_forge(source, callbacks.on_wait) as forge:
            return tuple(map(forge.details, forge.open_pull_requests(MAX_PULLS))), ()
    except SddError as error:
        reason = f"open pull requests of {source.label} cannot be queried: {error}"
        return (), (reason,)


def _of_forge(details: PullDetails, own: OwnWork, git: Git, heads: Mapping[str, str]) -> Sibling:
    pull = details.pull
    number = str(pull.number)
    is_here = pull.head and git.try_output("cat-file", "-e", f"{pull.head}^{{commit}}") is not None
    closes = tuple(
        one.id for one in own.issues.values() for linked in one.pulls if linked.number == number
    )
    return Sibling(
        number,
        pull.title,
        pull.head_ref,
        "draft" if pull.is_draft else "open",
        closes,
        details.files,
        pull.head if is_here else heads.get(pull.head_ref, ""),
    )


def _of_issues(own: OwnWork, heads: Mapping[str, str]) -> Iterator[Sibling]:
    """The pull requests that issues are linked with: open ones, and the merged ones of issues that
    block this one or are about the same specification."""
    specs = set(own.issue.specs) if own.issue else set()
    before = set(own.issue.blocked_by) if own.issue else set()
    users: dict[str, tuple[LinkedPull, str, list[str]]] = {}
    for issue in own.issues.values():
        is_related = issue.id in before or bool(specs & set(issue.specs))
        for pull in issue.pulls:
            if pull.status in _OPEN or (pull.status == "merged" and is_related):
                users.setdefault(pull.number, (pull, issue.title, []))[2].append(issue.id)
    for number, (pull, title, issues) in users.items():
        yield Sibling(
            number,
            title,
            pull.branch,
            pull.status,
            tuple(issues),
            pull.files or None,
            heads.get(pull.branch, ""),
        )


def _remote_heads(git: Git) -> Mapping[str, str]:
    """The commit of each branch, by its name; that of `origin` has precedence."""
    listed = git.output(
        "for-each-ref",
        "--format=%(refname)%00%(objectname)",
        "refs/heads",
        "refs/remotes/origin",
    )
    found: dict[str, str] = {}
    for row in listed.decode("utf-8", "surrogateescape").splitlines():
        ref, head = row.split("\0")
        found[ref.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")] = head
    return found
