"""A command that is forked from a warm process behaves like one that is started."""

import os
import subprocess

import pytest

from tests.cli.commands import FILES, OFFLINE, SCRIPTS
from tests.support import warm

ENVIRON = {**os.environ, **OFFLINE}


def started(where, *args, environ=ENVIRON, stdin=b""):
    done = subprocess.run(
        [str(SCRIPTS / "sdd"), *args],
        cwd=where,
        env=environ,
        input=stdin,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def forked(where, *args, environ=ENVIRON, stdin=b""):
    assert warm.can_fork(environ, stdin)
    done = warm.run(args, where, environ, stdin, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("--version",),
        ("nope",),
        ("list", "--json"),
        ("search", "x"),
        ("-C", "docs", "doctor", "--json"),
        ("hook", "commit-msg", "nowhere"),
    ],
    ids=" ".join,
)
def test_a_forked_command_has_the_same_code_and_output(repo, command):
    repo.commit("Start", FILES)
    environ = {**os.environ, **OFFLINE, "HOME": str(repo.root)}
    expected = started(repo.root, *command, environ=environ)
    assert forked(repo.root, *command, environ=environ) == expected


def test_a_forked_command_does_not_change_the_next_one(repo):
    repo.commit("Start", FILES)
    first = forked(repo.root, "index", "add", environ={**ENVIRON, "NO_COLOR": "1"})
    assert first[0] == 0
    assert forked(repo.root.parent, "list") == started(repo.root.parent, "list")


@pytest.mark.parametrize("name", ["PATH", "TMPDIR", "LC_ALL", "PYTHONUTF8"])
def test_a_variable_that_python_reads_at_its_start_starts_a_process(name):
    assert not warm.can_fork({**os.environ, name: "x"}, b"")


def test_a_forked_command_that_takes_too_long_is_killed(repo):
    with pytest.raises(subprocess.TimeoutExpired):
        warm.run(["index", "add"], repo.root, ENVIRON, b"", timeout=0.0)
    assert forked(repo.root, "--version")[0] == 0
