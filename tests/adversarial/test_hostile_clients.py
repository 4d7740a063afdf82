"""Random calls of a client of the server get one line or a result that keeps to its budget."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.mcp.calls import CallRunner
from sdd_hooks.mcp.parameters import Parameter
from sdd_hooks.mcp.qmd import MAX_TEXT
from sdd_hooks.mcp.qmd import TOOLS as QMD_TOOLS
from sdd_hooks.mcp.roots import Workplace
from sdd_hooks.mcp.server import create_server
from sdd_hooks.mcp.tool import Tool
from sdd_hooks.mcp.tools import TOOLS
from sdd_hooks.reporting.budget import count_tokens
from tests.adversarial.conftest import Rounds
from tests.support.repos import Repo

CANARY = "hunter2"
"""What is in files that no call may read."""

TEXTS = (
    "", " ", "x", "ADR-0001", "ADR-0001#decision", "#0001", "acme/ADR-0001", "SPEC-9999",
    "docs/adrs/ADR-0001-bus.md", "../outside.md", "docs/adrs/../../../outside.md", "secret.env",
    ".git/config", "/etc/passwd", "link.md", "docs/adrs/link.md", "src/a.py", "src/a.py#f", "src",
    ".", "..", "~", "$(id)", "`id`", "--help", "-C/", "HEAD", "main", "HEAD~1", "@{u}", "a..b",
    "*", "**", "{a,b}*", "[", "{" * 40, "docs/adrs/*", "#aaaaaa", "qmd://", "qmd://%2e%2e/x",
    "sdd:///docs/adrs/ADR-0001-bus.md", 'a"b', '"', "NEAR(a b)", "a OR", "a AND NOT", "-", "^",
    "é" * 300, "\u202e\u0000x", "\ud800", "a\nb", "x" * 5_000, "(" * 900,
    "../" * 500 + "etc/passwd",
)  # fmt: skip
OTHERS = (None, True, -1, 0, 1, 499, 500, 20_001, 1.5, float("inf"), 10**30, [], {}, [[]], {"a": 1})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a decision, code, and files that are not served."""
    top = tmp_path_factory.mktemp("hostile")
    (top / "outside.md").write_text(f"# ADR-0009: {CANARY}\n")
    repo = Repo.init(top / "shop")
    repo.commit(
        "Start",
        {
            "docs/adrs/ADR-0001-bus.md": "---\nstatus: accepted\napplies-to: [src/]\n---\n\n"
            "# ADR-0001: Bus\n\n## Decision\n\nServices talk over the bus.\n",
            "src/a.py": "# Governing: ADR-0001\n\n\ndef f():\n    return 1\n",
            ".gitignore": ".sdd/\nsecret.env\n",
        },
    )
    (repo.root / "secret.env").write_text(f"TOKEN={CANARY}\n")
    (repo.root / "link.md").symlink_to("../outside.md")
    (repo.root / "docs/adrs/link.md").symlink_to("../../../outside.md")
    repo.git("config", "remote.origin.url", f"https://x:{CANARY}@example.org/x.git")
    project = repo.project()
    refresh(project, collections=project.select(("adrs", "code")))
    return repo.root


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def value(rng: random.Random, parameter: Parameter) -> object:
    """A value that is mostly of the type of the parameter."""
    if rng.random() < 0.15:
        return rng.choice([*OTHERS, *TEXTS])
    match parameter.kind:
        case "text":
            return rng.choice(TEXTS)
        case "texts":
            return rng.choices(TEXTS, k=rng.choice((0, 1, 3, 60)))
        case "searches":
            return [
                {"type": rng.choice(("lex", "vec", "hyde", "x")), "query": rng.choice(TEXTS)}
                for _ in range(rng.randrange(4))
            ]
        case "flag":
            return rng.random() < 0.5
    return rng.choice((parameter.low, parameter.high, 0, 0.5, 600))


def arguments(rng: random.Random, tool: Tool) -> dict[str, object]:
    given = {
        one.name: value(rng, one)
        for one in tool.parameters
        if one.required or rng.random() < (0.1 if one.name in {"root", "cursor"} else 0.3)
    }
    return {**given, **({"path": "x"} if rng.random() < 0.02 else {})}


def check(tool: Tool, given: dict[str, Any], result: Any) -> None:
    """The promises about every result of a call."""
    texts = [getattr(one, "text", None) or one.resource.text for one in result.content]
    assert CANARY not in "".join(texts), (tool.name, given)
    if result.is_error:
        (line,) = texts
        assert "\n" not in line, (tool.name, given, line)
        # An error that names a class of Python is one that nothing expected.
        assert f"{tool.name} failed: " not in line, (tool.name, given, line)
    elif "budget" in {one.name for one in tool.parameters}:
        budget = given.get("budget") or next(
            one.default for one in tool.parameters if one.name == "budget"
        )
        assert count_tokens(texts[0]) <= budget, (tool.name, given)
    else:
        assert sum(len(text.encode()) for text in texts) < 2 * MAX_TEXT, (tool.name, given)


def test_every_call_gets_an_answer(rounds: Rounds, shop: Path, executor: Executor) -> None:
    calls = CallRunner(Workplace(shop, shop, os.environ), executor, time.time)
    servers = [(tools, create_server(tools, calls)) for tools in (TOOLS, QMD_TOOLS)]

    def case(rng: random.Random) -> None:
        tools, server = rng.choice(servers)

        async def talk() -> None:
            async with Client(server, mode="legacy", cache=None) as client:
                for _ in range(8):
                    tool = rng.choice(tools)
                    given = arguments(rng, tool)
                    check(tool, given, await client.call_tool(tool.name, given))
                uri = rng.choice(("sdd:///", "file://", "")) + rng.choice(TEXTS)
                try:
                    text = (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
                    assert CANARY not in text, uri
                except MCPError as error:
                    assert "\n" not in error.message, uri

        asyncio.run(talk())

    rounds.run(case)
