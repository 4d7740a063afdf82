"""Arguments that are parsed without click mean what they mean to click."""

from __future__ import annotations

import click
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.cli.issues.sync import sync
from sdd_hooks.cli.plain.arguments import parse_plain, share, whole_number
from sdd_hooks.cli.plain.prime import PrimeArguments, parse_prime
from sdd_hooks.cli.plain.search import OUTPUTS, parse_search
from sdd_hooks.cli.plain.show import ShowArguments, parse_show
from sdd_hooks.cli.plain.sync import SyncArguments, parse_sync
from sdd_hooks.cli.prime import prime
from sdd_hooks.cli.search import search
from sdd_hooks.cli.show import show
from sdd_hooks.retrieval.search import DEFAULT_LIMITS

WORDS = ["a query", "", " ", "adrs", "api", "0", "3", "1001", "+5", "٣"]
NUMBERS = ["0.5", "1.5", ".5", "1e-1", "nan", "json", "markdown", "html"]
OPTIONS = ["-", "--", "-x", "--json", "--graph", "--unfiltered", "--help", "--verbose", "--kind"]
VALUES = ["--kind=code", "--module", "--limit", "--min-score", "--output"]
ARGUMENTS = st.sampled_from([*WORDS, *NUMBERS, *OPTIONS, *VALUES])


@given(st.lists(ARGUMENTS, max_size=8))
@example(["q", "--limit", ""])
@example(["q", "--min-score", "1_0"])
@example(["q", "--kind", "code", "--kind", "adrs", "--limit", "3", "--limit", "4", "r"])
def test_plain_arguments_are_those_of_click(arguments: list[str]) -> None:
    parsed = parse_search(arguments)
    if parsed is None:
        return
    context = search.make_context("search", list(arguments))
    given = context.params
    assert parsed.query == " ".join(given["words"])
    assert parsed.limits[:2] == (given["limit"], given["min_score"])
    assert (parsed.output, parsed.kinds, parsed.module) == (
        given["output"],
        given["kinds"],
        given["module"],
    )
    assert (parsed.graph, parsed.unfiltered, parsed.as_json) == (
        given["graph"],
        given["unfiltered"],
        given["as_json"],
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["a", "query"],
        ["q", "--json", "--kind", "code", "--limit", "3", "--min-score", "0.25"],
        ["--module", "api", "q", "--output", "markdown", "--graph", "--unfiltered"],
    ],
)
def test_usual_arguments_are_plain(arguments: list[str]) -> None:
    assert parse_search(arguments) is not None


@pytest.mark.parametrize(
    "arguments", [[], [""], ["q", "--help"], ["q", "--limit"], ["q", "--nope"]]
)
def test_click_reports_what_is_not_plain(arguments: list[str]) -> None:
    assert parse_search(arguments) is None


def test_the_defaults_are_plain() -> None:
    parsed = parse_search(["q"])
    assert parsed is not None
    assert parsed.limits == DEFAULT_LIMITS


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


@given(st.lists(st.sampled_from([*WORDS, *OPTIONS, "--budget", "500", "499"]), max_size=6))
def test_plain_arguments_of_prime_are_those_of_click(arguments: list[str]) -> None:
    parsed = parse_prime(arguments)
    if parsed is None:
        return
    given = prime.make_context("prime", list(arguments)).params
    assert parsed.topic == " ".join(given["words"]).strip()
    assert (parsed.module, parsed.budget) == (given["module"], given["budget"])
    assert parsed.as_json == given["as_json"]


def test_usual_arguments_of_prime_are_plain() -> None:
    assert parse_prime([]) == PrimeArguments()
    arguments = ["session", "tokens", "--budget", "4000", "--module", "api", "--json"]
    assert parse_prime(arguments) == ("session tokens", "api", 4000, True)
    assert parse_prime([" "]) is None


@given(st.lists(st.sampled_from([*WORDS, *OPTIONS, "--module", "ADR-1", "# "]), max_size=5))
def test_plain_arguments_of_show_are_those_of_click(arguments: list[str]) -> None:
    parsed = parse_show(arguments)
    if parsed is None:
        return
    given = show.make_context("show", list(arguments)).params
    assert parsed == (given["target"], given["module"], given["as_json"])


def test_usual_arguments_of_show_are_plain() -> None:
    assert parse_show(["ADR-0004"]) == ShowArguments("ADR-0004")
    arguments = ["src/parse.py#parse", "--module", "api", "--json"]
    assert parse_show(arguments) == ("src/parse.py#parse", "api", True)
    assert [parse_show(one) for one in ([], ["# "], ["a", "b"], ["a", "--nope"])] == [None] * 4


@given(st.lists(st.sampled_from([*WORDS, *OPTIONS, "--full", "--tracker", "--module"]), max_size=6))
def test_plain_arguments_of_a_sync_are_those_of_click(arguments: list[str]) -> None:
    parsed = parse_sync(arguments)
    if parsed is None:
        return
    given = sync.make_context("sync", list(arguments)).params
    assert parsed == (given["full"], given["named"], given["module"], given["as_json"])


def test_usual_arguments_of_a_sync_are_plain() -> None:
    assert parse_sync([]) == SyncArguments()
    arguments = ["--full", "--tracker", "github", "--module", "api", "--json"]
    assert parse_sync(arguments) == (True, "github", "api", True)
    assert [parse_sync(one) for one in (["now"], ["--tracker"], ["--help"])] == [None] * 3
