"""`--verbose` and `SDD_DEBUG=1`: the debug log of every command and hook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdd_hooks.cli.commonplace import query_command
from sdd_hooks.cli.group import sdd
from sdd_hooks.cli.shared.lazy import accept_verbose
from tests.cli.commands import FILES, run
from tests.support.repos import Repo

LINE = re.compile(r"\d\d:\d\d:\d\d\.\d{3} sdd\[\d+\] (.*)")


def log_lines(err: str) -> list[str]:
    """The lines of the debug log, without their times and process ids."""
    return [match[1] for line in err.splitlines() if (match := LINE.fullmatch(line))]


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """A repository with an index of its ADRs."""
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    return repo


def test_commands_outside_the_table_accept_verbose() -> None:
    for command in (sdd, query_command):
        opts = [option for parameter in accept_verbose(command).params for option in parameter.opts]
        assert opts.count("--verbose") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--verbose", "search", "database"),
        ("search", "--verbose", "database"),
        ("search", "database", "--verbose"),
    ],
)
def test_verbose_at_any_level(indexed: Repo, arguments: tuple[str, ...]) -> None:
    quiet = run(indexed.root, "search", "database")
    # At the top, git need not find the repository.
    done = run(indexed.root / "docs", *arguments)
    assert (done.code, done.out) == (0, quiet.out)
    lines = log_lines(done.err)
    assert any(re.fullmatch(r"git rev-parse .*: exit 0 \(\d+\.\d ms\)", line) for line in lines)
    assert any(re.fullmatch(r"search \S+-adrs: 1 hit \(.* ms\)", line) for line in lines)
    assert any(line.startswith("plug-in engine embedded: loaded (") for line in lines)
    assert re.fullmatch(r"sdd .*: exit 0 \(\d+\.\d ms\)", lines[-1])


def test_verbose_after_two_dashes_is_a_word_of_the_query(indexed: Repo) -> None:
    assert log_lines(run(indexed.root, "search", "--", "database", "--verbose").err) == []


def test_json_stays_one_object(indexed: Repo) -> None:
    done = run(indexed.root, "list", "--json", "--verbose")
    assert log_lines(done.err)
    assert done._replace(err="").json["schema_version"] == 1


def test_commonplace_commands(indexed: Repo) -> None:
    script = "commonplace-search-status"
    assert log_lines(run(indexed.root, "--verbose", script=script).err)
    assert log_lines(run(indexed.root, env={"SDD_DEBUG": "1"}, script=script).err)
    assert log_lines(run(indexed.root, script=script).err) == []


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        (("hook", "post-commit", "--verbose"), {}),
        (("hook", "--verbose", "post-commit"), {}),
        (("--verbose", "hook", "post-commit"), {}),
        (("-C", ".", "hook", "post-commit", "--verbose"), {}),
        (("hook", "post-commit"), {"SDD_DEBUG": "1"}),
    ],
)
def test_hooks(indexed: Repo, arguments: tuple[str, ...], env: dict[str, str]) -> None:
    adr = "docs/adrs/ADR-0001-sqlite.md"
    indexed.commit("Change", {adr: "# ADR-0001: Changed\n"})
    done = run(indexed.root, *arguments, env=env)
    assert (done.code, done.out) == (0, "")
    lines = log_lines(done.err)
    assert any(re.match(r"lock \S+/lock: taken \(", line) for line in lines)
    changed = r"refresh \S+-adrs: 1 document changed \(.* ms\)"
    assert any(re.fullmatch(changed, line) for line in lines)
    assert lines[-1].startswith("sdd ")


def test_an_error_is_still_one_line_after_the_log(tmp_path: Path) -> None:
    done = run(tmp_path, "search", "x", env={"SDD_DEBUG": "1"})
    assert done.code == 3
    assert log_lines(done.err)[-1].startswith("sdd search x: exit 3 (")
    (error,) = (line for line in done.err.splitlines() if not LINE.fullmatch(line))
    assert error.startswith("sdd: ")
