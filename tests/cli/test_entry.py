"""Unexpected errors, and how the process ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import SCRIPTS, one_line, run
from tests.support.signals import default_signals, killed_on_failure
from tests.support.waiting import TIMEOUT

FAILING = """
import sys
from sdd_hooks.cli import entry

def load():
    import click
    @click.command()
    @click.option("--json", is_flag=True)
    def command(json):
        {body}
    return command

sys.exit(entry.run(load, sys.argv[1:], "sdd"))
"""


def failing(where: Path, body: str, *args: str, **options):
    script = FAILING.format(body=body)
    done = subprocess.run(
        [sys.executable, "-c", script, *args],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_bug_writes_a_log_and_one_line(tmp_path):
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    code, out, err = failing(tmp_path, "{}['x']", env=env)
    assert (code, out) == (70, "")
    (log,) = tmp_path.rglob("*.log")
    assert err == f"sdd: a bug in sdd (KeyError): please report it with {log}\n"
    assert "KeyError: 'x'" in log.read_text()
    code, out, err = failing(tmp_path, "{}['x']", "--json", env=env)
    assert (code, err) == (70, "")
    assert json.loads(out)["error"]["code"] == "bug"


def test_an_error_with_control_characters_is_one_line(tmp_path):
    body = "from sdd_hooks.errors import StorageError; raise StorageError('a\\n\\x1b[1m\\udcff')"
    assert failing(tmp_path, body) == (7, "", "sdd: a \\u001b[1m\\udcff\n")
    code, out, err = failing(tmp_path, body, "--json")
    assert (code, err) == (7, "")
    error = {"code": "storage", "message": "a \\u001b[1m\\udcff", "exit_code": 7}
    assert json.loads(out) == {"schema_version": 1, "error": error}


def test_an_interrupt_exits_with_130(tmp_path):
    assert failing(tmp_path, "raise KeyboardInterrupt") == (130, "", "sdd: interrupted\n")
    assert failing(tmp_path, "import click; raise click.Abort") == (130, "", "sdd: interrupted\n")


def test_a_signal_exits_with_130(tmp_path):
    body = "print('ready', flush=True); import time; time.sleep(600)"
    with default_signals():
        process = subprocess.Popen(
            [sys.executable, "-c", FAILING.format(body=body)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    with killed_on_failure(process):
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (130, "sdd: interrupted\n")


def test_a_reader_that_closes_the_output_is_no_error(tmp_path):
    """Scenario "A reader that stops" of SPEC-0001."""
    body = "print('x' * 1_000_000); print('y')"
    with subprocess.Popen(
        [sys.executable, "-c", FAILING.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=TIMEOUT) == 0


def test_a_full_output_is_a_storage_error(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [SCRIPTS / "sdd", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (7, "sdd: cannot use the output: the disk is full\n")


def test_usage_errors_name_the_help(tmp_path):
    assert one_line(run(tmp_path, "frobnicate"), 2).endswith(": see `sdd --help`")
    assert one_line(run(tmp_path, "search", ""), 2) == (
        "The query is empty: see `sdd search --help`"
    )
    message = one_line(run(tmp_path, "index", "update", "--kin", "x"), 2)
    assert "--kin" in message
    assert message.endswith("? See `sdd index update --help`")
    error = run(tmp_path, "search", "--json", "--limit", "0", "x").json["error"]
    assert (error["code"], error["exit_code"]) == ("usage", 2)


def test_an_id_of_thousands_of_digits_is_not_printed_whole(tmp_path):
    identifier = "7" * 5000
    assert len(one_line(run(tmp_path, "frobnicate", identifier), 2)) < 300
    assert len(one_line(run(tmp_path, identifier), 2)) < 300
    error = run(tmp_path, "search", "--json", "--limit", identifier, "x").json["error"]
    assert len(error["message"]) < 300


def test_json_after_the_separator_is_a_query(tmp_path):
    assert "not inside a git repository" in one_line(run(tmp_path, "search", "--", "--json"), 3)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("isues",), "No such command 'isues': did you mean 'issues'? See `sdd --help`"),
        (("sync",), "No such command 'sync': did you mean 'issues sync'? See `sdd --help`"),
        (
            ("hooks", "stat"),
            "No such command 'stat': did you mean 'status'? See `sdd hooks --help`",
        ),
        (("issues", "q"), "No such command 'q': see `sdd issues --help`"),
        (
            ("list", "--modul", "x"),
            "No such option '--modul': did you mean '--module'? See `sdd list --help`",
        ),
        (("list", "--q"), "No such option '--q': see `sdd list --help`"),
    ],
)
def test_similar_names_are_suggested(tmp_path, args, message):
    """Scenario "A command that is misspelt" of SPEC-0001."""
    assert one_line(run(tmp_path, *args), 2) == message


@pytest.mark.parametrize("group", ["hooks", "issues"])
def test_a_group_without_a_command_prints_its_help(tmp_path, group):
    done = run(tmp_path, group)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: sdd {group} [OPTIONS] COMMAND [ARGS]...\n\n  ")
    for option in ("-h", "--help"):
        assert run(tmp_path, group, option) == done


@pytest.mark.parametrize("path", [(), ("search",), ("index", "update"), ("ci",), ("hook",)])
def test_h_is_help(tmp_path, path):
    short = run(tmp_path, *path, "-h")
    assert short.code == 0
    assert short == run(tmp_path, *path, "--help")
    assert "-h, --help" in short.out
