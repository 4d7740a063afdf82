"""The inputs of the action, parsed and checked, and the commands that an event allows."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Inputs",
# REQ "Which event does what", REQ "Configuration comes from the base"

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar, get_args

from sdd_hooks.action.tokens import Tokens
from sdd_hooks.config.keys import parse_flag
from sdd_hooks.config.settings import FailOn
from sdd_hooks.engines.registry import engine_names
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.forges.protocol import JobContext
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import clipped, one_line
from sdd_hooks.text.lazy_regex import lazy_regex

Command = Literal["sync", "update", "embed", "review", "all"]
COMMANDS: tuple[Command, ...] = get_args(Command)
FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)

_Choice = TypeVar("_Choice", bound=str)
_KEY = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,38}[A-Za-z0-9]|[A-Za-z0-9]")
_MAX_SHOWN = 60
"""Characters of a wrong value in a message."""

ON_PUSHES: tuple[Command, ...] = ("sync", "update", "embed")
"""The commands that use tokens according to the checked-out files, or make vectors to share."""


class WrongInput(SddError):
    """An input is invalid. The message names it and the valid values."""

    exit_code = EXIT_USAGE
    code = "usage"


class Inputs(NamedTuple):
    """The inputs; "" means not given. `repr` hides the tokens.

    `token` belongs to the forge that runs the job, `tracker_token` to the tracker. `comment` and
    `inline` say whether a review is posted as a comment, and on lines; `comment_key` distinguishes
    the comments and the status of several jobs. `report` is the path for the review as JSON, and
    `page` the one for the page of an audit. `scans` are files with the results of scanners.
    """

    command: Command
    engine: str = ""
    token: str = ""
    tracker_token: str = ""
    fail_on: FailOn | Literal[""] = ""
    base: str = ""
    comment: bool = True
    inline: bool = False
    sarif_file: str = ""
    embed_model: str = ""
    judge: str = ""
    report: str = ""
    comment_key: str = ""
    page: str = ""
    scans: tuple[str, ...] = ()

    @property
    def tokens(self) -> Tokens:
        """Both tokens."""
        return Tokens(self.token, self.tracker_token)

    def __repr__(self) -> str:
        return f"Inputs({self.command})"


class AllowedCommands(NamedTuple):
    """The commands to run, in this order, and a note about those that are left out, "" for none."""

    commands: tuple[Command, ...]
    note: str = ""


def select_commands(command: Command, context: JobContext | None) -> AllowedCommands:
    """The commands that the event of the job allows of `command`; None outside CI."""
    if command == "review":
        return AllowedCommands((command,))
    wanted = ON_PUSHES if command == "all" else (command,)
    if context is None or not (context.pull or context.followed_sha or context.is_unmerged):
        return AllowedCommands(wanted)
    note = (
        f"left out on a pull request, which must not decide where tokens go: {', '.join(wanted)}"
        " (for pushes and schedules)"
    )
    return AllowedCommands(("review",) if command == "all" else (), note)


def read_inputs(given: Mapping[str, str], tokens: Tokens) -> Inputs:
    """Parse the inputs in `given`, by their names (`fail-on`). White space alone means not given.

    Raises WrongInput.
    """
    values = {name: value.strip() for name, value in given.items() if value.strip()}
    for name, token in (("token", tokens.token), ("tracker-token", tokens.tracker_token)):
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise WrongInput(f"{name} has characters that no token has: check the secret")
    command = _choice(values, "command", COMMANDS)
    if not command:
        raise WrongInput(f"command must be one of {', '.join(COMMANDS)}: it was not given")
    return Inputs(
        command=command,
        engine=_choice(values, "engine", engine_names()),
        token=tokens.token,
        tracker_token=tokens.tracker_token,
        fail_on=_choice(values, "fail-on", FAIL_ON),
        base=values.get("base", ""),
        comment=_flag(values, "comment", default=True),
        inline=_flag(values, "inline", default=False),
        sarif_file=values.get("sarif-file", ""),
        embed_model=values.get("embed-model", ""),
        judge=values.get("judge", ""),
        report=values.get("report", ""),
        comment_key=_key(values.get("comment-key", "")),
        page=values.get("page", ""),
        scans=_list(values.get("scan", "")),
    )


def _choice(
    values: Mapping[str, str], name: str, choices: Sequence[_Choice]
) -> _Choice | Literal[""]:
    value = values.get(name, "")
    for choice in choices:
        if value.casefold() == choice.casefold():
            return choice
    if not value:
        return ""
    raise _wrong(name, f"one of {', '.join(choices)}", value)


def _list(value: str) -> tuple[str, ...]:
    """The entries of a value, one a line or between commas."""
    return tuple(filter(None, (one.strip() for one in re.split(r"[\n,]", value))))


def _key(value: str) -> str:
    """A name that is valid in an HTML comment."""
    if value and (not _KEY.fullmatch(value) or "--" in value):
        raise _wrong("comment-key", "up to 40 letters, digits, `.`, `_` and single `-`", value)
    return value


def _flag(values: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = values.get(name)
    if value is None:
        return default
    try:
        return parse_flag(value)
    except ValueError as error:
        raise _wrong(name, str(error), value) from None


def _wrong(name: str, wanted: str, value: str) -> WrongInput:
    shown = clipped(one_line(value), _MAX_SHOWN)
    return WrongInput(f"{name} must be {wanted}, not '{shown}'")
