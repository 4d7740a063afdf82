"""What a job asks of the action."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Inputs"

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Literal, NamedTuple, TypeVar, get_args

from sdd_hooks.config.keys import parse_flag
from sdd_hooks.config.settings import FailOn
from sdd_hooks.engines.registry import engine_names
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.text.display import one_line

Command = Literal["sync", "update", "embed", "review", "all"]
COMMANDS: tuple[Command, ...] = get_args(Command)
FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)

OWN, TRACKERS = "SDD_TOKEN", "SDD_TRACKER_TOKEN"
"""The variables that hold the tokens."""
# Some runners set every input of an action a second time.
_AGAIN = ("INPUT_TOKEN", "INPUT_TRACKER-TOKEN", "INPUT_TRACKER_TOKEN")

_Choice = TypeVar("_Choice", bound=str)
_SHOWN = 60


class WrongInput(SddError):
    """An input cannot be used. The message names it, and what it may be."""

    exit_code = EXIT_USAGE
    code = "usage"


class Inputs(NamedTuple):
    """The inputs; "" is not given. The tokens are never shown.

    `token` is the one of the forge that runs the job, `tracker_token` that of the tracker.
    `comment` and `inline` are whether a review is posted as the one comment, and on lines. `report`
    is where the review goes as JSON.
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

    def __repr__(self) -> str:
        return f"Inputs({self.command})"


class Tokens(NamedTuple):
    """The tokens of a job, "" for one that was not given."""

    token: str = ""
    tracker_token: str = ""

    def __repr__(self) -> str:
        return "Tokens()"


def take_tokens(environ: MutableMapping[str, str]) -> Tokens:
    """Take the tokens out of the environment, so that no program that is started inherits them."""
    found = [environ.pop(name, "").strip() for name in (OWN, TRACKERS, *_AGAIN)]
    return Tokens(*found[:2])


def read_inputs(given: Mapping[str, str], tokens: Tokens) -> Inputs:
    """The inputs in `given`, by their names (`fail-on`); white space alone is not given.

    Raises WrongInput.
    """
    said = {name: value.strip() for name, value in given.items() if value.strip()}
    for name, token in (("token", tokens.token), ("tracker-token", tokens.tracker_token)):
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise WrongInput(f"{name} has characters that no token has: check the secret")
    command = _choice(said, "command", COMMANDS)
    if not command:
        raise WrongInput(f"command must be one of {', '.join(COMMANDS)}: it was not given")
    return Inputs(
        command=command,
        engine=_choice(said, "engine", engine_names()),
        token=tokens.token,
        tracker_token=tokens.tracker_token,
        fail_on=_choice(said, "fail-on", FAIL_ON),
        base=said.get("base", ""),
        comment=_flag(said, "comment", default=True),
        inline=_flag(said, "inline", default=False),
        sarif_file=said.get("sarif-file", ""),
        embed_model=said.get("embed-model", ""),
        judge=said.get("judge", ""),
        report=said.get("report", ""),
    )


def _choice(
    said: Mapping[str, str], name: str, choices: Sequence[_Choice]
) -> _Choice | Literal[""]:
    value = said.get(name, "")
    for choice in choices:
        if value.casefold() == choice.casefold():
            return choice
    if not value:
        return ""
    raise _wrong(name, f"one of {', '.join(choices)}", value)


def _flag(said: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = said.get(name)
    if value is None:
        return default
    try:
        return parse_flag(value)
    except ValueError as error:
        raise _wrong(name, str(error), value) from None


def _wrong(name: str, wanted: str, value: str) -> WrongInput:
    shown = one_line(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    return WrongInput(f"{name} must be {wanted}, not '{shown}'")
