"""Questions about the records of public repositories, and the lines that answer them.

`questions.jsonl` has a line for each, written from the records alone, without a program's answer in
sight. The lines hold at the named commit. `dev` is for making rules, `held` for judging them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

HALVES = ("dev", "held")
QUESTIONS = Path(__file__).with_name("questions.jsonl")


class Question(NamedTuple):
    """A question in the language `human` about `repository` (`owner/name`) at a commit.

    `answers` has the lines of the sentences that answer, by the path of their record; it is empty
    where nothing in the repository answers.
    """

    repository: str
    commit: str
    half: str
    human: str
    question: str
    answers: Mapping[str, frozenset[int]]


def read_questions(path: Path = QUESTIONS) -> Iterator[Question]:
    """Yield the questions of a file. Raises ValueError or TypeError for a line that is none."""
    for line in path.read_text("utf-8").splitlines():
        fields = json.loads(line)
        for record, ranges in fields["answers"].items():
            lines = (range(first, last + 1) for first, last in ranges)
            fields["answers"][record] = frozenset().union(*lines)
        yield Question(**fields)
