"""The quality as `python -m benchmarks` takes it: with the available models."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from benchmarks.quality.measure import Sources, measure, verdicts
from benchmarks.quality.qmd_side import Qmd
from benchmarks.quality.report import judged, table
from benchmarks.workbench import Workbench

_FULL = (
    "qmd's `full` (its reranker and its query expansion) and its default embedding model of 300M"
    " parameters need its model hub"
)
_WITHOUT = "meaning, both and the qmd engine need a model as ONNX and as GGUF in --models DIR"


@dataclass(frozen=True)
class Outcome:
    """The tables as Markdown, the missing measurements, and the result.

    `whole` is true if both sides ran every kind of query, `reached` if no threshold was missed.
    `qmd` is the version of qmd.
    """

    text: str
    qmd: str
    left_out: str
    whole: bool
    reached: bool


def take(bench: Workbench) -> Outcome:
    """Measure both sides.

    Raises:
        ProcessFailed, CalledProcessError: a side does not run.
        Skipped: this run has no qmd.
    """
    installation = bench.install_qmd()
    gguf = next(iter(sorted(bench.models.glob("*.gguf"))), None)
    has_models = gguf is not None and any(bench.models.rglob("*.onnx"))
    sources = Sources(
        installation,
        str(bench.models) if has_models else "",
        str(gguf) if has_models else "",
    )
    # The engine looks for qmd on PATH.
    environ = dict(bench.sdd("quality").environ)
    environ["PATH"] = f"{installation / 'bin'}{os.pathsep}{environ['PATH']}"
    directory = bench.directory / "quality"
    rows = measure(
        directory,
        sources,
        environ,
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    found = verdicts(rows)
    parts = [table(rows), *([judged(found)] if found else [])]
    missing = [_FULL, *([] if has_models else [_WITHOUT])]
    return Outcome(
        "\n\n".join(parts),
        Qmd(installation, directory, directory, "").version(),
        f"Not measured: {'; '.join(missing)}.",
        has_models,
        all(verdict.reached for verdict in found),
    )
