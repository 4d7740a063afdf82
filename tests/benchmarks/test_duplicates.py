"""Cases of duplicates out of the history of a repository, and the figures about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.duplicates.__main__ import main
from benchmarks.duplicates.cases import SURVIVED, Place, mine
from benchmarks.duplicates.scores import judge, render
from tests.planning.work.shop import COPY, PARSE
from tests.support.repos import Repo

TRIM = """\
func trimTitle(title string) string {
\tshort := strings.TrimSpace(title)
\tif len(short) > 80 {
\t\treturn short[:80]
\t}
\treturn short
}
"""


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One clone in whose history a function was moved, two were made one, and one was added."""
    folder = tmp_path_factory.mktemp("clones")
    repo = Repo.init(folder / "acme+shop")
    twice = {f"pages/{name}.go": f"package pages\n\n{TRIM}" for name in ("a", "b")}
    repo.commit("Start", {"auth/parse.go": PARSE, **twice})
    repo.commit("Move", {"auth/parse.go": "package auth\n", "ids/parse.go": PARSE})
    once = {f"pages/{name}.go": "package pages\n" for name in ("a", "b")}
    repo.commit("Extract", {**once, "text/trim.go": f"package text\n\n{TRIM}"})
    repo.commit("Add", {"orders/total.go": COPY.replace("ParseUserId", "orderTotal")})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    tip = repo.head()
    # Commits without changes are made faster without a work tree.
    for _ in range(SURVIVED):
        tip = repo.git("commit-tree", tree, "-p", tip, "-m", "Later")
    repo.git("reset", "--quiet", "--hard", tip)
    return folder


def test_the_figures(clones: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = tmp_path / "cases.jsonl"
    assert main([str(clones), "--cases", str(kept)]) == 0
    printed = capsys.readouterr().out
    assert "| moved | 1 | 1 | 1 |" in printed
    assert "| extracted | 1 | 1 | 1 |" in printed
    assert "| new | 1 | 0 | 0 |" in printed
    assert "precision 1.00, recall 1.00, 2 duplicates and 1 new definitions of 1 reposit" in printed
    assert len(kept.read_text().splitlines()) == 3
    assert main([str(clones), "--cases", str(kept), "--details"]) == 0
    assert capsys.readouterr().out == printed


def test_a_report_of_another_definition_is_not_right(clones: Path) -> None:
    moved = next(one for one in mine(clones / "acme+shop") if one.kind == "moved")
    wrong = moved._replace(expected=(Place("auth/other.go", "x"),), commit=moved.commit)
    found = judge(clones, wrong)
    assert found.is_reported
    # The text of the reported one is the same, so that importing it is right all the same.
    assert found.is_right
    new = judge(clones, moved._replace(kind="new", expected=()))
    assert (new.is_reported, new.is_right) == (True, False)
    assert list(render([new]))[-1].startswith("precision 0.00, recall 0.00")
