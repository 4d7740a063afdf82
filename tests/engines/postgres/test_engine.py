"""The engine over PostgreSQL: what is its own beside the contract of engines."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.engines import reading_ahead
from sdd_hooks.engines.organisation import OrganisationGrant
from sdd_hooks.engines.postgres.access import grant
from sdd_hooks.engines.postgres.address import DSN, find_address
from sdd_hooks.engines.postgres.connection import connect
from sdd_hooks.engines.postgres.engine import PostgresEngine
from sdd_hooks.engines.postgres.schema import MIGRATIONS, migrate
from sdd_hooks.engines.postgres.scope import find_scope
from sdd_hooks.engines.postgres.search import QueryVectors, search
from sdd_hooks.engines.postgres.vectors import find_space, search_nearest
from sdd_hooks.engines.protocol import ComparesMeaning, Counts, Query, ReadOnlyIndex, SubQuery
from sdd_hooks.engines.registry import is_indexed
from sdd_hooks.engines.vector_exchange import ExchangesVectors
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.freshness.read_gate import prime
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.models.embedding_model import ConfiguredModel
from tests.engines.subject import Subject
from tests.support.postgres_server import PostgresServer
from tests.support.repos import Repo

psycopg = pytest.importorskip("psycopg")


def record(number: int, words: str = "") -> dict[str, str]:
    text = f"# Decision {number}\n\n## Decision Outcome\n\nWe choose heron{number}. {words}\n"
    return {f"docs/adrs/ADR-{number:04}-x.md": text}


def records(count: int) -> dict[str, str]:
    return {path: text for number in range(count) for path, text in record(number + 1).items()}


@pytest.fixture
def filled(on_pgserver: Subject) -> Subject:
    on_pgserver.begin({**records(5), "src/parse.py": "def parse_user_id(text): ...\n"})
    on_pgserver.refresh()
    return on_pgserver


def clone(subject: Subject, folder: Path) -> Subject:
    """Another clone of the repository, with the same remote."""
    remote = subject.repo.git("remote", "get-url", "origin").strip()
    subject.repo.git("clone", "--quiet", str(subject.repo.root), str(folder))
    other = Repo(folder)
    other.git("remote", "set-url", "origin", remote)
    return replace(subject, repo=other)


def test_both_engines_return_the_same_hits_with_the_same_scores(filled: Subject) -> None:
    text = "# Sessions\n\n## Decision Outcome\n\nparseUserID and parse_user_id read a session.\n"
    filled.repo.commit("More", {"docs/adrs/ADR-0009-sessions.md": text})
    filled.refresh()
    embedded = replace(filled, name="embedded")
    embedded.configure(filled.model)
    embedded.refresh()
    found = {}
    for subject in (filled, embedded):
        subject.configure(subject.model)
        found[subject.name] = [
            subject.search(query, limit=50)
            for query in ("heron3 session", "parse user", '"decision outcome"', "choose -heron2")
        ]
    assert found["postgres"] == found["embedded"]
    assert all(found["embedded"])


def test_a_fresh_clone_reads_what_another_machine_has_indexed(
    filled: Subject, tmp_path: Path
) -> None:
    laptop = clone(filled, tmp_path / "laptop")
    laptop.configure(filled.model)
    assert is_indexed(laptop.project)
    assert laptop.paths("heron4") == ["docs/adrs/ADR-0004-x.md"]
    assert not (laptop.repo.root / ".sdd/search").exists()


def _index_in_process(subject: Subject, barrier: Barrier) -> None:
    barrier.wait()
    subject.refresh()


def test_two_jobs_at_once_leave_the_index_of_one_of_their_commits(
    filled: Subject, tmp_path: Path
) -> None:
    """Each compares its files with what the other one has stored, not with what was there."""
    jobs = [clone(filled, tmp_path / name) for name in ("one", "two")]
    for number, job in enumerate(jobs):
        job.configure(filled.model)
        changed = {**record(number + 2, f"egret{number}"), **record(6 + number)}
        job.repo.commit(f"Job {number}", changed)
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(len(jobs))
    running = [context.Process(target=_index_in_process, args=(job, barrier)) for job in jobs]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0, 0]
    with filled.opened() as engine:
        assert engine.check() == []
        assert len(engine.bookmarks()) == 4
        head = next(one.head for one in engine.bookmarks().values() if one and one.head)
        indexed = {one.path: one.content_hash for one in engine.documents("repo-adrs")}
    job = next(job for job in jobs if job.repo.git("rev-parse", "HEAD").strip() == head)
    with closing(job.open(repair=True)) as engine:
        job.update(engine, scope="full")
        assert {
            one.path: one.content_hash
            for one in engine.documents(f"{job.project.repository.slug}-adrs")
        } == indexed


def commit_on(day: int, subject: Subject, files: Mapping[str, str]) -> str:
    """Commit files on that day of February, and return the id of the commit."""
    for path, text in files.items():
        subject.repo.write(path, text)
    subject.repo.git("add", "--all")
    date = {"GIT_COMMITTER_DATE": f"2026-02-{day:02}T00:00:00+00:00"}
    subject.repo.git("commit", "--quiet", "-m", f"Day {day}", env=date)
    return subject.repo.head()


@pytest.mark.parametrize("shallow", [False, True])
def test_the_job_of_an_older_commit_that_ends_last_moves_nothing_back(
    filled: Subject, tmp_path: Path, *, shallow: bool
) -> None:
    """With the history by ancestry; a shallow clone knows the times of commits only."""
    old = clone(filled, tmp_path / "old")
    old.configure(filled.model)
    if shallow:
        old.repo.git("checkout", "--quiet", "--orphan", "alone")
    commit_on(1 if shallow else 3, old, record(2, "the older words"))
    new = clone(filled if shallow else old, tmp_path / "new")
    new.configure(filled.model)
    head = commit_on(2, new, record(2, "the newer words"))
    if not shallow:
        old.repo.git("fetch", "--quiet", str(new.repo.root))
    new.refresh()
    result = refresh(old.project)
    assert result.total.changed == 0
    (note,) = result.notes
    assert head[:12] in note
    assert note.endswith("left as it is")
    with filled.opened() as engine:
        touched = engine.touched()
    assert touched is not None
    assert "newer" in filled.search("newer words", "adrs")[0].snippet
    # The next commit of that clone is newer again.
    if not shallow:
        old.repo.git("reset", "--quiet", "--hard", head)
    commit_on(4, old, record(2, "the newest words"))
    assert refresh(old.project).total.changed > 0
    with filled.opened() as engine:
        assert (engine.touched() or 0) > touched


@pytest.mark.parametrize("count", [5, 50])
def test_an_update_writes_the_rows_of_the_changed_document_only(
    on_pgserver: Subject, count: int
) -> None:
    on_pgserver.begin(records(count))
    on_pgserver.refresh()
    with on_pgserver.opened(repair=True) as engine:
        assert isinstance(engine, PostgresEngine)
        before = _chunk_versions(on_pgserver)
        on_pgserver.repo.commit("Change", record(3, "And an egret."))
        assert on_pgserver.update(engine)["adrs"] == Counts(updated=1)
    after = _chunk_versions(on_pgserver)
    assert len(before) == len(after)
    assert len(after - before) == 2


def test_an_index_is_the_same_with_one_process_and_with_two(
    on_pgserver: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_pgserver.begin(records(700))
    other = clone(on_pgserver, tmp_path / "fork")
    other.repo.git("remote", "set-url", "origin", f"https://git.example/x/{tmp_path.name}.git")
    other.configure(on_pgserver.model)
    begun = []
    start = reading_ahead.cutting_process

    def counted(root: Path, kind: str, *rest: Any) -> Any:
        begun.append(kind)
        return start(root, kind, *rest)

    monkeypatch.setattr(reading_ahead, "cutting_process", counted)
    for subject, cores in ((on_pgserver, 2), (other, 1)):
        monkeypatch.setattr(reading_ahead, "usable_cores", lambda cores=cores: cores)
        subject.refresh()
    assert begun == ["adrs"]
    assert _content(on_pgserver) == _content(other)
    assert len(_content(other)) > 700


def _content(subject: Subject) -> list[tuple[object, ...]]:
    """What is stored of each chunk of the repository."""
    with psycopg.connect(subject.environ[DSN]) as connection:
        name = subject.repo.git("remote", "get-url", "origin").strip()[len("https://") : -4]
        return connection.execute(
            "SELECT d.path, d.title, d.hash, d.chunks, c.anchor, c.section, c.first_line, c.hash,"
            " c.length, c.tokens, c.text, c.words::text FROM sdd.chunks AS c"
            " JOIN sdd.documents AS d ON d.repository = c.repository AND d.id = c.document"
            " JOIN sdd.repositories AS r ON r.id = c.repository WHERE r.name = %s"
            " ORDER BY d.path, c.first_line, c.anchor",
            (name,),
        ).fetchall()


def _chunk_versions(subject: Subject) -> set[tuple[object, ...]]:
    """The id of each chunk of the repository, with the transaction that has written it."""
    with psycopg.connect(subject.environ[DSN]) as connection:
        name = subject.repo.git("remote", "get-url", "origin").strip()[len("https://") : -4]
        return set(
            connection.execute(
                "SELECT c.id, c.xmin::text FROM sdd.chunks AS c"
                " JOIN sdd.repositories AS r ON r.id = c.repository WHERE r.name = %s",
                (name,),
            ).fetchall()
        )


def test_a_moved_document_keeps_its_vectors(filled: Subject) -> None:
    with filled.opened() as engine:
        assert engine.coverage().pending > 0
        # Other tests may have embedded these texts on the same server.
        assert engine.embed().remaining == 0
    filled.repo.git("mv", "docs/adrs/ADR-0002-x.md", "docs/adrs/ADR-0002-moved.md")
    filled.repo.commit("Move")
    assert filled.refresh()["adrs"] == Counts(updated=1)
    with filled.opened() as engine:
        assert engine.coverage().pending == 0
    assert filled.paths("moved", "adrs") == ["docs/adrs/ADR-0002-moved.md"]


def test_a_text_that_another_repository_has_embedded_is_not_embedded_again(
    filled: Subject, tmp_path: Path
) -> None:
    # Other tests embed the other texts, on the same server.
    text = f"# ADR-0099: The folder {tmp_path.name}\n"
    filled.repo.commit("More", {"docs/adrs/ADR-0099-folder.md": text})
    filled.refresh()
    with filled.opened() as engine:
        assert engine.embed().embedded > 0
    other = clone(filled, tmp_path / "fork")
    remote = other.repo.git("remote", "get-url", "origin").strip()
    other.repo.git("remote", "set-url", "origin", remote.replace("/team/", "/fork/"))
    other.configure(filled.model)
    other.refresh("adrs", "code")
    with other.opened() as engine:
        report = engine.embed()
        assert (report.embedded, report.remaining) == (0, 0)


def test_an_exchanged_vector_comes_back_unchanged(filled: Subject, tmp_path: Path) -> None:
    with filled.opened() as engine:
        assert isinstance(engine, ExchangesVectors)
        assert isinstance(engine, ComparesMeaning)
        engine.embed()
        given = engine.exchange()
        vectors = list(given.vectors(given.keys()))
        assert {len(vector) for _, vector in vectors} == {given.dimensions}
        assert given.held() == set(given.keys())
    other = clone(filled, tmp_path / "fork")
    other.repo.git("remote", "set-url", "origin", f"https://git.example/x/{tmp_path.name}.git")
    other.configure(filled.model)
    other.refresh()
    with other.opened() as engine:
        assert isinstance(engine, ExchangesVectors)
        taken = engine.exchange()
        assert taken.adopt(given.dimensions, vectors) == len(vectors)
        assert list(taken.vectors(taken.keys())) == vectors
        assert engine.coverage().pending == 0


def test_texts_with_characters_that_postgresql_refuses_are_indexed(on_pgserver: Subject) -> None:
    text = "# T\U0010ffff00\n\n## Decision\n\n" + "a " * 9000 + "heron \0 egret \U0010ffff\n"
    on_pgserver.begin({"docs/adrs/ADR-0001-x.md": text})
    on_pgserver.refresh()
    with on_pgserver.opened() as engine:
        assert engine.check() == []
        assert engine.embed().failed == 0


def test_a_repository_without_a_remote_is_refused_in_one_line(on_pgserver: Subject) -> None:
    on_pgserver.begin(records(1))
    on_pgserver.repo.git("remote", "remove", "origin")
    with pytest.raises(EngineUnavailable, match="git remote add origin URL"):
        on_pgserver.open()


def test_faults_are_found(filled: Subject) -> None:
    with psycopg.connect(filled.environ[DSN], autocommit=True) as connection:
        name = filled.repo.git("remote", "get-url", "origin").strip()[len("https://") : -4]
        connection.execute(
            "UPDATE sdd.chunks SET text = text || 'x' WHERE repository ="
            " (SELECT id FROM sdd.repositories WHERE name = %s) AND section = 'Decision Outcome'",
            (name,),
        )
    with filled.opened() as engine:
        assert engine.check() == ["5 chunks with a wrong hash: run `sdd index update --full`"]


def test_a_schema_of_a_newer_version_is_refused(pgserver: PostgresServer) -> None:
    dsn = pgserver.dsn(pgserver.database())
    address = find_address({DSN: dsn})
    with connect(address) as connection:
        assert migrate(connection) == len(MIGRATIONS)
        assert migrate(connection) == 0
        connection.execute("UPDATE sdd.version SET number = 99")
        with pytest.raises(StorageError, match="newer sdd"):
            migrate(connection)


@pytest.fixture
def reader(filled: Subject, pgserver: PostgresServer) -> Mapping[str, str]:
    """The environment of a role that may read the repository."""
    dsn = filled.environ[DSN]
    role = f"r{os.urandom(4).hex()}"
    name = filled.repo.git("remote", "get-url", "origin").strip()[len("https://") : -4]
    with connect(find_address({DSN: dsn})) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN".encode())
        grant(connection, OrganisationGrant(role, name, "read"))
    return {**filled.environ, DSN: dsn.replace("user=postgres", f"user={role}")}


def test_a_reader_searches_and_its_refreshes_are_silent(
    filled: Subject, reader: Mapping[str, str]
) -> None:
    laptop = replace(filled, environ=reader)
    laptop.repo.commit("Local", record(7))
    assert laptop.paths("heron4") == ["docs/adrs/ADR-0004-x.md"]
    with pytest.raises(ReadOnlyIndex, match="may not write"):
        refresh(laptop.project)
    assert prime(laptop.project, 0.0).warnings == ()
    assert laptop.paths("heron7") == []


def test_a_search_of_all_repositories_shows_those_of_the_role(
    filled: Subject, reader: Mapping[str, str], tmp_path: Path
) -> None:
    other = clone(filled, tmp_path / "other")
    other.repo.git("remote", "set-url", "origin", f"https://git.example/x/{tmp_path.name}.git")
    other.configure(filled.model)
    other.repo.commit("Secret", record(8, "heron4 heron4"))
    other.refresh()
    query = Query((SubQuery("lex", "heron4"),), limit=50)
    everything = {}
    for environ in (reader, filled.environ):
        with connect(find_address(environ)) as connection, connection.transaction():
            scope = find_scope(connection, None)
            # As in an index with more chunks than can be looked at one by one.
            for chosen in (scope, scope._replace(repositories=None)):
                hits = search(connection, chosen, query, None, QueryVectors({}))
                everything[environ[DSN], chosen.repositories] = {hit.repository for hit in hits}
    own = filled.repo.git("remote", "get-url", "origin").strip()[len("https://") : -4]
    for (dsn, _), names in everything.items():
        if dsn == reader[DSN]:
            assert names == {own}
        else:
            assert names > {own}


@pytest.mark.parametrize("server", ["pgserver", "citus"])
def test_the_index_of_vectors_finds_what_a_comparison_of_each_one_finds(
    server: str, request: pytest.FixtureRequest
) -> None:
    subject: Subject = request.getfixturevalue(f"on_{server}")
    subject.begin(records(30))
    subject.refresh()
    with subject.opened() as engine:
        engine.embed()
    name = subject.repo.git("remote", "get-url", "origin").strip()[len("https://") : -4]
    model = ConfiguredModel(subject.model, subject.repo.root, subject.environ)
    (vector,) = model.load().embed(["Decision 7: we choose heron7"])
    with connect(find_address(subject.environ)) as connection, connection.transaction():
        (number,) = connection.execute(
            "SELECT id FROM sdd.repositories WHERE name = %s", (name,)
        ).fetchone() or (0,)
        space = find_space(connection, model.id, "int8")
        assert space
        small = find_scope(connection, [number])
        large = small._replace(chunks=1_000_000)
        found = [
            {
                (one.match.key, one.match.cosine, one.path)
                for one in search_nearest(connection, scope, space, vector, 200)
            }
            for scope in (small, large)
        ]
    assert found[0] == found[1]
    assert len(found[0]) >= 30
    assert {path for _, _, path in found[0]} >= set(records(30))
