"""The questions are complete, their expected files exist, and the real qmd accepts them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.quality import fixtures
from benchmarks.quality.corpora import CORPORA, copy_documents, documents, make_repository
from benchmarks.quality.cut_seeds import CUTS, DESTINATION, cut
from benchmarks.quality.qmd_side import Qmd
from benchmarks.sdd import environment
from tests.support.qmd import MISSING, installed

SEEDS = Path(__file__).resolve().parents[4] / "shared/seeds"
NAMES = tuple(CORPORA)


def text(name: str) -> str:
    return (fixtures.DIRECTORY / f"{name}.json").read_text(encoding="utf-8")


@pytest.fixture(params=NAMES)
def fixture(request: pytest.FixtureRequest) -> fixtures.Fixture:
    return fixtures.read(text(request.param))


def test_the_collection_is_the_corpus(fixture: fixtures.Fixture) -> None:
    assert text(fixture.name) == fixtures.write(fixture)


def test_every_expected_file_exists(fixture: fixtures.Fixture) -> None:
    expected = {file for question in fixture.questions for file in question.expected}
    assert expected <= set(documents(fixture.name))


def test_no_expected_file_is_a_suffix_of_another(fixture: fixtures.Fixture) -> None:
    """qmd compares paths by suffix, and would confuse two such files."""
    files = [file.lower() for file in documents(fixture.name)]
    assert [(a, b) for a in files for b in files if a != b and a.endswith(b)] == []


def test_there_are_enough_questions_of_every_type(fixture: fixtures.Fixture) -> None:
    types = Counter(question.type for question in fixture.questions)
    assert sum(types.values()) >= 30
    assert set(types) == set(fixtures.TYPES)
    assert min(types.values()) >= 5


def test_the_questions_differ(fixture: fixtures.Fixture) -> None:
    assert len({question.meaning for question in fixture.questions}) == len(fixture.questions)


def test_a_verbatim_question_is_on_both_lines(fixture: fixtures.Fixture) -> None:
    for question, original in zip(
        fixtures.verbatim(fixture).questions, fixture.questions, strict=True
    ):
        assert question.words == question.meaning == original.meaning
        assert question.expected == original.expected


def test_the_corpus_has_between_40_and_80_documents() -> None:
    found = documents("seeds")
    assert 40 <= len(found) <= 80
    for path in found:
        first = (DESTINATION / path).read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# ")


@pytest.mark.skipif(not SEEDS.is_dir(), reason="needs ../shared/seeds")
def test_the_corpus_equals_the_output_of_the_script() -> None:
    cut_documents = [
        document
        for cuts in CUTS
        for document in cut((SEEDS / cuts.source).read_text(encoding="utf-8"), cuts)
    ]
    assert sorted(document.path for document in cut_documents) == documents("seeds")
    for document in cut_documents:
        assert (DESTINATION / document.path).read_text(encoding="utf-8") == document.text


@pytest.mark.parametrize("name", NAMES)
def test_the_repository_has_the_corpus_and_declares_it(name: str, tmp_path: Path) -> None:
    from sdd_hooks.project.project import load_project

    root = make_repository(
        name, tmp_path / name, engine="embedded", model="/m", environ=environment(tmp_path)
    )
    project = load_project(root, os.environ)
    assert project.configuration.search.embed_model == "/m"
    (collection,) = [candidate for candidate in project.collections if candidate.name == name]
    assert all(collection.contains(path) for path in documents(name))
    assert not collection.contains("CLAUDE.md")


@pytest.mark.skipif(installed() is None, reason=MISSING)
@pytest.mark.parametrize("name", NAMES[:1])
def test_the_real_qmd_accepts_the_fixture_and_computes_the_same_scores(
    name: str, tmp_path: Path
) -> None:
    """A search by words, which needs no model. A different score raises."""
    binaries = installed()
    assert binaries is not None
    corpus = tmp_path / "corpus"
    copy_documents(name, corpus)
    qmd = Qmd(binaries.parent, corpus, tmp_path / "home", "")
    qmd.index(name)
    fixture = fixtures.read(text(name))
    found = qmd.bench(fixture, tmp_path / "fixture.json")
    assert set(found) == {"words"}
    assert list(found["words"]) == [question.id for question in fixture.questions]
    # The text has every word of an exact question, so that qmd must find most of them.
    exact = [
        found["words"][question.id] for question in fixture.questions if question.type == "exact"
    ]
    assert sum(map(bool, exact)) >= 6
