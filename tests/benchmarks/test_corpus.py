"""The corpus is the same everywhere, and shaped like a repository of decision records."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from benchmarks.corpus import (
    append_sentence,
    create_repository,
    questions,
    records,
)
from benchmarks.sdd import environment
from tests.support.programs import run_program


def test_the_same_seed_gives_the_same_records() -> None:
    digest = sha256("".join(f"{r.path}\n{r.text}" for r in records(50)).encode()).hexdigest()
    assert digest == "0fbdcc9cb16e8a976178fcb01c5cbf9a5eaf55fd8fb59cc430b1a502c18ce97a"


def test_the_records_contain_the_words_of_the_questions() -> None:
    queries = questions(20)
    assert queries == questions(20)
    assert {len(question.split()) for question in queries} == {3}
    # A record holds about fifty of the 20,000 sentences: 5,000 records hold nearly all of them.
    texts = [record.text.lower() for record in records(5000)]
    answered = [q for q in queries if any(all(w in text for w in q.split()) for text in texts)]
    assert len(answered) == len(queries)


def test_a_repository_has_every_record_in_one_commit(tmp_path: Path) -> None:
    root = tmp_path / "records"
    environ = environment(tmp_path)
    paths = create_repository(root, 12, environ)
    assert paths == [record.path for record in records(12)]
    assert all((root / r.path).read_text() == r.text for r in records(12))
    append_sentence(root, paths[3], "One more.")

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return run_program(*command, cwd=root, env=environ).stdout

    assert git("rev-list", "--count", "HEAD") == "1\n"
    assert git("status", "--porcelain") == f" M {paths[3]}\n"
    assert (root / paths[3]).read_text().endswith("\n\nOne more.\n")
    assert os.environ.get("HOME") != environ["HOME"]
