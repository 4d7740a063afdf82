"""The requirements that an issue is about, in full."""

# Governing: SPEC-0026 REQ "Brief of an issue"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.planning.work.brief import BriefRequirement, BriefScenario
from sdd_hooks.text.lines import split_lines

_SPACE = re.compile(r"[\s*_`\"“”]+")


def select_requirements(
    specs: Iterable[tuple[Artifact, str]], issue_text: str
) -> tuple[BriefRequirement, ...]:
    """The requirements of specifications, each with its text, that an issue names.

    Of a specification none of whose requirements the issue names, all are returned.
    """
    folded = f" {_fold(issue_text)} "
    return tuple(one for spec, text in specs for one in _of_spec(spec, text, folded))


def _of_spec(spec: Artifact, text: str, folded: str) -> Iterator[BriefRequirement]:
    named = [one for one in spec.requirements if _is_named(one, folded)]
    lines = split_lines(text)
    for one in named or spec.requirements:
        yield BriefRequirement(
            spec.name,
            one.name,
            spec.path,
            one.first_line,
            one.last_line,
            _body(lines, one),
            tuple(
                BriefScenario(each.name, each.first_line, each.last_line) for each in one.scenarios
            ),
            is_named=bool(named),
        )


def _body(lines: Sequence[str], requirement: Requirement) -> str:
    return "\n".join(lines[requirement.first_line : requirement.last_line]).strip("\n")


def _is_named(requirement: Requirement, folded: str) -> bool:
    names = [_fold(requirement.name), *([_fold(requirement.id)] if requirement.id else [])]
    return any(f" {name} " in folded for name in names if name)


def _fold(text: str) -> str:
    """A text in lower case whose words are separated by one space, without punctuation at ends."""
    words = (word.strip(".,;:!?()[]#") for word in _SPACE.sub(" ", text.casefold()).split())
    return " ".join(filter(None, words))
