"""`sdd prime`: print the context of a session."""

# Governing: SPEC-0016 (context of a session)

from __future__ import annotations

from pathlib import Path

import click

from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.run_prime import MIN_BUDGET, PrimeArguments, run_prime


@click.command()
@click.argument("words", metavar="[TOPIC]", nargs=-1)
@module_option
@click.option(
    "--budget",
    type=click.IntRange(min=MIN_BUDGET),
    metavar="TOKENS",
    help="Print at most this many tokens, the most important first, and say what is left out.",
)
@json_option
@click.pass_obj
def prime(
    directory: Path | None,
    words: tuple[str, ...],
    module: str | None,
    budget: int | None,
    as_json: bool,
) -> int:
    """Load decisions and specifications into a session.

    Without a topic, lists every artifact of the work tree with its status and a summary. With one,
    reads the artifacts that match best, by words and by meaning, and prints their texts. An index
    that was not scanned in the last minute (Prime Interval) is refreshed first. A token is counted
    as three bytes.

    \b
    Example:
      sdd prime
      sdd prime session tokens --budget 4000
    """
    topic = " ".join(words).strip()
    if words and not topic:
        raise click.UsageError("the topic is empty: name one, or give none for all artifacts")
    return run_prime(directory, PrimeArguments(topic, module, budget, as_json))
