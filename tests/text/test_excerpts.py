"""The part of a text that answers a query."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.answers import (
    MAX_ANSWER,
    AnswerPart,
    SearchQuestion,
    find_answer,
    read_question,
)
from sdd_hooks.text.excerpts import code_excerpt, prose_excerpt

ADR = """\
## Decision Outcome

We chose PostgreSQL, because orders need transactions. Each order is one row.

- Good, because a crash loses nothing.
- Bad, because one server sets the pace of the checkout.
"""


def excerpt(text: str, *words: str) -> str:
    return prose_excerpt(text, frozenset(words))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["postgresql"],
            "We chose PostgreSQL, because orders need transactions. Each order is one row."
            " Good, because a crash loses nothing.",
        ),
        (
            ["crash"],
            "Good, because a crash loses nothing."
            " Bad, because one server sets the pace of the checkout.",
        ),
        (
            ["crash", "checkout"],
            "Good, because a crash loses nothing."
            " Bad, because one server sets the pace of the checkout.",
        ),
        (
            ["zebra"],
            "We chose PostgreSQL, because orders need transactions. Each order is one row."
            " Good, because a crash loses nothing.",
        ),
    ],
)
def test_the_sentences_with_the_words(words: list[str], expected: str) -> None:
    assert excerpt(ADR, *words) == expected


@pytest.mark.parametrize(
    "text",
    [
        "# ADR-0001: Keep orders in PostgreSQL\n",
        "## Considered Options\n\n* PostgreSQL\n* A file for each PostgreSQL table\n",
        "## Changelog\n\n- 2026-01-02: PostgreSQL accepted\n- 1.2.0 PostgreSQL 16\n",
        "**Status:** accepted (PostgreSQL)\n",
        "## Links\n\n- https://postgresql.org\n",
        "```mermaid\nflowchart LR\nA[PostgreSQL] --> B\n```\n",
    ],
)
def test_titles_options_changelogs_fields_and_diagrams_are_no_answer(text: str) -> None:
    assert excerpt(text, "postgresql") == ""


def test_a_sentence_goes_on_in_the_list_that_it_introduces() -> None:
    text = "## Decision\n\nWe chose npm, because\n\n- It is known.\n- It is free.\n"
    assert excerpt(text, "npm") == "We chose npm, because It is known. It is free."
    assert excerpt("We chose npm because\n\n| a | b |\n|---|---|\n", "npm") == "We chose npm"


def test_the_steps_of_a_scenario_are_one_sentence() -> None:
    text = "#### Scenario: Login\n\n- **WHEN** a user logs in\n- **THEN** a session begins\n"
    assert excerpt(text, "session") == "WHEN a user logs in, THEN a session begins"


def test_a_table_answers_if_no_sentence_does() -> None:
    text = "Limits:\n\n| name | value |\n|---|---|\n| timeout | **30 s** |\n"
    assert excerpt(text, "timeout") == "timeout: 30 s"
    wide = "| a | b | c |\n|---|---|---|\n| timeout | 30 s | **never** |\n"
    assert excerpt(wide, "timeout") == "timeout: b: 30 s; c: never"


def test_code_in_markdown_keeps_its_lines() -> None:
    text = "Run it so.\n\n```python\nimport os\n\ndef retry(times):\n    return times\n```\n"
    assert excerpt(text, "retry") == "def retry(times):\n    return times"


def test_a_part_of_a_long_code_block_is_code() -> None:
    text = "  if (a == b) { return retry(c); }\n  x.y(z); // again\n}\n```\n\nProse follows here.\n"
    assert excerpt(text, "retry").startswith("if (a == b) { return retry(c); }")


def test_a_long_sentence_is_cut_around_the_words() -> None:
    text = "word " * 80 + "the answer is near here " + "word " * 80
    found = excerpt(text, "answer")
    assert "answer" in found
    assert len(found) <= MAX_ANSWER + 2


def test_meaning_selects_a_sentence_where_words_do_not() -> None:
    def compare(sentences: Sequence[str]) -> list[float]:
        return [0.6 if one == "Each order is one row." else 0.0 for one in sentences]

    for word, first in (("zebra", "Each order"), ("crash", "Good")):
        found = find_answer([AnswerPart(ADR)], SearchQuestion(frozenset({word})), compare)
        assert ADR.split("\n")[found.lines[0] - 1].lstrip("- ").startswith((first, "We chose"))
        assert first in found.text


RECORD = [
    AnswerPart("## Context\n\nWhich queue has events?\n\n#events #queue\n", 1, 0.6, 0.0, "Context"),
    AnswerPart(
        "## Options\n\n- Redis queue\n- A queue of {name of the option}\n", 7, 0.5, 0.0, "Options"
    ),
    AnswerPart(
        "## Decision\n\nWe keep events in a table. It has two columns:\n\n- id\n- body\n\n"
        "| state | meaning |\n|---|---|\n| sent | The bus has it |\n\nWorkers retry 5 times.\n",
        12,
        1.0,
        0.35,
        "Decision",
    ),
    AnswerPart("### Redis\n\nRejected, because it loses events.\n", 24, 0.5, 0.0, "Redis"),
]


@pytest.mark.parametrize(
    ("asked", "words", "first_line", "text"),
    [
        ("which queue holds events", "queue holds events", 14, "We keep events in a table."),
        ("what columns", "columns", 14, "It has two columns: id; body"),
        ("what does sent mean", "sent", 21, "sent: The bus has it"),
        ("how many times do workers retry", "times workers retry", 23, "Workers retry 5 times."),
        ("why not Redis", "redis", 26, "Rejected, because it loses events"),
        ("where do logs go", "logs go", 14, "We keep events in a table."),
    ],
)
def test_the_decision_the_number_the_row_and_the_reason_answer(
    asked: str, words: str, first_line: int, text: str
) -> None:
    found = find_answer(RECORD, read_question(asked, frozenset(words.split())))
    assert text in found.text
    assert first_line in found.lines
    assert len(found.sentences) <= 3
    assert not any(mark in found.text for mark in ("#events", "{name", "Redis queue"))


BUS = AnswerPart(
    "We publish through the bus. The bus needs a queue for each, such as:\n\n"
    "- orders that were paid and that a worker has to send before noon\n"
    "- stock that the shop counts each evening, and that the bus has by midnight\n\n"
    "**Failure.** If the bus fails, events wait in `{outbox}`.\n\n[The bus and a queue](bus.md)\n"
)


@pytest.mark.parametrize(
    ("asked", "words", "text"),
    [
        (
            "what happens if the bus is down",
            "bus down",
            "Failure. If the bus fails, events wait in",
        ),
        ("which queue has the stock", "queue stock", "such as: … stock that the shop counts"),
        ("what is sent before noon", "sent noon", "orders that were paid"),
    ],
)
def test_a_failure_and_an_item_of_a_list_answer_and_a_link_does_not(
    asked: str, words: str, text: str
) -> None:
    found = find_answer([BUS], read_question(asked, frozenset(words.split())))
    assert text in found.text
    assert "The bus and a queue" not in found.text


GO = """\
package outbox

import (
	"context"
	"retry"
)

// publish sends every event, oldest first.
// It waits for the bus.
func publish(
	store Store,
	bus Bus,
) error {
	if err := check(); err != nil {
		return err
	}
	return bus.Send(store.Events())
}
"""


def test_code_shows_the_signature_and_the_matching_lines() -> None:
    assert code_excerpt(GO, "publish", frozenset({"events"})).split("\n") == [
        "// publish sends every event, oldest first.",
        "// It waits for the bus.",
        "func publish(",
        "    store Store,",
        "    bus Bus,",
        ") error {",
    ]
    short = "def f(a):\n    b = a\n    c = b\n    return zebra(c)\n"
    assert code_excerpt(short, "f", frozenset({"zebra"})) == "def f(a):\n    …\n    return zebra(c)"


@pytest.mark.parametrize(
    "imports",
    [
        "import java.util.List;\nimport java.util.Map;\n",
        "from a import (\n    b,\n    c,\n)\nimport retry\n",
        "import {\n  retry,\n} from './retry'\nconst x = require('retry')\n",
        "#include <retry.h>\nusing retry;\n",
        "use retry::{A, B};\n",
        "# SPDX-License-Identifier: MIT\n# Governing: ADR-0001 (retry)\n",
    ],
)
def test_imports_and_notices_are_no_excerpt(imports: str) -> None:
    assert code_excerpt(imports, "", frozenset({"retry"})) == ""


@given(st.text(max_size=400), st.frozensets(st.text(min_size=1, max_size=6), max_size=4))
def test_any_text_has_a_bounded_excerpt(text: str, words: frozenset[str]) -> None:
    found = prose_excerpt(text, words)
    assert len(found) <= MAX_ANSWER + 2 or "\n" in found
    lines = code_excerpt(text, "f", words).split("\n")
    assert len(lines) <= 12
    assert all(len(line) <= 160 for line in lines)
