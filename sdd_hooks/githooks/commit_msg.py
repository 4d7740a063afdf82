"""Look at what a commit message says about artifacts. The message stays as it is."""

# Governing: SPEC-0010 REQ "Review in hooks"

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK, StorageError
from sdd_hooks.githooks.review import Call
from sdd_hooks.project.project import load_project
from sdd_hooks.reporting.outcome import Candidate
from sdd_hooks.system.files import ERRNO_REASONS
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import printable_line
from sdd_hooks.usecases.review import review_message

LONGEST = 100_000
"""Bytes of a message that are read."""

# git makes these, or takes them apart again.
_MADE = ("Merge ", "fixup! ", "squash! ", "amend! ", "Squashed commit of the following:")
_SCISSORS = re.compile(rb"^\S{1,8} -{8,80} >8 -{8,80}$", re.MULTILINE)


def check_message(call: Call) -> int:
    """Say which ids in the message of a commit lead nowhere or to what no longer holds, or which
    record it might name. Returns 1 to refuse the commit.

    The first argument is the file with the message. Raises SddError when the repository or the
    message cannot be read.
    """
    if not call.arguments:
        raise StorageError("no file with a message was given: git gives one to commit-msg")
    project = load_project(call.cwd, call.environ)
    repository = project.repository
    message = _message(repository.git, call.cwd / call.arguments[0])
    if not message or message.startswith(_MADE) or (repository.git_dir / "MERGE_HEAD").exists():
        return EXIT_OK
    review, fails = review_message(project, message, call.cwd, call.fail_on)
    for one in review.findings:
        call.stderr.write(f"sdd: {one.finding.severity}: {printable_line(one.finding.message)}\n")
    for candidate in review.references.suggested:
        call.stderr.writelines(f"sdd: {line}\n" for line in _suggestion(candidate))
    return EXIT_FINDINGS if fails else EXIT_OK


def _message(git: Git, path: Path) -> str:
    """The message as it is committed: without comments, and the diff that `commit -v` shows."""
    try:
        with path.open("rb") as file:
            written = file.read(LONGEST)
    except OSError as error:
        why = ERRNO_REASONS.get(error.errno or 0) or error.strerror
        raise StorageError(f"cannot read {path}: {why}") from None
    above = _SCISSORS.split(written, maxsplit=1)[0]
    kept = git.output("stripspace", "--strip-comments", stdin=above)
    return kept.decode("utf-8", "replace").strip()


def _suggestion(one: Candidate) -> Iterator[str]:
    full_name, name = printable_line(one.full_name), printable_line(one.name)
    yield f"should this commit name {full_name}? `Refs: {name}`"
    if one.quote:
        yield f"  {printable_line(one.path)}:{one.line}: {printable_line(one.quote)}"
