"""A repository with decisions in every state, indexed once, and servers for it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp_types import ListRootsResult
from mcp_types import Root as ListedRoot

from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.mcp.calls import CallRunner
from sdd_hooks.mcp.roots import Workplace
from sdd_hooks.mcp.server import create_server
from sdd_hooks.mcp.tool import Tool
from sdd_hooks.mcp.tools import TOOLS
from tests.support.repos import Repo

Result = TypeVar("Result")

FILES = {
    "CLAUDE.md": "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/openspec/specs/`\n",
    "docs/adrs/ADR-0001-rest.md": "---\nstatus: superseded by ADR-0002\n---\n\n# ADR-0001: REST\n\n"
    "## Decision\n\nServices talk REST with each other over the bus.\n",
    "docs/adrs/ADR-0002-grpc.md": "---\nstatus: accepted\nsupersedes: [ADR-0001]\n"
    "applies-to: [src/rpc/]\n---\n\n# ADR-0002: gRPC\n\n## Context\n\nREST was slow.\n\n"
    "## Decision\n\nServices talk gRPC with each other over the bus.\n\n"
    "## Consequences\n\nEvery service has a proto file.\n",
    "docs/adrs/ADR-0003-soap.md": "---\nstatus: rejected\napplies-to: [src/rpc/]\n---\n\n"
    "# ADR-0003: SOAP\n\n## Decision\n\nServices talk SOAP with each other over the bus.\n",
    "docs/openspec/specs/rpc/spec.md": "# SPEC-0001: Calls\n\n## Overview\n\nCalls of services.\n\n"
    "### Requirement: Deadline\n\nEvery call MUST have a deadline.\n\n#### Scenario: Slow\n\n"
    "- **WHEN** a service is slow\n- **THEN** the call ends\n",
    "docs/openspec/specs/rpc/design.md": "# Design of SPEC-0001: Calls\n\nTimers.\n",
    "src/rpc/client.py": '# Governing: SPEC-0001 REQ "Deadline"\n\n\ndef call_service(name):\n'
    "    return name\n",
    "src/page.py": "def render_page():\n    return 1\n",
    ".gitignore": ".sdd/\nsecret.env\n",
    "secret.env": "TOKEN=hunter2\n",
}


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """An indexed repository, which no test changes."""
    repo = Repo.init(tmp_path_factory.mktemp("mcp") / "shop")
    repo.commit("Files", FILES)
    project = repo.project()
    refresh(project, collections=project.select(("adrs", "specs", "code")))
    return repo


@pytest.fixture
def executor() -> Iterator[Executor]:
    """Runs the calls of a server in this process."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


Serve = Callable[..., Server[Any]]


@pytest.fixture
def serve(executor: Executor, tmp_path: Path) -> Serve:
    """Make a server that was started in `current`, which is in no repository if not given."""

    def make(
        current: Path | None = None, tools: tuple[Tool, ...] = TOOLS, fixed: Path | None = None
    ) -> Server[Any]:
        workplace = Workplace(fixed, current or tmp_path, os.environ)
        return create_server(tools, CallRunner(workplace, executor, time.time))

    return make


def with_client(
    server: Any, use: Callable[[Client], Awaitable[Result]], *roots: Path, mode: str = "legacy"
) -> Result:
    """Connect the client of the SDK, which has these roots, and return what `use` returns."""

    async def list_roots(_: object) -> ListRootsResult:
        return ListRootsResult(roots=[ListedRoot(uri=root.as_uri()) for root in roots])

    async def connect() -> Result:
        callback = list_roots if roots else None
        async with Client(server, mode=mode, list_roots_callback=callback, cache=None) as client:
            return await use(client)

    return asyncio.run(connect())


def call(server: Any, name: str, *roots: Path, mode: str = "legacy", **arguments: object) -> Any:
    """Call a tool, and return the object of its result, or the line of its error."""

    async def use(client: Client) -> Any:
        result = await client.call_tool(name, arguments)
        text = getattr(result.content[0], "text", "") if result.content else ""
        if result.is_error:
            assert "\n" not in text
            return text
        return result.structured_content

    return with_client(server, use, *roots, mode=mode)
