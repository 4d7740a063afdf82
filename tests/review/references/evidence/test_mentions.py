from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.evidence.mentions import (
    MAX_LINES,
    FileMention,
    FileMentions,
    RecordNames,
    find_spelled_ids,
    read_file_mentions,
)
from tests.support.cpu_time import assert_linear
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


PATHS = (
    "docs/decisions/0001-use-postgresql.md",
    "docs/decisions/adr-013-fibre-api.md",
    "docs/decisions/0031.md",
    "docs/decisions/2026-01-31_014-Queues.md",
)
NAMES = RecordNames([read_adr(path, f"# Record of {path}\n") for path in PATHS])


def numbers(text: str) -> list[int]:
    return [id.number for id in NAMES.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As ADR-0001 and adr 13 say", [1, 13]),
        ("see docs/decisions/0001-use-postgresql.md#context", [1]),
        ("([0001](../decisions/0001-Use-PostgreSQL.md), too)", [1]),
        ("https://team.example/decisions/0001-use-postgresql.html", [1]),
        ("https://team.example/decisions/0001-use-postgresql/", [1]),
        ("`2026-01-31_014-queues.md`.", [14]),
        ("ADR 0001: docs/decisions/0001-use-postgresql.md", [1]),
        # Other files, and other records of the same number.
        ("db/0001-use-postgresql-now.md and 0001-init.sql", []),
        ("migrations/0031.md", []),
        ("https://github.com/acme/app/blob/main/adr/adr-013-zero-padding.md#a", []),
        ("ADR-0001, unlike https://example.com/adr/adr-013-zero-padding.md", [1]),
        # The record of another name may be the same one under its former name.
        ("https://github.com/acme/app/blob/main/adr/adr-013-the-fibre.md", [13]),
        ("https://team.example/adr/13", [13]),
        ("https://team.example/issues?q=adr-0013-x", [13]),
        ("feature/adr-013-3-add-index", [13]),
    ],
)
def test_records_are_found_by_id_and_by_file_name(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


def test_without_records_ids_are_those_that_are_spelled() -> None:
    text = "adr-013 in https://example.com/adr/adr-013-zero-padding.md, 0001-use-postgresql.md"
    assert set(find_spelled_ids(text)) == set(RecordNames([]).find(text))
    assert find_spelled_ids("SPEC-0002")[0] == ArtifactId("SPEC", 2)


PIECES = ["https://", "/", "adr-013", "-fibre", ".md", "0001-use-postgresql", " ", "?", "ADRs 1/2"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4)).map("".join))
def test_any_text(text: str) -> None:
    found = NAMES.find(text)
    assert len(found) == len(set(found))
    assert set(found) <= {*find_spelled_ids(text), *(ArtifactId("ADR", n) for n in (1, 13, 14))}


def test_the_cost_grows_with_the_text() -> None:
    for piece in ("https://a/adr-013-x ", "a.", "0001-", "https://"):
        assert_linear(NAMES.find, lambda size, piece=piece: piece * size, 2_000)
