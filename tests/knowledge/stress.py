"""Writers at once, and writers that are killed: `python -m tests.knowledge.stress`.

Every writer saves entries in a loop, and acknowledges each in a file of its own after the command
would have reported it. A killed writer gets SIGKILL at a random moment. Afterwards every entry that
was acknowledged is there, every file is valid JSON, and the index is in step with the files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.knowledge.store import load_index, read_files, read_index, write_entries
from sdd_hooks.usecases.knowledge.entries import open_knowledge, writing
from tests.knowledge.bases import lesson
from tests.support.repos import Repo

ENTRIES = 4
"""Entries that a writer saves, unless it is killed."""


MAX_SPINS = 8_000_000
"""Rounds of an empty loop before a kill, at most: they decide only what the kill meets."""


class Outcome(NamedTuple):
    """What was acknowledged and is not there, files that are no entries, and counts."""

    lost: list[str]
    invalid: list[str]
    acknowledged: int
    present: int


def run(root: Path, writers: int, kills: int, seed: int) -> Outcome:
    """Run writers at once, and kill `kills` more, two at a time: the first half meanwhile."""
    generator = random.Random(seed)
    acks = root.parent / "acknowledged"
    acks.mkdir(exist_ok=True)
    children = [_start(root, acks, f"writer-{number}") for number in range(writers)]
    for number in range(0, kills, 2):
        if number >= kills // 2:
            _wait(children)
        pair = [_start(root, acks, f"killed-{number + one}", 10_000) for one in range(2)]
        for _ in range(generator.randrange(MAX_SPINS)):
            pass
        for child in pair:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    _wait(children)
    return inspect(root, acks)


def _wait(children: list[int]) -> None:
    while children:
        _, status = os.waitpid(children.pop(), 0)
        assert status == 0


def inspect(root: Path, acks: Path) -> Outcome:
    """Compare what was acknowledged with what is there."""
    base = open_knowledge(root, os.environ)
    known, _ = read_index(base.repository, base.place)
    assert known == read_files(base.place)
    wanted = [name for path in acks.iterdir() for name in path.read_text().split()]
    lost = [name for name in wanted if name not in known.lessons]
    invalid = []
    for path in sorted((root / ".sdd/knowledge").rglob("*.json")):
        try:
            json.loads(path.read_bytes())
        except ValueError:
            invalid.append(str(path))
    return Outcome(lost, invalid, len(wanted), known.count)


def _start(root: Path, acks: Path, name: str, entries: int = ENTRIES) -> int:
    """Fork a writer of so many entries. Returns its process id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        _write(root, acks / name, entries)
        status = 0
    finally:
        os._exit(status)


def _write(root: Path, ack: Path, entries: int) -> None:
    name = ack.name
    base = open_knowledge(root, os.environ)
    with ack.open("a") as file:
        for number in range(entries):
            identifier = f"{name}-{number}"
            entry = lesson(identifier, tags=(name,), context="x" * 5_000)
            with writing(base) as now:
                known, _ = load_index(now.place)
                write_entries(now.place, known, [entry])
            file.write(f"{identifier}\n")
            file.flush()


def _commands(root: Path, count: int) -> None:
    """Run the installed command as many times at once, with different lessons."""
    sdd = str(Path(sys.executable).parent / "sdd")
    arguments = [sdd, "knowledge", "learn", "--yes", "--json", "--level", "domain-specific"]
    started = [
        subprocess.Popen(
            [*arguments, "--tags", f"tag-{n}", "--id", f"command-{n}", f"Advice number {n}"],
            cwd=root,
            stdout=subprocess.DEVNULL,
        )
        for n in range(count)
    ]
    assert [process.wait() for process in started] == [0] * count
    base = open_knowledge(root, os.environ)
    known = read_index(base.repository, base.place).known
    assert all(f"command-{n}" in known.lessons for n in range(count))


def main() -> None:
    """Run the whole in a temporary repository, and print the outcome."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--commands", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "repo")
        Repo.init(root)
        outcome = run(root, given.writers, given.kills, given.seed)
        _commands(root, given.commands)
    sys.stdout.write(f"seed {given.seed}: {outcome}\n")
    raise SystemExit(bool(outcome.lost or outcome.invalid))


if __name__ == "__main__":
    main()
