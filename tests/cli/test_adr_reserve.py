"""`sdd adr --reserve`: a number is reserved in the remote, for all clones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import ADR, on_terminal, run
from tests.support.repos import Repo

REF = "refs/sdd/numbers/adr-0002"


@pytest.fixture
def hub(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "hub.git", "--bare")


@pytest.fixture
def clone(hub: Repo, repo: Repo) -> Repo:
    repo.commit("Start", {"docs/adrs/ADR-0001-sqlite.md": ADR})
    repo.git("remote", "add", "origin", str(hub.root))
    repo.git("push", "-q", "-u", "origin", "main")
    assert run(repo.root, "index").code == 0
    return repo


def test_a_reserved_number_is_taken_for_all_clones(hub: Repo, clone: Repo, tmp_path: Path) -> None:
    done = run(clone.root, "adr", "Cache pages", "--reserve")
    assert done.out.splitlines()[:2] == [
        "created docs/adrs/ADR-0002-cache-pages.md",
        "reserved ADR-0002 for all clones",
    ]
    other = Repo(tmp_path / "other")
    hub.git("clone", "-q", str(hub.root), str(other.root))
    assert run(other.root, "index").code == 0
    data = run(other.root, "adr", "Hash keys", "--reserve", "--dry-run", "--json").json
    assert (data["id"], data["reservation"]) == ("ADR-0003", "")
    data = run(other.root, "adr", "Hash keys", "--json").json
    assert (data["id"], data["reservation"]) == ("ADR-0003", "")
    assert hub.git("for-each-ref", "--format=%(refname)", "refs/sdd") == REF
    clone.commit("Cache pages")
    clone.git("push", "-q")
    # The record is merged, so that its reservation is of no use.
    data = run(clone.root, "adr", "Sign cookies", "--reserve", "--json").json
    assert data["reservation"] == "refs/sdd/numbers/adr-0003"
    assert hub.git("for-each-ref", "--format=%(refname)", "refs/sdd") == data["reservation"]


def test_an_interrupted_command_takes_its_reservation_back(hub: Repo, clone: Repo) -> None:
    code, _ = on_terminal(clone.root, "\x03", "adr", "Replace SQLite by files", "--reserve")
    assert code == 130
    assert hub.git("for-each-ref", "refs/sdd") == ""
    assert clone.git("status", "--porcelain") == ""


def test_a_remote_that_cannot_be_reached(clone: Repo) -> None:
    clone.git("remote", "set-url", "origin", "missing.git")
    done = run(clone.root, "adr", "Cache pages", "--reserve")
    assert (done.code, done.out) == (8, "")
    assert done.err.startswith("sdd: origin cannot be reached (")
    done = run(clone.root, "adr", "Cache pages")
    assert done.code == 0
    assert "note: numbers that others reserved or propose in origin do not count: " in done.err
