"""The benchmark of `sdd discover`: its answer key, its copies and its scores."""

from __future__ import annotations

from benchmarks.discover.key import SETS, KnownDecision, KnownRepository, load_key
from benchmarks.discover.scores import render, score
from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.decided import Decided
from sdd_hooks.drift.discover.report import DiscoverReport


def candidate(name: str) -> ImplicitDecision:
    return ImplicitDecision(
        name.lower(), f"Use {name}", "x", (name,), ((name,),), frozenset(), (), 1, 9, 1.0
    )


def decided(name: str) -> Decided:
    return Decided(candidate(name), "ADR-0009", "T", "accepted", "docs/a.md", "title")


def test_the_key_names_each_repository_once() -> None:
    names = [one.name for set_ in SETS for one in load_key(set_)]
    assert len(names) == len(set(names)) == 12
    assert all(len(one.commit) == 40 for set_ in SETS for one in load_key(set_))
    assert all(one.decisions for set_ in SETS for one in load_key(set_))


def test_what_is_found_and_what_is_proposed_again() -> None:
    known = KnownRepository(
        "a/b",
        "development",
        "0" * 40,
        (
            KnownDecision("1", frozenset({"Redis"})),
            KnownDecision("2", frozenset({"Kafka", "NATS"})),
            KnownDecision("3", frozenset({"Missing"})),
        ),
    )
    others = tuple(candidate(f"Other {number}") for number in range(10))
    hidden = DiscoverReport("", 9, (candidate("Redis"), *others, candidate("NATS")), ())
    shown = DiscoverReport("", 9, (candidate("Redis"),), (decided("NATS"), decided("Vue")))
    found = score(known, hidden, shown, 1.25)
    assert (found.decisions, found.found, found.found_shown) == (3, 2, 1)
    assert found.missed == ("Use Redis",)
    assert found.unknown == ("Use Vue (ADR-0009)",)
    assert found.lost == ("3 (Missing)",)
    assert render([found])[2:] == [
        "| a/b | 3 | 2 | 1 | 12 | 2 | 1 | 1.2 |",
        "| all | 3 | 2 | 1 | 12 | 2 | 1 | |",
    ]
