"""Hooks that can refuse a commit or a push: they check artifacts and review changes.

The hooks of the review fail git's command only for findings. Any error is a line on stderr.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Checked before the commit",
# SPEC-0004 REQ "Hooks do no harm", SPEC-0010 REQ "Review in hooks"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, get_args

from sdd_hooks.config.settings import FailOn
from sdd_hooks.errors import (
    EXIT_FINDINGS,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    SddError,
    StorageError,
)
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.system.files import ERRNO_REASONS
from sdd_hooks.text.display import describe_error, format_count, one_line, printable_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.usecases.review import (
    PushedBranch,
    review_index,
    review_message,
    review_pushed_branch,
    validate_merged_numbers,
    validate_staged_artifacts,
)

if TYPE_CHECKING:
    from sdd_hooks.findings import Finding, ReportedFinding
    from sdd_hooks.reporting.outcome import Candidate, ReviewOutcome
    from sdd_hooks.system.git import Git

MAX_SHOWN_FINDINGS = 40
"""Findings that `check` prints; it counts the others."""

MAX_REVIEWED_BRANCHES = 5
"""Branches that are reviewed in one push."""

MAX_MESSAGE_BYTES = 100_000
"""Bytes of a commit message that are read."""

MAX_INPUT_BYTES = 1 << 20
"""Bytes of what git pipes into pre-push that are read."""

_FAIL_ON_OPTION = "--fail-on"

_REFUSED_BY_DEFAULT = ("frontmatter", "duplicate-number")
"""Rules whose critical findings refuse a commit without `--fail-on`: the records are broken."""

# git writes these messages, or removes the commits again.
_GIT_SUBJECTS = ("Merge ", "fixup! ", "squash! ", "amend! ", "Squashed commit of the following:")
_SCISSORS = lazy_regex(rb"^\S{1,8} -{8,80} >8 -{8,80}$", re.MULTILINE)
_BRANCH_PREFIX = "refs/heads/"


class _ReviewCall(NamedTuple):
    """A call of a review hook. `fail_on` replaces the setting of the repository, unless None."""

    arguments: Sequence[str]
    fail_on: FailOn | None
    context: HookContext


def check_artifacts(files: Sequence[str], context: HookContext) -> int:
    """Validate the staged artifacts among `files`, relative to `context.cwd`; none: all of them.

    Prints each finding. Returns 1 when one is critical. Raises SddError when the repository cannot
    be read.
    """
    project = load_project(context.cwd, context.environ)
    findings = validate_staged_artifacts(project, files, context.cwd)
    context.stderr.writelines(_artifact_line(finding) for finding in sorted(findings))
    is_critical = any(finding.severity == "critical" for finding in findings)
    return EXIT_FINDINGS if is_critical else EXIT_OK


def check_merge(context: HookContext) -> int:
    """Print each number that two records have because of the merge that is about to be committed.

    Other findings were there before it. Returns 1 if there is one. Raises SddError when the
    repository cannot be read.
    """
    project = load_project(context.cwd, context.environ)
    findings = validate_merged_numbers(project, context.cwd)
    context.stderr.writelines(_artifact_line(finding) for finding in findings)
    return EXIT_FINDINGS if findings else EXIT_OK


def run_review(action: str, arguments: Sequence[str], context: HookContext) -> int:
    """Run a hook of the review. Returns its exit code and raises nothing.

    `action` is one of `shims.ACTIONS`, `arguments` are those of git and `--fail-on SEVERITY`.
    """
    value, rest = _take_fail_on(arguments)
    severities: tuple[FailOn, ...] = get_args(FailOn)
    fail_on = next((severity for severity in severities if severity == value), None)
    stderr = context.stderr
    if value is not None and fail_on is None:
        choices = ", ".join(severities)
        stderr.write(f"sdd: {_FAIL_ON_OPTION} {value!a} is not one of {choices}\n")
        return EXIT_USAGE
    run = {"check": _check_index, "commit-msg": _check_message, "pre-push": _review_push}[action]
    try:
        return EXIT_FINDINGS if run(_ReviewCall(rest, fail_on, context)) else EXIT_OK
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SddError as error:
        stderr.write(f"sdd: nothing was reviewed: {describe_error(error)}\n")
    except Exception as error:
        stderr.write(f"sdd: nothing was reviewed — run `sdd doctor` ({describe_error(error)})\n")
    return EXIT_OK


def parse_pushed_branches(text: str, remote: str) -> Iterator[PushedBranch]:
    """Parse what git pipes into pre-push: `NAME COMMIT REF COMMIT` a line. Never raises.

    Deleted branches, tags and other refs are left out.
    """
    for line in text.split("\n"):
        # The name is what the user typed, and may have blanks.
        fields = line.rsplit(" ", 3)
        if len(fields) == 4 and fields[2].startswith(_BRANCH_PREFIX) and fields[1].strip("0"):
            _, head, ref, remote_commit = fields
            remote_head = remote_commit if remote_commit.strip("0") else ""
            yield PushedBranch(head, ref.removeprefix(_BRANCH_PREFIX), remote_head, remote)


def _check_index(call: _ReviewCall) -> bool:
    """Print the findings of the rules in what is staged. Returns whether to refuse the commit."""
    context = call.context
    project = load_project(context.cwd, context.environ)
    review, fails = review_index(project, context.cwd, call.fail_on)
    shown = review.findings[:MAX_SHOWN_FINDINGS]
    context.stderr.writelines(_finding_line(finding) for finding in shown)
    if len(review.findings) > len(shown):
        rest = format_count(len(review.findings) - len(shown), "more finding")
        context.stderr.write(f"sdd: {rest}: `sdd review --staged` shows them\n")
    context.stderr.writelines(f"sdd: {printable_line(note)}\n" for note in review.notes)
    return fails or (call.fail_on is None and _breaks_records(review))


def _check_message(call: _ReviewCall) -> bool:
    """Print findings in the message of a commit. Returns whether to refuse the commit.

    The first argument is the file of the message, which stays unchanged. A message that names no
    record may get a suggestion.
    """
    context = call.context
    if not call.arguments:
        raise StorageError("no file with a message was given: git gives one to commit-msg")
    project = load_project(context.cwd, context.environ)
    repository = project.repository
    message = _read_message(repository.git, context.cwd / call.arguments[0])
    is_merge = (repository.git_dir / "MERGE_HEAD").exists()
    if not message or message.startswith(_GIT_SUBJECTS) or is_merge:
        return False
    review, fails = review_message(project, message, context.cwd, call.fail_on)
    for reported in review.findings:
        finding = reported.finding
        context.stderr.write(f"sdd: {finding.severity}: {printable_line(finding.message)}\n")
    for candidate in review.references.suggested:
        context.stderr.writelines(f"sdd: {line}\n" for line in _suggestion_lines(candidate))
    return fails


def _review_push(call: _ReviewCall) -> bool:
    """Review every branch that is pushed. Returns whether to refuse the push.

    git names the branches on standard input, pre-commit in its variables.
    """
    context = call.context
    remote = call.arguments[0] if call.arguments else ""
    branches = _branch_from_variables(context.environ) or _branches_from(context.stdin, remote)
    pushed = list(dict.fromkeys(branches))
    if not pushed:
        return False
    project = load_project(context.cwd, context.environ)
    reviewed = pushed[:MAX_REVIEWED_BRANCHES]
    show_name = len(pushed) > 1
    fails = [_review_branch(call, project, branch, show_name) for branch in reviewed]
    if len(pushed) > len(reviewed):
        rest = len(pushed) - len(reviewed)
        context.stderr.write(f"sdd: {rest} of the branches not reviewed: see `sdd review --head`\n")
    return any(fails)


def _review_branch(
    call: _ReviewCall, project: Project, branch: PushedBranch, show_name: bool
) -> bool:
    """Review a branch, and print a report that is not empty. Returns whether to refuse the push."""
    verdict = review_pushed_branch(project, branch, call.fail_on)
    if verdict is None:
        return False
    from sdd_hooks.reporting.terminal import render_terminal
    from sdd_hooks.system.terminal import detect_terminal

    review, stderr = verdict.review, call.context.stderr
    if review.findings or review.references.suggested or review.notes:
        terminal = detect_terminal(stderr, call.context.environ)
        if show_name:
            stderr.write(terminal.strong(printable_line(branch.branch)) + "\n\n")
        stderr.write(render_terminal(review, width=terminal.width, colour=terminal.styled))
    return verdict.fails


def _take_fail_on(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The value of `--fail-on`, not validated, and the arguments without it."""
    value: str | None = None
    rest: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument == _FAIL_ON_OPTION:
            value = next(remaining, "")
        elif argument.startswith(f"{_FAIL_ON_OPTION}="):
            value = argument.partition("=")[2]
        else:
            rest.append(argument)
    return value, rest


def _breaks_records(review: ReviewOutcome) -> bool:
    rules = (one.finding.rule for one in review.findings if one.finding.severity == "critical")
    return any(rule.partition("/")[0] in _REFUSED_BY_DEFAULT for rule in rules)


def _read_message(git: Git, path: Path) -> str:
    """The message as git commits it: without comments, and without the diff of `commit -v`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MESSAGE_BYTES)
    except OSError as error:
        reason = ERRNO_REASONS.get(error.errno or 0) or error.strerror
        raise StorageError(f"cannot read {path}: {reason}") from None
    message = _SCISSORS.split(data, maxsplit=1)[0]
    stripped = git.output("stripspace", "--strip-comments", stdin=message)
    return stripped.decode("utf-8", "replace").strip()


def _branches_from(stdin: BinaryIO | None, remote: str) -> list[PushedBranch]:
    if stdin is None or stdin.isatty():
        return []
    text = stdin.read(MAX_INPUT_BYTES).decode("utf-8", "surrogateescape")
    return list(parse_pushed_branches(text, remote))


def _branch_from_variables(environ: Mapping[str, str]) -> list[PushedBranch]:
    """The branch in the variables of pre-commit, which runs hooks for the first branch only."""
    ref = environ.get("PRE_COMMIT_REMOTE_BRANCH", "")
    head = environ.get("PRE_COMMIT_TO_REF") or environ.get("PRE_COMMIT_LOCAL_BRANCH", "")
    if not ref.startswith(_BRANCH_PREFIX) or not head:
        return []
    remote_head = environ.get("PRE_COMMIT_FROM_REF", "")
    remote = environ.get("PRE_COMMIT_REMOTE_NAME", "")
    return [PushedBranch(head, ref.removeprefix(_BRANCH_PREFIX), remote_head, remote)]


def _artifact_line(finding: Finding) -> str:
    location = f"{one_line(finding.path)}:{max(finding.line, 1)}"
    return f"{location}: {finding.severity}: {one_line(finding.message)}\n"


def _finding_line(reported: ReportedFinding) -> str:
    finding = reported.finding
    location = f"{printable_line(finding.path)}:{max(finding.line, 1)}"
    message, rule = printable_line(finding.message), printable_line(finding.rule)
    return f"{location}: {finding.severity}: {message} [{rule}]\n"


def _suggestion_lines(candidate: Candidate) -> Iterator[str]:
    name = printable_line(candidate.name)
    title = f" ({printable_line(candidate.title)})" if candidate.id and candidate.title else ""
    yield f"should this commit name {name}?{title} `Refs: {name}`"
    if candidate.quote:
        location = f"{printable_line(candidate.path)}:{candidate.line}"
        yield f"  {location}: {printable_line(candidate.shown_quote)}"
