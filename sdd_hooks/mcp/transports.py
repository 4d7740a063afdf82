"""The transport: messages on stdin and stdout.

The protocol is spoken in a second thread: the calls run one after another in the main thread. Time
limits use the timer of the process, whose signal only the main thread receives.
"""

# Governing: ADR-0057 (five tools that carry decisions), SPEC-0030 REQ "Transports",
# ADR-0019 (a token belongs to one host), ADR-0032 (a review ends in time)

from __future__ import annotations

import asyncio
import json
import logging
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from sdd_hooks.mcp.pages import clean

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_Task = tuple[Future[Any], Callable[[], Any]]


class MainThreadExecutor(Executor):
    """An executor whose tasks run in the thread that calls `work`."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()

    def submit(
        self,
        fn: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        """Add a task. Its future can be cancelled until the task begins."""
        future: Future[Result] = Future()
        self._tasks.put((future, lambda: fn(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """End `work` after the tasks that were added before."""
        self._tasks.put(None)

    def work(self) -> None:
        """Run tasks until `shutdown`. Raises what ends the process, such as KeyboardInterrupt."""
        while (task := self._tasks.get()) is not None:
            future, function = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except Exception as error:
                future.set_exception(error)


class _Readable:
    """A stream of messages. Those whose texts have lone surrogates are read, too.

    The SDK answers nothing to them. U+FFFD takes the place of such a character.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> _Readable:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> _Readable:
        return self

    async def __anext__(self) -> Any:
        item = await self._stream.__anext__()
        try:
            if isinstance(item, ValidationError) and item.errors()[0]["type"] == "json_invalid":
                value = clean(json.loads(item.errors()[0]["input"]))
                message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
                return SessionMessage(message)
        except ValueError:
            pass
        return item


def serve_stdio(server: Server[Any], executor: MainThreadExecutor) -> None:
    """Serve one client on stdin and stdout, until stdin ends."""

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            options = server.create_initialization_options()
            await server.run(_Readable(incoming), outgoing, options)

    _serve_beside(serve, executor)


def _serve_beside(serve: Callable[[], Awaitable[None]], executor: MainThreadExecutor) -> None:
    """Run `serve` in another thread, and the tasks of the executor in this one, until it ends.

    The thread is a daemon: Ctrl-C does not wait for a client that sends nothing.
    """
    # The SDK logs what clients do wrong, with tracebacks.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False
    failures: list[BaseException] = []

    async def run() -> None:
        await serve()

    def speak() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:
            failures.append(error)
        finally:
            executor.shutdown()

    thread = threading.Thread(target=speak, name="mcp", daemon=True)
    thread.start()
    executor.work()
    thread.join()
    if failures:
        raise failures[0]
