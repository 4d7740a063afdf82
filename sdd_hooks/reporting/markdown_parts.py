"""The parts that reports in Markdown share: links to places, folds, and findings in one line."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.findings import Finding, Severity, SuppressedFinding
from sdd_hooks.reporting.escape import code_span, escape_text
from sdd_hooks.reporting.registry import Links

FOLD_START = "<details>"
FOLD_END = "</details>"

SIGNS: dict[Severity, str] = {"critical": "❌", "warning": "⚠️", "info": "ℹ️"}
"""The symbol of each severity."""


def place_link(path: str, line: int, links: Links | None) -> str:
    """`path:line` as Markdown, linked if `links` are known; the path alone for line 0.

    A path of white space alone is quoted, so that it is visible.
    """
    visible = path if not path or path.strip() else ascii(path)
    name = code_span(f"{visible}:{line}" if line else visible)
    return f"[{name}]({links.address(path, line)})" if links and name else name


def finding_line(finding: Finding, links: Links | None) -> str:
    """A finding in one line."""
    where = f"{place_link(finding.path, finding.line, links)}: " if finding.path else ""
    return f"{where}{escape_text(finding.message)} ({code_span(finding.rule)})"


def suppressed_lines(suppressed: Sequence[SuppressedFinding], links: Links | None) -> Iterator[str]:
    """The suppressed findings behind a fold, with their reasons; nothing for none."""
    if suppressed:
        lines = (
            f"- {finding_line(one.finding, links)}. Reason: {escape_text(one.reason)}"
            for one in suppressed
        )
        yield from folded(f"{len(suppressed):,} suppressed", lines)


def folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines folded behind a title. The blank lines make the forge parse them as Markdown."""
    yield f"{FOLD_START}<summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield FOLD_END
    yield ""
