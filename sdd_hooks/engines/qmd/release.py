"""Whether a newer qmd is available, without ever waiting for the answer."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Staleness banner"

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.engines.qmd.group import finish
from sdd_hooks.engines.qmd.installation import Installation, dotted, inherited
from sdd_hooks.engines.qmd.output import Version
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system import detached
from sdd_hooks.system.processes import find_executable
from sdd_hooks.system.user_cache import read_cached, write_cached

FACTS = "qmd-release"

STALE_AFTER = 7 * 86400.0
"""Seconds for which an answer is good."""

ASK_AGAIN_AFTER = 86400.0
"""Seconds before asking again where no answer came: there may be no network for days."""

_ASKING = 60.0

_RELEASE = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


def banner(qmd: Installation, environ: Mapping[str, str], now: float) -> str | None:
    """One line when a newer qmd is known of. `now` is the time in seconds since the epoch.

    Tells what is remembered. When that is older than STALE_AFTER, the registry is asked in the
    background, for the next time.
    """
    facts = read_cached(FACTS, environ)
    if due(facts, now):
        _ask_in_background(qmd, facts, environ, now)
    return newer(qmd.version, _release(facts.get("latest")))


def newer(installed: Version, latest: Version | None) -> str | None:
    """The banner for these two versions; None when there is nothing to install."""
    if latest is None or latest <= installed:
        return None
    return (
        f"qmd {dotted(installed)} installed; {dotted(latest)} available"
        " — `npm install -g @tobilu/qmd`"
    )


def due(facts: Mapping[str, object], now: float) -> bool:
    """Whether to ask the registry: the answer is old, and so is the last attempt."""
    return _older(facts.get("told"), now, STALE_AFTER) and _older(
        facts.get("asked"), now, ASK_AGAIN_AFTER
    )


def main(arguments: Sequence[str]) -> None:
    """The process that is left behind: asks the npm it is given, and remembers what it says."""
    command, *_ = arguments
    environ = dict(os.environ)
    with suppress(EngineUnavailable):
        asked = [command, "view", "@tobilu/qmd", "version"]
        done = finish("npm view", asked, Path("/"), environ, _ASKING)
        latest = _release(done.out.strip())
        if done.code == 0 and latest is not None:
            now = time.time()
            write_cached(FACTS, {"latest": dotted(latest), "told": now, "asked": now}, environ)


def _ask_in_background(
    qmd: Installation, facts: Mapping[str, object], environ: Mapping[str, str], now: float
) -> None:
    variables = inherited(qmd.command, environ)
    npm = find_executable("npm", variables)
    if npm is None:
        return
    write_cached(FACTS, {**facts, "asked": now}, environ)
    if read_cached(FACTS, environ).get("asked") != now:
        # Where nothing can be remembered, every command would ask.
        return
    with suppress(OSError):
        detached.start_detached(__name__, [npm], variables)


def _release(text: object) -> Version | None:
    """A release by its numbers; None for anything else, one that is not final included."""
    found = _RELEASE.fullmatch(text) if isinstance(text, str) else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _older(when: object, now: float, seconds: float) -> bool:
    """Whether `when` is longer ago than `seconds`. A time yet to come is a clock that was wrong."""
    if not isinstance(when, int | float) or isinstance(when, bool):
        return True
    return not 0 <= now - when <= seconds
