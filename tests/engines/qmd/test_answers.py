"""A document that qmd names becomes the passage that answers, as the file is now."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.fusion import FusedMatch
from sdd_hooks.engines.qmd.answers import LARGEST, documents, hits, inside, passage_at, share
from sdd_hooks.engines.qmd.output import Result
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
    ("base", "path", "found"),
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
def test_only_what_is_the_collections_is_an_answer(base: str, path: str, found: str | None) -> None:
    assert inside(base, path, ADRS) == found


@pytest.mark.parametrize(
    ("line", "anchor", "lines"),
    [(1, "file", (1, 4)), (7, "context", (5, 8)), (13, "decision", (11, 13)), (9, "file", (1, 13))],
)
def test_the_passage_is_the_one_with_the_line(
    root: Path, line: int, anchor: str, lines: tuple[int, int]
) -> None:
    passage = passage_at(root, "docs/a.md", line)
    assert passage is not None
    assert (passage.anchor, (passage.first_line, passage.last_line)) == (anchor, lines)
    assert passage.title == "Sessions"


@pytest.mark.parametrize(
    "path", ["docs/gone.md", "docs/link.md", "../x.md", "/etc/passwd", "docs", "docs/a.md/b", "\0"]
)
def test_what_is_gone_or_leads_elsewhere_has_no_passage(root: Path, path: str) -> None:
    assert passage_at(root, path, 1) is None
    assert documents(root, "app-adrs", [path]) == []


def test_a_file_that_is_too_large_is_not_quoted(root: Path) -> None:
    (root / "docs/large.md").write_bytes(b"x" * (LARGEST + 1))
    assert passage_at(root, "docs/large.md", 1) is None


def test_an_empty_file_is_a_passage_of_its_name(root: Path) -> None:
    passage = passage_at(root, "docs/empty.md", 1)
    assert passage is not None
    assert (passage.title, passage.anchor, passage.text) == ("empty.md", "file", "")
    assert (passage.first_line, passage.last_line) == (1, 1)


def test_the_share_of_the_words_counts_titles_too(root: Path) -> None:
    passage = passage_at(root, "docs/a.md", 13)
    assert share(passage, "token sessions") == 1.0
    assert share(passage, "token kubernetes") == 0.5
    assert share(passage, "") == share(None, "token") == 0.0


def test_hits_are_filled_up_from_what_is_still_there(root: Path) -> None:
    ranked = [FusedMatch(("app-adrs", path), 0.9, None) for path in ("docs/gone.md", "docs/a.md")]
    ranked.append(FusedMatch(("app-adrs", "docs/empty.md"), 0.87654, 0.123456))
    results = {one.key: Result("app-adrs", "", 13, "", 1.0, "Text.", ()) for one in ranked}
    first, second = hits(root, ranked, results, "token", 2)
    assert first.id == "docs/a.md#decision"
    assert first.snippet == "A token."
    assert first.context == "Text."
    assert (second.path, second.score, second.cosine) == ("docs/empty.md", 0.8765, 0.1235)
    assert hits(root, ranked, results, "token", 0) == ()
