from pathlib import Path

import pytest

from benchmarks.references.cases import load_evaluator, read_cases
from tests.benchmarks.references.sets import small_set


def test_the_changes_of_a_set_are_read_with_what_is_known_of_them(tmp_path: Path) -> None:
    known, ordinary = read_cases(small_set(tmp_path).folder)
    assert (known.key, known.repo, known.kind) == (("dev", "commit", "one/a@1"), "one/a", "commit")
    assert (known.expected, known.judged) == ({"docs/adr/0001-outbox.md"}, frozenset())
    assert (ordinary.source, ordinary.kind) == ("dev", "ordinary")
    assert ordinary.expected == {"docs/adr/0002-storage.md"}
    assert ordinary.judged == {"docs/adr/0001-outbox.md", "docs/adr/0002-storage.md"}
    assert known.folders == ordinary.folders == ["docs/adr"]


def test_a_set_may_have_ordinary_commits_only(tmp_path: Path) -> None:
    folder = small_set(tmp_path).folder
    (folder / "cases.dev.jsonl").unlink()
    assert [case.kind for case in read_cases(folder)] == ["ordinary"]
    (folder / "ordinary.dev.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match="neither"):
        read_cases(folder)


def test_one_evaluator_is_enough_for_several_sets(tmp_path: Path) -> None:
    folder = small_set(tmp_path).folder
    (tmp_path / "empty").mkdir()
    assert load_evaluator([tmp_path / "empty", folder]).ENV
    with pytest.raises(FileNotFoundError, match="no set"):
        load_evaluator([tmp_path / "empty"])
