"""The qmd that is installed here: where it is, and whether it is new enough."""

# Governing: ADR-0001 (engines are chosen), ADR-0014 (the qmd engine), SPEC-0006 REQ "Preflight"

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.engines.qmd.group import ProgramResult, finish
from sdd_hooks.engines.qmd.output import Version, complaint, parse_version
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system.git import LOCAL_VARIABLES, PATHSPEC_VARIABLES
from sdd_hooks.system.processes import find_executable
from sdd_hooks.system.user_cache import read_cached, write_cached

MINIMUM = (2, 8)

NOT_FOUND = (
    "qmd CLI not found. Install it with `npm install -g @tobilu/qmd`"
    " (or `bun install -g @tobilu/qmd`), then run `sdd init` again."
    " See https://github.com/tobi/qmd for details."
)

# Remembered in the user's cache: the version by what the file looks like.
FACTS = "qmd"

_ASKING = 20.0
"""Seconds that `qmd --version` may take: 0.13 on a warm machine, and this on one just started."""

# With `CI`, typed vector queries fail. The others point qmd at another index, another host, or let
# an index run commands. With `FORCE_COLOR`, Node complains about our `NO_COLOR`.
_LEFT_OUT = (
    *LOCAL_VARIABLES,
    *PATHSPEC_VARIABLES,
    "CI",
    "FORCE_COLOR",
    "INDEX_PATH",
    "QMD_ALLOWED_HOSTS",
    "QMD_ALLOWED_ORIGINS",
    "QMD_CONFIG_DIR",
    "QMD_HOST",
    "QMD_TRUST_LOCAL_CONFIG",
    "QMD_TRUST_UPDATE_HOOKS",
)


@dataclass(frozen=True)
class Installation:
    """A qmd that can be used: the absolute path of its command, and its version."""

    command: str
    version: Version


def find(environ: Mapping[str, str]) -> Installation:
    """The first qmd on `PATH`; entries that are not absolute are passed over.

    Its version is asked once for a file as it is, and remembered for the next time. Raises
    EngineUnavailable when there is none, or an older one than MINIMUM.
    """
    command = find_executable("qmd", environ)
    if command is None:
        raise EngineUnavailable(NOT_FOUND)
    found = Installation(command, _version(command, environ))
    if found.version[: len(MINIMUM)] < MINIMUM:
        raise EngineUnavailable(
            f"qmd {dotted(found.version)} at {command} is too old: sdd needs"
            f" {dotted(MINIMUM)} or later, update it with `npm install -g @tobilu/qmd`"
        )
    return found


def dotted(version: tuple[int, ...]) -> str:
    """`(2, 8, 3)` as people write it."""
    return ".".join(map(str, version))


def inherited(command: str, environ: Mapping[str, str]) -> dict[str, str]:
    """What of `environ` qmd gets to see, the Node beside it first in `PATH`."""
    clean = {name: value for name, value in environ.items() if name not in _LEFT_OUT}
    beside = command.rpartition("/")[0] or "/"
    clean["PATH"] = os.pathsep.join([beside, *filter(None, [environ.get("PATH")])])
    clean["NO_COLOR"] = "1"
    return clean


def identity(command: str) -> list[object]:
    """What tells the file behind `command` from the one an update puts there.

    A package manager may give every file the same time of modification, so the time of the last
    change to its entry counts too.
    """
    real = os.path.realpath(command)
    status = os.stat(real)  # noqa: PTH116 (a path as text, as the cache has it)
    return [command, real, status.st_mtime_ns, status.st_ctime_ns, status.st_size]


def _version(command: str, environ: Mapping[str, str]) -> Version:
    this = identity(command)
    facts = read_cached(FACTS, environ)
    if facts.get("file") == this:
        known = parse_version(f"qmd {facts.get('version')}")
        if known is not None:
            return known
    done = _ask(command, environ)
    version = parse_version(done.out) if done.code == 0 else None
    if version is None:
        raise EngineUnavailable(
            f"{command} does not say which qmd it is ({complaint(done.out, done.err)}):"
            " install it again with `npm install -g @tobilu/qmd`"
        )
    # Whatever else was known about it was known about another file.
    write_cached(FACTS, {"file": this, "version": dotted(version)}, environ)
    return version


def _ask(command: str, environ: Mapping[str, str]) -> ProgramResult:
    variables = inherited(command, environ)
    return finish("qmd --version", [command, "--version"], Path("/"), variables, _ASKING)
