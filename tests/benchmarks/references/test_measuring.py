import os
from pathlib import Path

import pytest

from benchmarks.references.__main__ import main
from benchmarks.references.cases import load_evaluator, read_cases
from benchmarks.references.measuring import Places, measure, row_of
from benchmarks.references.method import decide, prepare
from benchmarks.references.model import LogisticModel
from benchmarks.references.preparation import prepare as prepare_repository
from benchmarks.references.rows import load
from sdd_hooks.project.project import load_project
from sdd_hooks.review.references.asking.confidence import INTERCEPT, WEIGHTS
from sdd_hooks.review.review import review_commits
from tests.benchmarks.references.sets import SmallSet, small_set

PACKAGE = LogisticModel(tuple(WEIGHTS), INTERCEPT)


@pytest.fixture
def dev(tmp_path: Path) -> SmallSet:
    return small_set(tmp_path)


def places_of(dev: SmallSet) -> Places:
    return Places([dev.folder], dev.clones, dev.folder.parent / "repositories")


def test_a_row_has_the_ranking_and_the_question_of_the_command(dev: SmallSet) -> None:
    evaluator = load_evaluator([dev.folder])
    places = places_of(dev)
    for case in read_cases(dev.folder):
        row = row_of(places, case)
        where = prepare_repository(evaluator, case, dev.clones, places.repositories)
        project = load_project(where.root, os.environ)
        ranked = review_commits(project, where.base, where.head).references.ranked
        decision = decide(PACKAGE, prepare(row.facts))
        assert decision.order == tuple(one.path for one in ranked)
        assert len(decision.order) == 2
        suggested = [one.path for one in ranked if one.suggested]
        assert suggested == ([decision.offered] if decision.asks else [])


def test_a_change_that_is_prepared_does_not_name_its_record(dev: SmallSet) -> None:
    row = row_of(places_of(dev), read_cases(dev.folder)[0])
    assert row.facts.title == "Sweep the outbox"
    assert row.facts.files == (("src/outbox/sweeper.py", "A"),)
    assert row.facts.offers == row.facts.paths
    assert row.expected == {row.facts.paths[0]}


def test_an_ordinary_commit_is_reviewed_in_the_newest_work_tree(dev: SmallSet) -> None:
    dev.clone.commit("Decide more", {"docs/adr/0003-new.md": "# 3. Later\n\n## Decision\n\nNo.\n"})
    row = row_of(places_of(dev), read_cases(dev.folder)[1])
    assert row.facts.title == "Count orders"
    # Its records are those of the commit.
    assert row.facts.paths == ("docs/adr/0001-outbox.md", "docs/adr/0002-storage.md")


def test_a_measurement_continues_where_it_ended(dev: SmallSet, tmp_path: Path) -> None:
    saved = tmp_path / "rows.jsonl"
    places = places_of(dev)
    measured = measure(places, saved, 2)
    assert [row.id for row in measured.rows] == [case.id for case in read_cases(dev.folder)]
    lines = saved.read_text().splitlines(keepends=True)
    saved.write_text(lines[0])
    # Measuring another row needs no more than the repository of its change.
    evaluated = dev.clone.root.rename(tmp_path / "moved")
    (ending,) = {case.id for case in read_cases(dev.folder)} - {load(saved)[0].id}
    assert measure(places, saved, 1).failures == [
        f"{ending}: no clone {dev.clones / 'one+a'}",
    ]
    evaluated.rename(dev.clone.root)
    again = measure(places, saved, 1)
    assert (len(again.rows), again.failures) == (2, [])
    assert sorted(saved.read_text().splitlines()) == sorted(line.strip() for line in lines)


def test_the_command_prints_tables_and_what_was_not_measured(
    dev: SmallSet, capsys: pytest.CaptureFixture[str]
) -> None:
    (dev.clones / "two+b").symlink_to(dev.clone.root)
    other = dev.folder.with_name("new")
    other.mkdir()
    lines = (dev.folder / "ordinary.dev.jsonl").read_text().replace("one/a", "two/b")
    (other / "ordinary.dev.jsonl").write_text(lines)
    arguments = [str(dev.folder), str(other), str(dev.clones), "--hold-out", str(other)]
    kept = ["--repositories", str(dev.folder.parent / "kept"), "--jobs", "1"]
    assert main([*arguments, *kept]) == 0
    assert "0 changes and 1 ordinary commits of 1 repositories" in capsys.readouterr().out
    (other / "ordinary.dev.jsonl").write_text(lines + lines.replace("two/b", "two/gone"))
    assert main([*arguments, *kept]) == 1
    assert "not measured: two/gone@" in capsys.readouterr().err


def test_one_owner_is_not_enough(dev: SmallSet, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(dev.folder), str(dev.clones), "--jobs", "1"]) == 1
    assert "no change of another owner" in capsys.readouterr().err


def test_sets_are_told_apart_by_their_names(
    dev: SmallSet, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(dev.folder)
    for arguments, error in (
        ([folder, folder, "clones"], "two sets have folders of one name"),
        ([folder, "clones", "--hold-out", "elsewhere"], "is none of the sets"),
        ([folder, "clones", "--hold-out", folder], "no set is left"),
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        assert error in capsys.readouterr().err
