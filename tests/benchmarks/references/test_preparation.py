"""A prepared change differs from its base like in the repository of the evaluator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.references.cases import Case, load_evaluator
from benchmarks.references.preparation import prepare
from tests.support.repos import Repo

RECORD = b"# 1. Sweep\n\n## Decision\n\nThe outbox is swept every minute.\n"
BEFORE = {
    ".gitattributes": b"*.cs text\n",
    "CLAUDE.md": b"# Ours\n",
    "docs/adr/0001-sweep.md": RECORD,
    "src/Sweeper.cs": b"class Sweeper\r\n{\r\n}\r\n",
    "src/Other.cs": b"class Other\r\n{\r\n}\r\n",
    "src/gone.py": b"x = 1\n",
}
AFTER = {
    "docs/adr/0001-sweep.md": RECORD + b"\nAnd on start.\n",
    "src/Sweeper.cs": b"class Sweeper\r\n{\r\n    // ADR-0001\r\n    int minutes;\r\n}\r\n",
    "src/new.py": b"# see 0001-sweep\ny = 2\n",
}


@pytest.fixture
def evaluator(shared: Path) -> Any:
    return load_evaluator([shared / "eval"])


@pytest.fixture
def fields(tmp_path: Path) -> dict[str, Any]:
    """The fields of a change, whose clone is `clones/one+a`."""
    clone = Repo.init(tmp_path / "clones/one+a")
    parent = commit_exactly(clone, BEFORE)
    commit = commit_exactly(clone, AFTER, removed="src/gone.py")
    return {
        "repo": "one/a", "kind": "commit", "parent": parent, "commit": commit,
        "title": "Sweep on start", "expected": ["docs/adr/0001-sweep.md"],
        "adr_dirs": ["docs/adr"],
    }  # fmt: skip


def commit_exactly(repo: Repo, files: Mapping[str, bytes], removed: str = "") -> str:
    """Commit files byte for byte, like a client that ignores attributes."""
    for path, data in files.items():
        done = repo.run("hash-object", "-w", "--stdin", "--no-filters", stdin=data)
        blob = done.stdout.decode().strip()
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    if removed:
        repo.git("update-index", "--force-remove", removed)
    repo.git("commit", "--quiet", "-m", "Change")
    return repo.head()


def diff_of_evaluator(evaluator: Any, fields: dict[str, Any], tmp_path: Path) -> str:
    """The difference between the last two commits of a repository like that of `run_case`."""
    clone, where = str(tmp_path / "clones/one+a"), str(tmp_path / "scratch")
    comment = fields["kind"] == "comment"
    evaluator.scratch(clone, fields["commit" if comment else "parent"], where)
    if comment:
        Path(where, fields["files"][0]).unlink()
    memory = "## Architecture Context\n\n- Architecture Decision Records are in `docs/adr/`\n"
    Path(where, "CLAUDE.md").write_text(memory)
    evaluator.git(where, "add", "-A")
    evaluator.git(where, "commit", "-q", "-m", "setup")
    evaluator.apply_change(fields, clone, where)
    return str(evaluator.git(where, "diff", "--full-index", "HEAD~1", "HEAD"))


def diff_of_prepared(evaluator: Any, fields: dict[str, Any], tmp_path: Path) -> str:
    """The difference between base and head of the prepared change."""
    case = Case("1", "dev", "one/a", fields["kind"], fields)
    prepared = prepare(evaluator, case, tmp_path / "clones", tmp_path / "kept")
    assert Path(prepared.root, "CLAUDE.md").read_text().startswith("## Architecture Context\n")
    options = ("diff", "--full-index", prepared.base, prepared.head)
    return str(evaluator.git(prepared.root, *options))


def test_a_commit_differs_like_in_the_evaluator(
    evaluator: Any, fields: dict[str, Any], tmp_path: Path
) -> None:
    diff = diff_of_prepared(evaluator, fields, tmp_path)
    assert diff == diff_of_evaluator(evaluator, fields, tmp_path)
    assert [
        line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in "+++---"
    ] == [
        "+    int minutes;",
        "-x = 1",
        "+y = 2",
    ]


def test_a_comment_differs_like_in_the_evaluator(
    evaluator: Any, fields: dict[str, Any], tmp_path: Path
) -> None:
    fields |= {"kind": "comment", "files": ["src/Sweeper.cs"], "strip_lines": [3]}
    diff = diff_of_prepared(evaluator, fields, tmp_path)
    assert diff == diff_of_evaluator(evaluator, fields, tmp_path)
    assert "int minutes" in diff
    assert "ADR-0001" not in diff


def test_a_change_is_prepared_once(evaluator: Any, fields: dict[str, Any], tmp_path: Path) -> None:
    case = Case("1", "dev", "one/a", "commit", fields)

    def head() -> str:
        prepared = prepare(evaluator, case, tmp_path / "clones", tmp_path / "kept")
        found: str = evaluator.git(prepared.root, "rev-parse", prepared.head)
        assert evaluator.git(prepared.root, "rev-parse", "HEAD") == found
        return found

    first = head()
    other = case._replace(fields={**fields, "title": "Other"})
    prepare(evaluator, other, tmp_path / "clones", tmp_path / "kept")
    assert head() == first


def test_contents_that_a_clone_lacks_are_left_out(
    evaluator: Any, fields: dict[str, Any], tmp_path: Path
) -> None:
    clone = Repo(tmp_path / "clones/one+a")
    blob = clone.git("rev-parse", "HEAD:src/Other.cs")
    (clone.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    diff = diff_of_prepared(evaluator, fields, tmp_path)
    assert diff == diff_of_evaluator(evaluator, fields, tmp_path)
    assert "+y = 2" in diff
    assert not (tmp_path / "kept/one+a/src/Other.cs").exists()
