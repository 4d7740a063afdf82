"""Search the index of a project: refresh it if it is stale, then query each kind of collection."""

# Governing: SPEC-0005 REQ "Search", REQ "Output", SPEC-0007 REQ "Before reading", SPEC-0017 (call
# graphs), ADR-0013 (hybrid search waits until every chunk has a vector)

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.freshness.read_gate import lost_issues, open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KNOWLEDGE
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import Repository
from sdd_hooks.retrieval.questions import DEFAULT_KINDS
from sdd_hooks.retrieval.report import SearchReport
from sdd_hooks.retrieval.search import DEFAULT_LIMITS, HitLimits, pending_notes
from sdd_hooks.retrieval.search_by_kind import search_by_kind

if TYPE_CHECKING:
    from sdd_hooks.reporting.search.call_graph_sections import DrawnGraph


REMINDER_FILE = "reminder.json"
"""The note about chunks without vectors that was shown last, in the index's state."""
REMINDER_INTERVAL = 86_400.0
"""Seconds after which the same note is shown again: one after every search is not read."""
MAX_REMINDER_BYTES = 200


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
        notes = remind(project.repository, notes, report.pending, now)
    drawn = None
    if request.graph and not report.is_empty and "code" in report.kinds:
        drawn = _draw_call_graph(project, report, request.module, request.graph)
    warnings = (*freshness.warnings, *lost_issues(project, collections), *project.warnings)
    return SearchOutcome(report, notes, warnings, drawn)


def _default_kinds(project: Project) -> tuple[str, ...]:
    """The kinds of a search that names none: committed patterns and lessons, too."""
    declared = any(one.kind == KNOWLEDGE for one in project.collections)
    return (*DEFAULT_KINDS, KNOWLEDGE) if declared else DEFAULT_KINDS


def _draw_call_graph(
    project: Project, report: SearchReport, module: str | None, request: GraphRequest
) -> DrawnGraph:
    """Draw the callables that the code of a report names, else the words of its query.

    The graph has the code of `module`, else of the repository. A graph that cannot be drawn has an
    error.
    """
    from sdd_hooks.callgraph.generate import GraphScope, derive_filter, generate_call_graph
    from sdd_hooks.reporting.search.call_graph_sections import DrawnGraph

    hits = [one.hit for one in report.hits("code")]
    hint = derive_filter(((hit.path, hit.section) for hit in hits), report.query)
    roots = {one.name: one.root for one in project.modules}
    target = roots.get(module or "", "")
    matched = tuple(dict.fromkeys(hit.path for hit in hits))
    scope = GraphScope(project.repository.root, target, matched)
    wanted = None if request.unfiltered else hint or None
    graph = generate_call_graph(scope, wanted, project.environ)
    return DrawnGraph(graph, request.date, target or ".", hint)


def remind(
    repository: Repository, notes: Sequence[str], pending: int, now: float
) -> tuple[str, ...]:
    """Return the notes of a search for a person, `pending` chunks of which have no vector.

    The note about these chunks is left out if it was shown in the last day. While an embed runs,
    another one takes its place. `now` is in seconds since the epoch.
    """
    usual = pending_notes(pending)
    if not usual:
        return tuple(notes)
    from sdd_hooks.embedding.lock import find_holder

    kind = "running" if find_holder(repository) else "pending"
    shown = usual if kind == "pending" else (running_note(pending),)
    if _is_recent(repository, kind, now):
        shown = ()
    else:
        _write(repository, kind, now)
    return tuple(text for note in notes for text in (shown if note in usual else (note,)))


def running_note(pending: int) -> str:
    """Return the note about chunks without a vector while an embed runs."""
    return (
        f"{pending} chunks unembedded — an embed is running, and searches use words only until it"
        " ends: see `sdd index status`"
    )


def _is_recent(repository: Repository, kind: str, now: float) -> bool:
    """Whether the note was shown. What is not exactly what `_write` writes, as the file of that
    name in a clone, counts as missing."""
    import json

    from sdd_hooks.system.files import read_state

    with suppress(OSError, SddError, ValueError, RecursionError):
        match json.loads(read_state(repository.search_dir / REMINDER_FILE, MAX_REMINDER_BYTES)):
            case [str(last), int() | float() as shown]:
                return last == kind and 0 <= now - shown < REMINDER_INTERVAL
    return False


def _write(repository: Repository, kind: str, now: float) -> None:
    """Store what is shown. A directory that cannot be written shows it each time."""
    import json

    from sdd_hooks.system.files import write_atomically

    with suppress(OSError, SddError):
        write_atomically(repository.search_dir / REMINDER_FILE, json.dumps([kind, now]).encode())
