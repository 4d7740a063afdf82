from pathlib import Path

import pytest

from benchmarks.references.rows import append, load
from tests.benchmarks.references.rows import row


def test_saved_rows_are_loaded_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        row("1", "b.md", links=((1,), (), ())),
        row("2", kind="ordinary", judged=frozenset({"a.md"})),
    ]
    for one in rows:
        append(file, one)
    loaded = load(file)
    assert [one._replace(facts=rows[0].facts) for one in loaded] == [
        one._replace(facts=rows[0].facts) for one in rows
    ]
    assert [one.facts.links for one in loaded] == [one.facts.links for one in rows]
    assert [list(one.facts.evidence["sections"]) for one in loaded] == [[1.0, 2.0, 0.0]] * 2


def test_there_are_no_rows_without_a_file(tmp_path: Path) -> None:
    assert load(tmp_path / "rows.jsonl") == []


def test_the_line_of_an_interrupted_measurement_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    append(file, row("1", "b.md"))
    with file.open("a") as open_file:
        open_file.write('{"id":"2","sou')
    assert [one.id for one in load(file)] == ["1"]
    append(file, row("3", "b.md"))
    assert [one.id for one in load(file)] == ["1", "3"]


def test_rows_of_another_version_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id":"1","facts":{"gone":1}}\n')
    with pytest.raises(TypeError, match="gone"):
        load(file)


def test_the_family_of_a_repository_is_its_owner() -> None:
    assert row("1", repo="one/a").family == row("2", repo="one/b").family == "one"
