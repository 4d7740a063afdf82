"""A search over the daemon and one by the command: the same documents, and what each can tell."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator

import pytest

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.qmd import daemon
from sdd_hooks.engines.qmd.asking import UNREAD
from sdd_hooks.engines.qmd.process import Place
from tests.cli.commands import SCRIPTS
from tests.engines.subject import Subject
from tests.support.repos import Repo

ADR = "# ADR-{0:04d}: {1}\n\n## Decision Outcome\n\nA {1} is kept in the database.\n"
FILES = {
    "docs/adrs/ADR-0001-session.md": ADR.format(1, "session"),
    "docs/adrs/ADR-0002-page.md": ADR.format(2, "page"),
    "docs/openspec/specs/login/spec.md": "# SPEC-0001: Login\n\nA session MUST end.\n",
    "src/100%41.py": "def keep_session(token):\n    return token\n",
}


def ask(*searches: SubQuery, collections: tuple[str, ...] = ()) -> Query:
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
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        process.communicate()


def place(subject: Subject) -> Place:
    return Place(subject.repo.root, subject.repo.root / ".sdd/search/qmd")


def test_both_ways_find_the_same_documents(served: Subject) -> None:
    assert daemon.running(place(served), served.environ) is not None
    query = ask(SubQuery("lex", "session"), SubQuery("vec", "session"))
    with served.opened() as engine:
        over_http = engine.search(query)
        status = engine.status()
    with served.opened() as engine:
        (place(served).directory / daemon.FILE).rename(served.repo.root / "aside.json")
        try:
            by_command = engine.search(query)
        finally:
            (served.repo.root / "aside.json").rename(place(served).directory / daemon.FILE)
    assert over_http.notes == by_command.notes == ()
    assert {hit.id for hit in over_http.hits} == {hit.id for hit in by_command.hits}
    assert "src/100%41.py" in {hit.path for hit in over_http.hits}
    assert {hit.cosine for hit in over_http.hits} == {None}
    assert None not in {hit.cosine for hit in by_command.hits}
    contexts = {hit.id: hit.context for hit in by_command.hits}
    assert {hit.id: hit.context for hit in over_http.hits} == contexts
    assert status.pending == 0


def test_over_http_what_is_only_meant_has_half_the_evidence(served: Subject) -> None:
    query = ask(SubQuery("vec", "session"), collections=("repo-adrs",))
    with served.opened() as engine:
        hits = engine.search(query).hits
    assert [hit.path for hit in hits] == [
        "docs/adrs/ADR-0001-session.md",
        "docs/adrs/ADR-0002-page.md",
    ]
    assert hits[0].score == UNREAD
    assert hits[1].score < UNREAD


def test_over_http_some_collections_are_asked_one_by_one(served: Subject) -> None:
    def scores(*names: str) -> dict[str, float]:
        with served.opened() as engine:
            query = ask(SubQuery("lex", "session"), collections=names)
            return {hit.id: hit.score for hit in engine.search(query).hits}

    found = scores("repo-adrs", "repo-specs")
    assert found == scores("repo-specs", "repo-adrs")
    assert {one.partition("#")[0] for one in found} == {
        "docs/adrs/ADR-0001-session.md",
        "docs/openspec/specs/login/spec.md",
    }


def test_over_http_a_question_in_words_is_answered(served: Subject) -> None:
    query = ask(SubQuery("lex", "where do we keep a session of the kangaroo?"))
    with served.opened() as engine:
        hits = engine.search(query).hits
    assert hits
    assert all(0 < hit.score < 1 for hit in hits)


def test_a_file_that_points_to_a_daemon_of_somebody_else_is_not_followed(
    served: Subject, on_qmd: Subject
) -> None:
    on_qmd.begin(FILES)
    on_qmd.refresh()
    told = (place(served).directory / daemon.FILE).read_bytes()
    (place(on_qmd).directory / daemon.FILE).write_bytes(told)
    assert daemon.running(place(on_qmd), on_qmd.environ) is None
    assert on_qmd.paths("page") == ["docs/adrs/ADR-0002-page.md"]


def test_the_order_of_the_searches_decides_which_counts_double(served: Subject) -> None:
    words, meant = SubQuery("lex", "page"), SubQuery("vec", "session")
    with served.opened() as engine:
        first = engine.search(ask(words, meant, collections=("repo-adrs",))).hits
        second = engine.search(ask(meant, words, collections=("repo-adrs",))).hits
    by_first = {hit.path: hit.score for hit in first}
    by_second = {hit.path: hit.score for hit in second}
    assert by_first["docs/adrs/ADR-0002-page.md"] > by_second["docs/adrs/ADR-0002-page.md"]
