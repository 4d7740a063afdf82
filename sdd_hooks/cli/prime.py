"""`sdd prime`: its options.

`plain/prime.py` runs it; the words are in `reporting/priming_markdown.py`.
"""

# Governing: SPEC-0016 (context of a session)

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.plain.prime import (
    MIN_BUDGET,
    PrimeArguments,
    run_prime,
    run_prime_everywhere,
)
from sdd_hooks.cli.shared.options import (
    everywhere_option,
    json_option,
    module_option,
    refuse_with_everywhere,
)


@click.command()
@click.argument("words", metavar="[TOPIC]", nargs=-1)
@module_option
@click.option(
    "--budget",
    type=click.IntRange(min=MIN_BUDGET),
    metavar="TOKENS",
    help="Print at most this many tokens, the most important first, and say what is left out.",
)
@everywhere_option
@json_option
@click.pass_obj
def prime(directory: Path | None, /, words: tuple[str, ...], as_json: bool, **given: Any) -> int:
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
    arguments = PrimeArguments(topic, given["module"], given["budget"], as_json)
    if given["everywhere"]:
        refuse_with_everywhere(module=arguments.module)
        if not topic:
            raise click.UsageError(
                "--everywhere needs a topic; `sdd list --everywhere` lists all records"
            )
        return run_prime_everywhere(directory, arguments)
    return run_prime(directory, arguments)
