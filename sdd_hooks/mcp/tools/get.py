"""The tool `get`: the text of a record, a section, a file or a definition."""

# Governing: SPEC-0030 REQ "Five tools", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.mcp.pages import Data, page_of_text, page_parameters
from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.mcp.roots import ROOT_PARAMETER
from sdd_hooks.mcp.tool import Call, Tool, ToolResult, force_of
from sdd_hooks.retrieval.shown import Shown
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.display import printable_line
from sdd_hooks.usecases.reading.show import ShowRequest, show

_MAX_LISTED = 10


class NotServed(SddError):
    """A file that git ignores, or that is in the git directory, is not part of the repository."""

    exit_code = EXIT_USAGE
    code = "usage"


def _run(call: Call) -> ToolResult:
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


TOOL = Tool(
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
        Parameter("module", "text", "Only this module of the workspace."),
        ROOT_PARAMETER,
        *page_parameters(4_000),
    ),
    _run,
)
