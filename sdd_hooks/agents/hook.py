"""Run the hook of a coding agent: `sdd agent hook PROGRAM EVENT`, with the input on stdin.

The agent waits for it. A failure is a line in the log of the hooks and nothing for the agent.
"""

# Governing: ADR-0056 (agents are handed the deciding sentence), SPEC-0029 (hooks of coding agents)

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from sdd_hooks import tracing
from sdd_hooks.agents.messages import (
    EVENTS,
    MAX_INPUT,
    PROGRAMS,
    AgentEvent,
    parse_event,
    reply,
)
from sdd_hooks.errors import EXIT_OK, EXIT_USAGE, RepositoryError, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.system.time_limit import time_limit

SECONDS = 5.0
"""Seconds after which a hook gives up. An agent waits longer for a session to start."""
SESSION_SECONDS = 20.0
PRIME = "--prime"

LOG = "hooks.log"
"""The log in the git directory: what failed, and when."""
MAX_LOG_BYTES = 256 << 10
"""Bytes from which the log is begun again."""


class HookStreams(NamedTuple):
    """The environment and the streams of the process."""

    environ: Mapping[str, str]
    stdin: BinaryIO | None
    stdout: TextIO
    stderr: TextIO


class _TooLate(BaseException):
    """The hook did not end in time."""


def run_agent_hook(arguments: Sequence[str], streams: HookStreams) -> int:
    """Run a hook with `[PROGRAM, EVENT]`, and perhaps `--prime`. Returns its exit code.

    It is 0 whatever happens to the event, because another one means a refusal for the programs.
    Wrong arguments give 2 and a line.
    """
    program, event, *options = [*arguments, "", ""][: max(2, len(arguments))]
    if program not in PROGRAMS or event not in EVENTS or {*options} - {PRIME}:
        streams.stderr.write(
            "sdd: usage: sdd agent hook PROGRAM EVENT: the programs are"
            f" {', '.join(PROGRAMS)}, the events {', '.join(EVENTS)}\n"
        )
        return EXIT_USAGE
    repository: Repository | None = None
    text = ""
    try:
        with time_limit(SESSION_SECONDS if event == "session" else SECONDS, _TooLate):
            data = streams.stdin.read(MAX_INPUT) if streams.stdin else b""
            told = parse_event(event, data)
            repository = _repository(told, streams.environ) if told else None
            if told and repository:
                text = _answer(repository, event, told, PRIME in options)
    except RepositoryError:
        text = ""  # The agent works outside of a repository.
    except (_TooLate, Exception) as error:
        _log_failure(repository, program, event, error)
        text = ""
    output = reply(program, event, text)
    if output:
        streams.stdout.write(f"{output}\n")
        streams.stdout.flush()
    return EXIT_OK


def _repository(told: AgentEvent, environ: Mapping[str, str]) -> Repository | None:
    """The repository of the first file, else of the directory in which the agent works.

    None for an edit without a file. Raises RepositoryError outside of a repository.
    """
    start = Path(told.directory or os.curdir)
    if told.paths:
        start = (start / told.paths[0]).parent
    while not start.is_dir() and start != start.parent:
        # A new file may be in a new directory.
        start = start.parent
    return discover(start, environ)


def _answer(repository: Repository, event: str, told: AgentEvent, prime: bool) -> str:
    if event in ("before", "after"):
        if not told.paths:
            return ""
        if event == "before" or told.is_read:
            return _before(repository, told)
        from sdd_hooks.agents.after_edit import check_edit

        return check_edit(repository, inside(repository, told))
    from sdd_hooks.agents.session import (
        Session,
        load_session,
        remove_old_sessions,
        store_session,
    )
    from sdd_hooks.usecases.agents.table import agent_folder

    folder = agent_folder(repository)
    if event == "prompt":
        session = load_session(folder, told.session)
        store_session(folder, told.session, session._replace(prompt=told.prompt))
        _keep_current(repository)
        return ""
    remove_old_sessions(folder)
    # After a compaction the agent does not know any more what it was told.
    session = load_session(folder, told.session)
    store_session(folder, told.session, Session(prompt=told.prompt or session.prompt))
    _keep_current(repository)
    return _prime_session(repository) if prime else ""


def _before(repository: Repository, told: AgentEvent) -> str:
    """What the agent is handed before it edits files, or when it has read them; "" for nothing."""
    from sdd_hooks.agents.session import load_session, store_session
    from sdd_hooks.usecases.agents.table import agent_folder, open_table, start_preparing

    paths = inside(repository, told)
    table = open_table(repository) if paths else None
    if table is None:
        if paths:
            start_preparing(repository)
        return ""
    from sdd_hooks.usecases.agents.deciding_records import find_deciding

    folder = agent_folder(repository)
    with closing(table):
        session = load_session(folder, told.session)
        found = find_deciding(table, repository.root, session.prompt, paths, told.written)
        handover = None
        if found and found.records:
            from sdd_hooks.agents.handover import write_handover
            from sdd_hooks.usecases.agents.deciding_sentences import quote_deciding

            quoted = quote_deciding(table, repository.root, found)
            handover = write_handover(paths, quoted, session.handed)
        if not table.is_current(repository.root):
            start_preparing(repository)
    if handover is None:
        return ""
    store_session(folder, told.session, session._replace(handed=(*session.handed, *handover.keys)))
    return handover.text


def inside(repository: Repository, told: AgentEvent) -> list[str]:
    """The files of an event that are in the repository, relative to its root."""
    root = os.path.realpath(repository.root)
    found = []
    for name in told.paths:
        if "\0" in name:
            continue
        path = os.path.join(told.directory or os.curdir, name)  # noqa: PTH118
        # A link is followed to what it names, except for the last part: the edit replaces that.
        parent, base = os.path.split(os.path.abspath(path))  # noqa: PTH100
        relative = os.path.relpath(os.path.join(os.path.realpath(parent), base), root)  # noqa: PTH118
        if relative != os.pardir and not relative.startswith(f"{os.pardir}{os.sep}"):
            found.append(Path(relative).as_posix())
    return [path for path in found if path != "." and not path.startswith(".git/")]


def _keep_current(repository: Repository) -> None:
    """Make the table in the background unless it is that of the files."""
    from sdd_hooks.usecases.agents.table import open_table, start_preparing

    table = open_table(repository)
    if table is not None:
        with closing(table):
            if table.is_current(repository.root):
                return
    start_preparing(repository)


def _prime_session(repository: Repository) -> str:
    """What `sdd prime` prints, from the work tree where there is no index. Raises SddError."""
    from sdd_hooks.project.project import read_project
    from sdd_hooks.reporting.priming_markdown import render_markdown
    from sdd_hooks.usecases.reading.prime import load_context

    context = load_context(read_project(repository, "cached"), None, time.time())
    return "\n".join(render_markdown(context.report, None))


def _log_failure(
    repository: Repository | None, program: str, event: str, error: BaseException
) -> None:
    """Append a line about a hook that failed. Raises nothing, and waits for nothing."""
    from sdd_hooks.text.display import describe_error

    reason = describe_error(error)
    tracing.log("agent hook", program, event, outcome=reason)
    if repository is None:
        return
    from sdd_hooks.system.files import open_state
    from sdd_hooks.usecases.agents.table import agent_folder

    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with suppress(OSError, SddError):
        folder = agent_folder(repository)
        folder.mkdir(parents=True, exist_ok=True)
        log = open_state(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.fstat(log).st_size > MAX_LOG_BYTES:
                os.ftruncate(log, 0)
            os.write(
                log, f"{when} {program} {event}: {reason}\n".encode("utf-8", "backslashreplace")
            )
        finally:
            os.close(log)
