"""`sdd index embed`."""

# Governing: SPEC-0005 REQ "Index", ADR-0011 (content-addressed vectors)

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.options import json_option, kind_option, module_option
from sdd_hooks.cli.output import Report, counted, show
from sdd_hooks.cli.progress import progress_line
from sdd_hooks.engines.protocol import EmbedReport
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import not_indexed, pending_notes


@click.command()
@kind_option
@module_option
@json_option
@click.pass_obj
def embed(directory: Path | None, kinds: tuple[str, ...], module: str | None, as_json: bool) -> int:
    """Give a vector to every chunk without one.

    Each text is embedded once, whatever branch or work tree it turns up in. An embed that was
    interrupted goes on where it was.

    \b
    Example:
      sdd index embed
      sdd index embed --kind adrs
    """
    project = open_project(directory)
    report = _embed(project, project.select(kinds, module))
    data = {key: value for key, value in asdict(report).items() if key != "notes"}
    return show(Report(data, embed_lines(report), report.notes, project.warnings), as_json)


def embed_if_possible(
    project: Project, collections: Sequence[Collection]
) -> tuple[EmbedReport | None, tuple[str, ...]]:
    """Embed, or say why not in a note: an index without vectors is a working index."""
    try:
        report = _embed(project, collections)
    except EngineUnavailable as error:
        with open_index(project) as engine:
            pending = engine.status().pending
        return None, (f"not embedded: {error}", *pending_notes(pending))
    return report, report.notes


def embed_lines(report: EmbedReport) -> list[str]:
    """An embed for people."""
    if not report.embedded:
        left = f", {counted(report.remaining, 'chunk')} left" if report.remaining else ""
        return [f"nothing to embed{left} ({report.model})"]
    done = counted(report.embedded, "chunk")
    return [f"embedded {done} in {report.seconds:.1f} s with {report.model} on {report.device}"]


def _embed(project: Project, collections: Sequence[Collection]) -> EmbedReport:
    with open_index(project) as engine, progress_line(sys.stderr) as progress:
        indexed = engine.bookmarks()
        names = [c.name for c in collections if c.name in indexed]
        if not names:
            raise not_indexed(project)
        return engine.embed(names, progress)
