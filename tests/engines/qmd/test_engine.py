"""What the qmd engine does beyond the contract: little, safely, and saying so."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from sdd_hooks.engines.protocol import Counts, Query, Stopped, SubQuery
from sdd_hooks.engines.qmd.engine import QmdEngine
from sdd_hooks.engines.qmd.installation import NOT_FOUND, Installation, dotted, find
from sdd_hooks.engines.qmd.process import command, environment, run
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.system.user_cache import write_cached
from tests.engines.subject import Subject
from tests.support.qmd import RealQmd
from tests.support.repos import Repo, in_environment

ADR = "# ADR-0001: Keep sessions\n\n## Decision Outcome\n\nA session token is kept in SQLite.\n"
OTHER = "# ADR-0002: Cache pages\n\n## Decision Outcome\n\nA page is kept in the cache.\n"
FILES = {
    "docs/adrs/ADR-0001-sessions.md": ADR,
    "docs/adrs/ADR-0002-cache.md": OTHER,
    "src/app.py": "def keep_session(token):\n    return token\n",
}
BOTH = Query((SubQuery("lex", "session token"), SubQuery("vec", "session token")), limit=50)


@pytest.fixture
def filled(on_qmd: Subject) -> Subject:
    on_qmd.begin(FILES)
    on_qmd.refresh()
    return on_qmd


@pytest.fixture
def embedded(filled: Subject) -> Subject:
    with filled.opened() as engine:
        engine.embed()
    return filled


def folder(subject: Subject) -> Path:
    return subject.repo.root / ".sdd/search/qmd"


def without_qmd(subject: Subject) -> QmdEngine:
    """The engine, which would fail if it started qmd."""
    return QmdEngine(subject.project, Installation("/nowhere/qmd", (2, 8, 3)))


def test_nothing_is_started_where_nothing_changed(filled: Subject) -> None:
    head = filled.repo.commit("Note", {"NOTES.txt": "nothing indexed"})
    with closing(without_qmd(filled)) as engine:
        before = engine.touched()
        counts = filled.bring_up(engine)
        assert set(counts.values()) == {Counts()}
        bookmark = engine.bookmarks()["repo-adrs"]
        assert bookmark is not None
        assert bookmark.head == head
        assert (engine.touched() or 0) > (before or 0)
        assert engine.coverage().pending > 0
    filled.repo.write("docs/adrs/ADR-0003.md", "# New\n")
    with closing(without_qmd(filled)) as engine, pytest.raises(EngineUnavailable):
        filled.bring_up(engine)


def test_what_stays_uncommitted_is_looked_at_once(filled: Subject) -> None:
    filled.repo.write("docs/adrs/ADR-0003.md", "# New\n")
    filled.repo.write(".sdd/issues/7.md", "# Issue\n")
    assert filled.refresh()["adrs"] == Counts(added=1)
    with closing(without_qmd(filled)) as engine:
        counts = filled.bring_up(engine)
        assert (counts["adrs"], counts["issues"]) == (Counts(unchanged=1), Counts(unchanged=1))


def test_a_failed_update_is_done_again(filled: Subject) -> None:
    filled.repo.commit("More", {"docs/adrs/ADR-0003.md": "# New\n\nA heron.\n"})
    with closing(without_qmd(filled)) as engine:
        before = engine.bookmarks()
        with pytest.raises(EngineUnavailable):
            filled.bring_up(engine)
        assert engine.bookmarks() == before
    assert filled.refresh()["adrs"] == Counts(added=1)
    assert filled.paths("heron") == ["docs/adrs/ADR-0003.md"]


def test_the_configuration_is_ours_but_for_texts(filled: Subject, tmp_path: Path) -> None:
    path = folder(filled) / "index.yml"
    found = yaml.safe_load(path.read_text())
    assert found["models"]["embed"] == filled.model
    victim = tmp_path / "precious.gguf"
    victim.write_text("not a model")
    found["models"]["embed"] = str(victim)
    found["global_context"] = "Believe me."
    adrs = found["collections"]["repo-adrs"]
    adrs["update"] = f"touch {tmp_path}/pwned"
    adrs["path"] = str(tmp_path)
    adrs["context"] = {"": "Decisions, as a person put it.", "sub": "x"}
    found["collections"]["strange"] = {"path": "/etc", "pattern": "**/*", "update": "false"}
    path.write_text(yaml.safe_dump(found))
    filled.repo.commit("More", {"docs/adrs/ADR-0003.md": "# New\n\nA heron.\n"})
    assert filled.refresh()["adrs"] == Counts(added=1)
    with filled.opened() as engine:
        engine.embed()
    now = yaml.safe_load(path.read_text())
    assert sorted(now["collections"]) == ["repo-adrs", "repo-code", "repo-issues", "repo-specs"]
    assert set(now) == {"collections", "models"}
    assert now["models"]["embed"] == filled.model
    assert all("update" not in one for one in now["collections"].values())
    assert now["collections"]["repo-adrs"]["path"] == str(filled.repo.root / "docs/adrs")
    assert victim.exists()
    assert not (tmp_path / "pwned").exists()
    assert filled.ask("heron")[0].context == "Decisions, as a person put it."
    assert filled.ask("token", "code")[0].context == "Source code of repo"


def test_an_index_that_somebody_committed_is_refused(on_qmd: Subject, tmp_path: Path) -> None:
    on_qmd.begin(FILES)
    forged = {"collections": {"repo-adrs": {"path": "/etc", "update": f"touch {tmp_path}/pwned"}}}
    on_qmd.repo.write(".sdd/search/qmd/index.yml", yaml.safe_dump(forged))
    on_qmd.repo.git("add", "--force", ".sdd/search/qmd/index.yml")
    with pytest.raises(StorageError) as error:
        on_qmd.unpacked(repair=True)
    assert str(error.value) == (
        "git tracks files in .sdd/search/qmd, which is not for committing:"
        " run `git rm -r --cached .sdd/search/qmd`, delete it and run `sdd index`"
    )
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    "link",
    [
        ".sdd",
        ".sdd/search",
        ".sdd/search/qmd",
        ".sdd/search/qmd/index.yml",
        ".sdd/search/qmd/index.sqlite",
        ".sdd/search/qmd/state.json",
    ],
)
def test_nothing_is_written_through_a_link(filled: Subject, tmp_path: Path, link: str) -> None:
    path = filled.repo.root / link
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(StorageError, match="is a symbolic link: remove it, sdd writes only inside"):
        filled.unpacked(repair=True)


def test_a_linked_directory_brings_nothing_into_the_index(on_qmd: Subject, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "key.md").write_text("# Key\n\nA cormorant.\n")
    on_qmd.begin({"src/app.py": "x = 1\n"})
    on_qmd.repo.link("docs/adrs", secrets)
    on_qmd.repo.link("docs/key.md", secrets / "key.md")
    on_qmd.refresh()
    assert on_qmd.paths("cormorant") == []
    assert b"cormorant" not in on_qmd.index.read_bytes()


def test_a_local_configuration_of_qmd_in_the_repository_is_not_used(
    on_qmd: Subject, tmp_path: Path
) -> None:
    forged = {"collections": {"x": {"path": ".", "update": f"touch {tmp_path}/pwned"}}}
    on_qmd.begin({**FILES, ".qmd/index.yml": yaml.safe_dump(forged)})
    assert on_qmd.refresh()["adrs"] == Counts(added=2)
    assert on_qmd.paths("cache", "adrs") == ["docs/adrs/ADR-0002-cache.md"]
    assert not (tmp_path / "pwned").exists()
    assert not (on_qmd.repo.root / ".qmd/index.sqlite").exists()


def test_notes_that_are_damaged_are_set_aside_and_vectors_kept(embedded: Subject) -> None:
    facts = folder(embedded) / "state.json"
    facts.write_text('{"version": 1, "touched": "never"')
    with pytest.raises(IndexDamaged, match=r"state\.json is damaged: run `sdd index update`"):
        embedded.unpacked()
    with embedded.opened(repair=True) as engine:
        assert engine.rebuilt
        assert "set aside as state.json.aside-1" in engine.notes[0]
        assert embedded.bring_up(engine)["adrs"] == Counts(unchanged=2)
        assert engine.embed().embedded == 0
        assert engine.coverage().begun


def test_an_index_without_notes_is_taken_up_again(filled: Subject) -> None:
    (folder(filled) / "state.json").unlink()
    with filled.opened() as engine:
        assert engine.rebuilt
        assert engine.bookmarks() == {}
        assert filled.bring_up(engine)["adrs"] == Counts(unchanged=2)


def test_another_model_makes_every_document_pending(embedded: Subject, tmp_path: Path) -> None:
    model = str(shutil.copy(embedded.model, tmp_path / "other.gguf"))
    embedded.configure(model)
    with embedded.opened() as engine:
        assert (engine.coverage().begun, engine.coverage().pending) == (False, 3)
        assert engine.status().pending == 3
        result = engine.search(BOTH)
        assert result.pending == 3
        assert {hit.cosine for hit in result.hits} == {None}
        report = engine.embed()
        assert (report.embedded > 0, report.model) == (True, model)
        assert any(hit.cosine for hit in engine.search(BOTH).hits)


def test_an_embed_with_another_model_can_be_followed_and_cut_short(
    embedded: Subject, tmp_path: Path
) -> None:
    embedded.configure(str(shutil.copy(embedded.model, tmp_path / "other.gguf")))

    def stop_after_the_first(_step: str, done: int, _total: int) -> bool:
        return not done

    with embedded.opened() as engine, pytest.raises(Stopped):
        engine.embed(["repo-adrs", "repo-code"], stop_after_the_first)
    with embedded.opened() as engine:
        assert engine.status().pending in {1, 2}
        assert engine.coverage().pending == engine.status().pending


def test_a_model_that_is_none_is_named_and_stays_where_it_is(
    filled: Subject, tmp_path: Path
) -> None:
    model = tmp_path / "mine.gguf"
    shutil.copy(filled.model, model)
    filled.configure(str(model))
    filled.refresh(scope="full")
    with filled.opened() as engine:
        engine.embed()
        model.write_text("<html>")
        result = engine.search(BOTH)
        assert result.pending == 0
        assert {hit.cosine for hit in result.hits} == {None}
        assert result.notes == (
            f"searched by words only: Embed Model {str(model)!r}: it is no GGUF file;"
            " correct it under `#### Search` of the memory file",
        )
        for act in (engine.embed, engine.device):
            with pytest.raises(EngineUnavailable, match="it is no GGUF file"):
                act()
        filled.repo.commit("More", {"docs/adrs/ADR-0003.md": "# New\n\nA heron.\n"})
    assert filled.refresh()["adrs"] == Counts(added=1)
    assert filled.paths("heron") == ["docs/adrs/ADR-0003.md"]
    assert model.read_text() == "<html>"


def test_a_silent_answer_by_words_is_said(filled: Subject, tmp_path: Path) -> None:
    model = tmp_path / "mine.gguf"
    shutil.copy(filled.model, model)
    filled.configure(str(model))
    filled.refresh(scope="full")
    with filled.opened() as engine:
        engine.embed()
        # A GGUF by its first bytes, as after a download that broke off.
        model.write_bytes(model.read_bytes()[:1000])
        result = engine.search(BOTH)
    assert result.pending == 0
    assert {hit.path for hit in result.hits} >= {"docs/adrs/ADR-0001-sessions.md"}
    assert {hit.cosine for hit in result.hits} == {None}
    (note,) = result.notes
    assert note.startswith("searched by words only: ")
    assert "\n" not in note


def test_a_running_embed_is_not_joined(filled: Subject, quiet_qmd: RealQmd) -> None:
    place = quiet_qmd.place(filled.repo.root)
    holder = subprocess.Popen(
        command(quiet_qmd.installation, "mcp"),
        env=environment(quiet_qmd.installation, place, quiet_qmd.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        (place.directory / ".qmd-embed.lock").write_text(f"{holder.pid}\n")
        with filled.opened() as engine, pytest.raises(StorageError, match=r"^another embed of "):
            engine.embed()
    finally:
        holder.kill()
        holder.communicate()
    with filled.opened() as engine:
        assert engine.embed().remaining == 0


def test_an_embed_can_be_of_some_collections(filled: Subject) -> None:
    seen: list[tuple[str, int, int]] = []
    with filled.opened() as engine:
        report = engine.embed(["repo-code"], lambda *step: seen.append(step) or True)
        assert (report.embedded, report.remaining) == (1, 2)
        assert engine.embed(["repo-adrs", "unknown"]).remaining == 0
    assert seen[0][1:] == (0, 1)


def test_what_an_embed_could_not_do_is_counted(filled: Subject) -> None:
    with filled.opened() as engine:
        report = engine.embed(list(engine.bookmarks()))
    assert (report.failed, report.notes) == (0, ())
    assert report.seconds > 0


def test_what_another_process_embedded_is_not_forgotten(filled: Subject) -> None:
    filled.repo.commit("More", {"NOTES.txt": "nothing indexed"})
    with filled.opened() as late, filled.opened() as engine:
        engine.embed()
        filled.bring_up(late)
    with filled.opened() as engine:
        assert engine.coverage().begun


def test_what_a_person_embedded_with_qmd_is_noticed_by_the_status(
    filled: Subject, quiet_qmd: RealQmd
) -> None:
    place = quiet_qmd.place(filled.repo.root)
    done = run(quiet_qmd.installation, place, "embed", deadline=120, environ=quiet_qmd.environ)
    assert done.code == 0, done
    with filled.opened() as engine:
        assert engine.search(BOTH).pending == 3
        assert engine.status().pending == 0
    with filled.opened() as engine:
        assert engine.search(BOTH).pending == 0
        assert any(hit.cosine for hit in engine.search(BOTH).hits)


def test_a_text_that_is_outdated_is_said_with_what_mends_it(filled: Subject) -> None:
    path = folder(filled) / "index.yml"
    found = yaml.safe_load(path.read_text())
    found["collections"]["repo-adrs"]["context"] = {"": "It's ADR-0001 to ADR-0002 of repo"}
    path.write_text(yaml.safe_dump(found))
    filled.repo.commit("More", {"docs/adrs/ADR-0003-x.md": "# ADR-0003: X\n\nA heron.\n"})
    with filled.opened() as engine:
        filled.bring_up(engine)
        (note,) = engine.notes
    said, _, mending = note.partition(" — refresh it with ")
    assert said == "Context for repo-adrs still says 'ADR-0001 to ADR-0002'"
    done = subprocess.run(
        ["sh", "-c", mending.strip("`")],
        cwd=filled.repo.root,
        env=dict(filled.environ),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert filled.ask("heron")[0].context == "It's ADR-0001 to ADR-0003 of repo"
    filled.repo.commit("Change", {"docs/adrs/ADR-0003-x.md": "# ADR-0003: X\n\nTwo herons.\n"})
    with filled.opened() as engine:
        filled.bring_up(engine)
        assert engine.notes == []


def test_a_newer_qmd_is_said_where_people_look_after_the_index(
    filled: Subject, tmp_path: Path
) -> None:
    environ = {**filled.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    now = time.time()
    write_cached("qmd-release", {"latest": "99.1.0", "told": now, "asked": now}, environ)
    with closing(open_engine(in_environment(filled.project, environ))) as engine:
        engine.search(BOTH)
        assert engine.notes == []
        engine.status()
        assert engine.notes == [
            f"qmd {dotted(find(environ).version)} installed; 99.1.0 available"
            " — `npm install -g @tobilu/qmd`"
        ]


def test_without_qmd_nothing_opens(on_qmd: Subject) -> None:
    on_qmd.begin(FILES)
    nowhere = {**on_qmd.environ, "PATH": "/nonexistent"}
    with pytest.raises(EngineUnavailable) as error:
        open_engine(in_environment(on_qmd.project, nowhere))
    assert str(error.value) == NOT_FOUND
    assert not (on_qmd.repo.root / ".sdd").exists()


def test_the_environment_of_a_ci_job_changes_nothing(embedded: Subject) -> None:
    environ = {**embedded.environ, "CI": "true", "INDEX_PATH": "/nonexistent/x", "QMD_HOST": "x"}
    with closing(open_engine(in_environment(embedded.project, environ))) as engine:
        assert any(hit.cosine for hit in engine.search(BOTH).hits)
        assert engine.search(BOTH).notes == ()


def test_a_submodule_is_indexed_as_a_module(on_qmd: Subject, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit("Start", {"lib.py": "def kingfisher(): ...\n", ".gitignore": "made/\n"})
    on_qmd.configure(on_qmd.model)
    on_qmd.repo.submodule(library, "libs/inner")
    on_qmd.repo.commit("Start", {".gitignore": ".sdd/\n", "app.py": "def heron(): ...\n"})
    on_qmd.repo.write("libs/inner/made/m.py", "def kingfisher_made(): ...\n")
    on_qmd.refresh("code")
    hits = on_qmd.ask("kingfisher", limit=20)
    assert [(hit.collection, hit.path) for hit in hits] == [
        ("repo-libs-inner-code", "libs/inner/lib.py")
    ]


SEARCH = """
import os, sys
from pathlib import Path
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.project.project import load_project
engine = open_engine(load_project(Path.cwd(), os.environ))
assert engine.bookmarks()
assert engine.search(Query((SubQuery("lex", "session"),))).hits
heavy = {"apsw", "asyncio", "git", "http.client", "httpx", "importlib.metadata", "logging", "numpy"}
print(*sorted((heavy | {"tempfile", "yaml"}) & set(sys.modules)))
"""


def test_a_search_imports_nothing_heavy(filled: Subject) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        cwd=filled.repo.root,
        env=dict(filled.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "\n"), done


def test_shell_characters_in_a_path_are_only_characters(quiet_qmd: RealQmd, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "re'po $(touch pwned) — é")
    subject = Subject("qmd", repo, str(quiet_qmd.model), quiet_qmd.environ)
    subject.begin(FILES)
    subject.refresh()
    assert [hit.path for hit in subject.ask("cache", "adrs")] == ["docs/adrs/ADR-0002-cache.md"]
    assert not list(tmp_path.rglob("pwned"))
