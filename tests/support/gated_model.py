"""An embedding model that waits at a gate: a plug-in of `llm`, in a distribution of the test."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import until

_PLUGIN = """
import os
import llm

GATE = {gate!r}

def wait():
    while os.path.exists(GATE):
        with open(GATE, "rb", buffering=0) as gate:
            if gate.read(1):
                return

class Gated(llm.EmbeddingModel):
    model_id = "gated"

    def embed_batch(self, items):
        for item in items:
            if item != "dimensions":
                wait()
            if "unwanted" in item:
                raise ValueError("no\\x1b such\\nthing")
            yield [1.0, float(len(item)), float(sum(item.encode()) % 97)]

class Elsewhere(Gated):
    model_id = "elsewhere"
    needs_key = "elsewhere"
    key_env_var = "ELSEWHERE_KEY"

@llm.hookimpl
def register_embedding_models(register):
    register(Gated())
    register(Elsewhere())
"""


@dataclass(frozen=True)
class Gate:
    """A named pipe at which the model waits before each text, until the pipe is removed.

    `environ` is the environment in which a process finds the plug-in.
    """

    path: Path
    environ: dict[str, str]

    def release_one(self) -> None:
        """Wait until the model waits, and let it embed one text."""
        until(self._opened)

    def remove(self) -> None:
        """Let the model embed all texts, and end its current wait."""
        waiting = self.path.rename(self.path.with_suffix(".gone"))
        try:
            os.close(os.open(waiting, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            assert error.errno == errno.ENXIO

    def _opened(self) -> bool:
        try:
            gate = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            # No model reads from the pipe yet.
            assert error.errno == errno.ENXIO
            return False
        try:
            os.write(gate, b"!")
        finally:
            os.close(gate)
        return True


def make_gate(folder: Path, environ: dict[str, str]) -> Gate:
    """Install the plug-in into `folder`, for processes with the environment of the gate.

    Its models are `gated` and `elsewhere`, which has the key of a remote service.
    """
    folder.mkdir(parents=True)
    gate = folder / "gate"
    os.mkfifo(gate)
    (folder / "gated.py").write_text(_PLUGIN.format(gate=str(gate)), encoding="utf-8")
    # llm imports the client of OpenAI, which takes half a second and is not needed here.
    (folder / "openai.py").touch()
    about = folder / "gated-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gated\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[llm]\ngated = gated\n")
    variables = {
        "PYTHONPATH": str(folder),
        "LLM_USER_PATH": str(folder / "user"),
        "ELSEWHERE_KEY": "x",
        "SDD_REMOTE_MODELS": "elsewhere",
    }
    return Gate(gate, {**environ, **variables})
