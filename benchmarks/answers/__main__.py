"""`python -m benchmarks.answers [MIRRORS]`: is the right record found, and does its excerpt answer?

MIRRORS is a folder with a bare repository of each (`owner+name`), by default what the variable
SDD_MIRRORS names. `--model DIR` asks by words and by meaning, too. `--beside qmd,rg` asks qmd as
`scripts/install-qmd` installs it (`qmd query` with the GGUF file in DIR), and ripgrep, else `git
grep`, about the same records. `--misses` lists what fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from benchmarks.answers.questions import HALVES, QUESTIONS, Question, read_questions
from benchmarks.answers.scores import Score, misses, render, score
from benchmarks.answers.tools import FOLDER, GREP, Shown, ask_grep, ask_qmd, ask_sdd
from benchmarks.discovery.listed import list_records
from benchmarks.quality.public.asking import embed, with_model
from benchmarks.quality.qmd_side import Qmd
from benchmarks.sdd import environment
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import load_project

_INSTALLATION = Path(__file__).parents[2] / ".cache/qmd"
_OURS = ["sdd, words", "sdd, model"]


def main(arguments: Sequence[str]) -> int:
    """Ask about the repositories that are there, and print the table. Returns 1 without any."""
    options = _parse(arguments)
    scores: dict[str, list[Score]] = {}
    asked: list[Question] = []
    read = read_questions(options.questions)
    for (name, commit, half), group in groupby(read, lambda one: one[:3]):
        bare = options.mirrors / name.replace("/", "+")
        if options.half not in ("both", half) or not bare.exists():
            continue
        asked += (questions := list(group))
        print(name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for tool, ask in _tools(options, bare, commit, Path(folder)):
                found = [score(one, [*ask(one.question)]) for one in questions]
                scores.setdefault(tool, []).extend(found)
    for tool in sorted(scores.keys() & _OURS) if options.misses else ():
        print("".join(f"{tool}: {line}\n" for line in misses(scores[tool])))
    counts = len(asked), sum(not one.answers for one in asked), len({one[0] for one in asked})
    print("{} questions, {} without an answer, about {} repositories.\n".format(*counts))
    if asked:
        print(render(scores))
    return 0 if asked else 1


def _tools(
    options: argparse.Namespace, bare: Path, commit: str, folder: Path
) -> Iterator[tuple[str, Callable[[str], Iterable[Shown]]]]:
    """Yield each tool by its name, after it indexed the records of a repository at a commit."""
    root, corpus = folder / bare.name.rpartition("+")[2], folder / "corpus"
    root.mkdir()
    environ = environment(folder)
    records = list_records(bare, commit, root, environ)
    project = with_model(load_project(root, environ), "none")
    refresh(project, collections=project.select(RECORD_KINDS))
    yield _OURS[0], partial(ask_sdd, project)
    for record in records if options.beside else ():
        target = corpus / FOLDER / record.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / record.path, target)
    if options.model:
        embedded = with_model(project, str(options.model.resolve()))
        embed(embedded)
        yield _OURS[1], partial(ask_sdd, embedded)
    if "qmd" in options.beside:
        gguf = next(map(str, options.model.resolve().glob("*.gguf")), "") if options.model else ""
        qmd = Qmd(_INSTALLATION.resolve(), corpus, folder / "qmd", gguf)
        qmd.index("records")
        for command in ("search", "query") if gguf else ("search",):
            yield f"qmd {command}", partial(ask_qmd, qmd, command)
    if "rg" in options.beside:
        yield f"{GREP[0]}, words in context", partial(ask_grep, corpus)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.answers", description=__doc__)
    named = os.environ.get("SDD_MIRRORS")
    parser.add_argument("mirrors", type=Path, nargs="?" if named else None, default=named)
    parser.add_argument("--half", choices=[*HALVES, "both"], default="dev")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--model", type=Path, metavar="DIR")
    parser.add_argument("--beside", default=(), metavar="TOOLS", type=lambda text: text.split(","))
    parser.add_argument("--questions", type=Path, default=QUESTIONS, metavar="FILE")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
