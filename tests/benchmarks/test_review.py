"""The measure of a review reviews what it says it reviews."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.review import STAGED, Reviewed, reviewed
from benchmarks.workbench import Sizes, Workbench

SIZES = Sizes(records=12, usual_change=20, wide_change=30, large_change=500_000)


def made(directory: Path) -> Reviewed:
    directory.mkdir()
    return reviewed(Workbench(directory, SIZES, directory / "no-qmd", directory / "no-models"))


@pytest.fixture
def found(tmp_path: Path) -> Reviewed:
    return made(tmp_path / "one")


def git(found: Reviewed, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=found.sdd.root,
        env=dict(found.sdd.environ),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_what_is_reviewed(found: Reviewed) -> None:
    for branch, files in (("usual", 20), ("wide", 30), ("large", 5)):
        review = json.loads(found.first_review(branch).output)
        assert (review["files"], len(review["references"]["ranked"])) == (files, 12)
        assert json.loads(found.review(branch).output) == review
    assert len(git(found, "diff", "main...large")) > 500_000
    assert found.diff("main...usual").output.count("diff --git") == 20


def test_what_is_staged(found: Reviewed) -> None:
    assert len(git(found, "diff", "--cached", "--name-only").split()) == STAGED
    assert "Traceback" not in found.check().output


def test_a_history_that_names_records(found: Reviewed) -> None:
    assert git(found, "log", "--format=%B", "main").count("Refs: ADR-0000") == 500


def test_the_same_bytes_each_time(found: Reviewed, tmp_path: Path) -> None:
    trees = [
        hashlib.sha256(git(bench, "ls-tree", "-r", branch).encode()).hexdigest()
        for bench in (found, made(tmp_path / "two"))
        for branch in ("main", "usual", "wide", "large")
    ]
    assert trees[:4] == trees[4:]
