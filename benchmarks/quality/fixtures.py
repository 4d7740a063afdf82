"""The questions: read from a fixture of `qmd bench`, sent in one of two ways."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

TYPES = ("exact", "semantic", "topical", "cross-domain", "alias")
DIRECTORY = Path(__file__).parent


@dataclass(frozen=True)
class Question:
    """A question: `words` are looked for (`lex:`), `meaning` is compared (`vec:`).

    `expected` are files relative to the top of the corpus, `k` how many of the first files count
    for precision.
    """

    id: str
    type: str
    words: str
    meaning: str
    description: str
    expected: tuple[str, ...]
    k: int


@dataclass(frozen=True)
class Fixture:
    """A corpus's questions. `name` is that of the collection both sides search."""

    name: str
    description: str
    questions: tuple[Question, ...]


def read(text: str) -> Fixture:
    """Read a fixture.

    Raises:
        ValueError: it is invalid: a key is missing, a type is unknown, an id is given twice, or a
            query is not a `lex:` and a `vec:` line.
    """
    try:
        data = json.loads(text)
        questions = tuple(_question(query) for query in data["queries"])
        fixture = Fixture(str(data["collection"]), str(data["description"]), questions)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a fixture: {error!r}") from error
    ids = [question.id for question in questions]
    twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
    if twice:
        raise ValueError(f"given twice: {', '.join(twice)}")
    return fixture


def _question(data: Any) -> Question:
    lines = str(data["query"]).split("\n")
    if len(lines) != 2 or not (lines[0].startswith("lex: ") and lines[1].startswith("vec: ")):
        raise ValueError(f"{data['id']}: a query is a `lex:` line and a `vec:` line")
    if data["type"] not in TYPES:
        raise ValueError(f"{data['id']}: {data['type']!r} is none of {', '.join(TYPES)}")
    k, expected = data["expected_in_top_k"], tuple(map(str, data["expected_files"]))
    if type(k) is not int or k < 1 or not expected:
        raise ValueError(f"{data['id']}: no expected file, or no k")
    words, meaning = lines[0].removeprefix("lex: "), lines[1].removeprefix("vec: ")
    return Question(
        str(data["id"]), data["type"], words, meaning, str(data["description"]), expected, k
    )


def verbatim(fixture: Fixture) -> Fixture:
    """The same questions, each with its own text on both lines: what `sdd search` sends."""
    asked = tuple(replace(question, words=question.meaning) for question in fixture.questions)
    return replace(fixture, questions=asked)


def write(fixture: Fixture) -> str:
    """The fixture as `qmd bench` reads it."""
    data = {
        "description": fixture.description,
        "version": 1,
        "collection": fixture.name,
        "queries": [
            {
                "id": question.id,
                "query": f"lex: {question.words}\nvec: {question.meaning}",
                "type": question.type,
                "description": question.description,
                "expected_files": list(question.expected),
                "expected_in_top_k": question.k,
            }
            for question in fixture.questions
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
