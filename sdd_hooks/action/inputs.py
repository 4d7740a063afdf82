"""What a job asks of the action."""

# Governing: SPEC-0012 REQ "Inputs"

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from sdd_hooks.project.settings import FailOn

Command = Literal["sync", "update", "embed", "review", "all"]
COMMANDS: tuple[Command, ...] = get_args(Command)


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
