"""Search the index of a project: refresh it if it is stale, then query each kind of collection."""

# Governing: SPEC-0005 REQ "Search", SPEC-0007 REQ "Before reading"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KNOWLEDGE
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.report import SearchReport
from sdd_hooks.retrieval.search import DEFAULT_LIMITS, HitLimits
from sdd_hooks.retrieval.search_by_kind import search_by_kind

if TYPE_CHECKING:
    from sdd_hooks.reporting.search.call_graph_sections import DrawnGraph


class GraphRequest(NamedTuple):
    """A call graph of what the search is about; with `unfiltered`, of all code. `date` is ISO."""

    date: str
    unfiltered: bool = False


class SearchRequest(NamedTuple):
    """What to search for, and where: kinds (none: ADRs, specs and code) and a module (None: all).

    The limits hold for each kind. `graph` requests a call graph of the code that is found. With
    `reminds`, a person reads the notes: that about chunks without vectors appears once a day.
    """

    query: str
    kinds: tuple[str, ...] = ()
    module: str | None = None
    limits: HitLimits = DEFAULT_LIMITS
    graph: GraphRequest | None = None
    reminds: bool = False


class SearchOutcome(NamedTuple):
    """A report, with the notes and warnings of the refresh before it.

    `drawn` is the requested call graph; None without a hit, or without a search of code.
    """

    report: SearchReport
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    drawn: DrawnGraph | None = None


def search(project: Project, request: SearchRequest, now: float) -> SearchOutcome:
    """Run a search. `now` is in seconds since the epoch.

    Raises:
        UnknownName: the project does not have a kind or the module.
        NotIndexed: none of the collections is indexed.
        EngineUnavailable, StorageError: the index cannot be read.
    """
    collections = project.select(request.kinds or _default_kinds(project), request.module)
    with open_fresh_index(project, now) as (engine, freshness):
        report = search_by_kind(project, engine, request.query, collections, request.limits)
    notes = (*freshness.notes, *report.notes)
    if request.reminds and report.pending:
        from sdd_hooks.usecases.upkeep.embed_reminder import remind

        notes = remind(project.repository, notes, report.pending, now)
    drawn = None
    if request.graph and not report.is_empty and "code" in report.kinds:
        from sdd_hooks.usecases.reading.call_graph import draw_call_graph

        date, unfiltered = request.graph
        drawn = draw_call_graph(project, report, request.module, date, unfiltered=unfiltered)
    return SearchOutcome(report, notes, (*freshness.warnings, *project.warnings), drawn)


def _default_kinds(project: Project) -> tuple[str, ...]:
    """The kinds of a search that names none: committed patterns and lessons, too."""
    declared = any(one.kind == KNOWLEDGE for one in project.collections)
    return (*DEFAULT_KINDS, KNOWLEDGE) if declared else DEFAULT_KINDS
