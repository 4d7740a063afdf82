"""Questions on the terminal: each takes `y`, `n`, the beginning of an answer, and Enter."""

# Governing: SPEC-0005 REQ "Output"

from __future__ import annotations

import sys
from collections.abc import Sequence

import click


def can_ask(*refused: bool) -> bool:
    """Whether a person can answer: on a terminal, unless an option such as `--yes` refuses it."""
    return not any(refused) and sys.stdin.isatty()


def require_terminal(*refused: bool) -> None:
    """Raise UsageError where `can_ask` is False."""
    if not can_ask(*refused):
        raise click.UsageError("there is no terminal to ask on, so confirm with --yes")


def confirm(question: str, *, default: bool = False, err: bool = False) -> bool:
    """Ask for yes or no. Raises click.Abort without an answer."""
    return click.confirm(question, default=default, err=err)


def choose(question: str, choices: Sequence[str], default: str = "", *, no: str = "no") -> str:
    """Ask for one of the choices; `default` is that of Enter, `no` that of `n`.

    Without a default the question names the choices. Raises click.Abort without an answer.
    """

    def read(answer: str) -> str:
        given = answer.strip().lower()
        given = no if given in ("n", "no") else given
        begun = [one for one in choices if given and one.lower().startswith(given)]
        found = [one for one in begun if one.lower() == given] or begun
        if len(found) != 1:
            raise click.UsageError(f"{answer!r} is not one of {', '.join(choices)}.")
        return found[0]

    shown = f"{question} ({', '.join(choices)})" if default else question
    return str(click.prompt(shown, default=default or None, value_proc=read, err=not default))
