"""`python -m benchmarks.edits CLONES`: what an agent is handed before the edits of `edits.jsonl`.

CLONES has a clone of each repository, as `owner+name`. A line of `edits.jsonl` is a repository with
its edits: the commit, its title as the prompt, the first file of code, and the records (`expected`,
any of which is right) that a maintainer would want seen before, none for an ordinary edit. They
were labelled by reading, before any run; `half` says which half of the owners was held back.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from benchmarks.references.model import fit
from benchmarks.references.preparation import MEMORY_FILE, check_out, create, memory_text
from sdd_hooks.agents.messages import MAX_WRITTEN
from sdd_hooks.project.project import load_project
from sdd_hooks.review.references.asking.confidence import predict_probability
from sdd_hooks.usecases.agents.deciding_records import THRESHOLD, find_deciding
from sdd_hooks.usecases.agents.prepare import prepare_table
from sdd_hooks.usecases.agents.table import open_table

EDITS = Path(__file__).with_name("edits.jsonl")


class Looked(NamedTuple):
    """An edit: what is `known` of it, the records that are handed over, and the judged one."""

    owner: str
    half: str
    known: str
    expected: Sequence[str]
    handed: Sequence[str]
    judged: str
    features: tuple[float, float]

    @property
    def example(self) -> tuple[tuple[float, float], bool, float]:
        """The edit as an example to fit to."""
        return self.features, self.judged in self.expected, 1.0


def look(clones: Path, folder: Path) -> Iterator[Looked]:
    """Look at each edit twice, in a work tree of the commit before it, below `folder`."""
    git = SimpleNamespace(git=_git)
    for line in EDITS.read_text().splitlines():
        repo: dict[str, Any] = json.loads(line)
        name = repo["repo"].replace("/", "+")
        root = folder / name
        create(git, (clones / name).resolve(), root)
        for edit in repo["edits"]:
            before, file = f"{edit['commit']}^", edit["file"]
            check_out(git, root, before)
            (root / MEMORY_FILE).write_text(memory_text(repo["record_dirs"]))
            project = load_project(root, os.environ)
            prepare_table(project)
            table = open_table(project.repository)
            assert table
            diff = _git(root, "diff", "-U0", before, edit["commit"], "--", file).splitlines()
            added = "\n".join(one[1:] for one in diff if one[:1] == "+" and one[:3] != "+++")
            for known, written in (("title, file", ""), ("and lines", added[:MAX_WRITTEN])):
                found = find_deciding(table, root, edit["title"], [file], written)
                judged, features = "", (-9.0, 0.0)
                if found and (one := found.judgement):
                    judged = found.head.records[one.ranked[0].record_index].path
                    likely = predict_probability(one.features)
                    features = (math.log(likely / (1 - likely)), one.twice)
                handed = [one.artifact.path for one in found.records] if found else []
                row = (known, edit["expected"], handed, judged, features)
                yield Looked(repo["repo"].partition("/")[0], repo["half"], *row)
            table.close()


def _git(cwd: Path, *arguments: str, check: bool = True, data: bytes | None = None) -> str:
    run = subprocess.run(["git", *arguments], check=False, cwd=cwd, input=data, capture_output=True)
    if check and run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace")[-300:])
    return run.stdout.decode(errors="replace")


def summarize(name: str, edits: Sequence[Looked]) -> Iterator[str]:
    """A row of the table for each of what is known."""
    for known in dict.fromkeys(one.known for one in edits):
        some = [one for one in edits if one.known == known]
        right = sum(not {*one.expected}.isdisjoint(one.handed) for one in some)
        said = sum(bool(one.handed) for one in some)
        needing = sum(bool(one.expected) for one in some)
        texts = sum(bool(one.handed) and not one.expected for one in some)
        ordinary = f"{texts} of {len(some) - needing}"
        yield f"{name} | {known} | {right} of {needing} | {right} of {said} | {ordinary}"


def hold_out(edits: Sequence[Looked]) -> Iterator[Looked]:
    """What judgement alone hands over, with weights that were fitted without the owner."""
    for owner in sorted({one.owner for one in edits}):
        model = fit([one.example for one in edits if one.owner != owner])
        for one in (one for one in edits if one.owner == owner):
            asks = model.probability(one.features) >= THRESHOLD
            yield one._replace(handed=[one.judged] if asks else [])


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the table and the weights that belong in the package."""
    with tempfile.TemporaryDirectory(prefix="edits-") as folder:
        edits = list(look(Path(arguments[0]), Path(folder)))
    print("edits | known | handed over | of the texts, right | ordinary with a text")
    for half in ("dev", "held"):
        print(*summarize(half, [one for one in edits if one.half == half]), sep="\n")
    print(*summarize("judged alone, other owners", list(hold_out(edits))), sep="\n")
    print(fit([one.example for one in edits]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
