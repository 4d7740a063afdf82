"""The report of a search in Markdown, as the search skill has it.

Its sections are numbered in their order, so that further ones can follow.
"""

# Governing: SPEC-0005 REQ "Search", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.code.paths import has_sections
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.search.listing import label, nothing_found
from sdd_hooks.retrieval.report import HitGroup, LabelledHit, SearchReport
from sdd_hooks.text.display import printable_line, printable_lines
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.prose import split_sentences

# HTML would hide text, and a mark at the beginning would make a heading or a list of it.
_TAG = lazy_regex(r"(?P<span>(?<!`)(`{1,3})(?!`)[^`]{1,300}\2(?!`))|<(?=[A-Za-z/!?])")
_OPENING = lazy_regex(r"\s*(?=[#>+*-]|\d{1,9}[.)]|`{3}|~{3})")
_COMMENT = lazy_regex(
    # `*args` is a parameter, `#include` and `#[derive]` are code, and `--n` is a decrement.
    r"""\s*(?:(?:\#+!?|\*|--+(?:\[\[)?|;+|%+)(?=[ \t])|//+[/!]?|/\*+|\"\"\"|''')[ \t]*"""
    r"""(?P<text>[^\s"'*/#].*?)"""
    r"""[ \t]*(?:\*/|\"\"\"|''')?$"""
)
_TICKS = lazy_regex(r"`+")


class ReportSection(NamedTuple):
    """A section of the report: its title without a number, and its lines."""

    title: str
    lines: Sequence[str]


class _Wording(NamedTuple):
    counted: str
    title: str
    none: str


_WORDINGS = {
    "adrs": _Wording("ADRs", "Matching ADRs", "No matching ADRs found."),
    "specs": _Wording("specs", "Matching Specs", "No matching specs found."),
    "code": _Wording("code snippets", "Relevant Code Snippets", "No relevant code found."),
    "issues": _Wording("issues", "Matching Issues", "No matching issues found."),
    "knowledge": _Wording(
        "patterns and lessons",
        "Matching Patterns and Lessons",
        "No matching patterns or lessons found.",
    ),
}


def render_markdown(report: SearchReport, further: Iterable[ReportSection] = ()) -> list[str]:
    """Return the lines of the report, with `further` sections after those of the hits.

    Without hits, the message of the search skill takes the place of the report.
    """
    if report.is_empty:
        return [nothing_found(report)]
    query = printable_line(report.query)
    counts = ", ".join(_count(group) for group in report.groups)
    lines = [f"## Search Results: {query}", "", f'Found {counts} for "{query}".']
    for number, section in enumerate((*hit_sections(report), *further), 1):
        lines += ["", f"### {number}. {section.title}", "", *section.lines]
    return lines


def _count(group: HitGroup) -> str:
    return f"{len(group.hits)} {_wording(group.kind).counted}"


def hit_sections(report: SearchReport) -> Iterator[ReportSection]:
    """Yield the section of each kind."""
    for group in report.groups:
        wording = _wording(group.kind)
        lines = [line for one in group.hits for line in _entry(one)]
        yield ReportSection(wording.title, lines or [wording.none])


def _wording(kind: str) -> _Wording:
    name = printable_line(kind)
    return _WORDINGS.get(kind) or _Wording(name, f"Matching {name}", f"No matching {name} found.")


def _entry(one: LabelledHit) -> Iterator[str]:
    hit = one.hit
    score = f"(score: {hit.score:.2f})"
    if one.record:
        state = f" · {one.record.state}" if one.record.state else ""
        yield f"- **{_prose(one.record.name)}** {score}{state}"
    elif has_sections(hit.path):
        yield f"- **{_prose(label(one))}** {score}"
    else:
        yield f"- **{printable_line(hit.path)}** {score}"
        yield f"  {_description(hit)}"
        yield from (f"  {line}" for line in _code_block(hit.snippet))
        return
    if "\n" in hit.snippet:
        yield from (f"  {line}" for line in _code_block(hit.snippet))
    elif note := _prose(hit.snippet):
        yield f"  {note}"
    yield f"  `{printable_line(hit.path)}:{hit.first_line}-{hit.last_line}`"


def _description(hit: Hit) -> str:
    """Say what the code of a hit is: its definition and lines, and its comment."""
    lines = f"lines {hit.first_line}-{hit.last_line}"
    what = (
        f"Defines `{printable_line(hit.section)}` in {lines}"
        if hit.section
        else f"Matches in {lines}"
    )
    comment = _first_comment(hit.snippet)
    return f"{what}: {_prose(split_sentences(comment)[0])}" if comment else f"{what}."


def _first_comment(snippet: str) -> str:
    """Return the text of the first comment, whose lines are adjacent; "" for none."""
    texts: list[str] = []
    for line in snippet.split("\n"):
        if match := _COMMENT.match(line):
            texts.append(match["text"].lstrip("-* "))
        elif texts:
            break
    return " ".join(texts)


def _prose(text: str) -> str:
    """Return text as one line of Markdown that is neither a block nor HTML."""
    line = _TAG.sub(lambda match: match["span"] or "&lt;", printable_line(text))
    opening = _OPENING.match(line)
    return f"{line[: opening.end()]}\\{line[opening.end() :]}" if opening else line


def _code_block(text: str) -> list[str]:
    lines = printable_lines(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *lines, fence] if lines else []
