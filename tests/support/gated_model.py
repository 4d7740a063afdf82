"""An embedding model that waits at a gate: a plug-in of `llm`, in a distribution of the test."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.waiting import until

_PLUGIN = """
import llm

GATE = {gate!r}

def wait():
    # Until there is a token: a writer may close the pipe before this reader has opened it.
    while True:
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


_MANY = 4096
"""More tokens than a test has texts; a pipe holds at least as many."""


@dataclass(frozen=True)
class Gate:
    """A named pipe from which the model reads a token before each text.

    `environ` is the environment in which a process finds the plug-in.
    """

    path: Path
    environ: dict[str, str]
    _writers: list[int] = field(default_factory=list)

    def release_one(self) -> None:
        """Wait until the model waits, and let it embed one text."""
        until(self._opened)

    def remove(self) -> None:
        """Let the model embed all texts from now on."""
        # This end stays open: a model that opens the pipe at any later time finds tokens in it.
        writer = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self._writers.append(writer)
        os.write(writer, b"!" * _MANY)

    def close(self) -> None:
        """Close the pipe, at the end of the test."""
        while self._writers:
            os.close(self._writers.pop())

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
