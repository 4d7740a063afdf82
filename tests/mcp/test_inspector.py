"""The official inspector and conformance suite, as `scripts/install-inspector` installs them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.mcp.conftest import Serve
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT, until

SDD = str(Path(sys.executable).with_name("sdd"))
ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
MISSING = "needs the inspector of MCP: scripts/install-inspector .cache/inspector"


@pytest.fixture(scope="module")
def installed() -> Path:
    """The directory of the programs: `SDD_INSPECTOR`, else `.cache/inspector`; "" means none."""
    named = os.environ.get("SDD_INSPECTOR")
    directory = Path(named) if named else ROOT / ".cache/inspector"
    if named == "" or not (directory / "inspector.stamp").is_file():
        pytest.skip(MISSING)
    return directory


def run(installed: Path, where: Path, program: str, *arguments: str) -> str:
    done = subprocess.run(
        [str(installed / "node_modules/.bin" / program), *arguments],
        cwd=where,
        env={**os.environ, "PATH": f"{installed / 'bin'}:{os.environ['PATH']}", "HOME": str(where)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        (
            "tools/call",
            ("--tool-name", "get", "--tool-arg", "target=ADR-0002"),
            '"artifact": "ADR-0002: gRPC"',
        ),
        ("resources/read", ("--uri", "sdd:///docs/adrs/ADR-0001-rest.md"), "NOT IN FORCE"),
    ],
)
def test_the_inspector_uses_the_server(
    installed: Path, indexed: Repo, method: str, arguments: tuple[str, ...], expected: str
) -> None:
    wait = ("--connect-timeout", str(1000 * TIMEOUT))
    options = ("--cli", SDD, "mcp", *wait, "--method", method, *arguments)
    printed = run(installed, indexed.root, "mcp-inspector", *options)
    json.loads(printed)
    assert expected in printed


@pytest.fixture
def url(serve: Serve, indexed: Repo) -> Iterator[str]:
    """The server over HTTP without its token, which the suite cannot send."""
    server: Any = serve(indexed.root)
    listener = socket.create_server((HOST, 0))
    config = uvicorn.Config(server.streamable_http_app(host=HOST), log_config=None)
    http = uvicorn.Server(config)
    thread = threading.Thread(target=http.run, kwargs={"sockets": [listener]})
    thread.start()
    until(lambda: http.started)
    yield f"http://{HOST}:{listener.getsockname()[1]}/mcp"
    http.should_exit = True
    thread.join()
    listener.close()


SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
)


def test_the_server_passes_the_scenarios_without_test_tools(
    installed: Path, url: str, tmp_path: Path
) -> None:
    """Others need tools and prompts that the suite defines."""
    for scenario in SCENARIOS:
        run(installed, tmp_path, "conformance", "server", "--url", url, "--scenario", scenario)
