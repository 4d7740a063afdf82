"""`sdd mcp` without the SDK that it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_SDK = """
import sys
sys.modules[sys.argv.pop(1)] = None
sys.argv[0] = "sdd"
from sdd_hooks.cli.entry import main
sys.exit(main())
"""


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
