"""Calls run one after another; too many, too long ones and bugs are one line each."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

from sdd_hooks.errors import SddError
from sdd_hooks.mcp.calls import MAX_WAITING, CallRunner
from sdd_hooks.mcp.roots import Workplace
from sdd_hooks.mcp.tool import Call, Tool, ToolResult
from sdd_hooks.mcp.transports import MainThreadExecutor
from tests.support.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "repo")


def runner(repo: Repo, executor: Executor) -> CallRunner:
    return CallRunner(Workplace(repo.root, repo.root, os.environ), executor, time.time)


def test_more_calls_than_may_wait_get_an_error(repo: Repo) -> None:
    """Scenario "1,000 calls" of SPEC-0005."""
    gate = threading.Event()

    def wait(_: Call) -> ToolResult:
        gate.wait()
        return ToolResult({"done": True})

    tool = Tool("wait", "", "", (), wait)

    async def flood(calls: CallRunner) -> list[ToolResult]:
        tasks = [asyncio.create_task(calls.run_tool(tool, {}, None)) for _ in range(1_000)]
        while sum(task.done() for task in tasks) < 1_000 - MAX_WAITING:
            await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(*tasks)

    with ThreadPoolExecutor(1) as pool:
        results = asyncio.run(flood(runner(repo, pool)))
    refused = [one for one in results if one.is_error]
    assert len(refused) == 1_000 - MAX_WAITING
    assert refused[0].texts == (f"{MAX_WAITING} calls are waiting: call again when one has ended",)


def test_a_bug_is_one_line(repo: Repo, executor: Executor) -> None:
    def fail(_: Call) -> ToolResult:
        raise KeyError("a\nb")

    result = asyncio.run(runner(repo, executor).run_tool(Tool("fail", "", "", (), fail), {}, None))
    assert result.is_error
    assert result.texts == (r"fail failed: KeyError: 'a\nb'",)


def test_tasks_run_in_the_thread_that_works() -> None:
    executor = MainThreadExecutor()
    first, cancelled = executor.submit(threading.current_thread), executor.submit(time.time)
    failing = executor.submit(int, "x")
    cancelled.cancel()
    executor.shutdown()
    executor.work()
    assert first.result() is threading.current_thread()
    assert cancelled.cancelled()
    with pytest.raises(ValueError, match="invalid literal"):
        failing.result()


def test_a_call_of_the_project_raises_what_users_can_act_on(repo: Repo, executor: Executor) -> None:
    def fail(_: object) -> None:
        raise SddError("one line")

    with pytest.raises(SddError, match=r"^one line$"):
        asyncio.run(runner(repo, executor).run("x", fail, None))
