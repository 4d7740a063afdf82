"""The note about a newer release: once a week, for a person at a terminal.

The command that prints it knows the newest release from a file in the user's cache. A background
process asks the package index once a week and writes the file, so that no command waits.
"""

# Governing: ADR-0062 (a newer release is noted from a cache), SPEC-0005 REQ "Newer releases"

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks import __version__
from sdd_hooks.errors import SddError
from sdd_hooks.system.user_cache import read_cached, write_cached

if TYPE_CHECKING:
    from sdd_hooks.system.installation import RunningProgram

CACHE = "releases"
"""The name of the cached facts: for each environment of Python what was asked, found and shown."""
OPT_OUT = "SDD_ANNOUNCE_RELEASES"
"""The variable that ends the note, with the value `0`, `false`, `no` or `off`."""
WEEK = 7 * 86_400.0
DAY = 86_400.0

_KEPT = 8 * WEEK
_NO = frozenset({"0", "false", "no", "off"})
# git sets these for its hooks.
_OF_HOOKS = ("GIT_INDEX_FILE", "GIT_EXEC_PATH", "GIT_DIR")
_RELEASE = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){1,3}")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")

Facts = dict[str, object]


def is_silent(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether a command with these arguments prints no note: for CI, for a hook, for a script."""
    if environ.get("CI", "").lower() not in {"", "0", "false"}:
        return True
    if environ.get(OPT_OUT, "").lower() in _NO or any(name in environ for name in _OF_HOOKS):
        return True
    return any("json" in argument for argument in arguments)


def release_note(
    environ: Mapping[str, str],
    now: float,
    start_check: Callable[[], object],
    find_program: Callable[[], RunningProgram | None],
) -> str:
    """Return the note that this command prints; "" for none.

    Calls `start_check` once a week, when it is unknown which release is the newest; it must return
    at once. `now` is in seconds since the epoch. Only a release that was installed by name from an
    index is compared: on the index, the name of another installation may be that of other software.
    """
    facts = read_facts(environ)
    newest = _newer(facts.get("newest"))
    shows = newest and _is_past(facts.get("shown"), now, WEEK)
    asks = _is_past(facts.get("asked"), now, WEEK)
    if not (shows or asks) or not _is_past(facts.get("quiet"), now, DAY):
        return ""
    program = find_program()
    command = program.upgrade_command() if program else ""
    if not command or not _is_configured(environ):
        write_facts({**facts, "quiet": now}, environ, now)
        return ""
    changed = {**facts, **({"asked": now} if asks else {}), **({"shown": now} if shows else {})}
    write_facts(changed, environ, now)
    if read_facts(environ) != changed:
        # Without a cache, every command would ask, or print the note.
        return ""
    if asks:
        with suppress(OSError):
            start_check()
    if not shows:
        return ""
    return (
        f"note: sdd {newest} is released, this is {__version__}: run `{command}`"
        f" ({OPT_OUT}=0 ends this note)"
    )


def parse_release(text: object) -> tuple[int, ...]:
    """The numbers of a final release such as `1.2.3`, without zeros at the end; () for others."""
    if not isinstance(text, str) or not _RELEASE.fullmatch(text):
        return ()
    numbers = [int(number) for number in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def read_facts(environ: Mapping[str, str]) -> Facts:
    """The cached facts about the environment of Python that runs; {} without any."""
    with suppress(RuntimeError):
        facts = read_cached(CACHE, environ).get(sys.prefix)
        if isinstance(facts, dict):
            return facts
    return {}


def write_facts(facts: Facts, environ: Mapping[str, str], now: float) -> None:
    """Replace the cached facts about the environment of Python that runs.

    Those of environments that asked nothing for eight weeks are dropped.
    """
    with suppress(RuntimeError):
        others = {
            prefix: other
            for prefix, other in read_cached(CACHE, environ).items()
            if isinstance(other, dict) and not _is_past(other.get("asked"), now, _KEPT)
        }
        write_cached(CACHE, {**others, sys.prefix: facts}, environ)


def _newer(text: object) -> str:
    """The release, if it is newer than this one; else ""."""
    match = _NUMBERS.match(__version__)
    current = parse_release(match[0] if match else "")
    newest = parse_release(text)
    if not isinstance(text, str) or not newest:
        return ""
    is_preview = match is None or match[0] != __version__
    return text if newest > current or (newest == current and is_preview) else ""


def _is_past(then: object, now: float, seconds: float) -> bool:
    """Whether these seconds have passed since a time. One in the future counts as none."""
    if isinstance(then, bool) or not isinstance(then, (int, float)):
        return True
    return not now - seconds < then <= now


def _is_configured(environ: Mapping[str, str]) -> bool:
    """Whether the repository around the current directory, if any, allows the note."""
    from sdd_hooks.config.configuration import load_configuration
    from sdd_hooks.project.repository import discover

    try:
        root = discover(Path(), environ).root
    except SddError:
        return True
    try:
        return load_configuration(root).updates.announce_releases
    except SddError:
        return False
