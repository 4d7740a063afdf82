from pathlib import Path

import pytest

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.file_mentions import MOST_LINES, Mention, Mentions, mentions_in
from tests.support.repos import Repo

NAMED = (ArtifactId("ADR", 7),)


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


def mentions(repo: Repo, commit: str = "") -> Mentions:
    return mentions_in(
        repo.repository, commit or repo.head(), lambda path: not path.startswith("docs/")
    )


def test_the_lines_of_wanted_files_that_mention_a_record(repo: Repo) -> None:
    assert mentions(repo) == {
        "src/a.py": [Mention(1, "# Governing: ADR-0007", NAMED)],
        "src/näme b.py": [Mention(1, "pass  # see adr 7", NAMED)],
    }


def test_what_is_not_committed_is_none(repo: Repo) -> None:
    (repo.root / "src/c.py").write_text("# ADR-0007\n")
    assert "src/c.py" not in mentions(repo)


def test_another_commit_is_what_it_is_without_a_cache(repo: Repo) -> None:
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
def test_a_cache_that_is_not_as_it_was_written_is_made_anew(repo: Repo, content: str) -> None:
    expected = mentions(repo)
    path = repo.root / ".sdd/review/mentions.json"
    path.write_text(content.replace("HEAD_", repo.head()))
    assert mentions(repo) == expected


def test_a_file_of_nothing_else_is_kept_in_bounds(repo: Repo) -> None:
    repo.write("log.txt", "ADR-0007\n" * 5_000)
    repo.commit("Log")
    assert len(mentions(repo)["log.txt"]) == MOST_LINES
