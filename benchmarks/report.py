"""The figures as a table, for a terminal and for docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import Run

FIGURES = "benchmarks"
QUALITY = "quality"
"""The tables of docs/benchmarks.md, by the name in the marks around each."""


@dataclass(frozen=True)
class Figure:
    """One line of the table: both sides as text, the relevant number, and its target.

    `value` and `target` are in `unit`, "" for a ratio; smaller is better. Without a value the other
    side is missing, and without a target the line is there to be read with others. `cpu` is the
    ratio by time of processors, `memory` the peak of sdd.
    """

    measure: str
    ours: str
    theirs: str
    value: float | None
    target: float | None
    unit: str
    cpu: str = ""
    memory: str = ""

    @property
    def reached(self) -> bool:
        """Whether the target is reached."""
        return self.value is None or self.target is None or self.value <= self.target


def median_seconds(runs: Sequence[Run]) -> float:
    """The median wall time."""
    return statistics.median(run.seconds for run in runs)


def ratio(ours: Sequence[Run], theirs: Sequence[Run], of: str = "seconds") -> float:
    """The median of the ratios of runs that were taken in turn, so that a load hurts both."""
    pairs = zip(ours, theirs, strict=True)
    ratios = [getattr(mine, of) / max(getattr(other, of), 1e-4) for mine, other in pairs]
    return float(statistics.median(ratios))


def median(runs: Sequence[Run]) -> Run:
    """A run of the medians."""
    seconds, cpus = median_seconds(runs), statistics.median(run.cpu for run in runs)
    return Run(seconds, max(run.peak for run in runs), "", cpus)


def human_seconds(seconds: float) -> str:
    """`4.2 ms`, `316 ms`, `1.35 s`: three significant digits."""
    if seconds < 0.1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def describe_machine() -> str:
    """The machine of the figures: processor, cores, memory, system, Python."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB,"
        f" {platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def table(figures: Sequence[Figure]) -> str:
    """The figures as a Markdown table with aligned columns, readable in a terminal too."""
    rows = [("measure", "sdd", "compared with", "result", "by CPU", "memory", "must reach", "")]
    rows += [
        (
            figure.measure,
            figure.ours,
            figure.theirs,
            _number(figure.value, figure.unit),
            figure.cpu,
            figure.memory,
            "" if figure.target is None else f"≤ {_number(figure.target, figure.unit)}",
            "" if None in (figure.value, figure.target) else "✓" if figure.reached else "✗",
        )
        for figure in figures
    ]
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of these rows, the first its head, with aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "missing"
    if unit:
        return f"{value:.1f} {unit}" if value % 1 else f"{value:.0f} {unit}"
    return f"{value:.2g}" if value < 1 else f"{value:.2f}".rstrip("0").rstrip(".")


def marks(name: str) -> tuple[str, str]:
    """The lines around the table called `name` in a document."""
    return f"<!-- {name}: start -->", f"<!-- {name}: end -->"


def replace_section(document: str, section: str, name: str = FIGURES) -> str:
    """The document with `section` between the two marks. Raises ValueError if a mark is missing."""
    first, last = marks(name)
    before, start, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not (start and end):
        raise ValueError(f"the marks {first} and {last} are not there, in this order")
    return f"{before}{first}\n\n{section}\n\n{last}{after}"
