"""Arguments that are parsed without click mean what they mean to click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.cli.issues.sync import sync
from sdd_hooks.cli.plain.arguments import parse_plain, share, whole_number
from sdd_hooks.cli.plain.prime import parse_prime
from sdd_hooks.cli.plain.search import OUTPUTS, parse_search
from sdd_hooks.cli.plain.show import parse_show
from sdd_hooks.cli.plain.sync import parse_sync
from sdd_hooks.cli.prime import prime
from sdd_hooks.cli.search import search
from sdd_hooks.cli.show import show
from sdd_hooks.retrieval.search import DEFAULT_LIMITS

Params = dict[str, Any]
Parse = Callable[[list[str]], Any]

WORDS = ["a query", "", " ", "adrs", "api", "0", "3", "1001", "+5", "٣", "ADR-1", "# "]
NUMBERS = ["0.5", "1.5", ".5", "1e-1", "nan", "json", "markdown", "html", "499", "500"]
OPTIONS = ["-", "--", "-x", "--json", "--graph", "--unfiltered", "--help", "--verbose", "--kind"]
VALUES = ["--kind=code", "--module", "--limit", "--min-score", "--output", "--budget"]
OF_SYNC = ["--full", "--tracker"]


def of_search(given: Params) -> tuple[object, ...]:
    limits = DEFAULT_LIMITS._replace(max_hits=given["limit"], min_score=given["min_score"])
    rest = ("graph", "unfiltered", "as_json")
    query = " ".join(given["words"])
    return (
        *(query, given["output"], given["kinds"], given["module"], limits),
        *(given[name] for name in rest),
    )


def of_prime(given: Params) -> tuple[object, ...]:
    topic = " ".join(given["words"]).strip()
    return (topic, given["module"], given["budget"], given["as_json"])


def of_show(given: Params) -> tuple[object, ...]:
    return (given["target"], given["module"], given["as_json"])


def of_sync(given: Params) -> tuple[object, ...]:
    return (given["full"], given["named"], given["module"], given["as_json"])


COMMANDS = {
    "search": (parse_search, search, of_search),
    "prime": (parse_prime, prime, of_prime),
    "show": (parse_show, show, of_show),
    "sync": (parse_sync, sync, of_sync),
}


@pytest.mark.parametrize("name", COMMANDS)
@given(st.lists(st.sampled_from([*WORDS, *NUMBERS, *OPTIONS, *VALUES, *OF_SYNC]), max_size=8))
@example(["q", "--limit", ""])
@example(["q", "--min-score", "1_0"])
@example(["q", "--kind", "code", "--kind", "adrs", "--limit", "3", "--limit", "4", "r"])
def test_plain_arguments_are_those_of_click(name: str, arguments: list[str]) -> None:
    parse, command, expected = COMMANDS[name]
    parsed = parse(arguments)
    if parsed is not None:
        assert parsed == expected(command.make_context(name, list(arguments)).params)


@pytest.mark.parametrize(
    ("parse", "arguments"),
    [
        (parse_search, ["a", "query"]),
        (parse_search, ["q", "--json", "--kind", "code", "--limit", "3", "--min-score", "0.25"]),
        (parse_search, ["--module", "api", "q", "--output", "markdown", "--graph"]),
        (parse_prime, []),
        (parse_prime, ["session", "--budget", "4000", "--module", "api", "--json"]),
        (parse_show, ["src/parse.py#parse", "--module", "api", "--json"]),
        (parse_sync, []),
        (parse_sync, ["--full", "--tracker", "github", "--module", "api", "--json"]),
    ],
)
def test_usual_arguments_are_plain(parse: Parse, arguments: list[str]) -> None:
    assert parse(arguments) is not None


@pytest.mark.parametrize(
    ("parse", "arguments"),
    [
        *((parse_search, one) for one in ([], [""], ["q", "--help"], ["q", "--limit"])),
        *((parse_search, one) for one in (["q", "--nope"],)),
        (parse_prime, [" "]),
        *((parse_show, one) for one in ([], ["# "], ["a", "b"], ["a", "--nope"])),
        *((parse_sync, one) for one in (["now"], ["--tracker"], ["--help"])),
    ],
)
def test_click_reports_what_is_not_plain(parse: Parse, arguments: list[str]) -> None:
    assert parse(arguments) is None


def test_every_option_of_the_command_is_known() -> None:
    options = {name for one in search.params for name in one.opts if name.startswith("--")}
    # A query of the organisation's server takes longer than the import of click.
    for name in options - {"--verbose", "--everywhere"}:
        (option,) = [one for one in search.params if name in one.opts]
        assert isinstance(option, click.Option)
        value = {"--limit": "1", "--min-score": "1", "--output": OUTPUTS[0]}.get(name, "x")
        assert parse_search(["q", name] if option.is_flag else ["q", name, value]) is not None


def test_numbers_are_plain_digits() -> None:
    assert [whole_number(text, 1, 9) for text in ("1", "9", "10", "0", "-1", "²", "")] == [
        *(1, 9),
        *(None,) * 5,
    ]
    assert [share(text) for text in ("0", "1", "0.5", ".5", "1.1", "0.5.5", "", ".", "²")] == [
        *(0, 1, 0.5, 0.5),
        *(None,) * 5,
    ]


def test_a_value_is_never_an_option() -> None:
    assert parse_plain(["--kind", "--json"], ("--json",), ("--kind",)) is None
    assert parse_plain(["--kind"], ("--json",), ("--kind",)) is None
