"""`python -m benchmarks.edits CLONES ROWS`: what an agent is handed before real edits.

CLONES has a clone of each repository, as `owner+name`. A line of `edits.jsonl` is a repository with
its edits: the commit, its title as the prompt, the first file of code, and the records (`expected`,
any of which is right) that a maintainer would want seen before, none for an ordinary edit. They
were labelled by reading, before any run; `half` says which half of the owners was held back, and
`fresh` those that were labelled when all weights were fixed. ROWS keeps what was looked at: a later
run looks only at what it lacks. Delete it when the evidence has changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from benchmarks.references.model import LogisticModel, fit
from benchmarks.references.preparation import MEMORY_FILE, check_out, create, memory_text
from sdd_hooks.agents.messages import MAX_WRITTEN
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.review.references.prepared import MAX_LIKELY
from sdd_hooks.usecases.agents.deciding_records import THRESHOLD, DecidingRecords, find_deciding
from sdd_hooks.usecases.agents.prepare import prepare_table
from sdd_hooks.usecases.agents.table import open_table

EDITS = Path(__file__).with_name("edits.jsonl")


class Looked(NamedTuple):
    """An edit: what is `known` of it, the records that are handed over, and the judged ones, each
    with its features."""

    commit: str
    owner: str
    half: str
    known: str
    expected: Sequence[str]
    handed: Sequence[str]
    judged: Sequence[tuple[str, Sequence[float]]]

    @property
    def examples(self) -> list[tuple[Sequence[float], bool, float]]:
        """The first judged record as an example to fit to."""
        return [(features, path in self.expected, 1.0) for path, features in self.judged[:1]]


def look(clones: Path, folder: Path, rows: Path) -> Iterator[Looked]:
    """Look at each edit twice, in a work tree of the commit before it, below `folder`."""
    git = SimpleNamespace(git=_git)
    kept = [Looked(*json.loads(line)) for line in _lines(rows)]
    yield from kept
    for line in _lines(EDITS):
        repo: dict[str, Any] = json.loads(line)
        name = repo["repo"].replace("/", "+")
        root = folder / name
        for edit in repo["edits"]:
            if any(one.commit == edit["commit"] for one in kept):
                continue
            create(git, (clones / name).resolve(), root)
            check_out(git, root, f"{edit['commit']}^")
            (root / MEMORY_FILE).write_text(memory_text(repo["record_dirs"]))
            looked = [*_look(load_project(root, os.environ), repo, edit)]
            with rows.open("a") as file:
                file.writelines(f"{json.dumps(one)}\n" for one in looked)
            yield from looked


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.is_file() else []


def _look(project: Project, repo: dict[str, Any], edit: dict[str, Any]) -> Iterator[Looked]:
    prepare_table(project)
    table = open_table(project.repository)
    assert table
    commit, file, root = edit["commit"], edit["file"], project.repository.root
    diff = _git(root, "diff", "-U0", f"{commit}^", commit, "--", file).splitlines()
    added = "\n".join(one[1:] for one in diff if one[:1] == "+" and one[:3] != "+++")
    for known, written in (("title, file", ""), ("and lines", added[:MAX_WRITTEN])):
        found = find_deciding(table, root, edit["title"], [file], written)
        judged = _judged(found) if found else ()
        handed = [one.artifact.path for one in found.records] if found else []
        owner = repo["repo"].partition("/")[0]
        yield Looked(commit, owner, repo["half"], known, edit["expected"], handed, [*judged])
    table.close()


def _judged(found: DecidingRecords) -> Iterator[tuple[str, Sequence[float]]]:
    records, judgement = found.head.records, found.judgement
    ranked, judged = (judgement.ranked, judgement.features) if judgement else ((), ())
    for one, features in zip(ranked, judged, strict=False):
        yield records[records[one.record_index].offers[0]].path, features


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
        model = _fit(one for one in edits if one.owner != owner)
        yield from (_judge(model, one) for one in edits if one.owner == owner)


def _fit(edits: Iterable[Looked]) -> LogisticModel:
    return fit([example for one in edits for example in one.examples])


def _judge(model: LogisticModel, edit: Looked) -> Looked:
    likely = [model.probability(features) >= THRESHOLD for _, features in edit.judged]
    paths = [path for (path, _), one in zip(edit.judged, likely, strict=True) if one]
    return edit._replace(handed=paths[:MAX_LIKELY] if any(likely[:1]) else [])


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the table and the weights that belong in the package."""
    with tempfile.TemporaryDirectory(prefix="edits-") as folder:
        edits = list(look(Path(arguments[0]), Path(folder), Path(arguments[1])))
    print("edits | known | handed over | of the texts, right | ordinary with a text")
    halves = {half: [one for one in edits if one.half == half] for half in ("dev", "held", "fresh")}
    for half, some in halves.items():
        print(*summarize(half, some), sep="\n")
    old = [one for one in halves["dev"] + halves["held"] if one.known == "and lines"]
    print(*summarize("judged alone, other owners", list(hold_out(old))), sep="\n")
    model = _fit(one for one in old if one.half == "dev")
    print(*summarize("dev on held", [_judge(model, one) for one in old if one.half == "held"]))
    print(_fit(old))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
