"""The benchmark of questions and answers: its questions, its lines and its scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.answers.__main__ import main
from benchmarks.answers.questions import HALVES, read_questions
from benchmarks.answers.tools import excerpt_lines
from tests.support.repos import Repo

RECORD = """\
# 1. Keep logs in Loki

Status: Accepted. Search finds nothing. Logs of
all servers are lost.
We store **logs** in [Loki](https://example.org/loki).
Metrics stay where they are.
"""
DEV = {"human": "en", "half": "dev"}
EXCERPTS = {
    "Logs of all servers are lost.": {3, 4},
    "we store logs in Loki. … Search finds nothing.": {5, 3},
    "…of all servers are lost. Metrics stay…": {3, 4, 6},
    "We store logs in Loki, so search finds it.": {5},
    "Accepted. Search finds nothing. We store logs. Metrics stay.": set(),
}


def test_the_questions_are_consistent() -> None:
    questions = list(read_questions())
    assert len({(one.repository, one.question) for one in questions}) == len(questions)
    owners = {(one.repository.partition("/")[0].lower(), one.half) for one in questions}
    assert len(dict(owners)) == len(owners) and {*dict(owners).values()} <= {*HALVES}
    for one in questions:
        assert len(one.commit) == 40 and all(min(lines) > 0 for lines in one.answers.values())


def test_an_excerpt_is_found_in_the_text() -> None:
    assert {one: excerpt_lines(RECORD, one) for one in EXCERPTS} == EXCERPTS


def test_what_is_shown_is_compared_with_the_answers(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = "docs/adr/0001-keep-logs.md"
    known = {"repository": "some/a", "commit": repo.commit("Start", {path: RECORD})}
    (tmp_path / "some+a").symlink_to(repo.root / ".git")
    asked = [("where do we store logs", {path: [[5, 6]]}), ("who pays the lunch", {})]
    rows = [{**known, **DEV, "question": text, "answers": one} for text, one in asked]
    (file := tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert main(options := ["--questions", str(file), "--beside", "rg", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 questions, 1 without an answer, about 1 repositories."
    shares = [[cell.split()[0] for cell in line.split("|")[2:-1]] for line in lines[4:]]
    assert shares == [["1.00"] * 6, ["1.00"] * 6, ["0.00"] * 6]
    assert main(["--half", "held", *options]) == 1
