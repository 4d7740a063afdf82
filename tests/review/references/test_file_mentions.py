from pathlib import Path

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.file_mentions import (
    MAX_LINES,
    FileMention,
    FileMentions,
    read_file_mentions,
)
from sdd_hooks.review.references.record_names import RecordNames
from tests.support.repos import Repo

IDS = (ArtifactId("ADR", 7),)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.write("src/a.py", "# Governing: ADR-0007\nx = 1\n")
    repo.write("src/näme b.py", "pass  # see adr 7\n")
    repo.write("docs/adrs/ADR-0007-x.md", "# ADR-0007: x\n")
    repo.write("src/c.py", "nothing\n")
    repo.write(".gitignore", ".sdd/\n")
    repo.commit("Begin")
    (repo.root / ".sdd").mkdir()
    return repo


def mentions(repo: Repo, commit: str = "") -> FileMentions:
    return read_file_mentions(
        repo.repository, commit or repo.head(), lambda path: not path.startswith("docs/")
    )


def test_lines_of_wanted_files_that_mention_a_record(repo: Repo) -> None:
    assert mentions(repo) == {
        "src/a.py": [FileMention(1, "# Governing: ADR-0007", IDS)],
        "src/näme b.py": [FileMention(1, "pass  # see adr 7", IDS)],
    }


def test_uncommitted_lines_are_ignored(repo: Repo) -> None:
    (repo.root / "src/c.py").write_text("# ADR-0007\n")
    assert "src/c.py" not in mentions(repo)


def test_the_cache_is_updated_for_another_commit(repo: Repo) -> None:
    first = mentions(repo)
    before = repo.head()
    repo.write("src/c.py", "# ADR-0007\n")
    repo.git("rm", "-q", "src/a.py")
    repo.write("src/näme b.py", "pass\n")
    repo.commit("Change")
    cached = mentions(repo)
    assert set(cached) == {"src/c.py"}
    (repo.root / ".sdd/review/mentions.json").unlink()
    assert mentions(repo) == cached
    assert mentions(repo, before) == first


@pytest.mark.parametrize(
    "content",
    ["", "{", '{"version":1,"commit":"HEAD_","files":[]}', '{"version":1,"commit":"HEAD_"}',
     '{"version":1,"commit":"HEAD_","files":{"src/a.py":[[1]]}}',
     '{"version":1,"commit":"--x","files":{}}', '{"version":1,"commit":"abc","files":{}}'],
)  # fmt: skip
def test_an_invalid_cache_is_built_again(repo: Repo, content: str) -> None:
    expected = mentions(repo)
    path = repo.root / ".sdd/review/mentions.json"
    path.write_text(content.replace("HEAD_", repo.head()))
    assert mentions(repo) == expected


def test_the_lines_of_a_file_are_limited(repo: Repo) -> None:
    repo.write("log.txt", "ADR-0007\n" * 5_000)
    repo.commit("Log")
    assert len(mentions(repo)["log.txt"]) == MAX_LINES


def test_a_path_of_a_record_is_a_mention(repo: Repo) -> None:
    repo.write("docs/adrs/0012-use-queues.md", "# Use queues\n")
    repo.write("src/d.py", "# docs/adrs/0012-use-queues.md\n# https://x.org/adr-0007-padding.md\n")
    repo.commit("More")
    paths = ("docs/adrs/0012-use-queues.md", "docs/adrs/ADR-0007-sweeper.md")
    names = RecordNames([read_adr(path, "# T\n") for path in paths])
    found = read_file_mentions(
        repo.repository, repo.head(), lambda path: path == "src/d.py", names.find
    )
    line = "# docs/adrs/0012-use-queues.md"
    assert found == {"src/d.py": [FileMention(1, line, (ArtifactId("ADR", 12),))]}
