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
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLASSES = {
    "histories": "test_histories.py",
    "kills": "test_kills.py",
    "killed batches": "test_killed_batches.py",
    "damaged indexes": "test_index_damage.py",
    "damaged vectors": "test_damaged_vectors.py",
    "hostile state": "test_state_files.py",
    "installations": "test_installations.py::test_broken_installations",
    "environments": "test_installations.py::test_unusual_environments",
    "faults of trackers": "test_faulty_trackers.py",
    "faults of forges": "test_faulty_forges.py",
    "hostile clients": "test_hostile_clients.py",
}


def main() -> int:
    """Run a class. Returns 1 if a seed did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.adversarial")
    parser.add_argument("name", choices=CLASSES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--last", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = Path(folder, "tally")
        node = Path(__file__).parent / CLASSES[given.name]
        options = (f"--{name}={getattr(given, name)}" for name in ("seed", "last", "seconds"))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", str(node), *options]
        done = subprocess.run([*command, f"--tally={tally}"], check=False, stdout=sys.stderr)
        tried = [json.loads(line) for line in tally.read_text().splitlines()]
    failed = [(seed, text) for seed, text in tried if text]
    sys.stdout.writelines(f"seed {seed}: {text}\n" for seed, text in failed)
    seeds = ", ".join(str(seed) for seed, _ in failed) or "none"
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    row = (given.name, len(tried), len(tried) - len(failed), f"{tried[0][0]}–{tried[-1][0]}", seeds)
    date = time.strftime("%Y-%m-%d")
    sys.stdout.write(f"| {' | '.join(map(str, (*row, machine, date)))} |\n")
    return 1 if failed or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
