from pathlib import Path

from benchmarks.graph import graphed
from benchmarks.workbench import Sizes, Workbench


def test_the_repository_has_its_artifacts_and_its_citations(tmp_path: Path) -> None:
    sizes = Sizes(artifacts=20, sources=60)
    found = graphed(Workbench(tmp_path, sizes, tmp_path / "no-qmd", tmp_path / "no-models"))
    assert found.first_answer().output == found.ask().output
    assert (found.sdd.root / ".git/sdd/comments").is_file()
    answer = found.ask().output
    assert answer.startswith("ADR-0001  Title 1\n")
    assert "ADR-0016  Title 16" in answer
    assert "src/m000/f0.py:1" in answer
