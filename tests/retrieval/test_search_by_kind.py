"""Searches with a query for each kind: what the engine is asked, and how the hits are ordered."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import pytest

from sdd_hooks.engines.protocol import (
    Bookmark,
    Coverage,
    Engine,
    Hit,
    Query,
    SearchResult,
    SubQuery,
)
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import NotIndexed
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.questions import kind_query
from sdd_hooks.retrieval.report import SearchReport
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.retrieval.search_by_kind import search_by_kind
from tests.support.repos import Repo


def adr(number: int, title: str, status: str, text: str, extra: str = "") -> str:
    return f"---\nstatus: {status}\n{extra}---\n# ADR-{number:04d}: {title}\n\n{text}\n"


FILES = {
    ".gitignore": ".sdd/\n",
    "docs/adrs/ADR-0001-a.md": adr(1, "Mails in Redis", "superseded", "Mails wait in Redis mails."),
    "docs/adrs/ADR-0002-b.md": adr(
        2, "Mails in a table", "accepted", "Mails wait.", "supersedes: [ADR-0001]\n"
    ),
    "docs/adrs/ADR-0003-c.md": adr(3, "Mails by hand", "rejected", "Mails are written by hand."),
    "docs/adrs/README.md": "# Decisions\n\nSee ADR-0001 and ADR-0002 about mails.\n",
    "docs/openspec/specs/mail/spec.md": "# SPEC-0001: Mail\n\n## Overview\n\nMails are sent.\n",
    "docs/openspec/specs/mail/design.md": "# Design\n\nMails are sent by a relay of mails.\n",
    "src/mail.py": "def send_mails():\n    return mails\n",
}


class Recorder:
    """An engine that records the queries of another one."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.queries: list[Query] = []

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        return self.engine.bookmarks()

    def touched(self) -> float | None:
        return self.engine.touched()

    def coverage(self) -> Coverage:
        return self.engine.coverage()

    def search(self, query: Query) -> SearchResult:
        self.queries.append(query)
        return self.engine.search(query)


class Meaningful(Recorder):
    """An engine that also finds `near` by meaning."""

    near: tuple[Hit, ...] = ()

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.0] * len(texts)

    def search(self, query: Query) -> SearchResult:
        found = super().search(query).hits
        return SearchResult((*found, *self.near) if query.searches[-1].type == "vec" else found, 0)


@pytest.fixture
def project(repo: Repo) -> Project:
    repo.commit("Start", FILES)
    return repo.project()


@pytest.fixture
def recorder(project: Project) -> Iterator[Any]:
    refresh(project, collections=project.collections)
    engine = open_engine(project)
    yield Recorder(engine)
    engine.close()


_OPENED: list[list[str]] = []


@cache
def _listen() -> None:
    def note(event: str, arguments: tuple[object, ...]) -> None:
        if _OPENED and event == "open" and str(arguments[0]).endswith(".md"):
            _OPENED[-1].append(PurePosixPath(str(arguments[0])).name)

    sys.addaudithook(note)


@pytest.fixture
def opened(recorder: Any) -> Iterator[list[str]]:
    """The names of the Markdown files that are opened, in order."""
    _listen()
    _OPENED.append([])
    yield _OPENED[-1]
    _OPENED.clear()


def search(
    project: Project, engine: Any, text: str, kinds: Sequence[str] = ("adrs", "specs", "code")
) -> SearchReport:
    return search_by_kind(project, engine, text, project.select(kinds))


def ids(report: SearchReport, kind: str = "adrs") -> list[str]:
    return [one.record.id if one.record else one.hit.path for one in report.hits(kind)]


def test_each_kind_has_its_own_query(project: Project, recorder: Any) -> None:
    search(project, recorder, "relay", ("code", "adrs", "specs", "issues"))
    assert [
        (query.collections, query.searches, query.intent, query.min_score)
        for query in recorder.queries
    ] == [
        (
            (f"repo-{kind}",),
            (SubQuery("lex", "relay"), SubQuery("vec", meaning)),
            f"/sdd:search — find {noun} relevant to: relay",
            0.3 if kind == "code" else 0.15,
        )
        for kind, noun, meaning in (
            ("adrs", "ADRs", "Architecture decisions about relay"),
            ("specs", "specs", "Specifications and requirements for relay"),
            ("code", "code", "Source code implementing relay"),
            ("issues", "issues", "Issues about relay"),
        )
    ]


def test_each_kind_has_its_own_limit(project: Project, recorder: Any) -> None:
    collections = project.select(("adrs", "code"))
    report = search_by_kind(project, recorder, "mails", collections, HitLimits(max_hits=1))
    assert [len(group.hits) for group in report.groups] == [1, 1]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("which database do we use for orders?", "database orders?"),
        ("wo läuft das Backend", "läuft Backe"),
        ("où sont gardés les journaux ?", "gardé journa"),
        ("時刻はどの形式で表すか", "時刻 形式 表"),
        ("日志存在哪里", "日志 志存"),
        ("どのキャッシュを使うか", "キャッシュ 使"),
        ('"who is who" in files', '"who is who" in files'),
        ("who is who", "who is who"),
    ],
)
def test_documents_are_searched_for_what_a_question_is_about(question: str, subject: str) -> None:
    lex, vec = kind_query("issues", question).searches
    assert " ".join(lex.query.split()) == subject
    assert question in vec.query
    assert kind_query("code", question).searches[0].query == question


def test_records_in_force_come_first_with_the_sentence_that_decides(repo: Repo) -> None:
    body = "## Context\n\nAudit logs are many.\n\n## Decision\n\n{}\n\n- Tags: #logs\n"
    repo.commit(
        "Start",
        {
            ".gitignore": ".sdd/\n",
            "docs/adrs/README.md": "# Audit logs\n\nAudit logs: archived audit logs.\n",
            "docs/adrs/ADR-0001-a.md": adr(
                1, "Archive audit logs", "rejected", body.format("Audit logs go to tape.")
            ),
            "docs/adrs/ADR-0002-b.md": adr(
                2, "Audit logs", "accepted", body.format("We archive them in a bucket.")
            ),
        },
    )
    project = repo.project()
    refresh(project, collections=project.collections)
    engine = open_engine(project)
    report = search(project, engine, "where are audit logs archived")
    engine.close()
    assert ids(report) == ["ADR-0002", "ADR-0001", "README"]
    first = report.hits("adrs")[0].hit
    assert "We archive them in a bucket." in first.snippet
    assert "#logs" not in first.snippet
    text = (repo.root / first.path).read_text().split("\n")
    assert text[first.lines[0] - 1] in ("Audit logs are many.", "We archive them in a bucket.")


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [
        ({}, ["ADR-0001", "ADR-0002"]),
        ({2: 0.9, 1: 0.1}, ["ADR-0002", "ADR-0001"]),
        ({1: 0.5, 3: 0.45}, ["ADR-0001", "ADR-0002", "ADR-0003"]),
        ({3: 0.8, 1: 0.5}, ["ADR-0001", "ADR-0003", "ADR-0002"]),
        ({1: 0.5, 3: 0.3}, ["ADR-0001", "ADR-0002"]),
    ],
)
def test_meaning_is_added(repo: Repo, cosines: dict[int, float], expected: list[str]) -> None:
    texts = {1: "Mails wait in a relay of mails.", 2: "A relay.", 3: "Letters are sent by hand."}
    paths = {n: f"docs/adrs/ADR-000{n}-x.md" for n in texts}
    repo.commit("Start", {paths[n]: adr(n, f"No. {n}", "accepted", texts[n]) for n in texts})
    project = repo.project()
    refresh(project, collections=project.collections)
    with closing(open_engine(project)) as engine:
        asked: Any = Meaningful(engine)
        asked.near = tuple(
            Hit(f"{paths[n]}#", "repo-adrs", paths[n], 1, 6, "", "", cosine, cosine, "", "")
            for n, cosine in cosines.items()
        )
        assert ids(search(project, asked, "relay of mails", ("adrs",))) == expected
        one = search_by_kind(
            project, asked, "relay of mails", project.select(("adrs",)), HitLimits(1)
        )
        assert ids(one) == expected[:1]


def test_a_replaced_record_names_its_successor_and_ranks_below(
    project: Project, recorder: Any
) -> None:
    report = search(project, recorder, "mails wait in redis")
    records = {one.record.id: one for one in report.hits("adrs") if one.record}
    assert ids(report).index("ADR-0002") < ids(report).index("ADR-0001")
    replaced = records["ADR-0001"]
    assert replaced.record
    assert replaced.record.state == "superseded by ADR-0002"
    assert replaced.hit.score <= records["ADR-0002"].hit.score
    scores = [one.hit.score for one in report.hits("adrs")]
    assert scores == sorted(scores, reverse=True)


def test_looking_for_what_replaced_a_record_makes_no_snippets(
    project: Project, recorder: Any
) -> None:
    search(project, recorder, "mails wait in redis")
    asked = [query for query in recorder.queries if "supersedes" in query.text]
    assert asked
    assert {query.snippets for query in asked} == {0}


def test_a_rejected_record_says_so(project: Project, recorder: Any) -> None:
    (first, *_) = search(project, recorder, "mails by hand").hits("adrs")
    assert first.record
    assert (first.record.name, first.record.state) == ("ADR-0003: Mails by hand", "rejected")


def test_the_files_of_a_spec_are_one_hit(project: Project, recorder: Any) -> None:
    (only,) = search(project, recorder, "mails by a relay").hits("specs")
    assert only.record
    assert only.record.name == "SPEC-0001: Mail"
    assert only.hit.path.endswith("design.md")


def test_a_page_among_records_is_no_artifact(project: Project, recorder: Any) -> None:
    pages = [one for one in search(project, recorder, "mails").hits("adrs") if one.record]
    (page,) = [one for one in pages if one.hit.path.endswith("README.md")]
    assert page.record
    assert (page.record.name, page.record.is_artifact) == ("Decisions", False)


@pytest.mark.parametrize("query", ["ADR-0001", "adr 1", "1", "0001"])
def test_an_id_is_a_query(project: Project, recorder: Any, query: str) -> None:
    report = search(project, recorder, query)
    first = report.hits("adrs")[0]
    assert (ids(report)[0], first.exact, first.hit.score) == ("ADR-0001", True, 1.0)
    if query[0] != "A" and query[0] != "a":
        assert ids(report, "specs") == ["SPEC-0001"]


def test_a_definition_is_a_query(project: Project, recorder: Any) -> None:
    (only,) = search(project, recorder, "send_mails").hits("code")
    assert (only.exact, only.hit.id) == (True, "src/mail.py#send_mails")


def test_only_the_records_of_the_hits_are_read(project: Project, recorder: Any, repo: Repo) -> None:
    """A record that the index does not name may be unreadable."""
    hidden = repo.root / "docs/adrs/ADR-0003-c.md"
    text = hidden.read_text()
    hidden.unlink()
    hidden.mkdir()
    assert ids(search(project, recorder, "table"))[0] == "ADR-0002"
    hidden.rmdir()
    hidden.write_text(text)


def test_records_beyond_the_limit_are_read_only_if_they_may_be_among_the_hits(
    project: Project, recorder: Any, opened: list[str]
) -> None:
    """ADR-0001 is replaced by ADR-0002, which is the second hit."""
    adrs = project.select(("adrs",))
    one, many = HitLimits(max_hits=1, min_score=0.0), HitLimits(min_score=0.0)
    found = search_by_kind(project, recorder, "mails in a table", adrs, many)
    assert len(found.hits("adrs")) > 2
    opened.clear()
    assert ids(search_by_kind(project, recorder, "mails in a table", adrs, one)) == ["ADR-0002"]
    assert opened == ["ADR-0002-b.md"]
    opened.clear()
    assert ids(search_by_kind(project, recorder, "mails wait in redis", adrs, one)) == ["ADR-0002"]
    assert {"ADR-0001-a.md", "ADR-0002-b.md"} <= set(opened)
    opened.clear()
    assert ids(search_by_kind(project, recorder, "ADR-0003", adrs, one)) == ["ADR-0003"]


def test_collections_that_are_not_indexed_are_named(repo: Repo) -> None:
    repo.commit("Start", FILES)
    project = repo.project()
    with pytest.raises(NotIndexed):
        refreshed(project, ())
    report = refreshed(project, ("adrs",))
    assert report.missing == ("repo-specs", "repo-code")
    assert report.notes[0] == (
        "repo-specs, repo-code are not indexed and not searched: run `sdd index add`"
    )
    assert [group.kind for group in report.groups] == ["adrs", "specs", "code"]


def refreshed(project: Project, kinds: Sequence[str]) -> SearchReport:
    refresh(project, collections=project.select(kinds) if kinds else project.select(("issues",)))
    engine = open_engine(project)
    try:
        return search(project, engine, "mails")
    finally:
        engine.close()


def test_hits_are_a_hit(project: Project, recorder: Any) -> None:
    for group in search(project, recorder, "mails").groups:
        assert all(isinstance(one.hit, Hit) and one.hit.snippet for one in group.hits)
