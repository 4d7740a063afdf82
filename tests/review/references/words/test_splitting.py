import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.words.splitting import (
    STOP_WORDS,
    find_identifiers,
    find_phrases,
    split_words,
)
from tests.support.cpu_time import assert_linear


def test_a_name_is_split_into_its_parts_and_kept() -> None:
    assert split_words("OutboxSweeper sweeps HTTPServer2 and v42") == [
        "outbox",
        "sweeper",
        "outboxsweeper",
        "sweeps",
        "http",
        "server",
        "httpserver2",
        "42",
        "v42",
    ]


def test_stop_words_are_left_out() -> None:
    assert split_words("the return of this function is None") == []


@given(st.text())
def test_words_are_lower_case_and_no_stop_words(text: str) -> None:
    for word in split_words(text):
        assert len(word) >= 2
        assert not re.search(r"[A-Z\s_]", word)
        assert word not in STOP_WORDS


def test_words_in_any_script_are_read() -> None:
    assert split_words("Überprüfung der Écritures: проверка") == [
        *("überprüfung", "der", "écritures", "проверка")
    ]
    assert split_words("fix: 回测日志Worker灌入") == [*("回测", "测日", "日志", "worker", "灌入")]
    assert find_phrases("Очередь сообщений: ElÉment回测") == [
        ("очередь", "сообщений"),
        ("сообщений", "elément"),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("APIs", ["apis", "api"]),
        ("listURLsByName", ["list", "urls", "url", "name", "listurlsbyname"]),
        ("user_IDs2", ["user", "ids", "id"]),
        ("PRs and ADRs", ["prs", "pr", "adrs", "adr"]),
        ("remoteAPIsFirst", ["remote", "apis", "api", "first", "remoteapisfirst"]),
        ("IDAsString", ["id", "idasstring"]),
        ("TTLIsSet", ["ttl", "set", "ttlisset"]),
        ("TLSsettings", ["tl", "ssettings", "tlssettings"]),
    ],
)
def test_the_plural_of_an_acronym_is_one_word_beside_its_singular(
    name: str, words: list[str]
) -> None:
    assert split_words(name) == words


def test_phrases_are_pairs_of_adjacent_words() -> None:
    assert find_phrases("fix: NewErrorAcknowledgement in the claim-guard of a lane") == [
        ("error", "acknowledgement"),
        ("claim", "guard"),
    ]
    assert find_phrases("the APIs of workers, RemoteAPIs") == [
        ("workers", "remote"),
        ("remote", "apis"),
    ]
    assert find_phrases("claim guard, claim guard") == [("claim", "guard"), ("guard", "claim")]


@given(st.text())
def test_every_phrase_has_two_words(text: str) -> None:
    for first, second in find_phrases(text):
        assert first != second
        assert {first, second} <= set(split_words(text))


def test_identifiers_are_kept_and_split() -> None:
    assert find_identifiers(["use config.Outbox_size here"]) >= {
        "config.outbox_size",
        "outbox_size",
    }


def test_a_long_line_is_split_in_linear_time() -> None:
    assert_linear(split_words, lambda size: "aB" * size, 100_000)
    assert_linear(split_words, lambda size: "A" * 2 * size, 100_000)
    assert_linear(find_identifiers, lambda size: ["a" * 2 * size, "a/" * size], 100_000)
