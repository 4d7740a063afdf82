"""What the qmd engine does beyond the contract: little, safely, and saying so."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from sdd_hooks.engines.protocol import Counts, KnowsTitles, Query, Stopped, SubQuery
from sdd_hooks.engines.qmd.engine import QmdEngine
from sdd_hooks.engines.qmd.installation import (
    NOT_FOUND,
    Installation,
    qmd_program,
    run_qmd,
)
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.system.processes import end_program, start_program
from tests.engines.subject import Subject, subject_on_qmd
from tests.support.programs import run_python
from tests.support.qmd import RealQmd
from tests.support.repos import Repo, in_environment
from tests.support.snapshots import Snapshot

ADR = "# ADR-0001: Keep sessions\n\n## Decision Outcome\n\nA session token is kept in SQLite.\n"
OTHER = "# ADR-0002: Cache pages\n\n## Decision Outcome\n\nA page is kept in the cache.\n"
FILES = {
    "docs/adrs/ADR-0001-sessions.md": ADR,
    "docs/adrs/ADR-0002-cache.md": OTHER,
    "src/app.py": "def keep_session(token):\n    return token\n",
}
BOTH = Query((SubQuery("lex", "session token"), SubQuery("vec", "session token")), limit=50)


@pytest.fixture
def filled(filled_on_qmd: Callable[[Mapping[str, str]], Subject]) -> Subject:
    return filled_on_qmd(FILES)


@pytest.fixture(scope="session")
def embedded_once(
    quiet_qmd: RealQmd, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Subject, Snapshot]:
    repo = Repo.init(tmp_path_factory.mktemp("embedded") / "repo")
    subject = subject_on_qmd(repo, quiet_qmd)
    subject.begin(FILES)
    subject.refresh()
    with subject.opened() as engine:
        engine.embed()
    return subject, Snapshot(repo)


@pytest.fixture
def embedded(embedded_once: tuple[Subject, Snapshot]) -> Subject:
    subject, snapshot = embedded_once
    snapshot.restore()
    return subject


def folder(subject: Subject) -> Path:
    return subject.repo.root / ".sdd/search/qmd"


def without_qmd(subject: Subject) -> QmdEngine:
    """An engine that fails if it starts qmd."""
    return QmdEngine(subject.project, Installation("/nowhere/qmd", (2, 8, 3)))


def test_qmd_does_not_run_without_a_change(filled: Subject) -> None:
    head = filled.repo.commit("Note", {"NOTES.txt": "nothing indexed"})
    with closing(without_qmd(filled)) as engine:
        before = engine.touched()
        counts = filled.update(engine)
        assert set(counts.values()) == {Counts()}
        bookmark = engine.bookmarks()["repo-adrs"]
        assert bookmark is not None
        assert bookmark.head == head
        assert (engine.touched() or 0) > (before or 0)
        assert engine.coverage().pending > 0
    filled.repo.write("docs/adrs/ADR-0003.md", "# New\n")
    with closing(without_qmd(filled)) as engine, pytest.raises(EngineUnavailable):
        filled.update(engine)


def test_a_failed_update_is_repeated(filled: Subject) -> None:
    filled.repo.commit("More", {"docs/adrs/ADR-0003.md": "# New\n\nA heron.\n"})
    with closing(without_qmd(filled)) as engine:
        before = engine.bookmarks()
        with pytest.raises(EngineUnavailable):
            filled.update(engine)
        assert engine.bookmarks() == before
    assert filled.refresh()["adrs"] == Counts(added=1)
    assert filled.paths("heron") == ["docs/adrs/ADR-0003.md"]


def test_only_descriptions_of_the_configuration_are_kept(filled: Subject, tmp_path: Path) -> None:
    """Scenario "An edited description" of SPEC-0006."""
    path = folder(filled) / "index.yml"
    config = yaml.safe_load(path.read_text())
    assert config["models"]["embed"] == filled.model
    victim = tmp_path / "precious.gguf"
    victim.write_text("not a model")
    config["models"]["embed"] = str(victim)
    config["global_context"] = "Injected."
    adrs = config["collections"]["repo-adrs"]
    adrs["update"] = f"touch {tmp_path}/pwned"
    adrs["path"] = str(tmp_path)
    adrs["context"] = {"": "Decisions, as edited by a user.", "sub": "x"}
    config["collections"]["strange"] = {"path": "/etc", "pattern": "**/*", "update": "false"}
    path.write_text(yaml.safe_dump(config))
    filled.repo.commit("More", {"docs/adrs/ADR-0003.md": "# New\n\nA heron.\n"})
    assert filled.refresh()["adrs"] == Counts(added=1)
    with filled.opened() as engine:
        engine.embed()
    rewritten = yaml.safe_load(path.read_text())
    assert sorted(rewritten["collections"]) == [
        "repo-adrs",
        "repo-code",
        "repo-issues",
        "repo-specs",
    ]
    assert set(rewritten) == {"collections", "models"}
    assert rewritten["models"]["embed"] == filled.model
    assert all("update" not in entry for entry in rewritten["collections"].values())
    assert rewritten["collections"]["repo-adrs"]["path"] == str(filled.repo.root / "docs/adrs")
    assert victim.exists()
    assert not (tmp_path / "pwned").exists()
    assert filled.search("heron")[0].context == "Decisions, as edited by a user."
    assert filled.search("token", "code")[0].context == "Source code of repo"


def test_a_committed_index_is_refused(on_qmd: Subject, tmp_path: Path) -> None:
    on_qmd.begin(FILES)
    forged = {"collections": {"repo-adrs": {"path": "/etc", "update": f"touch {tmp_path}/pwned"}}}
    on_qmd.repo.write(".sdd/search/qmd/index.yml", yaml.safe_dump(forged))
    on_qmd.repo.git("add", "--force", ".sdd/search/qmd/index.yml")
    with pytest.raises(StorageError) as error:
        on_qmd.open(repair=True)
    assert str(error.value) == (
        "git tracks files in .sdd/search/qmd, which is not for committing:"
        " run `git rm -r --cached .sdd/search/qmd`, delete it and run `sdd index`"
    )
    assert not (tmp_path / "pwned").exists()


def test_a_link_in_the_path_is_refused(filled: Subject, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    files = (f".sdd/search/qmd/{name}" for name in ("index.yml", "index.sqlite", "state.json"))
    for link in (".sdd", ".sdd/search", ".sdd/search/qmd", *files):
        path = filled.repo.root / link
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        with pytest.raises(StorageError) as error:
            filled.open(repair=True)
        expected = f"{link} is a symbolic link: remove it, sdd writes only inside"
        assert expected in str(error.value)
        path.unlink()
        elsewhere.rename(path)


def test_files_of_a_linked_directory_are_not_indexed(on_qmd: Subject, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "key.md").write_text("# Key\n\nA cormorant.\n")
    on_qmd.begin({"src/app.py": "x = 1\n"})
    on_qmd.repo.link("docs/adrs", secrets)
    on_qmd.repo.link("docs/key.md", secrets / "key.md")
    on_qmd.refresh()
    assert on_qmd.paths("cormorant") == []
    assert b"cormorant" not in on_qmd.index.read_bytes()


def test_a_committed_configuration_of_qmd_is_ignored(on_qmd: Subject, tmp_path: Path) -> None:
    forged = {"collections": {"x": {"path": ".", "update": f"touch {tmp_path}/pwned"}}}
    on_qmd.begin({**FILES, ".qmd/index.yml": yaml.safe_dump(forged)})
    assert on_qmd.refresh()["adrs"] == Counts(added=2)
    assert on_qmd.paths("cache", "adrs") == ["docs/adrs/ADR-0002-cache.md"]
    assert not (tmp_path / "pwned").exists()
    assert not (on_qmd.repo.root / ".qmd/index.sqlite").exists()


def test_a_damaged_state_file_is_set_aside_and_vectors_are_kept(embedded: Subject) -> None:
    state = folder(embedded) / "state.json"
    state.write_text('{"version": 1, "touched": "never"')
    with pytest.raises(IndexDamaged, match=r"state\.json is damaged: run `sdd index update`"):
        embedded.open()
    with embedded.opened(repair=True) as engine:
        assert engine.rebuilt
        assert "set aside as state.json.aside-1" in engine.notes[0]
        assert embedded.update(engine)["adrs"] == Counts(unchanged=2)
        assert engine.embed().embedded == 0
        assert engine.coverage().begun


def test_an_index_without_a_state_file_is_kept(filled: Subject) -> None:
    (folder(filled) / "state.json").unlink()
    with filled.opened() as engine:
        assert engine.rebuilt
        assert engine.bookmarks() == {}
        assert filled.update(engine)["adrs"] == Counts(unchanged=2)


def test_titles_come_from_the_index(filled: Subject) -> None:
    titles = [
        ("docs/adrs/ADR-0001-sessions.md", "ADR-0001: Keep sessions"),
        ("docs/adrs/ADR-0002-cache.md", "ADR-0002: Cache pages"),
    ]
    filled.repo.remove("docs/adrs/ADR-0002-cache.md")
    with filled.opened() as engine:
        assert isinstance(engine, KnowsTitles)
        assert engine.titles("repo-adrs") == titles
        assert engine.titles("unknown") == []


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


def test_a_stopped_embed_with_another_model_keeps_its_vectors(
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


def test_an_invalid_model_is_an_error_and_is_not_deleted(filled: Subject, tmp_path: Path) -> None:
    model = tmp_path / "mine.gguf"
    shutil.copy(filled.model, model)
    filled.configure(str(model))
    filled.refresh(scope="full")
    with filled.opened() as engine:
        engine.embed()
    reason = (
        f"Embed Model {str(model)!r}: it is not a GGUF file;"
        " correct it under `#### Search` of the memory file"
    )
    # Of the first one only the first bytes are valid, as after an interrupted download.
    for content, end in ((model.read_bytes()[:1000], ""), (b"<html>", reason)):
        model.write_bytes(content)
        with filled.opened() as engine:
            result = engine.search(BOTH)
        assert result.pending == 0
        assert {hit.path for hit in result.hits} >= {"docs/adrs/ADR-0001-sessions.md"}
        assert {hit.cosine for hit in result.hits} == {None}
        (note,) = result.notes
        assert note.startswith("searched by words only: ")
        assert note.endswith(end)
        assert "\n" not in note
    with filled.opened() as engine:
        for operation in (engine.embed, engine.device):
            with pytest.raises(EngineUnavailable, match="it is not a GGUF file"):
                operation()
    filled.repo.commit("More", {"docs/adrs/ADR-0003.md": "# New\n\nA heron.\n"})
    assert filled.refresh()["adrs"] == Counts(added=1)
    assert filled.paths("heron") == ["docs/adrs/ADR-0003.md"]
    assert model.read_bytes() == b"<html>"


def test_a_second_embed_at_the_same_time_is_refused(filled: Subject, quiet_qmd: RealQmd) -> None:
    folder = quiet_qmd.index_folder(filled.repo.root)
    mcp = qmd_program(quiet_qmd.installation, folder, "mcp", environ=quiet_qmd.environ)
    holder = start_program(mcp, subprocess.PIPE)
    try:
        (folder.path / ".qmd-embed.lock").write_text(f"{holder.pid}\n")
        with filled.opened() as engine, pytest.raises(StorageError, match=r"^another embed of "):
            engine.embed()
    finally:
        end_program(holder)
    with filled.opened() as engine:
        assert engine.embed().remaining == 0


def test_an_embed_can_be_limited_to_collections(filled: Subject) -> None:
    steps: list[tuple[str, int, int]] = []
    with filled.opened() as engine:
        report = engine.embed(["repo-code"], lambda *step: steps.append(step) or True)
        assert (report.embedded, report.remaining) == (1, 2)
        report = engine.embed(["repo-adrs", "unknown"])
    assert (report.remaining, report.failed, report.notes) == (0, 0, ())
    assert report.seconds > 0
    assert steps[0][1:] == (0, 1)


def test_an_update_keeps_the_state_of_an_embed_in_another_process(filled: Subject) -> None:
    filled.repo.commit("More", {"NOTES.txt": "nothing indexed"})
    with filled.opened() as late, filled.opened() as engine:
        engine.embed()
        filled.update(late)
    with filled.opened() as engine:
        assert engine.coverage().begun


def test_the_status_notices_an_embed_by_the_user(filled: Subject, quiet_qmd: RealQmd) -> None:
    folder = quiet_qmd.index_folder(filled.repo.root)
    done = run_qmd(quiet_qmd.installation, folder, "embed", timeout=120, environ=quiet_qmd.environ)
    assert done.code == 0, done
    with filled.opened() as engine:
        assert engine.search(BOTH).pending == 3
        assert engine.status().pending == 0
    with filled.opened() as engine:
        assert engine.search(BOTH).pending == 0
        assert any(hit.cosine for hit in engine.search(BOTH).hits)


def test_without_qmd_the_engine_does_not_open(on_qmd: Subject) -> None:
    on_qmd.begin(FILES)
    nowhere = {**on_qmd.environ, "PATH": "/nonexistent"}
    with pytest.raises(EngineUnavailable) as error:
        open_engine(in_environment(on_qmd.project, nowhere))
    assert str(error.value) == NOT_FOUND
    assert not (on_qmd.repo.root / ".sdd").exists()


def test_a_submodule_is_indexed_as_a_module(on_qmd: Subject, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit("Start", {"lib.py": "def kingfisher(): ...\n", ".gitignore": "made/\n"})
    on_qmd.configure(on_qmd.model)
    on_qmd.repo.submodule(library, "libs/inner")
    on_qmd.repo.commit("Start", {".gitignore": ".sdd/\n", "app.py": "def heron(): ...\n"})
    on_qmd.repo.write("libs/inner/made/m.py", "def kingfisher_made(): ...\n")
    on_qmd.refresh("code")
    hits = on_qmd.search("kingfisher", limit=20)
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
    done = run_python(SEARCH, cwd=filled.repo.root, env=dict(filled.environ), check=False)
    assert (done.returncode, done.stdout) == (0, "\n"), done


def test_shell_characters_in_a_path_are_literal(quiet_qmd: RealQmd, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "re'po $(touch pwned) — é")
    subject = Subject("qmd", repo, str(quiet_qmd.model), quiet_qmd.environ)
    subject.begin(FILES)
    subject.refresh()
    assert [hit.path for hit in subject.search("cache", "adrs")] == ["docs/adrs/ADR-0002-cache.md"]
    assert not list(tmp_path.rglob("pwned"))
