"""The whole review: a change in, what to say about it out."""

# Governing: SPEC-0010 REQ "Finding the decision", SPEC-0010 REQ "Rules"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.changes.base import is_shallow
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.diff import read_change, read_staged
from sdd_hooks.changes.tree import Tree
from sdd_hooks.findings import identify_findings
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import References, ReviewOutcome
from sdd_hooks.review.apply_rules import check
from sdd_hooks.review.rules import registered
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import Git

if TYPE_CHECKING:
    from sdd_hooks.models.language_model import LanguageModel


def review_commits(
    project: Project, base: str, head: str, *, title: str = "", body: str = "", judge: str = ""
) -> ReviewOutcome:
    """Review what `head` changed since it left `base`.

    `title` and `body` are the pull request's, "" where there is none; `judge` is the model of `llm`
    to ask as well, "" for none. Raises RepositoryError for a commit that is not there, and
    EngineUnavailable for a model that is not.
    """
    model = _judge(judge)
    # A hook that has nothing to rank need not wait for it.
    from sdd_hooks.review.references.find import find_references

    git = project.repository.git
    change = read_change(git, base, head, title=title, body=body)
    subject = subject_of(project, change, tip=change.base_tip)
    most = project.configuration.review.max_suggestions
    references = find_references(project.repository, subject, most)
    review = _review(subject, references, _history_cut(git))
    if model is None:
        return review
    from sdd_hooks.review.judge.judging import judged

    return judged(model, subject, review, suggestions=most)


def review_staged(project: Project, *, index: str = "") -> ReviewOutcome:
    """Apply the rules to what is staged.

    `index` is git's index file where a commit in the making has one of its own. Raises
    RepositoryError when git cannot read it.
    """
    change = read_staged(project.repository.git, index)
    return _review(subject_of(project, change, index=index), References())


def subject_of(project: Project, change: Change, *, index: str = "", tip: str = "") -> Subject:
    """What rules look at.

    `index` is git's index file for what is staged in one of its own; `tip` the commit at which the
    base branch is now, "" when that is the change's base.
    """
    git = project.repository.git
    artifacts = tuple(one for one in project.collections if one.kind in ARTIFACT_KINDS)
    after = Tree(git, change.head, index)
    moved = Tree(git, tip) if tip not in ("", change.base) else None
    return Subject(change, Tree(git, change.base), after, artifacts, moved)


def _judge(name: str) -> LanguageModel | None:
    """The model to ask; whether there is one is known before the review begins."""
    if not name:
        return None
    from sdd_hooks.models.language_model import load_language_model

    return load_language_model(name)


def _history_cut(git: Git) -> tuple[str, ...]:
    """What a shallow clone cannot tell, as a note."""
    if not is_shallow(git):
        return ()
    return (
        "not looked at: commits before this shallow clone begins, and the decisions they named"
        " (`git fetch --unshallow` brings them)",
    )


def _review(subject: Subject, references: References, notes: tuple[str, ...] = ()) -> ReviewOutcome:
    change = subject.change
    checked = check(subject, registered())
    return ReviewOutcome(
        change.base,
        change.head,
        change.title,
        len(change.files),
        references,
        identify_findings(checked.findings, change.added_lines()),
        checked.suppressed,
        (*change.notes, *notes, *checked.notes),
    )
