"""The installed qmd: find it, check its version, and run it on the index of one work tree.

Neither the environment nor a file of the repository may point it at another index. qmd offers its
status as data only over the Model Context Protocol, which is JSON-RPC 2.0 with a message a line
(https://modelcontextprotocol.io/specification).
"""

# Governing: ADR-0001 (engines are chosen), ADR-0010 (one error tree), ADR-0012 (untrusted input),
# ADR-0014 (the qmd engine), SPEC-0006 REQ "Preflight", REQ "Deadlines", REQ "A damaged index",
# REQ "Index status"

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.output import Version, first_error_line, parse_version
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, SddError, StorageError
from sdd_hooks.system import processes
from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.system.git import LOCAL_VARIABLES, PATHSPEC_VARIABLES
from sdd_hooks.system.processes import Program, ProgramResult
from sdd_hooks.system.user_cache import read_cached, write_cached

MIN_VERSION = (2, 8)

NOT_FOUND = (
    "qmd CLI not found. Install it with `npm install -g @tobilu/qmd`"
    " (or `bun install -g @tobilu/qmd`), then run `sdd init` again."
    " See https://github.com/tobi/qmd for details."
)

# The entry of the user cache with the version of a qmd and the identity of its file.
CACHE_ENTRY = "qmd"

_VERSION_TIMEOUT = 20.0
"""Seconds for `qmd --version`: it takes 0.13, and this long just after a boot."""

# With `CI`, typed vector queries fail. The others point qmd at another index, another host, or let
# an index run commands. With `FORCE_COLOR`, Node warns about `NO_COLOR`.
_REMOVED_VARIABLES = (
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

CONTEXT_SIZE = "500"
"""Tokens of a chunk that are embedded. A BERT model aborts the process above its own 512."""

# Messages of SQLite, which qmd prints.
_DAMAGED = ("is malformed", "not a database", "malformed database schema", "no such table")
_LOCKED = ("database is locked", "SQLITE_BUSY")
_FULL = ("database or disk is full", "ENOSPC")
_READ_ONLY = ("readonly database", "unable to open database", "EACCES", "EROFS", "disk I/O error")


@dataclass(frozen=True)
class Installation:
    """A usable qmd: the absolute path of its command, and its version."""

    command: str
    version: Version


def find_qmd(environ: Mapping[str, str]) -> Installation:
    """Find the first qmd on `PATH`. Relative entries of `PATH` are ignored.

    The version is cached for as long as the file does not change. Raises EngineUnavailable when
    there is no qmd, or an older one than MIN_VERSION.
    """
    if not IS_POSIX:
        raise EngineUnavailable(
            "the engine qmd does not run on Windows:"
            " set `- **Engine**: embedded` in the memory file"
        )
    command = processes.find_executable("qmd", environ)
    if command is None:
        raise EngineUnavailable(NOT_FOUND)
    qmd = Installation(command, _find_version(command, environ))
    if qmd.version[: len(MIN_VERSION)] < MIN_VERSION:
        raise EngineUnavailable(
            f"qmd {format_version(qmd.version)} at {command} is too old: sdd needs"
            f" {format_version(MIN_VERSION)} or later, update it with `npm install -g @tobilu/qmd`"
        )
    return qmd


def format_version(version: tuple[int, ...]) -> str:
    """Return `2.8.3` for `(2, 8, 3)`."""
    return ".".join(map(str, version))


def qmd_environment(command: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that qmd inherits from `environ`, with its own Node first in `PATH`."""
    inherited = {name: value for name, value in environ.items() if name not in _REMOVED_VARIABLES}
    directory = command.rpartition("/")[0] or "/"
    inherited["PATH"] = os.pathsep.join([directory, *filter(None, [environ.get("PATH")])])
    inherited["NO_COLOR"] = "1"
    return inherited


def file_identity(command: str) -> list[object]:
    """Return values that change when another file is installed as `command`.

    A package manager may give all files the same modification time, so the change time is included.
    """
    real = os.path.realpath(command)
    status = os.stat(real)  # noqa: PTH116 (a path as text, as the cache has it)
    return [command, real, status.st_mtime_ns, status.st_ctime_ns, status.st_size]


def run_qmd(
    qmd: Installation,
    folder: IndexFolder,
    *args: str,
    timeout: float,
    environ: Mapping[str, str],
    on_line: Callable[[str], None] | None = None,
) -> ProgramResult:
    """Run `qmd args` on the index in `folder`, for at most `timeout` seconds.

    `on_line` receives each line of both streams as it arrives. The caller checks the exit status.
    Raises EngineUnavailable when qmd cannot be started, times out (its process group is ended
    then), or prints too much.
    """
    return run_program(qmd_program(qmd, folder, *args, environ=environ), timeout, on_line)


def qmd_program(
    qmd: Installation, folder: IndexFolder, *args: str, environ: Mapping[str, str]
) -> Program:
    """Return `qmd args` in an environment in which it uses the index in `folder` and no other.

    The index is named, because a committed `.qmd/index.yml` would take the place of an unnamed one.
    """
    command = [qmd.command, "--index", "index", *args]
    variables = {
        **qmd_environment(qmd.command, environ),
        "INDEX_PATH": str(folder.database),
        "PWD": str(folder.root),
        "QMD_CONFIG_DIR": str(folder.path),
        "QMD_EMBED_CONTEXT_SIZE": CONTEXT_SIZE,
    }
    return Program(f"qmd {args[0]}", command, folder.root, variables, EngineUnavailable)


def run_program(
    program: Program,
    timeout: float,
    on_line: Callable[[str], None] | None = None,
    stdin: bytes = b"",
) -> ProgramResult:
    """Run a program like `processes.run_program`, with qmd's advice for a timeout."""
    advice = "run it again, or see what `qmd doctor` says"
    return processes.run_program(program, timeout, on_line, stdin, advice)


def explain_failure(subcommand: str, done: ProgramResult, folder: IndexFolder) -> SddError:
    """Return the error for a `qmd subcommand` that failed, with advice."""
    output = f"{done.err}\n{done.out}"
    reason = first_error_line(done.out, done.err)
    if _contains(output, _DAMAGED):
        return IndexDamaged(f"{folder.database} is damaged: run `sdd index update`")
    if _contains(output, _LOCKED):
        return StorageError(
            f"{folder.database} is locked by another process: try again when it has finished"
        )
    if _contains(output, _FULL):
        return StorageError(
            f"no space left to write {folder.database}: free some, then run `sdd index update`"
        )
    if _contains(output, _READ_ONLY):
        return StorageError(f"cannot use {folder.database} ({reason}): check its directory")
    return EngineUnavailable(f"qmd {subcommand} failed: {reason}")


def _find_version(command: str, environ: Mapping[str, str]) -> Version:
    identity = file_identity(command)
    cached = read_cached(CACHE_ENTRY, environ)
    if cached.get("file") == identity:
        version = parse_version(f"qmd {cached.get('version')}")
        if version is not None:
            return version
    variables = qmd_environment(command, environ)
    arguments = [command, "--version"]
    program = Program("qmd --version", arguments, Path("/"), variables, EngineUnavailable)
    done = run_program(program, _VERSION_TIMEOUT)
    version = parse_version(done.out) if done.code == 0 else None
    if version is None:
        raise EngineUnavailable(
            f"{command} does not say which qmd it is ({first_error_line(done.out, done.err)}):"
            " install it again with `npm install -g @tobilu/qmd`"
        )
    write_cached(CACHE_ENTRY, {"file": identity, "version": format_version(version)}, environ)
    return version


def _contains(output: str, messages: tuple[str, ...]) -> bool:
    return any(message in output for message in messages)


_CALL_ID = 2

MESSAGES: tuple[Mapping[str, object], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "sdd", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0",
        "id": _CALL_ID,
        "method": "tools/call",
        "params": {"name": "status", "arguments": {}},
    },
)


@dataclass(frozen=True)
class QmdStatus:
    """The index in documents, all and by collection; `pending` have no vector of qmd's model."""

    documents: int
    pending: int
    collections: Mapping[str, int]


class _StatusReceived(Exception):
    """The server has sent the status: `run_program` ends it."""

    def __init__(self, status: QmdStatus) -> None:
        super().__init__()
        self.status = status


def read_status(
    qmd: Installation, folder: IndexFolder, environ: Mapping[str, str], timeout: float
) -> QmdStatus:
    """Read the status of the index from a server that is started for this.

    Raises EngineUnavailable when there is no valid response within `timeout` seconds.
    """

    def on_line(line: str) -> None:
        status = parse_status(line)
        if status is not None:
            raise _StatusReceived(status)

    program = qmd_program(qmd, folder, "mcp", environ=environ)
    messages = "".join(f"{json.dumps(message)}\n" for message in MESSAGES).encode()
    try:
        done = run_program(program, timeout, on_line, messages)
    except _StatusReceived as received:
        return received.status
    error_line = first_error_line(done.out, done.err)
    raise EngineUnavailable(f"qmd does not report its status: {error_line}")


def parse_status(line: str) -> QmdStatus | None:
    """Parse the status in a JSON-RPC message. Returns None for any other text."""
    try:
        message = json.loads(line)
        content = message["result"]["structuredContent"]
        collections = {
            str(entry["name"]): int(entry["documents"]) for entry in content["collections"]
        }
        documents, pending = int(content["totalDocuments"]), int(content["needsEmbedding"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    if message.get("id") != _CALL_ID or min(documents, pending, *collections.values()) < 0:
        return None
    return QmdStatus(documents, pending, collections)
