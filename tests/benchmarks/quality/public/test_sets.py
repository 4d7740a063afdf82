"""Public sets are converted from a copy, and measured with their definitions of the scores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.public.questions import (
    PublicProject,
    write_project,
)
from benchmarks.quality.public.scoring import Links, best_links, count_links, ndcg


@pytest.mark.parametrize("path", ["../out.py", "/out.py", "a/../../out.py", ".git/hooks/x"])
def test_no_file_is_written_outside_a_project(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="not below the project"):
        write_project(tmp_path, PublicProject("one", "", ()), [(path, b"")], os.environ)


def test_links_are_counted_over_all_questions() -> None:
    links = count_links([["a", "b"], []], [["a"], ["c", "d"]])
    assert links == Links(found=2, right=1, expected=3)
    assert (links.precision, links.recall) == (0.5, pytest.approx(1 / 3))
    assert links.f(1) == pytest.approx(2 / 5)
    assert links.f(2) == pytest.approx(5 / 14)
    assert Links(0, 0, 0).f(1) == 0


def test_the_best_links_have_as_many_files_for_each_question() -> None:
    assert best_links([["a"], [], ["b", "c", "d"]], 2) == Links(found=6, right=3, expected=4)


@given(st.lists(st.sampled_from("abcde"), unique=True), st.sets(st.sampled_from("abc"), min_size=1))
def test_ndcg_is_highest_in_the_best_order(found: list[str], expected: set[str]) -> None:
    best = sorted(found, key=lambda file: file not in expected)
    wanted = sorted(expected)
    assert 0 <= ndcg(found, wanted) <= ndcg(best, wanted) <= 1
    assert ndcg(wanted, wanted) == pytest.approx(1)


def test_a_path_matches_the_end_of_another() -> None:
    assert ndcg(["src/lib/relay.py"], ["lib/relay.py"]) == 1
    assert ndcg(["src/my_relay.py"], ["relay.py"]) == 0
