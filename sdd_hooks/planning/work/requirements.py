"""The requirements that an issue is about, in full."""

# Governing: SPEC-0026 REQ "Brief of an issue"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.brief import BriefRequirement, BriefScenario
from sdd_hooks.text.lines import split_lines

_MARKS = re.compile(r"[\s*_`\"“”]+")
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,200})[\"”]")
_NOTE = re.compile(r"\s*\([^()]*\)\s*\Z")
_BREAK = re.compile(r"(?:\n[ \t]*(?:-[ \t]*){3,}[ \t]*)?\s*\Z")


def select_requirements(
    specs: Iterable[tuple[Artifact, str]], issue_text: str
) -> tuple[BriefRequirement, ...]:
    """The requirements of specifications, each with its text, that an issue names.

    A name counts in quotation marks (`REQ "Landing page"`), and one of several words anywhere. A
    note in parentheses at its end may be missing, and the name of a scenario stands for its
    requirement. Of a specification none of whose requirements the issue names, all are returned.
    """
    quoted = frozenset(_fold(match[1]) for match in _QUOTED.finditer(issue_text))
    mentions = _Mentions(f" {_fold(issue_text)} ", quoted)
    return tuple(one for spec, text in specs for one in _of_spec(spec, text, mentions))


class _Mentions(NamedTuple):
    """The text of an issue in lower case, and what is in quotation marks in it."""

    text: str
    quoted: frozenset[str]

    def names(self, requirement: Requirement) -> bool:
        """Whether the issue names the requirement."""
        own = [requirement.name, _NOTE.sub("", requirement.name), requirement.id]
        scenarios = [one.name for one in requirement.scenarios]
        return any(self._has(_fold(name)) for name in (*own, *scenarios))

    def _has(self, name: str) -> bool:
        return name in self.quoted or ((" " in name or "-" in name) and f" {name} " in self.text)


def _of_spec(spec: Artifact, text: str, mentions: _Mentions) -> Iterator[BriefRequirement]:
    named = [one for one in spec.requirements if mentions.names(one)]
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
    """The text below the heading, without a thematic break at its end."""
    text = "\n".join(lines[requirement.first_line : requirement.last_line])
    return _BREAK.sub("", text).strip("\n")


def _fold(text: str) -> str:
    """A text in lower case whose words are separated by one space, without punctuation at ends."""
    words = (word.strip(".,;:!?()[]#") for word in _MARKS.sub(" ", text.casefold()).split())
    return " ".join(filter(None, words))
