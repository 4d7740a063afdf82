"""Find out whether a newer qmd is available, in the background.

A background process queries the registry and caches the release. Commands read the cache only.
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Staleness banner"

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.engines.qmd.installation import (
    Installation,
    format_version,
    qmd_environment,
    run_program,
)
from sdd_hooks.engines.qmd.output import Version
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system.detached import start_detached
from sdd_hooks.system.processes import Program, find_executable
from sdd_hooks.system.user_cache import read_cached, write_cached

# The entry of the user cache: the `latest` release, the time of the last response (`told`), and the
# time of the last request (`asked`), in seconds since the epoch.
CACHE_ENTRY = "qmd-release"

CHECK_INTERVAL_SECONDS = 7 * 86400.0
"""How long a cached release is used."""

RETRY_INTERVAL_SECONDS = 86400.0
"""How long to wait after a check without a result: there may be no network for days."""

_NPM_TIMEOUT = 60.0

_RELEASE = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


def release_note(qmd: Installation, environ: Mapping[str, str], now: float) -> str | None:
    """Return a line if a newer qmd is known. `now` is in seconds since the epoch.

    If the cached release is old, starts a background process that updates it.
    """
    cached = read_cached(CACHE_ENTRY, environ)
    if is_check_due(cached, now):
        _check_in_background(qmd, cached, environ, now)
    return describe_newer(qmd.version, _parse_release(cached.get("latest")))


def describe_newer(installed: Version, latest: Version | None) -> str | None:
    """Return the line for these two versions; None if the latest is not newer."""
    if latest is None or latest <= installed:
        return None
    return (
        f"qmd {format_version(installed)} installed; {format_version(latest)} available"
        " — `npm install -g @tobilu/qmd`"
    )


def is_check_due(cached: Mapping[str, object], now: float) -> bool:
    """Whether to query the registry: the cached release is old, and so is the last request."""
    return _is_older(cached.get("told"), now, CHECK_INTERVAL_SECONDS) and _is_older(
        cached.get("asked"), now, RETRY_INTERVAL_SECONDS
    )


def main(arguments: Sequence[str]) -> None:
    """Run the background process: get the latest release from the given npm, and cache it."""
    npm, *_ = arguments
    environ = dict(os.environ)
    command = [npm, "view", "@tobilu/qmd", "version"]
    with suppress(EngineUnavailable):
        program = Program("npm view", command, Path("/"), environ, EngineUnavailable)
        done = run_program(program, _NPM_TIMEOUT)
        latest = _parse_release(done.out.strip())
        if done.code == 0 and latest is not None:
            now = time.time()
            entry = {"latest": format_version(latest), "told": now, "asked": now}
            write_cached(CACHE_ENTRY, entry, environ)


def _check_in_background(
    qmd: Installation, cached: Mapping[str, object], environ: Mapping[str, str], now: float
) -> None:
    variables = qmd_environment(qmd.command, environ)
    npm = find_executable("npm", variables)
    if npm is None:
        return
    write_cached(CACHE_ENTRY, {**cached, "asked": now}, environ)
    if read_cached(CACHE_ENTRY, environ).get("asked") != now:
        # Without a cache, every command would start a process.
        return
    with suppress(OSError):
        start_detached(__name__, [npm], variables)


def _parse_release(text: object) -> Version | None:
    """Parse the number of a final release. Returns None for anything else."""
    match = _RELEASE.fullmatch(text) if isinstance(text, str) else None
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _is_older(moment: object, now: float, seconds: float) -> bool:
    """Whether `moment` is longer ago than `seconds`. A moment in the future was a wrong clock."""
    if not isinstance(moment, int | float) or isinstance(moment, bool):
        return True
    return not 0 <= now - moment <= seconds
