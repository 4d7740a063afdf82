"""Try random cases of a class, and print a row of the table in `docs/reliability.md`.

    python -m tests.adversarial histories --seed 1 --last 200
    python -m tests.adversarial kills --seconds 3600

A seed that does not hold goes on with the next one; its error is printed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from datetime import date
from pathlib import Path

import pytest

CLASSES = {
    "histories": "test_histories.py",
    "kills": "test_kills.py",
    "killed-batches": "test_killed_batches.py",
    "damaged-indexes": "test_index_damage.py",
    "damaged-vectors": "test_damaged_vectors.py",
    "hostile-state": "test_state_files.py",
    "installations": "test_installations.py::test_broken_installations",
    "environments": "test_installations.py::test_unusual_environments",
    "faults-of-trackers": "test_faulty_trackers.py",
    "faults-of-forges": "test_faulty_forges.py",
    "hostile-clients": "test_hostile_clients.py",
}


def main() -> int:
    """Run a class. Returns 1 if a seed did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.adversarial")
    parser.add_argument("name", choices=CLASSES)
    for name, usual in {"seed": 1, "last": 10**9, "seconds": 10**9}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = vars(parser.parse_args())
    name = given.pop("name")
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--{key}={value}" for key, value in given.items()]
        tally = Path(folder, "tally")
        node = Path(__file__).parent / CLASSES[name]
        pytest.main(["-q", str(node), *options, f"--tally={tally}"])
        tried = [json.loads(line) for line in tally.read_text().splitlines()]
    failed = {seed: text for seed, text in tried if text}
    sys.stdout.writelines(f"seed {seed}: {text}\n" for seed, text in failed.items())
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    seeds = f"{tried[0][0]}–{tried[-1][0]}"
    lost = ", ".join(map(str, failed)) or "none"
    row = (name, len(tried), len(tried) - len(failed), seeds, lost, machine, f"{date.today()}")
    sys.stdout.write(f"| {' | '.join(map(str, row))} |\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
