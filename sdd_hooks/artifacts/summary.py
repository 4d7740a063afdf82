"""Summarize an artifact: the first sentences of a decision's outcome, or of a spec's overview."""

# Governing: SPEC-0005 REQ "Excerpts"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.fields import normalize_field_name
from sdd_hooks.text.markdown import Section, unify_line_endings
from sdd_hooks.text.prose import read_prose, split_sentences

MAX_SUMMARY = 240
"""Characters of a summary."""

_OVERVIEWS = (
    "summary",
    "overview",
    "purpose",
    "introduction",
    "abstract",
    "goal",
    "goals",
    "context-and-problem-statement",
    "context",
    "problem-statement",
    "background",
)


def summary_section(artifact: Artifact) -> Section | None:
    """Return the section that says most about an artifact; None if it has no section.

    That is the decision, else the overview, else the first section with a heading below the title.
    """
    if artifact.decision:
        first, last = artifact.decision
        for section in artifact.sections:
            if section.first_line <= first <= section.last_line:
                return section._replace(first_line=first, last_line=last)
    by_name = {normalize_field_name(section.title): section for section in artifact.sections}
    for name in _OVERVIEWS:
        if name in by_name:
            return by_name[name]
    below = (section for section in artifact.sections if section.level > 1)
    return next(below, artifact.sections[0] if artifact.sections else None)


def summarize(artifact: Artifact, text: str, max_length: int = MAX_SUMMARY) -> str:
    """Return the first sentences of the artifact's summary section, at most `max_length` long.

    `text` is the content of the artifact's file. "" for an artifact without a sentence.
    """
    section = summary_section(artifact)
    lines = unify_line_endings(text).split("\n")
    parts = [] if section is None else [lines[section.first_line - 1 : section.last_line]]
    for part in (*parts, lines):
        if found := join_sentences(list(_sentences("\n".join(part))), max_length):
            return found
    return ""


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without those that introduce a list."""
    for block in read_prose(text):
        yield from (one for one in split_sentences(block.text) if not one.endswith(":"))


def join_sentences(sentences: Sequence[str], max_length: int) -> str:
    """Join the first sentences that fit into `max_length` characters. The first one is cut."""
    joined = ""
    for sentence in sentences:
        longer = f"{joined} {sentence}".strip()
        if len(longer) > max_length:
            break
        joined = longer
    if joined or not sentences:
        return joined
    return sentences[0][: max_length - 1].rstrip() + "…"
