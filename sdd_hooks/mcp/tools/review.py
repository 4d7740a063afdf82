"""The tool `review_change`: the decisions a change should name, and the rules it breaks."""

# Governing: SPEC-0030 REQ "Five tools", SPEC-0010 REQ "What is compared"

from __future__ import annotations

import re

from sdd_hooks.findings import Finding
from sdd_hooks.mcp.pages import Data, page_of_entries, page_parameters
from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.mcp.roots import ROOT_PARAMETER
from sdd_hooks.mcp.tool import Call, Tool, ToolResult
from sdd_hooks.reporting.outcome import Candidate, ReviewOutcome, reference_question
from sdd_hooks.usecases.review import CommitRange, review_index, review_range

_REVISION = re.compile(r"[^-\s\x00-\x1f\x7f][^\s\x00-\x1f\x7f]*")
_MAX_TEXT = 600


def _run(call: Call) -> ToolResult:
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


TOOL = Tool(
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
    _run,
)
