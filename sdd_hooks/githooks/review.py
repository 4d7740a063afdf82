"""The hooks of the review: what is staged, what is said about it, what is pushed.

They fail git's command for findings only. Whatever else happens is a line on stderr.
"""

# Governing: SPEC-0010 REQ "Review in hooks", SPEC-0004 REQ "Hooks do no harm"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO, get_args

from sdd_hooks.config.settings import FailOn
from sdd_hooks.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, SddError
from sdd_hooks.text.display import describe_error

_OPTION = "--fail-on"


class Call(NamedTuple):
    """How a hook was called: its arguments, what git pipes into it, and where it runs.

    `fail_on` is what was asked for in place of the repository's setting, or None.
    """

    arguments: Sequence[str]
    fail_on: FailOn | None
    cwd: Path
    environ: Mapping[str, str]
    stdin: BinaryIO | None
    stderr: TextIO


def review(
    action: str,
    arguments: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    stdin: BinaryIO | None,
    stderr: TextIO,
) -> int:
    """Do one of `shims.ACTIONS`. Returns the exit code of the hook and raises nothing.

    `arguments` are those git gave the hook, and `--fail-on SEVERITY`.
    """
    asked, rest = _fail_on(arguments)
    known: tuple[FailOn, ...] = get_args(FailOn)
    fail_on = next((one for one in known if one == asked), None)
    if asked is not None and fail_on is None:
        stderr.write(f"sdd: {_OPTION} {asked!a} is none of {', '.join(known)}\n")
        return EXIT_USAGE
    call = Call(rest, fail_on, cwd, environ, stdin, stderr)
    try:
        if action == "check":
            from sdd_hooks.githooks.check import check

            return check(call)
        if action == "commit-msg":
            from sdd_hooks.githooks.commit_msg import check_message

            return check_message(call)
        from sdd_hooks.githooks.pre_push import review_push

        return review_push(call)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SddError as error:
        stderr.write(f"sdd: nothing was reviewed: {describe_error(error)}\n")
    except Exception as error:
        stderr.write(f"sdd: nothing was reviewed — run `sdd doctor` ({describe_error(error)})\n")
    return EXIT_OK


def _fail_on(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """The value of the option, unchecked, and the arguments without it."""
    found: str | None = None
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if argument == _OPTION:
            found = next(left, "")
        elif argument.startswith(f"{_OPTION}="):
            found = argument.partition("=")[2]
        else:
            rest.append(argument)
    return found, rest
