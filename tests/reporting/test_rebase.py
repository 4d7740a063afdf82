"""Line comments over the history of a branch, with real commits and whole reviews."""

from __future__ import annotations

from pathlib import Path

from sdd_hooks.reporting.comment import (
    ExistingComment,
    Reconciliation,
    inline_comments,
    reconcile,
)
from sdd_hooks.review.review import review_commits
from tests.support.repos import Repo

MEMORY = "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
RECORD = "---\nstatus: accepted\n---\n\n# ADR-0001: One\n\n## Decision Outcome\n\nOne.\n"
CODE = "def one():\n    return 1\n"
DANGLING = "# Governing: ADR-0099\n"


def begun(tmp_path: Path) -> Repo:
    """A branch that adds dangling governing comments to two files."""
    repo = Repo.init(tmp_path / "repo")
    files = {"CLAUDE.md": MEMORY, "docs/adrs/ADR-0001-one.md": RECORD, "src/one.py": CODE}
    repo.commit("Begin", files)
    repo.git("switch", "--quiet", "--create", "topic")
    repo.commit("Two", {"src/one.py": CODE + DANGLING, "src/two.py": DANGLING})
    return repo


def reviewed(repo: Repo, existing: list[ExistingComment]) -> Reconciliation:
    """Reconcile a review of the branch with the existing comments."""
    review = review_commits(repo.project(), "main", "topic")
    return reconcile(inline_comments(review), existing)


def posted(result: Reconciliation) -> list[ExistingComment]:
    """The posted comments as a forge returns them."""
    return [
        ExistingComment(str(at), comment.body, by_sdd=True)
        for at, comment in enumerate(result.post, 1)
    ]


def test_a_rebase_and_moved_lines_keep_the_comments(tmp_path: Path) -> None:
    repo = begun(tmp_path)
    first = reviewed(repo, [])
    assert [(comment.path, comment.line) for comment in first.post] == [
        ("src/one.py", 3),
        ("src/two.py", 1),
    ]
    comments = posted(first)
    repo.git("switch", "--quiet", "main")
    repo.commit("Move", {"src/one.py": '"""One."""\n\nONE = 1\n\n' + CODE})
    repo.git("switch", "--quiet", "topic")
    repo.git("rebase", "--quiet", "main")
    assert reviewed(repo, comments) == Reconciliation((), ("1", "2"), ())
    repo.git("commit", "--quiet", "--amend", "--message", "Another message")
    assert reviewed(repo, comments) == Reconciliation((), ("1", "2"), ())


def test_a_fix_resolves_its_comment_and_no_other(tmp_path: Path) -> None:
    repo = begun(tmp_path)
    comments = posted(reviewed(repo, []))
    repo.commit("Fix", {"src/one.py": CODE + "# Governing: ADR-0001\n"})
    assert reviewed(repo, comments) == Reconciliation((), ("2",), ("1",))


def test_a_second_finding_has_another_comment(tmp_path: Path) -> None:
    repo = begun(tmp_path)
    comments = posted(reviewed(repo, []))
    repo.commit("Three", {"src/three.py": DANGLING})
    result = reviewed(repo, comments)
    assert [comment.path for comment in result.post] == ["src/three.py"]
    assert (result.keep, result.resolve) == (("1", "2"), ())


def test_the_comment_of_a_suppressed_finding_is_resolved(tmp_path: Path) -> None:
    repo = begun(tmp_path)
    comments = posted(reviewed(repo, []))
    ignored = "# sdd-ignore: dangling-reference (it is an example)\n"
    repo.commit("Ignore", {"src/two.py": ignored + DANGLING})
    changes = reviewed(repo, comments)
    assert changes._replace(post=()) == Reconciliation((), ("1",), ("2",))
    assert ["`suppression/critical`" in comment.body for comment in changes.post] == [True]
