"""Review what is pushed, branch by branch."""

# Governing: SPEC-0010 REQ "Review in hooks", SPEC-0010 REQ "What is compared"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.githooks.review import Call
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.system.terminal import detect_terminal
from sdd_hooks.text.display import printable_line
from sdd_hooks.usecases.review import PushedBranch, review_pushed_branch

MOST = 5
"""Branches that are reviewed in one push."""
LONGEST_INPUT = 1 << 20

_HEADS = "refs/heads/"


def review_push(call: Call) -> int:
    """Review every branch that is pushed. Returns 1 to refuse the push.

    git says on standard input what is pushed, pre-commit in its variables. A report goes to stderr
    where there is something to say. Raises SddError when the repository cannot be read.
    """
    remote = call.arguments[0] if call.arguments else ""
    pushed = list(dict.fromkeys(_from_variables(call.environ) or _from_input(call.stdin, remote)))
    if not pushed:
        return EXIT_OK
    project = load_project(call.cwd, call.environ)
    fails = [_review(call, project, one, named=len(pushed) > 1) for one in pushed[:MOST]]
    if len(pushed) > MOST:
        left = len(pushed) - MOST
        call.stderr.write(f"sdd: {left} of the branches not reviewed: see `sdd review --head`\n")
    return EXIT_FINDINGS if any(fails) else EXIT_OK


def parse_pushed(text: str, remote: str) -> Iterator[PushedBranch]:
    """The branches among what git says of a push: `NAME COMMIT REF COMMIT` a line. Never raises.

    Deleted branches, tags and other refs are left out.
    """
    for line in text.split("\n"):
        # The name is what was typed, and may have blanks.
        fields = line.rsplit(" ", 3)
        if len(fields) == 4 and fields[2].startswith(_HEADS) and fields[1].strip("0"):
            there = fields[3] if fields[3].strip("0") else ""
            yield PushedBranch(fields[1], fields[2].removeprefix(_HEADS), there, remote)


def _from_input(stdin: BinaryIO | None, remote: str) -> list[PushedBranch]:
    if stdin is None or stdin.isatty():
        return []
    text = stdin.read(LONGEST_INPUT).decode("utf-8", "surrogateescape")
    return list(parse_pushed(text, remote))


def _from_variables(environ: Mapping[str, str]) -> list[PushedBranch]:
    """What pre-commit says of a push. It runs for the first branch only."""
    ref = environ.get("PRE_COMMIT_REMOTE_BRANCH", "")
    head = environ.get("PRE_COMMIT_TO_REF") or environ.get("PRE_COMMIT_LOCAL_BRANCH", "")
    if not ref.startswith(_HEADS) or not head:
        return []
    there = environ.get("PRE_COMMIT_FROM_REF", "")
    remote = environ.get("PRE_COMMIT_REMOTE_NAME", "")
    return [PushedBranch(head, ref.removeprefix(_HEADS), there, remote)]


def _review(call: Call, project: Project, pushed: PushedBranch, *, named: bool) -> bool:
    """Review one branch. Returns whether that refuses the push."""
    verdict = review_pushed_branch(project, pushed, call.fail_on)
    if verdict is None:
        return False
    from sdd_hooks.reporting.terminal import render_terminal

    review = verdict.review
    if review.findings or review.references.suggested or review.notes:
        screen = detect_terminal(call.stderr, call.environ)
        if named:
            call.stderr.write(screen.strong(printable_line(pushed.branch)) + "\n\n")
        call.stderr.write(render_terminal(review, width=screen.width, colour=screen.styled))
    return verdict.fails
