"""Run git: plumbing commands only, in an environment without the variables of a hook.

Every module of the package runs git through `Git`. Output is bytes because file names are bytes;
`nul_split` and `os.fsdecode` make text of them that `os.fsencode` turns back.
"""

# Governing: ADR-0003 (one module talks to git), ADR-0030 (a repository starts no program and names
# no file to write)

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sdd_hooks import tracing
from sdd_hooks.errors import RepositoryError, SddError
from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import subprocess

    from sdd_hooks.system.processes import ProgramResult


# What starts processes is imported where it is used: most searches start none.
NO_INPUT = -3
"""`subprocess.DEVNULL`."""

# `git rev-parse --local-env-vars`: git sets these for its hooks, and each would redirect a command
# to another repository or index. The two with configuration (`GIT_CONFIG_PARAMETERS`,
# `GIT_CONFIG_COUNT`) stay, as git keeps them for submodules: they may set `safe.directory`, without
# which git refuses to run.
LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
)

# They change what a pathspec means.
PATHSPEC_VARIABLES = (
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)

FETCH_OBJECTS = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--refmap=",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
)
"""A fetch that adds objects and changes nothing else: no remote branch, no submodule."""

PUSH_REF = (
    "push",
    "--porcelain",
    "--no-verify",
    "--no-follow-tags",
    "--no-signed",
    "--recurse-submodules=no",
)
"""A push of the named refs and nothing else, which runs no hook."""

# Before 2.45, git does not read GIT_NO_LAZY_FETCH: a fetch of a missing object is refused instead.
_NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none"}

_DAMAGED_INDEX = lazy_regex(
    r"index file (?:smaller|corrupt)|bad index (?:file|version)|bad signature"
)
_DAMAGED_OBJECT = lazy_regex(
    r"(?:unable to read|bad|missing|loose|corrupt) (?:tree|blob|commit|object)"
)
_OBJECT_ID = lazy_regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# A repository's own configuration can name programs that git starts even for a read: a file system
# monitor, filters for the content of files, helpers for passwords. It arrives with an archive or on
# a shared disk, or as a bare repository in a directory of a clone. Programs that the user's own
# configuration names still run.
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


class GitError(RepositoryError):
    """A git command failed. The message is one line: the command and what git printed first."""


class Git:
    """git in the directory `root`, with the variables of `environ`.

    With `bare`, the directory is a bare repository, which git would otherwise not accept. Two are
    equal when their directories are. `environ` may hold tokens, so `repr` leaves it out. It is
    copied for each command, so a change to `os.environ` counts from then on.
    """

    __slots__ = ("bare", "environ", "root")

    def __init__(self, root: Path, environ: Mapping[str, str], *, bare: bool = False) -> None:
        self.root: Final = root
        self.environ: Final = environ
        self.bare: Final = bare

    def __repr__(self) -> str:
        return f"Git({self.root!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Git) and self.root == other.root

    def __hash__(self) -> int:
        return hash(self.root)

    def at(self, root: Path) -> Git:
        """git in another directory, with the same variables."""
        return Git(root, self.environ)

    def output(
        self,
        *args: str,
        stdin: bytes | None = None,
        index: str = "",
        objects: Path | None = None,
    ) -> bytes:
        """The output of `git -C root args`.

        `index` is an index file to use in place of the repository's: `git commit -a` has one.
        `objects` is a directory for new objects, whose `info/alternates` names the repository's
        own. Raises GitError when the command fails, RepositoryError when git is not installed.
        """
        done = self.run(*args, stdin=stdin, index=index, objects=objects)
        if done.returncode:
            raise GitError(f"git {args[0]}: {first_error_line(done.stderr)}")
        return done.stdout

    def try_output(
        self,
        *args: str,
        stdin: bytes | None = None,
        index: str = "",
        objects: Path | None = None,
    ) -> bytes | None:
        """Like `output`, but None when the command fails."""
        done = self.run(*args, stdin=stdin, index=index, objects=objects)
        return None if done.returncode else done.stdout

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        index: str = "",
        objects: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `git -C root args`; the caller checks the exit status. Parameters as in `output`."""
        import subprocess

        command, variables = self._command(args), self.variables(args, index, objects)
        with tracing.span("git", *args) as span:
            done = subprocess.run(
                command, env=variables, input=stdin or b"", capture_output=True, check=False
            )
            span.outcome = f"exit {done.returncode}"
        return done

    def start(
        self,
        *args: str,
        stdin: int = NO_INPUT,
        index: str = "",
        objects: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start `git -C root args` without waiting: stdout is a pipe, stderr is discarded.

        `stdin` is as for `subprocess.Popen`, `index` and `objects` as in `output`.
        """
        import subprocess

        command, variables = self._command(args), self.variables(args, index, objects)
        tracing.log("git", *args, outcome="started")
        return subprocess.Popen(
            command,
            env=variables,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def remote(
        self,
        *args: str,
        timeout: float,
        access: Mapping[str, str] = MappingProxyType({}),
        settings: Sequence[str] = (),
        objects: Path | None = None,
        max_file_bytes: int = 0,
    ) -> ProgramResult:
        """Run a command that talks to a remote, and end it after `timeout` seconds.

        `access` is added to git's environment, and may hold a token. `settings` are `key=value`
        of git's configuration, `objects` is as in `output`, and no file that git writes grows
        beyond `max_file_bytes` (0: no limit). git does not prompt for a password and runs no
        hook. Raises GitError when the command does not end in time.
        """
        from sdd_hooks.system.processes import Program, run_program

        given = (f"core.hooksPath={os.devnull}", *settings)
        words = (word for setting in given for word in ("-c", setting))
        command = self._command((*words, *args))
        if max_file_bytes:
            if not IS_POSIX:
                raise GitError(
                    f"git {args[0]}: on Windows the size of what it writes cannot be limited:"
                    " run this on Linux or macOS"
                )
            # POSIX counts blocks of 512 bytes.
            blocks = str(-(-max_file_bytes // 512))
            command = ["/bin/sh", "-c", 'ulimit -f "$0" && exec "$@"', blocks, *command]
        own = {} if objects is None else {"GIT_OBJECT_DIRECTORY": str(objects)}
        variables = add_settings({**_without_prompt(self.environ), **own, **access}, SETTINGS)
        program = Program(f"git {args[0]}", command, self.root, variables, GitError)
        return run_program(program, timeout)

    def credential(self, protocol: str, host: str, timeout: float) -> tuple[str, str] | None:
        """User and password that git's configured credential helpers have for `host`.

        `host` may have a port. A helper that the repository's own configuration names is left out.
        No helper prompts: None where no helper has a password within `timeout` seconds, and
        without git.
        """
        from sdd_hooks.system.processes import Program, run_program

        request = f"protocol={protocol}\nhost={host}\n\n".encode()
        variables = _without_prompt(self.environ)
        try:
            command = self._command(("-c", "credential.interactive=false", "credential", "fill"))
            helpers = self._user_settings(CREDENTIAL_HELPERS, variables)
            variables = add_settings(variables, (*SETTINGS, *helpers))
            program = Program("git credential", command, self.root, variables)
            done = run_program(program, timeout, stdin=request)
        except SddError:
            return None
        fields = dict(line.partition("=")[::2] for line in done.out.split("\n"))
        if done.code or not fields.get("password"):
            return None
        return fields.get("username", ""), fields["password"]

    def _command(self, args: Sequence[str]) -> list[str]:
        where = ("--git-dir=.",) if self.bare else ()
        return [self.find_program(), "-C", str(self.root), *where, *args]

    def find_program(self) -> str:
        """The git on PATH: a repository must not supply it. Raises RepositoryError."""
        from sdd_hooks.system.processes import find_executable

        program = find_executable("git", self.environ, outside=_top_directory(self.root))
        if program is None:
            raise RepositoryError(
                "git is not installed or not on PATH: install it (https://git-scm.com)"
            )
        return program

    def variables(
        self, args: Sequence[str], index: str = "", objects: Path | None = None
    ) -> dict[str, str]:
        """The environment in which git runs `args`: nothing in it is of another repository."""
        own = {"GIT_INDEX_FILE": index, "GIT_OBJECT_DIRECTORY": str(objects or "")}
        variables = {
            **git_environment(self.environ),
            **_NO_TRANSPORT,
            **{name: value for name, value in own.items() if value},
        }
        filters = self._user_settings(FILTERS, variables) if may_run_filters(args) else ()
        return add_settings(variables, (*SETTINGS, *filters))

    def _user_settings(self, pattern: str, environ: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        """(key, value) of settings that replace values of the repository by those of the user."""
        import subprocess

        listed = subprocess.run(
            self._command((*LIST, pattern)),
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return user_values(os.fsdecode(listed.stdout))


def git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment to run git in: `environ` without the variables that git sets for hooks.

    No relative entry of PATH is left: git would start programs of the repository, such as `./ssh`.
    git takes no lock for a read, fetches no object that a partial clone lacks (a hook must not
    wait for the network), and writes English, because error messages are parsed.
    """
    from sdd_hooks.system.processes import absolute_path

    clean = dict(environ)
    for name in (*LOCAL_VARIABLES, *PATHSPEC_VARIABLES):
        clean.pop(name, None)
    clean["GIT_OPTIONAL_LOCKS"] = "0"
    clean["GIT_NO_LAZY_FETCH"] = "1"
    clean["LC_ALL"] = "C"
    if "PATH" in clean:
        clean["PATH"] = absolute_path(clean["PATH"])
    return clean


def is_object_id(text: str) -> bool:
    """Whether this is the whole id of an object, by either hash that git knows."""
    return _OBJECT_ID.fullmatch(text) is not None


def nul_split(data: bytes) -> list[str]:
    """The paths in the output of a git command run with `-z`."""
    return [os.fsdecode(part) for part in data.split(b"\0") if part]


def first_error_line(stderr: bytes) -> str:
    """The first line of git's stderr, without its prefix, with advice about damage."""
    for line in stderr.decode("utf-8", "replace").splitlines():
        if line.strip():
            reason = line.strip().removeprefix("fatal: ").removeprefix("error: ")
            return f"{reason}{_advice(reason)}"
    return "failed without a word"


def _advice(reason: str) -> str:
    """What to do about git's reason, after a colon; "" if it is not known."""
    if _DAMAGED_INDEX.search(reason):
        return ": delete the file `index` in the git directory, and run `git reset`"
    return ": `git fsck` reports what is damaged" if _DAMAGED_OBJECT.search(reason) else ""


def _top_directory(directory: Path) -> Path | None:
    """The nearest directory that has a `.git`, None without one. `/` has every program below it."""
    try:
        path = Path(os.path.abspath(directory))  # noqa: PTH100 (keeps symlinks)
    except FileNotFoundError:
        # The working directory was deleted.
        return None
    tops = (one for one in (path, *path.parents) if os.path.lexists(one / ".git"))
    top = next(tops, None)
    return None if top is None or top.parent == top else top


def _without_prompt(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a git that must not prompt for a password."""
    return {
        **git_environment(environ),
        "GIT_TERMINAL_PROMPT": "0",
        # Empty, it still takes precedence over core.askPass and SSH_ASKPASS.
        "GIT_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
        "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
    }


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
