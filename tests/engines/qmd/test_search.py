"""Hits as sections of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.qmd.output import QmdResult
from sdd_hooks.engines.qmd.search import (
    MAX_FILE_BYTES,
    passage_at,
    read_documents,
    read_hits,
    repository_path,
    share_of_words,
)
from sdd_hooks.engines.ranking.fusion import FusedMatch
from sdd_hooks.project.collections import Collection

ADRS = Collection("app-adrs", "adrs", "", "", ("docs",), (".md",), "", ("docs/old",), "Text.")
TEXT = "# Sessions\n\nAbout.\n\n## Context\n\nWhy.\n\n## Empty\n\n## Decision\n\nA token.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(TEXT)
    (tmp_path / "docs/empty.md").write_text("")
    (tmp_path / "secret.md").write_text("A token.")
    (tmp_path / "docs/link.md").symlink_to(tmp_path / "secret.md")
    return tmp_path


@pytest.mark.parametrize(
    ("base", "path", "expected"),
    [
        ("docs", "a.md", "docs/a.md"),
        ("", "docs/a.md", "docs/a.md"),
        ("docs", "a.txt", None),
        ("docs", "old/a.md", None),
        ("", "src/a.md", None),
        ("docs", "a\nb.md", None),
        ("..", "etc/a.md", None),
    ],
)
def test_only_paths_of_the_collection_are_results(
    base: str, path: str, expected: str | None
) -> None:
    assert repository_path(base, path, ADRS) == expected


@pytest.mark.parametrize(
    ("line", "anchor", "lines"),
    [(1, "file", (1, 4)), (7, "context", (5, 8)), (13, "decision", (11, 13)), (9, "file", (1, 13))],
)
def test_the_passage_is_the_section_with_the_line(
    root: Path, line: int, anchor: str, lines: tuple[int, int]
) -> None:
    passage = passage_at(root, "docs/a.md", line)
    assert passage is not None
    assert (passage.anchor, (passage.first_line, passage.last_line)) == (anchor, lines)
    assert passage.title == "Sessions"


@pytest.mark.parametrize(
    "path", ["docs/gone.md", "docs/link.md", "../x.md", "/etc/passwd", "docs", "docs/a.md/b", "\0"]
)
def test_a_missing_file_or_one_outside_has_no_passage(root: Path, path: str) -> None:
    assert passage_at(root, path, 1) is None
    assert read_documents(root, "app-adrs", [path]) == []


def test_a_file_that_is_too_large_has_no_passage(root: Path) -> None:
    (root / "docs/large.md").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    assert passage_at(root, "docs/large.md", 1) is None


def test_the_passage_of_an_empty_file_has_its_name_as_title(root: Path) -> None:
    passage = passage_at(root, "docs/empty.md", 1)
    assert passage is not None
    assert (passage.title, passage.anchor, passage.text) == ("empty.md", "file", "")
    assert (passage.first_line, passage.last_line) == (1, 1)


def test_the_share_of_words_includes_the_titles(root: Path) -> None:
    passage = passage_at(root, "docs/a.md", 13)
    assert share_of_words(passage, "token sessions") == 1.0
    assert share_of_words(passage, "token kubernetes") == 0.5
    assert share_of_words(passage, "") == share_of_words(None, "token") == 0.0


def test_missing_documents_are_replaced_by_the_next_hits(root: Path) -> None:
    matches = [FusedMatch(("app-adrs", path), 0.9, None) for path in ("docs/gone.md", "docs/a.md")]
    matches.append(FusedMatch(("app-adrs", "docs/empty.md"), 0.87654, 0.123456))
    results = {match.key: QmdResult("app-adrs", "", 13, "Text.", ()) for match in matches}
    first, second = read_hits(root, matches, results, Query((SubQuery("lex", "token"),), limit=2))
    assert first.id == "docs/a.md#decision"
    assert first.snippet == "A token."
    assert first.context == "Text."
    assert (second.path, second.score, second.cosine) == ("docs/empty.md", 0.8765, 0.1235)
    assert read_hits(root, matches, results, Query((SubQuery("lex", "token"),), limit=0)) == ()
