"""Settings of git that keep a repository from starting programs.

A repository's own configuration can name programs that git starts even for a read: a file system
monitor, filters for the content of files, helpers for passwords. It arrives with an archive or on a
shared disk, or as a bare repository in a directory of a clone. Programs that the user's own
configuration names still run.
"""

# Governing: ADR-0030 (a repository starts no program and names no file to write)

from __future__ import annotations

from collections.abc import Mapping, Sequence

SETTINGS = (
    # The repository could name a program. The daemon that is part of git is lost with it.
    ("core.fsmonitor", "false"),
    # A directory of a clone may contain a bare repository with any configuration.
    ("safe.bareRepository", "explicit"),
    # `git log` would start gpg.program.
    ("log.showSignature", "false"),
    # A URL could be a command.
    ("protocol.ext.allow", "never"),
)
"""(key, value) for every git command."""

FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
"""The keys of filters, which git starts when it compares a file of the work tree."""

CREDENTIAL_HELPERS = r"^credential\.(.*\.)?helper$"

LIST = ("config", "--null", "--show-scope", "--get-regexp")
"""The git command that lists the values of the keys that match a pattern."""

_READS_FILES = frozenset({"diff", "diff-files", "diff-index", "hash-object", "status"})
_OWN_SCOPES = frozenset({"local", "worktree"})


def may_run_filters(arguments: Sequence[str]) -> bool:
    """Whether the git command with these arguments may read files of the work tree by filters."""
    return "--cached" not in arguments and not _READS_FILES.isdisjoint(arguments)


def user_values(listing: str) -> list[tuple[str, str]]:
    """(key, value) of settings that replace those of the repository by those of the user.

    `listing` is the output of LIST. Keys that the repository does not set are left out. Of a
    replaced key the first value is empty, which also empties a list.
    """
    user: dict[str, list[str]] = {}
    own: dict[str, None] = {}
    fields = listing.split("\0")
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        key, separator, value = entry.partition("\n")
        if scope in _OWN_SCOPES:
            own[key] = None
        else:
            # A key without a value is true.
            user.setdefault(key, []).append(value if separator else "true")
    return [(key, value) for key in own for value in ("", *user.get(key, ()))]


def add_settings(environ: Mapping[str, str], settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The variables of `environ` with (key, value) added to git's configuration."""
    given = environ.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() and given.isascii() else 0
    variables = {}
    for number, (key, value) in enumerate(settings, first):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return {**environ, **variables, "GIT_CONFIG_COUNT": str(first + len(settings))}
