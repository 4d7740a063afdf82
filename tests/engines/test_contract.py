"""The contract of every engine: real repositories, real indexes, the real qmd."""

from __future__ import annotations

import hashlib
from unicodedata import normalize

import pytest

from sdd_hooks.engines.protocol import Bookmark, CollectionChanges, Counts, Query, Stopped, SubQuery
from sdd_hooks.errors import NotIndexed
from sdd_hooks.project.collections import Collection
from sdd_hooks.retrieval.search import HitLimits, search
from tests.engines.subject import (
    Subject,
    subject_on_embedded,
    subject_on_postgres,
    subject_on_qmd,
)
from tests.support.repos import Repo

SESSIONS = (
    "---\nstatus: accepted\n---\n# Keep sessions in SQLite\n\n## Context\n\nWe need storage.\n\n"
    "## Decision Outcome\n\nWe store every session token in SQLite.\n"
)
CACHE = "# Cache pages in Redis\n\n## Decision Outcome\n\nPages are cached for an hour.\n"
QUEUE = "# Queue mail\n\n## Decision Outcome\n\nMail waits in a queue.\n"
SPEC = "# SPEC-0001: Login\n\n### Requirement: Token\n\nA token MUST expire.\n"
CODE = 'def parse_user_id(text):\n    """Read a number."""\n    return int(text)\n'
FILES = {
    "docs/adrs/ADR-0001-sessions.md": SESSIONS,
    "docs/adrs/ADR-0002-cache.md": CACHE,
    "docs/openspec/specs/login/spec.md": SPEC,
    "src/parse.py": CODE,
}


@pytest.fixture
def filled(request: pytest.FixtureRequest, subject: Subject) -> Subject:
    """An indexed repository, for one test."""
    if subject.name == "qmd":
        restored: Subject = request.getfixturevalue("filled_on_qmd")(FILES)
        return restored
    subject.begin(FILES)
    subject.refresh()
    return subject


@pytest.fixture(scope="module", params=["embedded", "pgserver", "debian", "citus", "qmd"])
def unchanged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """An indexed repository, which tests must not change."""
    folder = tmp_path_factory.mktemp("unchanged")
    repo = Repo.init(folder / "repo")
    if request.param == "qmd":
        subject = subject_on_qmd(repo, request.getfixturevalue("quiet_qmd"))
    elif request.param == "embedded":
        subject = subject_on_embedded(repo, folder / "tiny")
    else:
        dsn = request.getfixturevalue(f"{request.param}_dsn")
        subject = subject_on_postgres(repo, folder / "tiny", dsn)
    subject.begin(FILES)
    subject.refresh()
    return subject


@pytest.fixture
def filled_locally(request: pytest.FixtureRequest, local_subject: Subject) -> Subject:
    if local_subject.name == "qmd":
        restored: Subject = request.getfixturevalue("filled_on_qmd")(FILES)
        return restored
    local_subject.begin(FILES)
    local_subject.refresh()
    return local_subject


def test_collections_exist_before_their_first_update(subject: Subject) -> None:
    subject.begin(FILES)
    with subject.opened() as engine:
        with pytest.raises(NotIndexed) as error:
            search(subject.project, engine, "token", subject.project.collections)
        name = "" if subject.name == "embedded" else f"{subject.name} "
        assert str(error.value) == f"No {name}collections found for repo. Run `sdd index` first."
        assert (engine.status().collections, engine.status().pending) == ((), 0)
        assert engine.bookmarks() == {}
        engine.ensure(subject.project.select(("adrs", "code")))
        assert engine.bookmarks() == {"repo-adrs": None, "repo-code": None}
    with subject.opened() as engine:
        assert engine.bookmarks() == {"repo-adrs": None, "repo-code": None}
        assert engine.touched() is None
        assert engine.search(Query((SubQuery("lex", "session"),))).hits == ()


def test_the_first_update_counts_every_document_that_is_not_left_out(subject: Subject) -> None:
    subject.begin({**FILES, ".gitignore": ".sdd/\nbuilt/\n*.local.py\n"})
    subject.repo.write("built/made.py", "def made_token(): ...\n")
    subject.repo.write("src/my.local.py", "def local_token(): ...\n")
    left_out = {
        "third_party/lib.py": "def vendored_token(): ...\n",
        "src/api_pb2.py": "def generated_token(): ...\n",
    }
    subject.repo.commit("Vendor and generate", left_out)
    inner = type(subject.repo).init(subject.repo.root / "other")
    inner.commit("Other", {"lib.py": "def foreign_token(): ...\n"})
    assert subject.refresh() == {
        "adrs": Counts(added=2),
        "specs": Counts(added=1),
        "code": Counts(added=1),
        "issues": Counts(),
    }
    assert subject.paths("token", "code") == []
    assert subject.paths("made_token", "code") == []


def test_the_index_follows_commits_and_branches(filled: Subject) -> None:
    filled.repo.git("switch", "--quiet", "-c", "other")
    filled.repo.commit("More", {"docs/adrs/ADR-0003-queue.md": QUEUE})
    assert filled.refresh()["adrs"] == Counts(added=1)
    filled.repo.commit("Change", {"docs/adrs/ADR-0003-queue.md": QUEUE + "\nFor a day.\n"})
    assert filled.refresh()["adrs"] == Counts(updated=1)
    filled.repo.git("switch", "--quiet", "main")
    assert filled.refresh()["adrs"] == Counts(removed=1)
    assert filled.paths("queue") == []
    filled.repo.git("switch", "--quiet", "other")
    assert filled.refresh()["adrs"] == Counts(added=1)
    assert filled.paths("queue") == ["docs/adrs/ADR-0003-queue.md"]
    assert filled.refresh()["adrs"] == Counts()
    assert filled.refresh(scope="full")["adrs"] == Counts(unchanged=3)


def test_files_that_are_not_committed_are_indexed(filled: Subject) -> None:
    """Also issues, which git ignores; endings match in either case, and whole names."""
    words = {
        "docs/adrs/ADR-0003-queue.md": "queue",
        "docs/adrs/ADR-0009-LOUD.MD": "megaphone",
        "Makefile": "gargoyle",
        ".sdd/issues/142.md": "walrus",
    }
    filled.repo.write("docs/adrs/ADR-0003-queue.md", QUEUE)
    filled.repo.write("docs/adrs/ADR-0009-LOUD.MD", "# Loud\n\n## Why\n\nMegaphone.\n")
    filled.repo.write("Makefile", "all:\n\techo gargoyle\n")
    filled.repo.write(".sdd/issues/142.md", "---\nid: 142\n---\n# Login fails\n\nA walrus.\n")
    counts = filled.refresh()
    assert [counts[kind].added for kind in ("adrs", "code", "issues")] == [2, 1, 1]
    assert [filled.paths(word) for word in words.values()] == [[path] for path in words]
    counts = filled.refresh()
    assert [counts[kind].unchanged for kind in ("adrs", "code", "issues")] == [2, 1, 1]
    filled.repo.write("docs/adrs/ADR-0003-queue.md", QUEUE.replace("Mail", "Post"))
    assert filled.refresh("adrs")["adrs"] == Counts(updated=1, unchanged=1)
    assert filled.paths("post", "adrs") == ["docs/adrs/ADR-0003-queue.md"]
    filled.repo.remove("docs/adrs/ADR-0003-queue.md")
    filled.repo.remove(".sdd/issues/142.md")
    counts = filled.refresh("adrs", "issues")
    assert (counts["adrs"].removed, counts["issues"].removed) == (1, 1)
    assert filled.paths("queue") == filled.paths("walrus") == []


def test_a_renamed_document_is_found_by_its_new_name(filled: Subject) -> None:
    filled.repo.git("mv", "docs/adrs/ADR-0001-sessions.md", "docs/adrs/ADR-0001-renamed.md")
    filled.repo.commit("Rename")
    counts = filled.refresh()["adrs"]
    assert counts in {Counts(updated=1), Counts(added=1, removed=1)}
    assert filled.paths("session", "adrs") == ["docs/adrs/ADR-0001-renamed.md"]


def test_a_hit_has_the_document_section_and_lines(unchanged: Subject) -> None:
    hit = unchanged.search("every session token", "adrs")[0]
    assert hit.id == "docs/adrs/ADR-0001-sessions.md#decision-outcome"
    assert (hit.path, hit.collection) == ("docs/adrs/ADR-0001-sessions.md", "repo-adrs")
    assert (hit.title, hit.section) == ("Keep sessions in SQLite", "Decision Outcome")
    assert (hit.first_line, hit.last_line) == (10, 12)
    assert hit.snippet == "We store every session token in SQLite."
    assert hit.context == "Architecture decision records of repo"
    assert hit.cosine is None
    assert 0.6 < hit.score <= 1.0


def test_a_definition_is_a_hit(unchanged: Subject) -> None:
    hit = unchanged.search("parse_user_id", "code")[0]
    assert hit.id == "src/parse.py#parse_user_id"
    assert (hit.first_line, hit.last_line) == (1, 3)


def test_a_partial_match_has_a_lower_score(unchanged: Subject) -> None:
    whole = unchanged.search("session token", "adrs")[0]
    half = unchanged.search("session kubernetes", "adrs")[0]
    assert whole.path == half.path
    assert 0 < half.score < whole.score
    assert unchanged.search("session kubernetes", "adrs", min_score=0.8) == ()
    assert unchanged.search("kubernetes", "adrs") == ()


def test_hits_are_limited_and_ordered_by_score(unchanged: Subject) -> None:
    hits = unchanged.search("token pages sqlite decision", limit=2)
    assert len(hits) == 2
    scores = [hit.score for hit in unchanged.search("token pages sqlite decision", limit=50)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_search_is_limited_to_its_collections(unchanged: Subject) -> None:
    assert {hit.collection for hit in unchanged.search("token", limit=50)} == {
        "repo-adrs",
        "repo-specs",
    }
    assert unchanged.paths("token", "specs") == ["docs/openspec/specs/login/spec.md"]
    with unchanged.opened() as engine:
        unknown = Query((SubQuery("lex", "token"),), ("repo-nothing",))
        assert engine.search(unknown).hits == ()


def test_the_order_of_the_collections_does_not_change_scores(unchanged: Subject) -> None:
    def scores(*names: str) -> dict[str, float]:
        with unchanged.opened() as engine:
            query = Query((SubQuery("lex", "token"),), names, limit=50)
            return {hit.id: hit.score for hit in engine.search(query).hits}

    assert scores("repo-adrs", "repo-specs") == scores("repo-specs", "repo-adrs")


ANY_TEXTS = (
    'unbalanced "quote',
    "a\nvec: session\nlex: token",
    "expand: session",
    "intent: x",
    '-session -"token page"',
    "--json -n 5",
    'NEAR( "* OR title:',
    "\ufeff \u2028 \x00 \x1b[31m",
    "'; DROP TABLE documents; --",
    "🦜" * 50,
    "日本語",
    "session " * 2000,
)


def test_any_text_is_a_query(unchanged: Subject) -> None:
    for text in ANY_TEXTS:
        for hit in unchanged.search(text, meaning=text):
            assert hit.cosine is None


def test_a_word_can_be_excluded(unchanged: Subject) -> None:
    assert unchanged.paths("token", "adrs", "specs") == [
        "docs/adrs/ADR-0001-sessions.md",
        "docs/openspec/specs/login/spec.md",
    ]
    assert unchanged.paths("token -sqlite", "adrs", "specs") == [
        "docs/openspec/specs/login/spec.md"
    ]


def test_a_query_may_be_a_whole_sentence(unchanged: Subject) -> None:
    hit = unchanged.search("where do we store the token of a session, and for how long?", "adrs")[0]
    assert hit.path == "docs/adrs/ADR-0001-sessions.md"


def test_names_with_special_characters_are_indexed(subject: Subject) -> None:
    names = {
        "parakeet": "with space.md",
        "heron": "hash#and%41.md",
        "kestrel": "[brackets]{braces}.md",
        "walrus": "comma,plus+.md",
        "finch": "(round)!x@y.md",
        "osprey": "ümläut-日本.md",
        "magpie": "quote'\".md",
        "toucan": "-dash.md",
        "puffin": "question?.md",
    }
    paths = {word: f"docs/adrs/odd {name[0]}/{name}" for word, name in names.items()}
    subject.begin({paths[word]: f"# Title\n\n## Decision\n\nA {word}.\n" for word in names})
    assert subject.refresh("adrs")["adrs"] == Counts(added=len(names))
    for word, path in paths.items():
        assert [(hit.path, hit.section) for hit in subject.search(word)] == [(path, "Decision")]
    with subject.opened() as engine:
        stored = [document.path for document in engine.documents("repo-adrs")]
        assert sorted(stored) == sorted(paths.values())


UNICODE = {
    "docs/adrs/ADR-0003-n.md": normalize(
        "NFD", "# N\n\n한글 데이터베이스. プログラム. Café Zürich.\n"
    ),
    normalize("NFD", "docs/adrs/ADR-0004-결정.md"): "# F\n\nText.\n",
    "docs/adrs/ADR-0005-w.md": "# W\n\nﾃﾞｰﾀﾍﾞｰｽ ＰｏｓｔｇｒｅＳＱＬ conﬁguration Straße Kafka™.\n",
}
TYPED = {
    "3": (
        "데이터베이스",
        normalize("NFD", "데이터베이스"),
        "プログラム",
        "café",
        normalize("NFD", "Zürich"),
    ),
    "4": ("결정",),
    "5": ("データベース", "PostgreSQL", "configuration", "STRASSE", "kafka", "ｋａｆｋａ"),
}


def test_text_is_compared_as_unicode_says(subject: Subject) -> None:
    subject.begin(UNICODE)
    subject.refresh()
    missed = [
        (number, query)
        for number, queries in TYPED.items()
        # qmd reads files itself: it finds no compatibility forms.
        if subject.name != "qmd" or number != "5"
        for query in queries
        if f"ADR-000{number}" not in "".join(hit.path for hit in subject.search(query))
    ]
    assert missed == []


def test_a_collection_may_have_several_directories(subject: Subject) -> None:
    text = "# One\n\n## Decision\n\nA finch.\n"
    directories = ("docs/adrs", "docs/more [old]/adr", "lib/decisions")
    files = {f"{directory}/deep/a.md": text for directory in directories}
    subject.begin({**files, "docs/b.md": text, "docs/more/c.md": text, "lib/decisions.md": text})
    several = Collection("repo-adrs", "adrs", "", "", directories, (".md",), "", (), "Decisions.")
    with subject.opened() as engine:
        engine.ensure([several])
        changes = CollectionChanges(several, tuple(files), True, None)
        assert engine.update([changes])["repo-adrs"] == Counts(added=3)
        result = engine.search(Query((SubQuery("lex", "finch"),)))
        assert sorted(hit.path for hit in result.hits) == sorted(files)
        assert sorted(document.path for document in engine.documents("repo-adrs")) == sorted(files)


def test_a_pattern_selects_the_files(subject: Subject) -> None:
    text = "# One\n\n## Notes\n\nA heron.\n"
    inside = {"kb/notes/a.md": text, "kb/notes/deep/b.txt": text}
    subject.begin({**inside, "kb/notes/c.rst": text, "kb/a.md": text})
    notes = Collection(
        "notes", "notes", "", "", ("kb",), (), "notes/**/*.{md,t[wx]t}", (), "Notes."
    )
    with subject.opened() as engine:
        engine.ensure([notes])
        changes = CollectionChanges(notes, tuple(inside), True, None)
        assert engine.update([changes])["notes"] == Counts(added=2)
        result = engine.search(Query((SubQuery("lex", "heron"),)))
        assert sorted(hit.path for hit in result.hits) == sorted(inside)


def test_documents_have_their_current_content(unchanged: Subject) -> None:
    with unchanged.opened() as engine:
        first, second = engine.documents("repo-adrs")
        assert engine.documents("unknown") == []
    assert (first.id, first.path) == (f"{first.path}#file", "docs/adrs/ADR-0001-sessions.md")
    assert (first.collection, first.title) == ("repo-adrs", "Keep sessions in SQLite")
    assert first.content_hash == f"sha256:{hashlib.sha256(SESSIONS.encode()).hexdigest()}"
    assert (first.chunks, second.chunks) == (3, 2)


def test_a_bookmark_is_stored_with_the_change(filled: Subject) -> None:
    (adrs,) = filled.project.select(("adrs",))
    head = filled.repo.head()
    with filled.opened() as engine:
        stored = engine.bookmarks()["repo-adrs"]
        assert stored == Bookmark(head, (), adrs.definition())
        filled.repo.write("docs/adrs/ADR-0003-queue.md", QUEUE)
        paths = ("docs/adrs/ADR-0003-queue.md",)
        engine.update([CollectionChanges(adrs, paths, False, None)])
        assert engine.bookmarks()["repo-adrs"] == stored
        engine.update([CollectionChanges(adrs, paths, False, Bookmark(head, paths, "x"))])
    with filled.opened() as engine:
        assert engine.bookmarks()["repo-adrs"] == Bookmark(head, paths, "x")
        assert engine.bookmarks()["repo-specs"] == Bookmark(
            head, (), filled.project.select(("specs",))[0].definition()
        )


def test_only_an_update_of_all_collections_touches_the_index(filled: Subject) -> None:
    with filled.opened() as engine:
        whole = engine.touched()
    assert whole is not None
    filled.refresh("adrs")
    with filled.opened() as engine:
        assert engine.touched() == whole
    filled.refresh("adrs", "specs", "code")
    with filled.opened() as engine:
        assert (engine.touched() or 0) > whole


def test_the_status_has_counts_and_the_location(unchanged: Subject) -> None:
    with unchanged.opened() as engine:
        status = engine.status()
    assert status.engine == unchanged.name
    assert [(entry.name, entry.kind, entry.documents) for entry in status.collections] == [
        ("repo-adrs", "adrs", 2),
        ("repo-code", "code", 1),
        ("repo-issues", "issues", 0),
        ("repo-specs", "specs", 1),
    ]
    assert status.model
    assert status.bytes > 0
    assert status.pending > 0
    server = unchanged.environ.get("SDD_POSTGRES_DSN", "").partition(" ")[0].removeprefix("host=")
    assert (server or str(unchanged.repo.root / ".sdd/search")) in status.location
    assert status.collections[0].bookmark is not None


def test_removing_a_collection_leaves_the_others(filled: Subject) -> None:
    with filled.opened() as engine:
        engine.remove(["repo-adrs", "unknown"])
        assert sorted(engine.bookmarks()) == ["repo-code", "repo-issues", "repo-specs"]
        assert engine.check() == []
    assert filled.paths("token") == ["docs/openspec/specs/login/spec.md"]
    assert filled.refresh("adrs")["adrs"] == Counts(added=2)
    assert "docs/adrs/ADR-0001-sessions.md" in filled.paths("token")


def test_all_collections_can_be_removed(filled: Subject) -> None:
    with filled.opened() as engine:
        engine.remove(list(engine.bookmarks()))
        assert engine.bookmarks() == {}
    with filled.opened() as engine:
        assert engine.bookmarks() == {}
        assert not engine.rebuilt
        assert engine.status().collections == ()


def test_a_damaged_index_is_set_aside_and_rebuilt(filled_locally: Subject) -> None:
    filled_locally.index.write_bytes(b"x" * 20_000)
    for journal in ("-wal", "-shm"):
        filled_locally.index.with_name(f"{filled_locally.index.name}{journal}").unlink(
            missing_ok=True
        )
    with filled_locally.opened(repair=True) as engine:
        assert engine.rebuilt or engine.check()
    filled_locally.repo.commit("Queue", {"docs/adrs/ADR-0003-queue.md": QUEUE})
    assert filled_locally.refresh()["adrs"] == Counts(added=3)
    assert filled_locally.paths("queue") == ["docs/adrs/ADR-0003-queue.md"]
    search = filled_locally.repo.root / ".sdd/search"
    assert [path for path in search.iterdir() if ".aside-" in path.name]


def test_a_lost_index_is_rebuilt(filled_locally: Subject) -> None:
    filled_locally.index.unlink()
    for journal in ("-wal", "-shm"):
        filled_locally.index.with_name(f"{filled_locally.index.name}{journal}").unlink(
            missing_ok=True
        )
    with filled_locally.opened(repair=True) as engine:
        assert all(bookmark is None for bookmark in engine.bookmarks().values())
        assert filled_locally.update(engine)["adrs"] == Counts(added=2)
    assert filled_locally.paths("cached") == ["docs/adrs/ADR-0002-cache.md"]


def test_a_reset_starts_an_empty_index_with_a_note(filled: Subject) -> None:
    with filled.opened() as engine:
        engine.reset("the index is broken: run something")
        assert engine.rebuilt
        assert engine.bookmarks() == {}
        assert "the index is broken; " in engine.notes[-1]
        assert filled.update(engine)["adrs"] == Counts(added=2)
        assert engine.check() == []


def test_the_check_finds_faults_only_in_a_damaged_index(filled_locally: Subject) -> None:
    with filled_locally.opened() as engine:
        assert engine.check() == []
    data = filled_locally.index.read_bytes()
    filled_locally.index.write_bytes(data[:4096] + b"\x55" * (len(data) - 4096))
    for journal in ("-wal", "-shm"):
        filled_locally.index.with_name(f"{filled_locally.index.name}{journal}").unlink(
            missing_ok=True
        )
    with filled_locally.opened() as engine:
        assert engine.check()


def test_a_progress_callback_may_stop_an_update_before_it_stores_anything(filled: Subject) -> None:
    filled.repo.commit("Queue", {"docs/adrs/ADR-0003-queue.md": QUEUE})
    seen: list[int] = []

    def stop(_step: str, done: int, total: int) -> bool:
        seen.extend([done, total])
        return False

    with pytest.raises(Stopped):
        filled.refresh(progress=stop)
    assert seen == [0, 1]
    assert filled.refresh()["adrs"] == Counts(added=1)


def test_the_search_is_by_meaning_only_while_every_chunk_has_a_vector(filled: Subject) -> None:
    with filled.opened() as engine:
        before = engine.coverage()
        assert (before.begun, before.pending > 0) == (False, True)
        project, text = filled.project, "token of a user"
        result = search(project, engine, text, project.select(("adrs",)), HitLimits(min_score=0))
        assert result.pending > 0
        assert result.notes == (
            f"{result.pending} chunks unembedded"
            " — vector/hybrid search disabled until `sdd index embed` runs",
        )
        assert [hit.cosine for hit in result.hits if hit.cosine is not None] == []
        report = engine.embed()
        assert report.embedded > 0
        assert (report.remaining, report.failed) == (0, 0)
        assert report.model == engine.status().model
        assert report.device == engine.device() == "cpu"
    with filled.opened() as engine:
        assert engine.embed().embedded == 0
        after = engine.coverage()
        assert (after.begun, after.pending) == (True, 0)
        assert engine.status().pending == 0
        result = search(project, engine, text, project.select(("adrs",)), HitLimits(min_score=0))
        assert (result.pending, result.notes) == (0, ())
        hits = {hit.path: hit for hit in result.hits}
        best = hits["docs/adrs/ADR-0001-sessions.md"]
        assert best.cosine is not None
        assert 0 < best.cosine <= 1
    filled.repo.commit("Queue", {"docs/adrs/ADR-0003-queue.md": QUEUE})
    filled.refresh()
    with filled.opened() as engine:
        assert engine.coverage().pending > 0
        assert engine.coverage().begun
        result = search(project, engine, text, project.select(("adrs",)), HitLimits(min_score=0))
        assert result.pending > 0
        assert [hit.cosine for hit in result.hits if hit.cosine is not None] == []
