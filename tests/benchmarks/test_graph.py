from pathlib import Path

from benchmarks.graph import audited, graphed
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


def test_the_repository_of_an_audit_has_so_many_files(tmp_path: Path) -> None:
    sizes = Sizes(records=10, audited=30)
    found = audited(Workbench(tmp_path, sizes, tmp_path / "no-qmd", tmp_path / "no-models"))
    assert (found.artifacts, found.sources) == (10, 20)
    assert '"source_files": 20' in found.audit().output
