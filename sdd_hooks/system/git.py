"""Run git, plumbing only, in an environment no hook has leaked into.

Everything that runs git goes through here. Output is bytes, since file names are; `nul_split` and
`os.fsdecode` turn them into text that survives the way back.
"""

# Governing: ADR-0003 (one module talks to git)

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sdd_hooks.errors import RepositoryError, SddError
from sdd_hooks.system.processes import Done, finish
from sdd_hooks.text.lazy_regex import lazy_regex

# `git rev-parse --local-env-vars`: git sets them for the hooks it runs, and with any of them a
# command looks at that repository or index instead of the one it is pointed at. The two that carry
# configuration (`GIT_CONFIG_PARAMETERS`, `GIT_CONFIG_COUNT`) stay, as git itself keeps them for
# submodules: `safe.directory` may come that way, and without it git refuses to answer.
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
"""A fetch that brings objects and changes nothing else: no branch of a remote, no submodule."""

# Requests that git has not answered yet must fit into the smallest pipe (16 KiB on macOS), or both
# sides wait for each other.
REQUEST_BYTES = 8192

_CHUNK = 1 << 20
_OBJECT_ID = lazy_regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitError(RepositoryError):
    """A git command failed. The message is one line: the command and what git said first."""


def environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment to run git in: `environ` (default: this process's) without what hooks leak.

    git writes no lock for what it merely looks at, fetches nothing over the network that a partial
    clone lacks (a hook must not wait for it), and speaks English, since errors are read.
    """
    clean = dict(os.environ if environ is None else environ)
    for name in (*LOCAL_VARIABLES, *PATHSPEC_VARIABLES):
        clean.pop(name, None)
    clean["GIT_OPTIONAL_LOCKS"] = "0"
    clean["GIT_NO_LAZY_FETCH"] = "1"
    clean["LC_ALL"] = "C"
    return clean


def git(
    root: Path,
    *args: str,
    stdin: bytes | None = None,
    index: str = "",
    objects: Path | None = None,
) -> bytes:
    """What `git -C root args` prints.

    `index` is the index file to use in place of the repository's: a commit in the making has its
    own. `objects` is a directory of objects, where new ones go: it names the repository's own in
    its `info/alternates`. Raises GitError when it fails, RepositoryError when there is no git.
    """
    done = run(root, *args, stdin=stdin, index=index, objects=objects)
    if done.returncode:
        raise GitError(f"git {args[0]}: {complaint(done.stderr)}")
    return done.stdout


def try_git(
    root: Path,
    *args: str,
    stdin: bytes | None = None,
    index: str = "",
    objects: Path | None = None,
) -> bytes | None:
    """Like `git`, but None when the command fails."""
    done = run(root, *args, stdin=stdin, index=index, objects=objects)
    return None if done.returncode else done.stdout


def run(
    root: Path,
    *args: str,
    stdin: bytes | None = None,
    index: str = "",
    objects: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """`git -C root args` with its exit status and everything it said, for the caller to judge."""
    try:
        return subprocess.run(
            _command(root, args),
            env=_variables(index, objects),
            input=stdin or b"",
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise _missing() from None


def start(root: Path, *args: str, index: str = "") -> subprocess.Popen[bytes]:
    """Start `git -C root args` and go on: its output is piped, what it says on stderr is lost.

    `index` is as for `git`.
    """
    return _spawn(root, args, subprocess.DEVNULL, _variables(index))


def is_object_id(text: str) -> bool:
    """Whether this is the whole id of an object, by either hash that git knows."""
    return _OBJECT_ID.fullmatch(text) is not None


def nul_split(data: bytes) -> list[str]:
    """The paths in the output of a git command run with `-z`."""
    return [os.fsdecode(part) for part in data.split(b"\0") if part]


def read_blobs(
    root: Path, specs: Sequence[str], *, limit: int | None = None, objects: Path | None = None
) -> Iterator[bytes | None]:
    """The content of each blob, in order; None for what does not exist or is no blob.

    A spec is an object id, `commit:path`, or `:path` for the index. Of a blob larger than `limit`
    there is one byte more than that. One git process reads all. `objects` is as for `git`.
    """
    process: subprocess.Popen[bytes] | None = None
    try:
        for group in _groups([_spec(spec) for spec in specs]):
            if b"\n" in group[0]:
                data = try_git(root, "cat-file", "blob", os.fsdecode(group[0]), objects=objects)
                yield data if data is None or limit is None else data[: limit + 1]
                continue
            process = process or _spawn(
                root, ("cat-file", "--batch"), subprocess.PIPE, _variables("", objects)
            )
            yield from _ask(process, group, limit)
    finally:
        if process is not None:
            _stop(process)


def remotely(
    root: Path,
    *args: str,
    deadline: float,
    environ: Mapping[str, str] | None = None,
    access: Mapping[str, str] = MappingProxyType({}),
    settings: Sequence[str] = (),
    objects: Path | None = None,
    largest: int = 0,
) -> Done:
    """`git -C root args` for a command that talks to a remote, ended after `deadline` seconds.

    `access` is added to git's environment (`environ`, default: this process's), and may carry a
    token. `settings` are `key=value` of git's configuration, `objects` is as for `git`, and no file
    that git writes grows beyond `largest` bytes (0: any). Nobody is asked for a password, and no
    hook runs. Raises GitError when it does not end in time.
    """
    given = (f"core.hooksPath={os.devnull}", *settings)
    command = _command(root, (*(word for one in given for word in ("-c", one)), *args))
    if largest:
        # In blocks of 512 bytes, as POSIX has it.
        command = ["sh", "-c", 'ulimit -f "$0" && exec "$@"', str(-(-largest // 512)), *command]
    own = {} if objects is None else {"GIT_OBJECT_DIRECTORY": str(objects)}
    return finish(
        f"git {args[0]}",
        command,
        root,
        {**_unasked(environ), **own, **access},
        deadline,
        failed=GitError,
    )


def credential(
    root: Path, protocol: str, host: str, environ: Mapping[str, str], deadline: float
) -> tuple[str, str] | None:
    """User and password that git's credential helpers have for `host`, as they are configured.

    `host` may have a port. Nobody is asked: None where no helper answers by itself, within
    `deadline` seconds.
    """
    asked = f"protocol={protocol}\nhost={host}\n\n".encode()
    command = _command(root, ("-c", "credential.interactive=false", "credential", "fill"))
    try:
        done = finish("git credential", command, root, _unasked(environ), deadline, given=asked)
    except SddError:
        return None
    found = dict(line.partition("=")[::2] for line in done.out.split("\n"))
    if done.code or not found.get("password"):
        return None
    return found.get("username", ""), found["password"]


def complaint(stderr: bytes) -> str:
    """The first line of what git said, without its prefix."""
    for line in stderr.decode("utf-8", "replace").splitlines():
        if line.strip():
            return line.strip().removeprefix("fatal: ").removeprefix("error: ")
    return "failed without a word"


def _unasked(environ: Mapping[str, str] | None) -> dict[str, str]:
    """The environment of a git that must not ask a person for a password."""
    return {
        **environment(environ),
        "GIT_TERMINAL_PROMPT": "0",
        # Set to nothing, it also stands before core.askPass and SSH_ASKPASS.
        "GIT_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
        "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
    }


def _command(root: Path, args: Sequence[str]) -> list[str]:
    return ["git", "-C", str(root), *args]


def _variables(index: str, objects: Path | None = None) -> dict[str, str]:
    own = {"GIT_INDEX_FILE": index, "GIT_OBJECT_DIRECTORY": str(objects or "")}
    return {**environment(), **{name: value for name, value in own.items() if value}}


def _missing() -> RepositoryError:
    return RepositoryError("git is not installed or not on PATH: install it (https://git-scm.com)")


def _spec(spec: str) -> bytes:
    # `:1:x` would be stage 1 of `x`, and a file may well be called `1:x`.
    return os.fsencode(":0" + spec if spec.startswith(":") else spec)


def _groups(specs: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Runs of specs that fit into a pipe; one with a line break is alone, the protocol has none."""
    group: list[bytes] = []
    size = 0
    for spec in specs:
        alone = b"\n" in spec
        if group and (alone or size + len(spec) >= REQUEST_BYTES):
            yield group
            group, size = [], 0
        if alone:
            yield [spec]
        else:
            group.append(spec)
            size += len(spec) + 1
    if group:
        yield group


def _spawn(
    root: Path, args: Sequence[str], stdin: int, variables: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            _command(root, args),
            env=variables,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise _missing() from None


def _ask(
    process: subprocess.Popen[bytes], group: Sequence[bytes], limit: int | None
) -> Iterator[bytes | None]:
    requests, answers = process.stdin, process.stdout
    assert requests is not None
    assert answers is not None
    try:
        requests.write(b"".join(spec + b"\n" for spec in group))
        requests.flush()
    except BrokenPipeError:
        raise GitError("git cat-file: ended early") from None
    for _ in group:
        header = answers.readline()
        if not header:
            raise GitError("git cat-file: ended early")
        fields = header.split()
        if len(fields) < 3 or not fields[-1].isdigit():
            yield None
            continue
        size = int(fields[-1])
        kept = size if limit is None else min(size, limit + 1)
        data = answers.read(kept)
        left = size + 1 - kept
        while left:
            left -= len(answers.read(min(left, _CHUNK))) or left
        yield data if fields[-2] == b"blob" else None


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
