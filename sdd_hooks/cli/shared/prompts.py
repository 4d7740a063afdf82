"""Questions on the terminal: each takes `y`, `n`, the beginning of an answer, and Enter."""

# Governing: SPEC-0005 REQ "Output"

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

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
    given = click.prompt(
        question,
        type=_Answer(choices, no),
        default=default or None,
        show_choices=bool(default),
        err=not default,
    )
    return str(given)


class _Answer(click.Choice[str]):
    def __init__(self, choices: Sequence[str], no: str) -> None:
        super().__init__(choices, case_sensitive=False)
        self._no = no

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The choice that an answer means. Raises BadParameter for none."""
        given = str(value).strip().lower()
        if given in ("n", "no"):
            given = self._no
        begun = [one for one in self.choices if given and one.lower().startswith(given)]
        exact = [one for one in begun if one.lower() == given]
        first = exact or begun if len(exact or begun) == 1 else []
        return str(super().convert(first[0] if first else value, param, ctx))
