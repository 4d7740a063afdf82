"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from sdd_hooks.retrieval.search import DEFAULT_LIMITS

Command = TypeVar("Command", bound=Callable[..., Any])


def _complete_kind(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [kind for kind in ("adrs", "specs", "code", "issues") if kind.startswith(incomplete)]


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the diff, and write nothing.")
module_option = click.option("--module", metavar="NAME", help="Only this module of the workspace.")
kind_option = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    shell_complete=_complete_kind,
    help="Only adrs, specs, code, issues, or a name in semantic-search.yml. Repeatable.",
)
remote_option = click.option(
    "--remote",
    metavar="NAME",
    default="origin",
    show_default=True,
    help="The remote, as `git remote` names it.",
)
limit_option = click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    metavar="N",
    default=DEFAULT_LIMITS.max_hits,
    show_default=True,
    help="The maximum number of hits.",
)
min_score_option = click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    metavar="SCORE",
    default=DEFAULT_LIMITS.min_score,
    show_default=True,
    help="Leave out hits below this score.",
)
everywhere_option = click.option(
    "--everywhere",
    is_flag=True,
    help="Read every repository of the organisation's index that this role may read.",
)


def spec_id(name: str) -> str:
    """The id of a specification in its usual form. Raises BadParameter."""
    from sdd_hooks.artifacts.identifiers import parse_id

    id = parse_id(name, "SPEC")
    if id is None or id.kind != "SPEC":
        raise click.BadParameter(
            f"{name!r} is not the id of a specification: write one such as SPEC-0003"
        )
    return str(id)


def refuse_with_everywhere(**given: object) -> None:
    """Raise UsageError for an option that `--everywhere` does not have."""
    for name, value in given.items():
        if value:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is about this repository, and --everywhere about all:"
                " give one of them"
            )
