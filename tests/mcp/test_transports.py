"""The server as a process, on stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.mcp.conftest import with_client
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

SDD = str(Path(sys.executable).with_name("sdd"))
TOKEN = "a-token-of-sixteen-characters"
MODES = ("legacy", "2026-07-28")


def stdio(where: Path, *arguments: str) -> Any:
    return stdio_client(StdioServerParameters(command=SDD, args=["mcp", *arguments], cwd=where))


@pytest.mark.parametrize("mode", MODES)
def test_a_process_serves_its_standard_streams(indexed: Repo, mode: str) -> None:
    """It is started elsewhere, and finds the repository by the root of the client."""

    async def use(client: Client) -> Any:
        calls = [client.call_tool("get", {"target": "ADR-0002"}) for _ in range(3)]
        results = await asyncio.gather(*calls)
        return [one.structured_content["artifact"] for one in results]

    found = with_client(stdio(Path("/")), use, indexed.root, mode=mode)
    assert found == ["ADR-0002: gRPC"] * 3


def test_a_flood_of_calls_gets_errors_and_answers(indexed: Repo) -> None:
    async def use(client: Client) -> Any:
        calls = [client.call_tool("status", {}) for _ in range(300)]
        results = await asyncio.gather(*calls)
        again = await client.call_tool("status", {})
        return [one.content[0].text for one in results if one.is_error], len(results), again

    errors, number, again = with_client(stdio(indexed.root), use)
    assert number == 300
    assert set(errors) <= {"64 calls are waiting: call again when one has ended"}
    assert again.structured_content["repository"] == str(indexed.root)


def test_a_path_that_is_no_unicode_has_one_form(indexed: Repo) -> None:
    """JSON has its bytes as lone surrogates, which the SDK refuses without an answer."""
    name = os.fsdecode(b"src/latin\xe9.py")
    indexed.write(name, "# Governing: ADR-0002\ndef unusual():\n    pass\n")
    calls = [("get", {"target": name}), ("search", {"query": "cut \ud83d"})]
    calls += [("get", {"target": f"src/latin\ufffd.py{part}"}) for part in ("", "#unusual")]
    calls += [("decisions_for_paths", {"paths": [name]})]
    first = {"protocolVersion": "2025-06-18", "capabilities": {}}
    first["clientInfo"] = {"name": "x", "version": "1"}
    requests = [("initialize", first)]
    requests += [("tools/call", {"name": tool, "arguments": given}) for tool, given in calls]
    sent = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        for number, (method, parameters) in enumerate(requests)
    ]
    with subprocess.Popen(
        [SDD, "mcp"], cwd=indexed.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{json.dumps(one)}\n" for one in sent).encode())
        process.stdin.flush()
        answers = dict[int, Any]()
        while len(answers) < len(sent):
            message = json.loads(process.stdout.readline())
            answers[message["id"]] = message["result"]
        process.stdin.close()
    results = [answers[number]["structuredContent"] for number in range(1, len(sent))]
    assert [results[at]["place"].partition(":")[0] for at in (0, 2, 3)] == [
        "src/latin\ufffd.py"
    ] * 3
    assert results[4]["decisions"][0]["artifact"] == "ADR-0002: gRPC"


def test_what_is_no_message_is_no_crash(indexed: Repo) -> None:
    """The process ends with its input. It prints messages only, and no traceback."""
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        },
    }
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    lines = ["", "nonsense", "[]", '{"jsonrpc": "2.0", "id": 9}', "\x00\xff", '"' + "x" * 1_000_000]
    sent = "\n".join([json.dumps(initialize), *lines, json.dumps(ping), ""])
    with subprocess.Popen(
        [SDD, "mcp"],
        cwd=indexed.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(sent.encode("latin-1"))
        process.stdin.flush()
        answered: set[int] = set()
        # The end of the input ends calls that are not answered yet.
        while not answered >= {1, 2}:
            message = json.loads(process.stdout.readline())
            if "result" in message:
                answered.add(message["id"])
        process.stdin.close()
        assert all(json.loads(line) for line in process.stdout)
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT) == 0
