"""Every trap of the real qmd that running it falls into, and does not here."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.qmd.group import end_program, start
from sdd_hooks.engines.qmd.output import (
    LEXICAL_ONLY,
    complaint,
    parse_embed,
    parse_listing,
    parse_pending,
    parse_results,
    parse_update,
)
from sdd_hooks.engines.qmd.process import run
from sdd_hooks.errors import EngineUnavailable
from tests.engines.qmd.conftest import RECORDS, Indexed, index
from tests.engines.qmd.fakes import environment, program
from tests.support.qmd import RealQmd
from tests.support.waiting import until
from tests.system.test_processes import gone

JSON = ("--format", "json", "--explain", "--no-rerank")


def test_ci_in_our_environment_does_not_stop_a_query_by_meaning(embedded: Indexed) -> None:
    done = embedded.run("query", "vec: token", *JSON, CI="true")
    assert done.code == 0, done
    assert parse_results(done.out)[0].path == "a.md"
    # As qmd would do with it.
    refused = subprocess.run(
        embedded.command("query", "vec: token", *JSON),
        env={**embedded.environ, "CI": "true"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert refused.returncode == 1


def test_variables_and_files_that_point_elsewhere_are_not_followed(
    unembedded: Indexed, tmp_path: Path
) -> None:
    root = unembedded.place.root
    # Anybody may commit this; `qmd update` would run its command and index what it names.
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


def test_only_our_directory_is_written(real_qmd: RealQmd, tmp_path: Path) -> None:
    indexed = index(real_qmd, tmp_path / "shop", RECORDS)
    inside = {
        path.relative_to(indexed.place.root).as_posix()
        for path in indexed.place.root.rglob("*")
        if path.is_file()
    }
    assert {path for path in inside if path not in RECORDS} <= {
        f".sdd/search/qmd/{name}"
        for name in ("index.yml", "index.sqlite", "index.sqlite-shm", "index.sqlite-wal")
    }
    home = Path(real_qmd.environ["HOME"])
    assert not list(home.rglob("*.sqlite"))


def test_a_chunk_longer_than_the_model_reads_does_not_abort(
    real_qmd: RealQmd, tmp_path: Path
) -> None:
    # So short that a chunk by its length has more of them than the 512 a BERT model takes.
    text = " ".join(("ci", "go")[number % 2] for number in range(1500))
    indexed = index(real_qmd, tmp_path, {"docs/adrs/long.md": f"# Long\n\n{text}\n"})
    done = indexed.run("embed")
    assert (done.code, "truncated to fit embedding context (500 tokens)" in done.err) == (0, True)
    outcome = parse_embed(done.out, done.err)
    assert outcome.embedded > 1
    assert (outcome.failed, outcome.device) == (0, "cpu")
    assert parse_pending(indexed.run("status").out) == 0


def test_names_that_are_odd_come_through(real_qmd: RealQmd, tmp_path: Path) -> None:
    names = [
        "a  b.md", "c%20d.md", "e#f?.md", "g[1].md", "é.md", "h\ni.md", "-j.md", "k'l\"m.md",
        "p\tq.md",
    ]  # fmt: skip
    indexed = index(real_qmd, tmp_path, {f"docs/adrs/{name}": "# Heron\n" for name in names})
    assert parse_update(indexed.run("update").out)["shop-adrs"] == Counts(unchanged=len(names))
    listed = parse_listing(indexed.run("ls", "shop-adrs").out, "shop-adrs")
    assert sorted(listed) == sorted(names)
    found = parse_results(indexed.run("query", "lex: heron", *JSON, "-n", "50").out)
    assert sorted(one.path for one in found) == sorted(names)


def test_a_second_embed_is_told_that_one_is_running(unembedded: Indexed) -> None:
    # qmd takes a lock for held when the process in it is a qmd.
    holder = start("qmd", unembedded.command("mcp"), Path("/"), unembedded.environ, -1)
    try:
        (unembedded.place.directory / ".qmd-embed.lock").write_text(f"{holder.pid}\n")
        done = unembedded.run("embed")
    finally:
        end_program(holder)
    assert done.code == 0
    assert parse_embed(done.out, done.err).busy
    done = unembedded.run("embed")
    assert parse_embed(done.out, done.err).embedded == len(RECORDS)


def test_a_model_that_is_not_there(unembedded: Indexed) -> None:
    unembedded.qmd.declare(unembedded.place, "/nowhere/x.gguf", shop_adrs="docs/adrs")
    done = unembedded.run("embed")
    assert done.code == 1
    reason = 'No model file found at "/nowhere/x.gguf"'
    assert complaint(done.out, done.err) == reason


def test_an_answer_without_its_model_is_by_words_and_says_so_on_stderr(
    unembedded: Indexed,
) -> None:
    assert unembedded.run("embed").code == 0
    unembedded.qmd.declare(unembedded.place, "/nowhere/x.gguf", shop_adrs="docs/adrs")
    done = unembedded.run("query", "lex: token\nvec: page", *JSON)
    assert (done.code, LEXICAL_ONLY in done.err) == (0, True)
    (found,) = parse_results(done.out)
    assert [one.source for one in found.contributions] == ["fts"]


def test_an_unknown_collection_is_a_failure_of_the_command(embedded: Indexed) -> None:
    done = embedded.run("query", "lex: token", *JSON, "-c", "shop-nothing")
    assert done.code == 1
    assert complaint(done.out, done.err) == "Collection not found: shop-nothing"


def test_what_update_says_of_vectors_counts_by_another_model(embedded: Indexed) -> None:
    """Why `parse_pending` reads `qmd status`."""
    assert "unique hashes need vectors" in embedded.run("update").out
    assert parse_pending(embedded.run("status").out) == 0


def test_the_deadline_ends_the_real_qmd_too(unembedded: Indexed) -> None:
    started: list[int] = []

    def note(line: str) -> None:
        # Once it holds its lock, the process behind the launcher is there.
        if line.startswith("Model:"):
            lock = unembedded.place.directory / ".qmd-embed.lock"
            started.append(int(lock.read_text()))

    text = " ".join(("ci", "go")[number % 2] for number in range(500_000))
    (unembedded.place.root / "docs/adrs/long.md").write_text(f"# Long\n\n{text}\n")
    assert unembedded.run("update").code == 0
    with pytest.raises(EngineUnavailable, match="`qmd embed` did not end within 4 s"):
        run(
            unembedded.qmd.installation,
            unembedded.place,
            "embed",
            deadline=4,
            environ=unembedded.qmd.environ,
            on_line=note,
        )
    until(lambda: gone(started[0]))


def test_the_launcher_forwards_no_signal_which_is_why_the_group_is_ended(
    embedded: Indexed,
) -> None:
    launcher = start("qmd", embedded.command("mcp"), Path("/"), embedded.environ, -1)
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children")
    try:
        child = int(until(lambda: children.read_text().split() or None)[0])
        launcher.send_signal(signal.SIGTERM)
        launcher.wait(30)
        assert not gone(child)
    finally:
        end_program(launcher)
    until(lambda: gone(child))


def test_the_node_beside_qmd_comes_first(tmp_path: Path, real_qmd: RealQmd) -> None:
    program(tmp_path / "old/node", "echo too old >&2; exit 1")
    directory = Path(real_qmd.installation.command).parent
    environ = environment(tmp_path, tmp_path / "old", directory)
    done = run(
        real_qmd.installation, real_qmd.place(tmp_path), "--version", deadline=30, environ=environ
    )
    assert (done.code, done.err) == (0, "")


def test_a_query_that_looks_like_an_option_is_a_query(embedded: Indexed) -> None:
    done = embedded.run("query", "lex: --help -c token", *JSON, "-c", "shop-adrs")
    assert done.code == 0
    assert done.out.startswith("[")
