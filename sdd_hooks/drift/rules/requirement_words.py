"""Requirements of a specification that are written unlike its others: no keyword, no scenario.

What a specification does nowhere is its style, and no finding.
"""

# Governing: SPEC-0018 REQ "Words of requirements"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.drift.rules import specs_in_scope
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import split_lines
from sdd_hooks.text.sentences import split_sentences

MIN_REQUIREMENTS = 4
"""Requirements of a spec from which its style can be told."""
MIN_SHARE = 0.75
"""The share of the requirements that have to be alike, so that the others are an exception."""

_LOWER = lazy_regex(r"\b(?:must|shall)(?: not)?\b")
# An aside, a quotation and code bind nothing.
_ASIDE = lazy_regex(r"\([^()]{0,300}\)|`[^`]{1,300}`|\"[^\"]{1,300}\"|“[^”]{1,300}”")
# "conditions that must hold" and "if it must wait" describe, and bind nothing.
_CLAUSE = lazy_regex(
    r"\b(?:that|which|who|whom|what|where|when|how|why|if|because|since|as|while|whether|than)\b"
    r"[^.;:,]{0,80}$",
    re.IGNORECASE,
)


def check(subject: Subject) -> Iterator[Finding]:
    """Find each requirement without a keyword, or without a scenario, where the others have one.

    Where a requirement without a keyword has `must` in lower case, its sentences are the findings.
    Beside a keyword, `must` in lower case is the reason, and binds nothing.
    """
    for spec in specs_in_scope(subject):
        lines = split_lines(subject.text(spec.path))
        obliging = [one for one in spec.requirements if not one.is_story]
        without_keyword = [one for one in obliging if not one.keywords]
        if _is_exception(spec, without_keyword):
            lacks = ("no-keyword", "no keyword of RFC 2119", "say MUST, SHOULD or MAY")
            for one in without_keyword:
                lower = list(_lower_case(spec, one, lines))
                yield from lower or [_finding(spec, one, lacks, lines)]
        without_scenario = [one for one in spec.requirements if not one.scenarios]
        if _is_exception(spec, without_scenario):
            lacks = ("no-scenario", "no scenario", "write one that a test can follow")
            yield from (_finding(spec, one, lacks, lines) for one in without_scenario)


def _is_exception(spec: Artifact, without: Sequence[Requirement]) -> bool:
    """Whether so few requirements lack something that it is not the style of the specification."""
    number = len(spec.requirements)
    return number >= MIN_REQUIREMENTS and len(without) <= (1 - MIN_SHARE) * number


def _lower_case(spec: Artifact, one: Requirement, lines: Sequence[str]) -> Iterator[Finding]:
    last = min((each.first_line - 1 for each in one.scenarios), default=one.last_line)
    body = "\n".join(lines[one.first_line : last])
    for sentence in split_sentences(body, one.first_line + 1):
        text = _ASIDE.sub(" ", sentence.text)
        found = next(
            (one for one in _LOWER.finditer(text) if not _CLAUSE.search(text[: one.start()])),
            None,
        )
        if found:
            word = found[0]
            message = (
                f"`{word}` in lower case binds no reader of RFC 2119, and the specification"
                f" uses capitals: write {word.upper()}, or another word"
            )
            yield Finding(
                spec.path,
                sentence.line,
                f"{RULE.id}/lower-case",
                "info",
                message,
                sentence.text,
            )


def _finding(
    spec: Artifact, one: Requirement, lacks: tuple[str, str, str], lines: Sequence[str]
) -> Finding:
    """The finding about what a requirement lacks: name of the rule, part and advice."""
    name, part, advice = lacks
    message = f'"{one.name}" has {part}, which the other requirements have: {advice}'
    evidence = lines[one.first_line - 1].strip() if one.first_line <= len(lines) else one.name
    return Finding(spec.path, one.first_line, f"{RULE.id}/{name}", "info", message, evidence)


RULE = Rule(
    "requirement-words",
    "info",
    "A requirement without a keyword or a scenario, unlike the others of its specification.",
    "A requirement binds by MUST, SHOULD or MAY, and a scenario says how to test it.",
    check,
    whole_tree=True,
)
