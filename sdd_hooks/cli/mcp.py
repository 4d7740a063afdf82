"""`sdd mcp`: serve decisions to agents over the Model Context Protocol."""

# Governing: SPEC-0030 REQ "Transports", ADR-0057 (five tools that carry decisions)

from __future__ import annotations

import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import start_directory
from sdd_hooks.errors import EXIT_OK, EngineUnavailable


@click.command()
@click.option(
    "--qmd-compatible",
    is_flag=True,
    help="Serve qmd's tools query, get, multi_get and status instead.",
)
@click.pass_obj
def mcp(directory: Path | None, *, qmd_compatible: bool) -> int:
    """Serve decisions, specifications and code to agents (MCP).

    An agent starts this, and talks to it on stdin and stdout. It serves the repository of the
    client's roots, else of the current directory; with -C that directory only. Five tools read:
    search, get, decisions_for_paths, review_change, status.

    \b
    Example:
      sdd mcp
    """
    _require_sdk()
    from sdd_hooks.mcp.calls import CallRunner
    from sdd_hooks.mcp.roots import Workplace
    from sdd_hooks.mcp.server import create_server
    from sdd_hooks.mcp.tools import TOOLS
    from sdd_hooks.mcp.transports import MainThreadExecutor, serve_stdio

    executor = MainThreadExecutor()
    fixed = start_directory(directory) if directory else None
    workplace = Workplace(fixed, start_directory(None), os.environ)
    calls = CallRunner(workplace, executor, time.time)
    if qmd_compatible:
        from sdd_hooks.mcp.qmd import INSTRUCTIONS
        from sdd_hooks.mcp.qmd import TOOLS as QMD_TOOLS

        server = create_server(QMD_TOOLS, calls, "qmd", INSTRUCTIONS)
    else:
        server = create_server(TOOLS, calls)
    if sys.stdin.isatty():
        sys.stderr.write("sdd: waiting for messages of the protocol: an agent starts this\n")
    serve_stdio(server, executor)
    return EXIT_OK


def _require_sdk() -> None:
    # The second release of the SDK has its types in a distribution of their own.
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        from sdd_hooks.system.installation import advise_extra

        raise EngineUnavailable(f"`sdd mcp` needs the SDK of the protocol: {advise_extra('mcp')}")
