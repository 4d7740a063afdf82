"""The repository of the review measure has the declared sizes."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.review import STAGED, Reviewed, reviewed
from benchmarks.workbench import Sizes, Workbench

SIZES = Sizes(records=12, usual_change=20, wide_change=30, large_change=500_000)


def create_repository(directory: Path) -> Reviewed:
    directory.mkdir()
    return reviewed(Workbench(directory, SIZES, directory / "no-qmd", directory / "no-models"))


@pytest.fixture
def bench_repository(tmp_path: Path) -> Reviewed:
    return create_repository(tmp_path / "one")


def git(bench_repository: Reviewed, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=bench_repository.sdd.root,
        env=dict(bench_repository.sdd.environ),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_the_sizes_of_the_reviewed_changes(bench_repository: Reviewed) -> None:
    for branch, files in (("usual", 20), ("wide", 30), ("large", 5)):
        review = json.loads(bench_repository.first_review(branch).output)
        assert (review["files"], len(review["references"]["ranked"])) == (files, 12)
        assert json.loads(bench_repository.review(branch).output) == review
    assert len(git(bench_repository, "diff", "main...large")) > 500_000
    assert bench_repository.diff("main...usual").output.count("diff --git") == 20


def test_the_staged_files(bench_repository: Reviewed) -> None:
    assert len(git(bench_repository, "diff", "--cached", "--name-only").split()) == STAGED
    assert "Traceback" not in bench_repository.check().output


def test_the_history_names_records(bench_repository: Reviewed) -> None:
    assert git(bench_repository, "log", "--format=%B", "main").count("Refs: ADR-0000") == 500


def test_every_repository_has_the_same_content(bench_repository: Reviewed, tmp_path: Path) -> None:
    trees = [
        hashlib.sha256(git(bench, "ls-tree", "-r", branch).encode()).hexdigest()
        for bench in (bench_repository, create_repository(tmp_path / "two"))
        for branch in ("main", "usual", "wide", "large")
    ]
    assert trees[:4] == trees[4:]
