"""`daemon.serve` in a process of its own, as `sdd index serve` runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass

from sdd_hooks.engines.qmd.process import Place
from tests.support.qmd import RealQmd

_PROGRAM = """
import json, os, sys
from pathlib import Path
from sdd_hooks.engines.qmd.daemon import serve
from sdd_hooks.engines.qmd.installation import find
from sdd_hooks.engines.qmd.process import Place

place = Place(Path(sys.argv[1]), Path(sys.argv[2]))
told = lambda *said: print(json.dumps(said), flush=True)
serve(find(os.environ), place, os.environ, 0, told)
"""


@dataclass(frozen=True)
class Served:
    """A process that serves: where it answers, and the process that leads qmd's group."""

    process: subprocess.Popen[str]
    url: str
    pid: int

    def end(self, number: int = signal.SIGTERM) -> int:
        """Its exit status, once a signal has ended it."""
        self.process.send_signal(number)
        with self.process:
            return self.process.wait(30)


def serving(qmd: RealQmd, place: Place) -> Served:
    """Serve the index of `place` until `end`."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(place.root), str(place.directory)],
        env=dict(qmd.environ),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "it ended without serving"
    url, pid = json.loads(line)
    return Served(process, url, pid)
