"""Run a call: find the repository, check the arguments, and turn every error into one line."""

# Governing: ADR-0057 (five tools that carry decisions), SPEC-0030 REQ "A hostile client",
# SPEC-0030 REQ "The repository"

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

from sdd_hooks import tracing
from sdd_hooks.errors import SddError
from sdd_hooks.mcp.pages import clean, read_page_request
from sdd_hooks.mcp.parameters import check_arguments
from sdd_hooks.mcp.roots import Root, Workplace, find_project
from sdd_hooks.mcp.tool import Call, Tool, ToolResult
from sdd_hooks.project.project import Project
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.system.time_limit import time_limit
from sdd_hooks.text.display import describe_error, shorten_words

MAX_WAITING = 64
"""Calls that wait or run. A client that sends more at once gets errors."""

CALL_SECONDS = 120.0

Result = TypeVar("Result")


class Busy(SddError):
    """Too many calls wait already."""

    code = "busy"


class CallTooLong(BaseException):
    """A call took longer than it may. No handler inside of the call catches it."""


class CallRunner:
    """Runs calls in an executor. `clock` returns seconds since the epoch."""

    def __init__(
        self, workplace: Workplace, executor: Executor, clock: Callable[[], float]
    ) -> None:
        self.workplace = workplace
        self._executor = executor
        self._clock = clock
        self._waiting = 0

    async def run_tool(
        self, tool: Tool, given: Mapping[str, object], roots: Sequence[Root] | None
    ) -> ToolResult:
        """Run a tool. An error of any kind is a result with one line of text."""
        try:
            arguments = check_arguments(tool.parameters, given)
            is_paged = "cursor" in arguments
            page = read_page_request(tool.name, arguments) if is_paged else None
            wanted = str(arguments.get("root") or "")

            def run(project: Project) -> ToolResult:
                restored = restore_paths(arguments, project.repository.git)
                return tool.run(Call(project, restored, self._clock(), page))

            return await self.run(tool.name, run, roots, wanted)
        except SddError as error:
            return failure(shorten_words(str(error)))

    async def run(
        self,
        name: str,
        function: Callable[[Project], Result],
        roots: Sequence[Root] | None,
        wanted: str = "",
    ) -> Result:
        """Run a function on the project of a client with these roots.

        Raises SddError: Busy, what the function raises, and one line for an unexpected error.
        """
        if self._waiting >= MAX_WAITING:
            raise Busy(f"{MAX_WAITING} calls are waiting: call again when one has ended")
        work = partial(_run, name, function, partial(find_project, self.workplace, roots, wanted))
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._executor, work)
        finally:
            self._waiting -= 1


def restore_paths(arguments: Mapping[str, object], git: Git) -> Mapping[str, object]:
    """Return the arguments with the paths of files as git has them.

    Results and requests are Unicode, where U+FFFD takes the place of a byte that is none.
    """
    if "\ufffd" not in str(arguments):
        return arguments
    listing = git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = {str(clean(path)): path for path in nul_split(listing)}

    def restored(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(restored(one) for one in value)
        path, mark, rest = value.partition("#") if isinstance(value, str) else ("", "", "")
        return f"{paths[path]}{mark}{rest}" if path in paths else value

    return {name: restored(value) for name, value in arguments.items()}


def failure(message: str) -> ToolResult:
    """Return the result of a call that failed."""
    return ToolResult(texts=(" ".join(message.split()),), is_error=True)


def _run(name: str, function: Callable[[Project], Result], find: Callable[[], Project]) -> Result:
    try:
        with tracing.span("mcp", name), time_limit(CALL_SECONDS, CallTooLong):
            return function(find())
    except SddError:
        raise
    except CallTooLong:
        raise SddError(f"{name} took longer than {CALL_SECONDS:.0f} seconds") from None
    except Exception as error:
        raise SddError(f"{name} failed: {describe_error(error)}") from error
