"""How often a score of `sdd search` is right.

`python -m benchmarks.quality.reliability --models DIR` prints it.

Asks the questions of the fixtures and those of `unanswered.txt`, which nothing in a corpus answers,
and fits the scales of `retrieval/scores.py`: the score that no unanswered question reaches is shown
as 0.5. The table judges each corpus with the scale that was fitted to the other one. `--write` puts
it into `docs/benchmarks.md`.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality import fixtures
from benchmarks.quality.corpora import CORPORA, make_repository
from benchmarks.sdd import environment
from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import load_project
from sdd_hooks.retrieval.scores import Scale
from sdd_hooks.retrieval.search import HitLimits, search_typed

MODES = ("words", "hybrid")
BANDS = ((0.9, 1.0), (0.7, 0.9), (0.5, 0.7), (0.3, 0.5))
STEP = 0.05
"""The fitted score is the next multiple of this above those of the unanswered questions."""

_TOP = fixtures.DIRECTORY.parent.parent
_PAGE = _TOP / "docs/benchmarks.md"
_MARKS = re.compile(r"(<!-- reliability: start -->\n).*?(<!-- reliability: end -->)", re.DOTALL)


class TopHit(NamedTuple):
    """The engine's score of the first hit of a question; `right` is None without an answer."""

    corpus: str
    mode: str
    score: float
    right: bool | None


def unanswered() -> list[str]:
    """The questions that nothing in a corpus answers."""
    text = (fixtures.DIRECTORY / "unanswered.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]


def fit(hits: Sequence[TopHit]) -> Scale:
    """The scale whose middle no unanswered question of these reaches."""
    greatest = max(hit.score for hit in hits if hit.right is None)
    return Scale(round((math.floor(greatest / STEP) + 1) * STEP, 2))


def table(hits: Sequence[TopHit]) -> str:
    """The table in Markdown: for each band of scores, how many first hits are right."""
    lines = [
        "| score of the first hit | words: right | hybrid: right | unanswered: words | hybrid |",
        "|---|---|---|---|---|",
    ]
    shown = [(hit, _held_out(hits, hit).show(hit.score)) for hit in hits]
    for low, high in BANDS:
        band = [hit for hit, score in shown if low <= score < high or score == high == 1.0]
        cells = [_right([hit for hit in band if hit.mode == mode]) for mode in MODES]
        cells += [
            f"{sum(hit.mode == mode and hit.right is None for hit in band)}" for mode in MODES
        ]
        lines.append(f"| {low} to {high} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _held_out(hits: Sequence[TopHit], hit: TopHit) -> Scale:
    """The scale for a hit, fitted to the other corpora."""
    return fit([one for one in hits if one.corpus != hit.corpus and one.mode == hit.mode])


def _right(hits: Sequence[TopHit]) -> str:
    answered = [hit for hit in hits if hit.right is not None]
    right = sum(bool(hit.right) for hit in answered)
    return f"{right / len(answered):.2f} ({right} of {len(answered)})" if answered else "–"


def ask(directory: Path, name: str, model: str) -> Iterator[TopHit]:
    """Yield the first hit of every question of a corpus. Its repository is made in `directory`."""
    make_repository(
        name, directory / name, engine="embedded", model=model, environ=environment(directory)
    )
    fixture = fixtures.read((fixtures.DIRECTORY / f"{name}.json").read_text(encoding="utf-8"))
    project = load_project(directory / name, os.environ)
    collections = [one for one in project.collections if one.name == fixture.name]
    refresh(project, collections=collections)
    engine = open_engine(project)
    try:
        engine.embed()
        questions = [
            (words, question.meaning, question.expected)
            for question in fixture.questions
            for words in (question.words, question.meaning)
        ]
        for words, meaning, expected in [*questions, *((one, one, None) for one in unanswered())]:
            typed = (SubQuery("lex", words), SubQuery("vec", meaning))
            for mode, searches in zip(MODES, (typed[:1], typed), strict=True):
                result = search_typed(project, engine, searches, collections, HitLimits(1, 0.0))
                first = result.hits[0] if result.hits else None
                right = None if expected is None else bool(first and first.path in expected)
                yield TopHit(name, mode, first.score if first else 0.0, right)
    finally:
        engine.close()


def main(arguments: Sequence[str]) -> int:
    """Print the table and the scales fitted to all corpora. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.reliability")
    parser.add_argument("--models", required=True, help="a folder with the model in ONNX")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    options = parser.parse_args(arguments)
    model = str(Path(options.models).resolve())
    with tempfile.TemporaryDirectory() as directory:
        hits = [hit for name in CORPORA for hit in ask(Path(directory), name, model)]
    text = table(hits)
    fitted = [f"{mode} {fit([h for h in hits if h.mode == mode]).unanswered}" for mode in MODES]
    print(f"{text}\n\nFitted to all corpora: {', '.join(fitted)}.")
    if options.write:
        page = _PAGE.read_text(encoding="utf-8")
        written = _MARKS.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
        _PAGE.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
