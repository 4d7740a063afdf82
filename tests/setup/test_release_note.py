"""A note says once a week that a newer release exists; its check runs in the background."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks import __version__
from sdd_hooks.setup.release_note import (
    CACHE,
    DAY,
    OPT_OUT,
    WEEK,
    is_silent,
    parse_release,
    read_facts,
    release_note,
    write_facts,
)
from sdd_hooks.system.installation import RunningProgram
from sdd_hooks.system.user_cache import read_cached, write_cached
from tests.cli.commands import on_terminal, run
from tests.support.repos import Repo
from tests.support.waiting import until

NOW = 2_000_000_000.0


class Shell:
    """Commands of a person: each at a time, in one home; counts the checks that they start."""

    def __init__(self, home: Path, program: RunningProgram | None) -> None:
        self.environ = {**os.environ, "XDG_CACHE_HOME": str(home)}
        self.program = program
        self.checks = 0
        self.lookups = 0

    def note(self, now: float = NOW) -> str:
        return release_note(self.environ, now, self._check, self._find)

    def know(self, newest: object) -> None:
        write_facts({**read_facts(self.environ), "newest": newest}, self.environ, NOW)

    def _check(self) -> None:
        self.checks += 1

    def _find(self) -> RunningProgram | None:
        self.lookups += 1
        return self.program


def installed(top: Path, installer: str = "pip", *, direct: bool = False) -> RunningProgram:
    """An installation of this version by name, or directly from a folder."""
    metadata = top / f"sdd_hooks-{__version__}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: sdd-hooks\nVersion: {__version__}\n"
    )
    (metadata / "INSTALLER").write_text(f"{installer}\n")
    if direct:
        (metadata / "direct_url.json").write_text(json.dumps({"url": "file:///x", "dir_info": {}}))
    return RunningProgram(Distribution.at(metadata), top / "bin/python", top, True)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path / "cache", installed(tmp_path / "env"))


def test_the_note_names_both_releases_and_the_command(shell: Shell, tmp_path: Path) -> None:
    shell.know("99.0.0")
    assert shell.note() == (
        f"note: sdd 99.0.0 is released, this is {__version__}: run"
        f" `{tmp_path}/env/bin/python -m pip install --upgrade sdd-hooks`"
        " (SDD_ANNOUNCE_RELEASES=0 ends this note)"
    )


def test_the_note_appears_once_a_week(shell: Shell) -> None:
    shell.know("99.0.0")
    shown = [bool(shell.note(NOW + days * DAY)) for days in (0, 0.01, 1, 6.9, 7, 8, 14.1)]
    assert shown == [True, False, False, False, True, False, True]


def test_a_check_starts_once_a_week_and_shows_nothing_itself(shell: Shell) -> None:
    for days in (0, 0.5, 6.9):
        assert shell.note(NOW + days * DAY) == ""
    assert shell.checks == 1
    shell.note(NOW + 7 * DAY)
    assert shell.checks == 2
    # A clock that was wrong does not end the checks.
    shell.note(NOW)
    assert shell.checks == 3


@pytest.mark.parametrize("newest", [__version__, "0.0.9", "0.1", "0.1.0.0", "0", ""])
def test_an_older_or_equal_release_is_no_news(shell: Shell, newest: str) -> None:
    shell.know(newest)
    assert shell.note() == ""


@pytest.mark.parametrize(
    "newest",
    [
        "99.0.0\x1b[31m",
        "99.0.0 `rm`",
        "99.0.0\n",
        "99.0.0rc1",
        "9" * 5000,
        "٩٩.0",
        99,
        9.9,
        None,
        [],
        {},
    ],
)
def test_a_hostile_answer_is_no_news(shell: Shell, newest: object) -> None:
    """Scenario "An answer that is no release" of SPEC-0001."""
    shell.know(newest)
    assert shell.note() == ""


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "[" * 50_000,
        '{"PREFIX": 1}',
        '{"PREFIX": {"asked": NaN, "shown": Infinity, "quiet": -Infinity, "newest": {}}}',
        '{"PREFIX": {"asked": ' + "9" * 400 + ', "shown": true, "quiet": "x"}}',
        '{"PREFIX": {"asked": []}, "other": 3}',
    ],
)
def test_a_damaged_cache_counts_as_empty(shell: Shell, text: str) -> None:
    write_cached(CACHE, {}, shell.environ)
    path = next(Path(shell.environ["XDG_CACHE_HOME"]).rglob(f"{CACHE}.json"))
    path.write_text(text.replace('"PREFIX"', json.dumps(sys.prefix)))
    assert shell.note() == ""
    assert shell.checks == 1
    shell.know("99.0.0")
    assert shell.note()


@given(st.text(max_size=30))
def test_parsing_a_release_accepts_numbers_only(text: str) -> None:
    numbers = parse_release(text)
    assert not numbers or set(text) <= set("0123456789.")


@given(st.lists(st.integers(0, 999_999), min_size=2, max_size=4))
def test_a_release_is_its_numbers(numbers: list[int]) -> None:
    parsed = parse_release(".".join(map(str, numbers)))
    assert [*parsed, *[0] * (len(numbers) - len(parsed))] == numbers


@pytest.mark.parametrize(
    ("installer", "direct"), [("pip", True), ("conda", False), ("debian", False), ("", False)]
)
def test_only_a_release_from_an_index_is_compared(
    shell: Shell, tmp_path: Path, installer: str, direct: bool
) -> None:
    """On the index, the name of another installation may be that of other software."""
    shell.program = installed(tmp_path / "other", installer, direct=direct)
    shell.know("99.0.0")
    assert [shell.note(NOW + hours * 3600) for hours in (0, 1, 2, 25)] == [""] * 4
    assert (shell.checks, shell.lookups) == (0, 2)


def test_a_program_without_an_installation_is_not_compared(shell: Shell) -> None:
    shell.program = None
    shell.know("99.0.0")
    assert (shell.note(), shell.checks) == ("", 0)


def test_the_configuration_of_a_repository_ends_the_note(
    shell: Shell, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = "### SDD Configuration\n\n#### Updates\n\n- **Announce Releases**"
    repo.write("CLAUDE.md", f"{section}: no\n")
    shell.know("99.0.0")
    monkeypatch.chdir(repo.root)
    assert (shell.note(), shell.checks) == ("", 0)
    repo.write("CLAUDE.md", f"{section}: ?\n")
    assert (shell.note(NOW + 2 * DAY), shell.checks) == ("", 0)
    repo.write("CLAUDE.md", "### SDD Configuration\n")
    assert shell.note(NOW + 4 * DAY)
    assert shell.checks == 1


def test_without_a_cache_nothing_is_asked_or_shown(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shell.environ["XDG_CACHE_HOME"] = str(tmp_path / "file")
    assert (shell.note(), shell.checks) == ("", 0)


def test_environments_of_python_that_are_gone_are_dropped(shell: Shell) -> None:
    facts = {"/old": {"asked": NOW - 9 * WEEK}, "/kept": {"asked": NOW - WEEK}, "/odd": 3}
    write_cached(CACHE, facts, shell.environ)
    shell.note()
    assert set(read_cached(CACHE, shell.environ)) == {"/kept", sys.prefix}


@pytest.mark.parametrize(
    ("arguments", "environ", "silent"),
    [
        ([], {}, False),
        (["list"], {"CI": "false"}, False),
        (["list"], {OPT_OUT: "1"}, False),
        (["list"], {"CI": "true"}, True),
        (["list"], {OPT_OUT: "0"}, True),
        (["list"], {OPT_OUT: "No"}, True),
        (["check"], {"GIT_INDEX_FILE": ".git/index"}, True),
        (["list", "--json"], {}, True),
        (["search", "x", "--output", "json"], {}, True),
        (["review", "--format=json"], {}, True),
    ],
)
def test_ci_hooks_and_scripts_see_no_note(
    arguments: list[str], environ: Mapping[str, str], silent: bool
) -> None:
    assert is_silent(arguments, environ) is silent


@pytest.fixture
def person(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a person whose sdd is a release, and an index that has a newer one."""
    site = tmp_path / "site"
    installed(site)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, "99.0.0")
    write_wheel(wheels, "100.0rc1")
    # Directories of PYTHONPATH come last for sdd, behind the checkout: this one comes first.
    start = tmp_path / "start"
    start.mkdir()
    (start / "sitecustomize.py").write_text(f"import sys\n\nsys.path.insert(0, {str(site)!r})\n")
    environ = {
        "PYTHONPATH": str(start),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "CI": "",
    }
    yield environ


def write_wheel(folder: Path, version: str) -> None:
    """A wheel of sdd-hooks without code."""
    info = f"sdd_hooks-{version}.dist-info"
    with zipfile.ZipFile(folder / f"sdd_hooks-{version}-py3-none-any.whl", "w") as wheel:
        metadata = f"Metadata-Version: 2.1\nName: sdd-hooks\nVersion: {version}\n"
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def test_a_terminal_shows_the_note_after_the_check_of_an_earlier_command(
    person: dict[str, Any], tmp_path: Path
) -> None:
    code, shown = on_terminal(tmp_path, "", "completion", "bash", env=person)
    assert (code, "note:" in shown) == (0, False)
    environ = {**os.environ, **person}
    assert until(lambda: read_facts(environ).get("newest")) == "99.0.0"
    assert "note:" not in on_terminal(tmp_path, "", "--version", env={**person, "CI": "1"})[1]
    assert run(tmp_path, "--version", env=person).err == ""
    code, shown = on_terminal(tmp_path, "", "--version", env=person)
    assert code == 0
    assert shown.splitlines()[1].startswith(f"note: sdd 99.0.0 is released, this is {__version__}")
