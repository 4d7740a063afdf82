"""Run `daemon.serve` in a separate process, as `sdd index serve` does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass

from sdd_hooks.engines.qmd.index_folder import IndexFolder
from tests.support.qmd import RealQmd
from tests.support.signals import default_signals, killed_on_failure
from tests.support.waiting import TIMEOUT

_PROGRAM = """
import json, os, sys
from pathlib import Path
from sdd_hooks.engines.qmd.daemon import serve
from sdd_hooks.engines.qmd.index_folder import IndexFolder
from sdd_hooks.engines.qmd.installation import find_qmd

folder = IndexFolder(Path(sys.argv[1]), Path(sys.argv[2]))
announce = lambda url, pid: print(json.dumps([url, pid]), flush=True)
serve(find_qmd(os.environ), folder, os.environ, 0, announce)
"""


@dataclass(frozen=True)
class Served:
    """A process that runs a daemon: the daemon's URL, and the process that leads its group."""

    process: subprocess.Popen[str]
    url: str
    pid: int

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it with a signal, and return its exit status."""
        self.process.send_signal(number)
        with killed_on_failure(self.process):
            return self.process.wait(TIMEOUT)


def serving(qmd: RealQmd, folder: IndexFolder) -> Served:
    """Serve the index in `folder` until `end`."""
    with default_signals():
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(folder.root), str(folder.path)],
            env=dict(qmd.environ),
            stdout=subprocess.PIPE,
            text=True,
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "it ended without serving"
    url, pid = json.loads(line)
    return Served(process, url, pid)
