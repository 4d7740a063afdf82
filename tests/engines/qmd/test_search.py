"""Hits as sections of files, and searches over the daemon and with the command."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.qmd.daemon import find_daemon
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.output import QmdResult
from sdd_hooks.engines.qmd.query import UNKNOWN_STRENGTH
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
from tests.cli.commands import SCRIPTS
from tests.engines.subject import Subject
from tests.support.repos import Repo
from tests.support.signals import killed_on_failure
from tests.support.waiting import TIMEOUT

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


ADR = "# ADR-{0:04d}: {1}\n\n## Decision Outcome\n\nA {1} is kept in the database.\n"
FILES = {
    "docs/adrs/ADR-0001-session.md": ADR.format(1, "session"),
    "docs/adrs/ADR-0002-page.md": ADR.format(2, "page"),
    "docs/openspec/specs/login/spec.md": "# SPEC-0001: Login\n\nA session MUST end.\n",
    "src/100%41.py": "def keep_session(token):\n    return token\n",
}


def query(*searches: SubQuery, collections: tuple[str, ...] = ()) -> Query:
    return Query(searches, collections, limit=50)


@pytest.fixture(scope="module")
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Subject]:
    """An embedded index with its daemon."""
    quiet = request.getfixturevalue("quiet_qmd")
    repo = Repo.init(tmp_path_factory.mktemp("served") / "repo")
    subject = Subject("qmd", repo, str(quiet.model), quiet.environ)
    subject.begin(FILES)
    subject.refresh()
    with subject.opened() as engine:
        engine.embed()
    process = subprocess.Popen(
        [str(SCRIPTS / "sdd"), "index", "serve"],
        cwd=repo.root,
        env=dict(quiet.environ),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("serving on http://127.0.0.1:")
        yield subject
    finally:
        with killed_on_failure(process):
            process.send_signal(signal.SIGTERM)
            assert process.wait(TIMEOUT) == 0


def folder(subject: Subject) -> IndexFolder:
    return IndexFolder(subject.repo.root, subject.repo.root / ".sdd/search/qmd")


def test_the_daemon_and_the_command_find_the_same_documents(served: Subject) -> None:
    assert find_daemon(folder(served), served.environ) is not None
    search = query(SubQuery("lex", "session"), SubQuery("vec", "session"))
    with served.opened() as engine:
        over_http = engine.search(search)
        status = engine.status()
    with served.opened() as engine:
        folder(served).daemon.rename(served.repo.root / "aside.json")
        try:
            by_command = engine.search(search)
        finally:
            (served.repo.root / "aside.json").rename(folder(served).daemon)
    assert over_http.notes == by_command.notes == ()
    assert {hit.id for hit in over_http.hits} == {hit.id for hit in by_command.hits}
    assert "src/100%41.py" in {hit.path for hit in over_http.hits}
    assert {hit.cosine for hit in over_http.hits} == {None}
    assert None not in {hit.cosine for hit in by_command.hits}
    contexts = {hit.id: hit.context for hit in by_command.hits}
    assert {hit.id: hit.context for hit in over_http.hits} == contexts
    assert status.pending == 0


def test_the_daemon_gives_matches_by_meaning_half_the_strength(served: Subject) -> None:
    search = query(SubQuery("vec", "session"), collections=("repo-adrs",))
    with served.opened() as engine:
        hits = engine.search(search).hits
    assert [hit.path for hit in hits] == [
        "docs/adrs/ADR-0001-session.md",
        "docs/adrs/ADR-0002-page.md",
    ]
    assert hits[0].score == UNKNOWN_STRENGTH
    assert hits[1].score < UNKNOWN_STRENGTH


def test_the_daemon_is_queried_for_each_collection_of_several(served: Subject) -> None:
    def scores(*names: str) -> dict[str, float]:
        with served.opened() as engine:
            search = query(SubQuery("lex", "session"), collections=names)
            return {hit.id: hit.score for hit in engine.search(search).hits}

    both = scores("repo-adrs", "repo-specs")
    assert both == scores("repo-specs", "repo-adrs")
    assert {hit.partition("#")[0] for hit in both} == {
        "docs/adrs/ADR-0001-session.md",
        "docs/openspec/specs/login/spec.md",
    }


def test_the_daemon_finds_documents_with_some_of_the_words(served: Subject) -> None:
    search = query(SubQuery("lex", "where do we keep a session of the kangaroo?"))
    with served.opened() as engine:
        hits = engine.search(search).hits
    assert hits
    assert all(0 < hit.score < 1 for hit in hits)


def test_a_copied_record_of_another_daemon_is_not_followed(
    served: Subject, on_qmd: Subject
) -> None:
    on_qmd.begin(FILES)
    on_qmd.refresh()
    folder(on_qmd).daemon.write_bytes(folder(served).daemon.read_bytes())
    assert find_daemon(folder(on_qmd), on_qmd.environ) is None
    assert on_qmd.paths("page") == ["docs/adrs/ADR-0002-page.md"]


def test_the_first_search_has_double_weight(served: Subject) -> None:
    words, meaning = SubQuery("lex", "page"), SubQuery("vec", "session")
    with served.opened() as engine:
        first = engine.search(query(words, meaning, collections=("repo-adrs",))).hits
        second = engine.search(query(meaning, words, collections=("repo-adrs",))).hits
    by_first = {hit.path: hit.score for hit in first}
    by_second = {hit.path: hit.score for hit in second}
    assert by_first["docs/adrs/ADR-0002-page.md"] > by_second["docs/adrs/ADR-0002-page.md"]
