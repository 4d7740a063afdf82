"""The installed qmd: finding it, and running it on the index of one work tree."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import (
    Installation,
    explain_failure,
    find_qmd,
    qmd_environment,
    run_qmd,
)
from sdd_hooks.engines.qmd.output import (
    first_error_line,
    parse_embed,
    parse_pending,
    parse_results,
    parse_update,
)
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.system.processes import ProgramResult, end_program, start_program
from sdd_hooks.system.user_cache import user_cache_directory
from tests.engines.qmd.conftest import RECORDS, Indexed, index
from tests.engines.qmd.fakes import environment, program
from tests.support.qmd import RealQmd
from tests.support.waiting import TIMEOUT, until
from tests.system.test_processes import gone

NOT_FOUND = (
    "qmd CLI not found. Install it with `npm install -g @tobilu/qmd` (or"
    " `bun install -g @tobilu/qmd`), then run `sdd init` again. See"
    " https://github.com/tobi/qmd for details."
)


def counting(path: Path, version: str) -> Path:
    """A qmd that prints this version, and records that it runs."""
    return program(path, f"echo x >>'{path.parent}/runs'; echo 'qmd {version} (abc)'")


def count_runs(path: Path) -> int:
    return (path.parent / "runs").read_text().count("x")


def test_the_real_qmd_is_found(real_qmd: RealQmd) -> None:
    found = find_qmd(real_qmd.environ)
    assert found.version >= (2, 8, 0)
    assert Path(found.command).is_absolute()


def test_without_qmd_the_error_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        find_qmd(environment(tmp_path))
    assert str(raised.value) == NOT_FOUND
    assert raised.value.exit_code == 6
    with pytest.raises(EngineUnavailable):
        find_qmd({})


def test_relative_entries_directories_and_plain_files_are_skipped(tmp_path: Path) -> None:
    relative = os.path.relpath(program(tmp_path / "here/qmd", "echo qmd 2.9.9").parent)
    assert Path(relative, "qmd").exists()
    (tmp_path / "a/qmd").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/qmd").write_text("#!/bin/sh\n")
    environ = environment(tmp_path, tmp_path / "a", tmp_path / "b")
    with pytest.raises(EngineUnavailable, match="not found"):
        find_qmd({**environ, "PATH": f".::{relative}:{environ['PATH']}"})
    good = program(tmp_path / "c/qmd", "echo qmd 2.9.1")
    found = find_qmd({**environ, "PATH": f"{environ['PATH']}:{good.parent}"})
    assert found == Installation(str(good), (2, 9, 1))


@pytest.mark.parametrize("version", ["2.7.0", "1.99.12", "0.0.1"])
def test_an_old_version_is_refused(tmp_path: Path, version: str) -> None:
    old = program(tmp_path / "bin/qmd", f"echo qmd {version}")
    with pytest.raises(EngineUnavailable) as raised:
        find_qmd(environment(tmp_path, old.parent))
    assert str(raised.value) == (
        f"qmd {version} at {old} is too old: sdd needs 2.8 or later,"
        " update it with `npm install -g @tobilu/qmd`"
    )


@pytest.mark.parametrize("version", ["2.8.0", "2.10.1", "3.0.0"])
def test_versions_are_compared_as_numbers(tmp_path: Path, version: str) -> None:
    good = program(tmp_path / "bin/qmd", f"echo qmd {version}")
    found = find_qmd(environment(tmp_path, good.parent))
    assert ".".join(map(str, found.version)) == version


@pytest.mark.parametrize("script", ["exit 0", "echo nonsense", "echo boom >&2; exit 1"])
def test_a_qmd_without_a_version_is_refused(tmp_path: Path, script: str) -> None:
    bad = program(tmp_path / "bin/qmd", script)
    with pytest.raises(EngineUnavailable, match=f"^{bad} does not say which qmd it is "):
        find_qmd(environment(tmp_path, bad.parent))


def test_the_version_is_cached_until_the_file_changes(tmp_path: Path) -> None:
    qmd = counting(tmp_path / "bin/qmd", "2.8.3")
    environ = environment(tmp_path, qmd.parent)
    assert find_qmd(environ) == find_qmd(environ) == Installation(str(qmd), (2, 8, 3))
    assert count_runs(qmd) == 1
    # Another file of the same size and times.
    before = qmd.stat()
    counting(tmp_path / "bin/new", "2.9.0").replace(qmd)
    os.utime(qmd, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert find_qmd(environ).version == (2, 9, 0)
    assert count_runs(qmd) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"file": 1, "version": []}', b"\xff" * 99])
def test_a_damaged_cache_is_ignored(tmp_path: Path, damage: bytes) -> None:
    qmd = counting(tmp_path / "bin/qmd", "2.8.3")
    environ = environment(tmp_path, qmd.parent)
    find_qmd(environ)
    (user_cache_directory(environ) / "qmd.json").write_bytes(damage)
    assert find_qmd(environ).version == (2, 8, 3)
    assert count_runs(qmd) == 2


def test_variables_that_change_the_index_are_not_inherited() -> None:
    environ = qmd_environment(
        "/opt/qmd/bin/qmd",
        {
            "PATH": "/usr/bin",
            "HOME": "/home/ada",
            "CI": "true",
            "FORCE_COLOR": "1",
            "GIT_DIR": "/x/.git",
            "GIT_INDEX_FILE": "/x/index",
            "INDEX_PATH": "/x",
            "QMD_CONFIG_DIR": "/x",
            "QMD_FORCE_CPU": "1",
            "QMD_HOST": "0.0.0.0",
            "QMD_TRUST_UPDATE_HOOKS": "1",
        },
    )
    assert environ == {
        "PATH": "/opt/qmd/bin:/usr/bin",
        "HOME": "/home/ada",
        "QMD_FORCE_CPU": "1",
        "NO_COLOR": "1",
    }


JSON = ("--format", "json", "--explain", "--no-rerank")


def test_the_variable_ci_does_not_fail_a_query_by_meaning(embedded: Indexed) -> None:
    done = embedded.run("query", "vec: token", *JSON, CI="true")
    assert done.code == 0, done
    assert parse_results(done.out)[0].path == "a.md"
    # With the variable, qmd itself fails.
    query = embedded.program("query", "vec: token", *JSON)
    refused = subprocess.run(
        query.command,
        env={**query.environ, "CI": "true"},
        capture_output=True,
        check=False,
        timeout=TIMEOUT,
    )
    assert refused.returncode == 1


def test_variables_and_files_that_name_another_index_are_ignored(
    unembedded: Indexed, tmp_path: Path
) -> None:
    root = unembedded.folder.root
    # With a committed file like this, `qmd update` would run its command and index its path.
    elsewhere = {"path": str(tmp_path), "pattern": "**/*", "update": f"touch {tmp_path}/ran"}
    (root / ".qmd").mkdir()
    (root / ".qmd/index.yml").write_text(json.dumps({"collections": {"evil": elsewhere}}))
    (root / "docs/adrs/d.md").write_text("# Herons\n")
    done = unembedded.run(
        "update",
        INDEX_PATH=str(tmp_path / "other.sqlite"),
        QMD_CONFIG_DIR=str(root / ".qmd"),
        QMD_TRUST_LOCAL_CONFIG="1",
        PWD=str(tmp_path),
        GIT_DIR=str(tmp_path),
    )
    assert parse_update(done.out) == {
        "shop-adrs": Counts(added=1, unchanged=2),
        "shop-specs": Counts(unchanged=1),
    }
    assert sorted(path.name for path in (root / ".qmd").iterdir()) == ["index.yml"]
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "other.sqlite").exists()


def test_qmd_writes_only_to_the_folder_of_the_index(real_qmd: RealQmd, tmp_path: Path) -> None:
    # Other tests share the home of the real qmd.
    home = tmp_path / "home"
    own = {"HOME": home, "XDG_CACHE_HOME": home / ".cache", "XDG_CONFIG_HOME": home / ".config"}
    environ = {**real_qmd.environ, **{name: str(path) for name, path in own.items()}}
    indexed = index(replace(real_qmd, environ=environ), tmp_path / "shop", RECORDS)
    written = {
        path.relative_to(indexed.folder.root).as_posix()
        for path in indexed.folder.root.rglob("*")
        if path.is_file()
    }
    assert {path for path in written if path not in RECORDS} <= {
        f".sdd/search/qmd/{name}"
        for name in ("index.yml", "index.sqlite", "index.sqlite-shm", "index.sqlite-wal")
    }
    assert not list(home.rglob("*.sqlite"))


def test_a_chunk_that_is_too_long_for_the_model_is_truncated(
    real_qmd: RealQmd, tmp_path: Path
) -> None:
    # Words so short that a chunk of the usual length has more than the 512 that BERT accepts.
    text = " ".join(("ci", "go")[number % 2] for number in range(1500))
    indexed = index(real_qmd, tmp_path, {"docs/adrs/long.md": f"# Long\n\n{text}\n"})
    done = indexed.run("embed")
    assert (done.code, "truncated to fit embedding context (500 tokens)" in done.err) == (0, True)
    output = parse_embed(done.out, done.err)
    assert output.embedded > 1
    assert (output.failed, output.device) == (0, "cpu")
    assert parse_pending(indexed.run("status").out) == 0


def test_an_unknown_collection_fails_the_query(embedded: Indexed) -> None:
    done = embedded.run("query", "lex: token", *JSON, "-c", "shop-nothing")
    assert done.code == 1
    assert first_error_line(done.out, done.err) == "Collection not found: shop-nothing"


def test_an_update_counts_vectors_of_another_model(embedded: Indexed) -> None:
    """Why `parse_pending` reads `qmd status`."""
    assert "unique hashes need vectors" in embedded.run("update").out
    assert parse_pending(embedded.run("status").out) == 0


def test_a_timeout_ends_the_real_qmd(unembedded: Indexed) -> None:
    started: list[int] = []

    def on_line(line: str) -> None:
        # The process behind the launcher has written its id to the lock.
        if line.startswith("Model:"):
            lock = unembedded.folder.path / ".qmd-embed.lock"
            started.append(int(lock.read_text()))

    text = " ".join(("ci", "go")[number % 2] for number in range(500_000))
    (unembedded.folder.root / "docs/adrs/long.md").write_text(f"# Long\n\n{text}\n")
    assert unembedded.run("update").code == 0
    # A slow machine loads the model after the first of these.
    for timeout in (4, 20, 100):
        with pytest.raises(EngineUnavailable, match=f"`qmd embed` did not end within {timeout} s"):
            run_qmd(
                unembedded.qmd.installation,
                unembedded.folder,
                "embed",
                timeout=timeout,
                environ=unembedded.qmd.environ,
                on_line=on_line,
            )
        if started:
            break
    until(lambda: gone(started[0]))


def test_the_launcher_forwards_no_signal_so_the_group_is_ended(
    embedded: Indexed,
) -> None:
    launcher = start_program(embedded.program("mcp"), subprocess.PIPE)
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children")
    try:
        child = int(until(lambda: children.read_text().split() or None)[0])
        launcher.send_signal(signal.SIGTERM)
        launcher.wait(TIMEOUT)
        assert not gone(child)
    finally:
        end_program(launcher)
    until(lambda: gone(child))


def test_the_node_of_qmd_is_first_in_the_path(tmp_path: Path, real_qmd: RealQmd) -> None:
    program(tmp_path / "old/node", "echo too old >&2; exit 1")
    directory = Path(real_qmd.installation.command).parent
    environ = environment(tmp_path, tmp_path / "old", directory)
    done = run_qmd(
        real_qmd.installation,
        real_qmd.index_folder(tmp_path),
        "--version",
        timeout=TIMEOUT,
        environ=environ,
    )
    assert (done.code, done.err) == (0, "")


def test_a_query_that_looks_like_an_option_is_a_query(embedded: Indexed) -> None:
    done = embedded.run("query", "lex: --help -c token", *JSON, "-c", "shop-adrs")
    assert done.code == 0
    assert done.out.startswith("[")


FOLDER = IndexFolder(Path("/r"), Path("/r/q"))


@pytest.mark.parametrize(
    ("err", "kind", "message"),
    [
        (
            "SqliteError: file is not a database\n    at x",
            IndexDamaged,
            "/r/q/index.sqlite is damaged: run `sdd index update`",
        ),
        ("database disk image is malformed", IndexDamaged, "/r/q/index.sqlite is damaged: run"),
        ("SqliteError: database is locked", StorageError, "is locked by another process: try"),
        ("database or disk is full", StorageError, "no space left to write /r/q/index.sqlite:"),
        (
            "attempt to write a readonly database",
            StorageError,
            "cannot use /r/q/index.sqlite (attempt to write a readonly database): check its",
        ),
        ("\x1b[31mModel gone\x1b[0m\nat", EngineUnavailable, "qmd update failed: Model gone"),
        ("", EngineUnavailable, "qmd update failed: it printed no error message"),
    ],
)
def test_a_failure_becomes_an_error_with_advice(
    err: str, kind: type[Exception], message: str
) -> None:
    error = explain_failure("update", ProgramResult(1, "", err), FOLDER)
    assert type(error) is kind
    assert message in str(error)
    assert "\n" not in str(error)
