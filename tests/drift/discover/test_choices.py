"""What a record chooses, and whether a text names a technology."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.drift.discover.choices import chooses, find_choices, is_named
from tests.support.cpu_time import assert_linear


def chosen(decision: str, name: str, is_common: bool = False) -> bool:
    text = f"# ADR-0001: A\n\n## Decision Outcome\n\n{decision}\n"
    artifact = read_adr("docs/adrs/ADR-0001-a.md", text)
    assert artifact is not None
    return any(chooses(name, one, is_common) for one in find_choices(artifact, text))


@pytest.mark.parametrize(
    "decision",
    [
        "Chosen option: **Redis**, because it is fast.",
        'Chosen option: "Redis with Lua scripts", because it is fast.',
        "We use Redis.",
        "We will adopt a\nmanaged Redis in production.",
        "State is stored in Redis.",
        "The service is built on Redis Streams.",
        "We use Redis for sessions.",
        "We use Redis sessions.",
        "We use Redis hooks and components.",
        "| Redis | cache |",
        "### Redis",
        "- **Redis**: what several processes share",
        "1. **`Redis`** is the cache",
    ],
)
def test_a_choice_is_found(decision: str) -> None:
    assert chosen(decision, "Redis")


@pytest.mark.parametrize(
    "decision",
    [
        "The old cache in Redis remains for now.",
        "Chosen option: **files**, because Redis costs too much.",
        "We use files, not Redis.",
        "We use Redis's protocol.",
        "We use files (Redis was slow).",
        "> We use Redis.",
        "```\nuse Redis\n```",
        "- **Redis connection failures**: are retried",
        "We use a cache so that Redis is not needed.",
        "Sessions are signed cookies, implemented in Redis middleware.",
        "Use the `Redis` session handler for each request.",
    ],
)
def test_a_mention_is_no_choice(decision: str) -> None:
    assert not chosen(decision, "Redis")


def test_a_record_without_a_decision_chooses_nothing() -> None:
    text = "# ADR-0001: A\n\n## Context\n\nWe use Redis.\n"
    artifact = read_adr("docs/adrs/ADR-0001-a.md", text)
    assert artifact is not None
    assert find_choices(artifact, text) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("PostgreSQL", "postgresql for all", True),
        ("PostgreSQL", "使用PostgreSQL存储", True),
        ("Better Auth", "better-auth", True),
        ("React", "React 19", True),
        ("React", "React Query and React Native", False),
        ("React", "React, not React Native", True),
        ("Vue", "shadcn-vue", False),
        ("React", "Replace Create-React-App", False),
        ("React", "React-based", True),
        ("SQLite", "mysqlite", False),
    ],
)
def test_a_name_is_a_word(name: str, text: str, expected: bool) -> None:
    assert is_named(name, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Effect", True), ("an effect", False), ("`effect`", True), ("the Effect's", True)],
)
def test_an_ordinary_word_has_to_be_spelled_like_the_name(text: str, expected: bool) -> None:
    assert is_named("Effect", text, is_common=True) is expected


@given(st.text("we use Redis*|#-`>~.\n(", max_size=300))
def test_any_decision_is_read(decision: str) -> None:
    assert chosen(decision, "Redis") in (True, False)


@pytest.mark.parametrize("piece", ["use ", "**", "| a ", "chosen option ", "# ", "`", "React "])
def test_a_hostile_decision_takes_linear_time(piece: str) -> None:
    assert_linear(
        lambda text: chosen(text, "React"), lambda size: piece * (size // len(piece)), 50_000
    )
