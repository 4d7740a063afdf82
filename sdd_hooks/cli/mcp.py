"""`sdd mcp`: serve decisions to agents over the Model Context Protocol."""

# Governing: SPEC-0030 REQ "Transports", ADR-0057 (five tools that carry decisions)

from __future__ import annotations

import os
import secrets
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdd_hooks.cli.shared.context import start_directory
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.errors import EXIT_OK, EngineUnavailable

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from sdd_hooks.mcp.transports import MainThreadExecutor

TOKEN_VARIABLE = "SDD_MCP_TOKEN"  # noqa: S105 (the name of a variable)

_TOKEN_BYTES = 32
_MIN_TOKEN = 16


@click.command()
@click.option("--http", is_flag=True, help="Serve streamable HTTP on 127.0.0.1.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port of --http; a free one when not given.",
)
@click.option(
    "--qmd-compatible",
    is_flag=True,
    help="Serve qmd's tools query, get, multi_get and status instead.",
)
@json_option
@click.pass_obj
def mcp(
    directory: Path | None, *, http: bool, port: int, qmd_compatible: bool, as_json: bool
) -> int:
    """Serve decisions, specifications and code to agents (MCP).

    An agent starts this, and talks to it on stdin and stdout. It serves the repository of the
    client's roots, else of the current directory; with -C that directory only. Five tools read:
    search, get, decisions_for_paths, review_change, status.

    --http needs a token: that in SDD_MCP_TOKEN, else a new one, which is printed.

    \b
    Example:
      sdd mcp
      sdd mcp --http --port 8282
    """
    if port and not http:
        raise click.UsageError("--port is for --http")
    if as_json and not http:
        raise click.UsageError("--json is for --http: stdout is the channel of the protocol")
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
    if http:
        return _serve_http(server, executor, port, as_json=as_json)
    if sys.stdin.isatty():
        sys.stderr.write("sdd: waiting for messages of the protocol: an agent starts this\n")
    serve_stdio(server, executor)
    return EXIT_OK


def _require_sdk() -> None:
    # The second release of the SDK has its types in a distribution of their own.
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        from sdd_hooks.system.installation import advise_extra

        raise EngineUnavailable(f"`sdd mcp` needs the SDK of the protocol: {advise_extra('mcp')}")


def _serve_http(
    server: Server[Any], executor: MainThreadExecutor, port: int, *, as_json: bool
) -> int:
    from sdd_hooks.mcp.transports import HOST, PATH, listen, serve_http

    given = os.environ.get(TOKEN_VARIABLE, "")
    if given and (len(given) < _MIN_TOKEN or not given.isascii() or not given.isprintable()):
        raise click.UsageError(
            f"{TOKEN_VARIABLE} has to be {_MIN_TOKEN} or more printable characters of ASCII"
        )
    token = given or secrets.token_urlsafe(_TOKEN_BYTES)
    listener = listen(port)
    url = f"http://{HOST}:{listener.getsockname()[1]}{PATH}"
    line = f"serving on {url}" if given else f"serving on {url} with the token {token}"
    data = {"url": url, "token": None if given else token, "pid": os.getpid()}
    show(CommandOutput(data, [line]), as_json)
    # A caller reads the address from a pipe.
    sys.stdout.flush()
    serve_http(server, executor, listener, token)
    return EXIT_OK
