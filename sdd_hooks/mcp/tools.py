"""The five tools of the server: `search`, `get`, `decisions_for_paths`, `review_change`, `status`.

A pointer to a decision does not change what a model writes; the sentences of the decision do.
"""

# Governing: SPEC-0030 REQ "Five tools", SPEC-0030 REQ "Decisions for paths", ADR-0012 (untrusted
# input never leaves the repository), ADR-0036 (a record says what it applies to), ADR-0037 (search
# by kind), SPEC-0010 REQ "What is compared"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import find_replacements
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.artifacts.summary import summarize, summary_section
from sdd_hooks.engines.registry import is_indexed, not_indexed
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.external.records import read_external_records
from sdd_hooks.findings import Finding
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.mcp.pages import Data, page_of_entries, page_of_text, page_parameters
from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.mcp.roots import ROOT_PARAMETER
from sdd_hooks.mcp.tool import Call, Tool, ToolResult, force_of
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.reporting.outcome import Candidate, ReviewOutcome, reference_question
from sdd_hooks.retrieval.references import Shown
from sdd_hooks.retrieval.report import LabelledHit, label_of
from sdd_hooks.retrieval.search import HitLimits, incomplete_notes, pending_notes
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.display import printable_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import unify_line_endings
from sdd_hooks.usecases.reading.governing import (
    GoverningReason,
    GoverningRecords,
    NotAFile,
    govern_file,
    read_governing_records,
)
from sdd_hooks.usecases.reading.search import SearchRequest
from sdd_hooks.usecases.reading.search import search as search_project
from sdd_hooks.usecases.reading.show import ShowRequest, show
from sdd_hooks.usecases.review import CommitRange, review_index, review_range

MAX_QUERY = 2_000
MAX_PATHS = 50

_MODULE_PARAMETER = Parameter("module", "text", "Only this module of the workspace.")
_REVISION = lazy_regex(r"[^-\s\x00-\x1f\x7f][^\s\x00-\x1f\x7f]*")
_MAX_SNIPPET = 1_000
_MAX_LISTED = 10
_MAX_REASONS = 5
_MAX_MODULES = 20
_MAX_TEXT = 600


def _search(call: Call) -> ToolResult:
    query = call.text("query")
    if not query.strip():
        raise BadArgument("query is empty")
    request = SearchRequest(
        query,
        call.texts("kinds"),
        call.text("module") or None,
        HitLimits(max_hits=call.number("limit")),
    )
    found = search_project(call.project, request, call.now)
    hits = [hit for group in found.report.groups for hit in group.hits]
    hits.sort(key=lambda one: (not one.exact, -one.hit.score))
    notes = (*found.notes, *found.warnings)
    entries = [_hit(hit) for hit in hits]
    return ToolResult(page_of_entries({}, "hits", entries, call.requested_page, notes))


def _hit(one: LabelledHit) -> Data:
    hit, record = one.hit, one.record
    entry: Data = {"id": hit.id, "kind": one.kind, "score": round(hit.score, 3)}
    if record is not None:
        entry["artifact"] = record.name
        entry |= force_of(record)
    entry["place"] = f"{hit.path}:{hit.first_line}-{hit.last_line}"
    if hit.section:
        entry["section"] = hit.section
    entry["snippet"] = hit.snippet[:_MAX_SNIPPET]
    return entry


_SEARCH = Tool(
    "search",
    "Search decisions, specifications and code",
    "Search this repository's decision records, specifications and code by words and meaning."
    " An id (ADR-0011), a file name or the name of a definition finds it. Pass the id of a hit to"
    " `get` for its text. A hit with a mark is not in force.",
    (
        Parameter("query", "text", "The question, or keywords.", required=True, high=MAX_QUERY),
        Parameter(
            "kinds",
            "texts",
            "Of adrs, specs, code, issues. Default: the first three.",
            high=100,
            items=8,
        ),
        _MODULE_PARAMETER,
        Parameter(
            "limit", "number", "The maximum number of hits of each kind.", default=8, low=1, high=50
        ),
        ROOT_PARAMETER,
        *page_parameters(2_000),
    ),
    _search,
)


class NotServed(SddError):
    """A file that git ignores, or that is in the git directory, is not part of the repository."""

    exit_code = EXIT_USAGE
    code = "usage"


def _get(call: Call) -> ToolResult:
    target = call.text("target")
    if not target.strip("# "):
        raise BadArgument("target is empty")
    request = ShowRequest(target, call.text("module") or None, call.root)
    shown = show(call.project, request, call.now)
    if shown.record is None:
        _require_listed(call, shown.part.path)
    head: Data = {"place": shown.part.path}
    if shown.label is not None:
        head = {"artifact": shown.label.name[:300], **force_of(shown.label), **head}
    if call.requested_page.offset == 0:
        head |= _references(shown)
    notes = (*shown.notes, *shown.warnings)
    page = page_of_text(head, shown.part.text, shown.part.first_line, call.requested_page, notes)
    return ToolResult(page)


def _require_listed(call: Call, path: str) -> None:
    """Raise NotServed for a file that git neither tracks nor would add."""
    git = call.project.repository.git
    spec = f":(literal){path}"
    options = ("-z", "--cached", "--others", "--exclude-standard")
    listed = any(one.contains(path) for one in call.project.collections) or nul_split(
        git.output("ls-files", *options, "--", spec)
    )
    if not listed or path.startswith(".git/"):
        raise NotServed(f"{printable_line(path)} is ignored by git: it is not served")


def _references(shown: Shown) -> Data:
    """The edges of a record, and what governs or is governed, the first of each."""
    references = shown.references
    lists = {
        "edges": [
            f"{edge.kind} {edge.target} {shown.titles.get(str(edge.target), '')}".strip()[:200]
            for edge in references.edges
        ],
        "governs": [name[:200] for name in shown.governs],
        "governed_by": [
            f'{one.id} REQ "{one.requirement}"'[:200] if one.requirement else str(one.id)
            for one in shown.governed_by
        ],
    }
    return {name: entries[:_MAX_LISTED] for name, entries in lists.items() if entries}


_GET = Tool(
    "get",
    "Get the text of a record or a definition",
    "Get the text of a decision or specification by its id (ADR-0011), of a section or definition"
    " (path#anchor, the id of a hit), or of a file by its path, with its edges and what it governs."
    " A record with a mark is not in force.",
    (
        Parameter(
            "target",
            "text",
            "ADR-0011, SPEC-0003, a path, or path#anchor.",
            required=True,
            high=1_500,
        ),
        _MODULE_PARAMETER,
        ROOT_PARAMETER,
        *page_parameters(4_000),
    ),
    _get,
)


class _Governed(dict[str, list[tuple[str, GoverningReason]]]):
    """For the path of a record, the files that it governs, each with a reason."""


def _decisions_for_paths(call: Call) -> ToolResult:
    names = call.texts("paths")
    if not names:
        raise BadArgument("paths is empty")
    project = call.project
    collections = project.select(RECORD_KINDS, call.text("module") or None)
    external = read_external_records(project.repository, project.external)
    records = read_governing_records(project, collections, external)
    governed, refused = _Governed(), []
    for name in dict.fromkeys(names):
        try:
            found = govern_file(records, call.root, name)
        except NotAFile as error:
            refused.append(str(error)[:300])
            continue
        for artifact, reasons in found.artifacts:
            governed.setdefault(artifact.path, []).extend((found.path, one) for one in reasons)
    entries = _entries(records, governed)
    notes = (*refused, *records.left_out, *external.notes(call.now), *project.warnings)
    head: Data = {} if entries else {"answer": "no decision or specification governs these paths"}
    return ToolResult(page_of_entries(head, "decisions", entries, call.requested_page, notes))


def _entries(records: GoverningRecords, governed: _Governed) -> list[Data]:
    """The records, those in force first, then those that govern most of the files."""
    replacements = find_replacements(records.corpus)
    found = [
        (artifact, text, governed[artifact.path])
        for artifact, text, _ in records.entries
        if artifact.path in governed
    ]
    found.sort(key=lambda one: (not one[0].status.authoritative, -len(one[2]), one[0].path))
    entries = []
    for artifact, text, reasons in found:
        label = label_of(artifact, replacements.get(artifact.path, ()))
        entries.append(
            {
                "artifact": label.name,
                **force_of(label),
                "place": _place(artifact),
                "decision": _decision(artifact, text, [reason for _, reason in reasons]),
                "governs": [_reason(path, one) for path, one in reasons[:_MAX_REASONS]],
            }
        )
    return entries


def _place(artifact: Artifact) -> str:
    section = summary_section(artifact)
    return f"{artifact.path}:{section.first_line}-{section.last_line}" if section else artifact.path


def _decision(artifact: Artifact, text: str, reasons: Sequence[GoverningReason]) -> str:
    """The sentences that decide: those of the requirements that comments name, else the summary."""
    named = {reason.text for reason in reasons if reason.kind == "comment" and reason.text}
    lines = unify_line_endings(text).split("\n")
    stated = [_statement(one, lines) for one in artifact.requirements if one.name in named]
    return " ".join(stated)[:_MAX_TEXT] or summarize(artifact, text, _MAX_TEXT).text


def _statement(requirement: Requirement, lines: Sequence[str]) -> str:
    """The text of a requirement between its heading and its first scenario, on one line."""
    last = requirement.last_line
    if requirement.scenarios:
        last = requirement.scenarios[0].first_line - 1
    return " ".join(" ".join(lines[requirement.first_line : last]).split())


def _reason(path: str, reason: GoverningReason) -> str:
    place = f"{reason.path}:{reason.line}"
    if reason.kind == "comment":
        requirement = f' REQ "{reason.text}"' if reason.text else ""
        return f"{path}: governing comment{requirement} ({place})"
    kind = {"rule": "sdd-rule", "named": "names"}.get(reason.kind, "applies-to")
    return f"{path}: {kind} {reason.text} ({place})"


_DECISIONS = Tool(
    "decisions_for_paths",
    "Find what governs files",
    "Before you edit files: the decisions and specifications that govern them, each with the"
    " sentences that decide, and why it governs. A file may be a new one. An empty list means that"
    " nothing governs them. A record with a mark is not in force.",
    (
        Parameter(
            "paths",
            "texts",
            "Files, relative to the top of the repository or absolute.",
            required=True,
            high=1_000,
            items=MAX_PATHS,
        ),
        _MODULE_PARAMETER,
        ROOT_PARAMETER,
        *page_parameters(2_000),
    ),
    _decisions_for_paths,
)


def _review_change(call: Call) -> ToolResult:
    base, head = _revision(call, "base"), _revision(call, "head")
    if call.arguments["staged"]:
        if base or head or call.text("title") or call.text("body"):
            raise BadArgument("staged cannot be combined with base, head, title or body")
        verdict = review_index(call.project, call.root)
    else:
        commits = CommitRange(base, head or "HEAD", call.text("title"), call.text("body"))
        verdict = review_range(call.project, commits, check_work_tree=True)
    review = verdict.review
    entries = [_suggestion(one) for one in review.references.suggested]
    entries += [_finding(one.finding) for one in review.findings]
    page = page_of_entries(
        _head(review, fails=verdict.fails),
        "findings",
        entries,
        call.requested_page,
        (*review.notes, *call.project.warnings),
    )
    return ToolResult(page)


def _revision(call: Call, name: str) -> str:
    value = call.text(name)
    if value and not _REVISION.fullmatch(value):
        raise BadArgument(f"{name} is no revision of git: name a branch, a tag or a commit")
    return value


def _head(review: ReviewOutcome, *, fails: bool) -> Data:
    head: Data = {"files": review.files, "fails": fails}
    if review.base:
        head |= {"base": review.base[:40], "head": review.head[:40]}
    governing = [one.name[:100] for one in review.references.governing[:10]]
    return {**head, "referenced": governing} if governing else head


def _suggestion(one: Candidate) -> Data:
    return {
        "rule": "missing-reference",
        "severity": "info",
        "message": reference_question(one)[:_MAX_TEXT],
        "place": f"{one.path}:{one.line}" if one.line else one.path,
        "decision": one.quote[:_MAX_TEXT],
        "because": [evidence.detail[:200] for evidence in one.evidence[:3]],
    }


def _finding(one: Finding) -> Data:
    return {
        "rule": one.rule,
        "severity": one.severity,
        "message": one.message[:_MAX_TEXT],
        "place": f"{one.path}:{one.line}" if one.line else one.path,
        **({"evidence": one.evidence[:_MAX_TEXT]} if one.evidence else {}),
    }


_REVIEW = Tool(
    "review_change",
    "Review a change",
    "Review what HEAD changed since it left the main branch, or what is staged: the decisions that"
    " the change should reference, each with the sentence that decides, and the rules it breaks.",
    (
        Parameter("base", "text", "What to compare with. Default: the main branch.", high=250),
        Parameter("head", "text", "What to review. Default: HEAD.", high=250),
        Parameter("staged", "flag", "Apply the rules to what is staged instead.", default=False),
        Parameter("title", "text", "The title of the pull request.", high=1_000),
        Parameter("body", "text", "Its description.", high=65_536),
        ROOT_PARAMETER,
        *page_parameters(3_000),
    ),
    _review_change,
)


def _status(call: Call) -> ToolResult:
    project = call.project
    head: Data = {
        "repository": str(call.root)[-300:],
        "engine": project.configuration.search.engine,
        "indexed": is_indexed(project),
        "modules": [one.name[:100] for one in project.modules[:_MAX_MODULES]],
    }
    if not head["indexed"]:
        notes = (str(not_indexed(project)), *project.warnings)
        return ToolResult(page_of_entries(head, "collections", [], call.requested_page, notes))
    with open_index(project) as engine:
        index = engine.status()
    age = None if index.touched is None else round(max(call.now - index.touched, 0))
    head |= {"age_seconds": age, "model": index.model or None, "chunks_unembedded": index.pending}
    entries: list[Data] = [
        {
            "name": one.name,
            "kind": one.kind,
            "module": one.module,
            "documents": one.documents,
            "chunks": one.chunks,
            "unembedded": one.pending,
        }
        for one in index.collections
    ]
    bookmarks = {one.name: one.bookmark for one in index.collections}
    notes = (
        *incomplete_notes(bookmarks, bookmarks, index.touched),
        *pending_notes(index.pending),
        *project.warnings,
    )
    return ToolResult(page_of_entries(head, "collections", entries, call.requested_page, notes))


_STATUS = Tool(
    "status",
    "Show the repository and its index",
    "Which repository this server serves, what is indexed, and how fresh it is.",
    (ROOT_PARAMETER, *page_parameters(1_000)),
    _status,
)


TOOLS: tuple[Tool, ...] = (_SEARCH, _GET, _DECISIONS, _REVIEW, _STATUS)
