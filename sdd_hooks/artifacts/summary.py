"""The sentences of an artifact that answer a question; without one, what was decided, or the
overview of a spec."""

# Governing: SPEC-0016 REQ "Summaries", SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.fields import normalize_field_name, read_header_fields
from sdd_hooks.artifacts.section_roles import SectionRole, find_role
from sdd_hooks.text.answers import (
    MAX_ANSWER,
    Answer,
    AnswerPart,
    Compare,
    SearchQuestion,
    find_answer,
    find_lead,
)
from sdd_hooks.text.markdown import Section, unify_line_endings

MAX_LENGTH = 500
"""Characters of a summary. A first sentence that is longer is cut after a word."""

_OVERVIEWS = (
    *("summary", "overview", "purpose", "introduction", "abstract", "goal", "goals"),
    *("context-and-problem-statement", "context", "problem-statement", "background"),
)
_WORTH = {
    SectionRole.APART: 0.5,
    SectionRole.CONTEXT: 0.6,
    SectionRole.CONSEQUENCE: 0.8,
    SectionRole.DETAIL: 0.9,
    SectionRole.DECISION: 1.0,
}
"""What a word of a question is worth in a section."""
_LEAD = 0.35
"""What the first sentence of the decision is worth beyond the words that it shares."""
_WHY = 0.3
"""What remains of that, if the question is why."""


def summary_section(artifact: Artifact) -> Section | None:
    """Return the section that says most about an artifact; None if it has no section.

    That is the decision, else the overview, else the first section with a heading below the title.
    """
    if artifact.decision:
        first, last = artifact.decision
        for section in artifact.sections:
            if section.first_line <= first <= section.last_line:
                return section._replace(first_line=first, last_line=last)
    if overviews := sorted(filter(_overview, artifact.sections), key=_overview, reverse=True):
        return overviews[0]
    below = (section for section in artifact.sections if section.level > 1)
    return next(below, artifact.sections[0] if artifact.sections else None)


def summarize(artifact: Artifact, text: str, max_length: int = MAX_LENGTH) -> Answer:
    """Return the first sentences of an artifact, whose file contains `text`, as plain text.

    They come from the decision of an ADR, else from the overview or context, else from the first
    section with prose, and have at most `max_length` characters. Never raises.
    """
    return find_lead(_parts(artifact, text, None), max_length)


def answer_from(
    artifact: Artifact,
    text: str,
    question: SearchQuestion,
    compare: Compare | None = None,
    max_length: int = MAX_ANSWER,
) -> Answer:
    """Return the sentences of an artifact, whose file contains `text`, that answer a question.

    The other parameters are those of `find_answer`.
    """
    return find_answer(_parts(artifact, text, question), question, compare, max_length)


def _parts(artifact: Artifact, text: str, question: SearchQuestion | None) -> Iterator[AnswerPart]:
    prose = unify_line_endings(text)
    first, last = artifact.decision or (0, 0)
    sections = artifact.sections
    if artifact.decision and not any(
        first == one.first_line and one.last_line <= last for one in sections
    ):
        lines = prose.split("\n")
        yield AnswerPart("\n".join(lines[first - 1 : last]), first, 1.0, _LEAD)
        lines[first - 1 : last] = [" " * len(line) for line in lines[first - 1 : last]]
        prose = "\n".join(lines)
    led = bool(artifact.decision)
    for at, section in enumerate(sections):
        role = find_role(section, artifact)
        is_inside = first <= section.first_line <= last
        if is_inside and role in (SectionRole.DETAIL, SectionRole.CONTEXT):
            role = SectionRole.DECISION
        elif artifact.decision and not is_inside and role == SectionRole.DECISION:
            role = SectionRole.DETAIL
        content = prose[section.start : section.end]
        if at == 0:
            lines = content.split("\n")
            for field in read_header_fields(prose, sections[:1]):
                lines[field.line - section.first_line] = ""
            content = "\n".join(lines)
        leads = section.first_line == first if led else role == SectionRole.DECISION
        is_lead = leads and artifact.kind == "ADR"
        led = led or is_lead
        lead = _LEAD if is_lead else 0.0
        if question is None and not lead:
            lead = _LEAD - 0.01 if is_inside else _overview(section) or 0.01 * (2 + role)
        worth = _WORTH[role]
        if question and question.why:
            worth, lead = 1.0, lead * _WHY
        yield AnswerPart(content, section.first_line, worth, lead, section.title)


def _overview(section: Section) -> float:
    """How much the name of a section is that of an overview, at most 0.3; 0 for none."""
    name = normalize_field_name(section.title)
    return 0.3 - 0.01 * _OVERVIEWS.index(name) if name in _OVERVIEWS else 0.0
