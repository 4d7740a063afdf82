"""The line about a newer qmd: made from the cache, without waiting for the registry."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.installation import (
    RELEASE_ENTRY,
    Installation,
    describe_newer,
    is_check_due,
    release_note,
)
from sdd_hooks.system.user_cache import read_cached, write_cached
from tests.engines.qmd.fakes import environment, program
from tests.support.waiting import until

HOUR, DAY = 3600.0, 86400.0
NOW = 1_800_000_000.0
QMD = Installation("/nowhere/qmd", (2, 8, 3))
LINE = "qmd 2.8.3 installed; 2.10.0 available — `npm install -g @tobilu/qmd`"


@pytest.mark.parametrize(
    ("latest", "line"),
    [
        ((2, 10, 0), LINE),
        ((2, 8, 3), None),
        ((2, 8, 2), None),
        ((2, 7, 99), None),
        (None, None),
    ],
)
def test_releases_are_compared_as_numbers(
    latest: tuple[int, int, int] | None, line: str | None
) -> None:
    assert describe_newer((2, 8, 3), latest) == line


@pytest.mark.parametrize(
    ("cached", "expected"),
    [
        ({}, True),
        ({"told": NOW - 6 * DAY}, False),
        ({"told": NOW - 8 * DAY}, True),
        ({"told": NOW - 8 * DAY, "asked": NOW - HOUR}, False),
        ({"told": NOW - 8 * DAY, "asked": NOW - 2 * DAY}, True),
        ({"asked": NOW - HOUR}, False),
        ({"told": NOW + DAY}, True),
        ({"told": "x", "asked": []}, True),
        ({"told": True}, True),
    ],
)
def test_when_the_registry_is_asked(cached: dict[str, object], expected: bool) -> None:
    assert is_check_due(cached, NOW) is expected


@pytest.mark.parametrize("latest", ["2.10.0-beta.1", "latest", "", None, 3, "2.10", "9" * 5000])
def test_a_cached_value_that_is_no_release_gives_no_line(tmp_path: Path, latest: object) -> None:
    environ = environment(tmp_path)
    write_cached(RELEASE_ENTRY, {"latest": latest, "told": NOW, "asked": NOW}, environ)
    assert release_note(QMD, environ, NOW) is None


def test_a_recent_release_is_used_without_asking(tmp_path: Path) -> None:
    npm = program(tmp_path / "bin/npm", f"touch {tmp_path}/asked")
    environ = environment(tmp_path, npm.parent)
    write_cached(RELEASE_ENTRY, {"latest": "2.10.0", "told": NOW - DAY}, environ)
    assert release_note(QMD, environ, NOW) == LINE
    assert not (tmp_path / "asked").exists()


def test_the_release_is_fetched_in_the_background(tmp_path: Path) -> None:
    npm = program(
        tmp_path / "bin/npm",
        f'read -r _; echo "$@" >>{tmp_path}/asked; while [ ! -e {tmp_path}/go ]; do sleep 0.1;'
        " done; echo 2.10.0",
    )
    environ = environment(tmp_path, npm.parent)
    now = time.time()
    # npm waits for a file, but this call returns.
    assert release_note(QMD, environ, now) is None
    until((tmp_path / "asked").exists)
    assert release_note(QMD, environ, now + HOUR) is None
    (tmp_path / "go").touch()
    until(lambda: read_cached(RELEASE_ENTRY, environ).get("latest") == "2.10.0")
    assert release_note(QMD, environ, time.time()) == LINE
    assert (tmp_path / "asked").read_text() == "view @tobilu/qmd version\n"


@pytest.mark.parametrize("script", ["exit 1", "echo 9.9.9; exit 1", "echo npm ERR! offline"])
def test_a_failed_check_is_silent_and_not_repeated_at_once(tmp_path: Path, script: str) -> None:
    npm = program(tmp_path / "bin/npm", f"echo x >>{tmp_path}/asked; {script}")
    environ = environment(tmp_path, npm.parent)
    assert release_note(QMD, environ, NOW) is None
    until((tmp_path / "asked").exists)
    assert release_note(QMD, environ, NOW + HOUR) is None
    assert read_cached(RELEASE_ENTRY, environ) == {"asked": NOW}


def test_without_npm_no_check_is_started(tmp_path: Path) -> None:
    environ = {**environment(tmp_path), "PATH": str(tmp_path)}
    assert release_note(QMD, environ, NOW) is None
    assert read_cached(RELEASE_ENTRY, environ) == {}


def test_without_a_cache_no_check_is_started(tmp_path: Path) -> None:
    npm = program(tmp_path / "bin/npm", f"touch {tmp_path}/asked")
    environ = {**environment(tmp_path, npm.parent), "XDG_CACHE_HOME": "/dev/null"}
    assert release_note(QMD, environ, NOW) is None
    assert not (tmp_path / "asked").exists()
