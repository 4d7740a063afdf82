"""Vectors pushed from one machine to another, through a bare repository."""

from __future__ import annotations

import os
import random
import subprocess
from array import array
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import SEED, create_repository
from benchmarks.process import Run, run
from benchmarks.sdd import COMMAND, Sdd
from benchmarks.workbench import Workbench

DIMENSIONS = 384
"""Those of all-MiniLM-L6-v2, and of many models of its size."""

PULL = ("index", "pull")


@dataclass(frozen=True)
class Shared:
    """A runner that embeds, a laptop, and the bare repository between them."""

    runner: Sdd
    laptop: Sdd
    hub: Path
    keys: list[bytes]

    def embed(self, first: int, count: int) -> None:
        """Give texts of the runner's index random vectors, because a model would take minutes."""
        from sdd_hooks.engines.embedded.backend import ENGINE
        from sdd_hooks.engines.vector_exchange import pack_vector

        chance = random.Random(f"{SEED} {first}")
        from sdd_hooks.project.project import load_project

        with closing(ENGINE.open(load_project(self.runner.root, os.environ))) as engine:
            engine.exchange().adopt(
                DIMENSIONS,
                [
                    (key, pack_vector(array("f", _direction(chance)).tobytes(), "int8"))
                    for key in self.keys[first : first + count]
                ],
            )

    def push(self) -> Run:
        """Push the vectors."""
        return run([COMMAND, "index", "push"], self.runner.root, self.runner.environ)

    def pull(self) -> Run:
        """Pull all vectors, without existing ones."""
        self.laptop.forget_vectors()
        return run([COMMAND, *PULL], self.laptop.root, self.laptop.environ)

    def packed(self) -> int:
        """The bytes of all packs that the bare repository received."""
        return sum(pack.stat().st_size for pack in (self.hub / "objects/pack").glob("*.pack"))


def shared(bench: Workbench, count: int) -> Shared:
    """A runner and a laptop that have indexed the same records, with `count` texts and more."""
    from sdd_hooks.engines.embedded.backend import ENGINE
    from sdd_hooks.project.project import load_project

    sides = bench.sdd("runner"), bench.sdd("laptop")
    hub = bench.directory / "hub.git"
    for command in (
        ["git", "init", "--quiet", "--bare", str(hub)],
        # git stores a pack as it was received.
        ["git", "-C", str(hub), "config", "transfer.unpackLimit", "1"],
    ):
        subprocess.run(command, env=dict(sides[0].environ), check=True)
    for side in sides:
        # A record has more than four sections.
        create_repository(side.root, count // 4, side.environ)
        side.first_index()
        command = ["git", "remote", "add", "origin", hub.as_uri()]
        subprocess.run(command, cwd=side.root, env=dict(side.environ), check=True)
    with closing(ENGINE.open(load_project(sides[0].root, os.environ))) as engine:
        return Shared(*sides, hub, list(engine.exchange().keys()))


def _direction(chance: random.Random) -> list[float]:
    """A random vector of unit length, uniform in direction."""
    values = [chance.gauss(0, 1) for _ in range(DIMENSIONS)]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]
