"""Expected errors, each as one line with its exit code, and what still works."""

import os
import resource
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.cli.commands import ADR, FILES, SCRIPTS, one_line, run
from tests.cli.mounts import read_only, small_disk
from tests.support.programs import run_program
from tests.support.repos import Repo

COMMANDS = [
    ("init",),
    ("index",),
    ("index", "add"),
    ("index", "update"),
    ("index", "embed"),
    ("index", "status"),
    ("index", "remove", "--yes"),
    ("search", "database"),
    ("list",),
    ("hooks", "install"),
    ("hooks", "uninstall"),
    ("hooks", "status"),
]
every_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)

HOLD = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def tree(root):
    """Every file below `root` except those of git, with its content."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def found(repo, query="database"):
    """The paths that a search finds."""
    done = run(repo.root, "search", "--json", query)
    assert done.code == 0, done
    return [hit["path"] for hit in done.hits]


@contextmanager
def locked(database):
    """Another process writes the database."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, database],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield


@pytest.fixture
def indexed(repo):
    """A repository that is committed and indexed."""
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "add").code == 0
    return repo


@every_command
def test_not_a_repository(tmp_path, command):
    expected = f"{tmp_path} is not inside a git repository: run this inside one, or `git init`"
    assert one_line(run(tmp_path, *command), 3) == expected


@every_command
def test_a_bare_repository(tmp_path, command):
    bare = Repo.init(tmp_path / "bare.git", "--bare")
    expected = f"{bare.root} is a bare repository: sdd needs a work tree"
    assert one_line(run(bare.root, *command), 3) == expected


def test_inside_a_git_directory(repo):
    assert "inside a git directory" in one_line(run(repo.root / ".git", "list"), 3)


def test_a_removed_directory(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = run_program(
        "sh", "-c", f'rmdir "$PWD" && exec "{SCRIPTS / "sdd"}" list', cwd=gone, check=False
    )
    message = "sdd: the current directory no longer exists: change to another\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", message)


def test_no_git(repo):
    message = one_line(run(repo.root, "list", env={"PATH": "/nowhere"}), 3)
    assert message.startswith("git is not installed or not on PATH")


def test_a_repository_without_a_commit(repo):
    repo.write("docs/adrs/ADR-0001-sqlite.md", ADR)
    assert run(repo.root, "init", "--no-hooks").code == 0
    assert run(repo.root, "index").code == 0
    assert found(repo) == ["docs/adrs/ADR-0001-sqlite.md"]
    assert "ADR-0001" in run(repo.root, "list").out


def test_a_repository_without_anything(repo):
    indexed, embedded = run(repo.root, "index").out.splitlines()
    assert indexed == "nothing to index"
    assert embedded.startswith("nothing to embed (")
    assert found(repo) == []
    assert run(repo.root, "list").code == 0


@pytest.mark.parametrize("command", [("init", "--no-hooks"), ("index",), ("index", "update")])
def test_a_read_only_checkout_cannot_be_set_up(repo, command):
    repo.commit("Start", FILES)
    before = tree(repo.root)
    with read_only(repo.root):
        code = 4 if command == ("index", "update") else 7
        message = one_line(run(repo.root, *command), code)
    if code == 7:
        assert message.startswith("cannot write ")
        assert "ead-only" in message or "ermission denied" in message
    assert tree(repo.root) == before


def test_a_read_only_checkout_can_be_searched(indexed):
    with read_only(indexed.root):
        assert found(indexed) == ["docs/adrs/ADR-0001-sqlite.md"]
        assert run(indexed.root, "index", "status").code == 0
        assert run(indexed.root, "list").code == 0
        index = [
            c for c in run(indexed.root, "doctor", "--json").json["checks"] if c["name"] == "index"
        ]
        assert [check["level"] for check in index] == ["ok"]


def test_a_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 1800):
        repo = Repo.init(disk / "repo")
        text = "".join(f"Paragraph {n} about database number {n}.\n\n" for n in range(12_000))
        repo.commit("Start", {"docs/adrs/ADR-0001-long.md": f"# ADR-0001: Long\n\n{text}"})
        message = one_line(run(repo.root, "index", "add"), 7)
        assert "no space left" in message or "disk is full" in message
        repo.write("docs/adrs/ADR-0001-long.md", ADR)
        assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
        assert found(repo) == ["docs/adrs/ADR-0001-long.md"]


def test_a_locked_index(indexed):
    database = indexed.root / ".sdd" / "search" / "index.db"
    indexed.write("docs/adrs/ADR-0002-queue.md", "# ADR-0002: Use a queue\n")
    with locked(database):
        message = one_line(run(indexed.root, "index", "update"), 7)
        assert message == f"{database} is locked by another process: try again when it has finished"
        assert found(indexed) == ["docs/adrs/ADR-0001-sqlite.md"]
    assert run(indexed.root, "index", "update").code == 0
    assert found(indexed, "queue") == ["docs/adrs/ADR-0002-queue.md"]


NEEDING_AN_INDEX = [
    *[c for c in COMMANDS if c[0] in {"index", "search"}][3:],
    ("discover",),
    ("plan", "SPEC-0001"),
]


@pytest.mark.parametrize("command", NEEDING_AN_INDEX, ids=" ".join)
def test_not_indexed(repo, command):
    repo.commit("Start", FILES)
    before = tree(repo.root)
    message = one_line(run(repo.root, *command), 4)
    assert message == "No collections found for repo. Run `sdd index` first."
    assert tree(repo.root) == before


@pytest.mark.parametrize(
    "command",
    [("adr", "Switch to gRPC"), ("spec", "Auth"), ("status", "1", "deprecated"), ("audit",)],
    ids=" ".join,
)
def test_commands_that_make_the_index(repo, command):
    repo.commit("Start", FILES)
    assert run(repo.root, *command).code == 0
    assert "docs/adrs/ADR-0001-sqlite.md" in found(repo)


def test_an_unknown_engine(repo):
    text = "### SDD Configuration\n\n#### Search\n\n- **Engine**: abacus\n"
    repo.commit("Start", {**FILES, "CLAUDE.md": text})
    before = tree(repo.root)
    message = one_line(run(repo.root, "search", "x"), 4)
    assert message == "No abacus collections found for repo. Run `sdd index` first."
    message = one_line(run(repo.root, "init"), 6)
    expected = "no engine is called 'abacus': choose one of embedded, postgres, qmd"
    assert message == f"{repo.root / 'CLAUDE.md'}:5: {expected}"
    assert tree(repo.root) == before
    assert one_line(run(repo.root, "index"), 6) == message


def test_a_value_that_cannot_be_used(repo):
    text = "### SDD Configuration\n\n#### Index Freshness\n\n- **Staleness Threshold**: soon\n"
    repo.commit("Start", {**FILES, "CLAUDE.md": text})
    before = tree(repo.root)
    for command in COMMANDS[:9]:
        message = one_line(run(repo.root, *command), 5)
        assert message.startswith(f"{repo.root / 'CLAUDE.md'}:5: ")
    assert tree(repo.root) == before


def test_unknown_names_of_kinds_and_modules(indexed):
    message = one_line(run(indexed.root, "search", "--kind", "poems", "x"), 2)
    assert message.startswith("no kind 'poems' here: it is one of adrs, specs, code, issues")
    message = one_line(run(indexed.root, "list", "--module", "api"), 2)
    assert message == "no module 'api': this repository declares none"
    missing = one_line(run(indexed.root, "-C", "nowhere", "list"), 2)
    assert "nowhere" in missing


def test_the_option_directory_selects_a_directory(indexed):
    here = os.path.relpath(indexed.root, indexed.root.parent)
    done = run(indexed.root.parent, "-C", here, "search", "--json", "database")
    assert [hit["path"] for hit in done.hits] == ["docs/adrs/ADR-0001-sqlite.md"]
    below = run(indexed.root / "docs", "search", "--json", "database")
    assert below.hits == done.hits


def test_a_refusal_of_the_system_is_an_object_with_json(indexed):
    done = run(
        indexed.root,
        *("search", "database", "--json"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)),
    )
    assert done.json["error"]["code"] == "storage"
    assert done.json["error"]["message"].endswith(": too many files are open")
