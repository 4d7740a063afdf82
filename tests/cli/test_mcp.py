"""`sdd mcp` before it serves: its options, and the SDK that it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import one_line, run

WITHOUT_SDK = """
import sys
sys.modules[sys.argv.pop(1)] = None
sys.argv[0] = "sdd"
from sdd_hooks.cli.entry import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--port", "80"), "--port is for --http"),
        (("--json",), "--json is for --http: stdout is the channel of the protocol"),
    ],
)
def test_options_of_http_need_it(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    done = run(tmp_path, "mcp", *options)
    assert done.code == 2
    assert message in done.err + done.out


@pytest.mark.parametrize(
    "token", ["short", "a token with é and more characters", "x" * 20 + "\x01"]
)
def test_a_weak_token_is_refused(tmp_path: Path, token: str) -> None:
    done = run(tmp_path, "mcp", "--http", env={"SDD_MCP_TOKEN": token})
    assert "SDD_MCP_TOKEN has to be 16 or more printable characters" in one_line(done, 2)


@pytest.mark.parametrize("missing", ["mcp", "mcp_types"])
def test_without_the_sdk_the_extra_is_named(tmp_path: Path, missing: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SDK, missing, "mcp"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.startswith("sdd: `sdd mcp` needs the SDK of the protocol: run `")
    assert "mcp" in done.stderr.rpartition("run `")[2]
    assert done.stderr.count("\n") == 1
