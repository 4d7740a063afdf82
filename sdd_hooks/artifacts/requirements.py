"""Read the requirements of a spec: their RFC 2119 keywords and their scenarios.

Ours and OpenSpec's have a heading each; those of spec-kit are user stories and items (`FR-001`),
and Kiro's have a list of criteria (`WHEN … THE SYSTEM SHALL …`).
"""

# Governing: SPEC-0002 REQ "Requirements and scenarios"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

RequirementLevel = Literal["must", "should", "may"]

_LEVELS: dict[str, RequirementLevel] = {
    "MUST": "must",
    "SHALL": "must",
    "REQUIRED": "must",
    "SHOULD": "should",
    "RECOMMENDED": "should",
    "MAY": "may",
    "OPTIONAL": "may",
}


class RequirementKeyword(NamedTuple):
    """An RFC 2119 keyword as written (`MUST NOT`), its level, and its line."""

    word: str
    level: RequirementLevel
    line: int

    @property
    def negative(self) -> bool:
        """Whether the keyword forbids or advises against something."""
        return "NOT" in self.word


class ScenarioStep(NamedTuple):
    """A bullet of a scenario: GIVEN, WHEN, THEN, AND or BUT, the text after it, and its line."""

    word: str
    text: str
    line: int


class Scenario(NamedTuple):
    """A `#### Scenario: Name`, or a criterion in a list, with its steps and its lines, 1-based and
    inclusive."""

    name: str
    first_line: int
    last_line: int
    steps: tuple[ScenarioStep, ...]


class Requirement(NamedTuple):
    """A `### Requirement: Name` with its subsections, a user story (`US-1`), or the item of a list.

    `id` is its number, "" when it has none.
    """

    name: str
    id: str
    first_line: int
    last_line: int
    anchor: str
    keywords: tuple[RequirementKeyword, ...]
    scenarios: tuple[Scenario, ...]

    @property
    def is_story(self) -> bool:
        """Whether it is a user story, which tells what is wanted and obliges to nothing."""
        return self.id.startswith("US-")

    @property
    def level(self) -> RequirementLevel | None:
        """The level of the strongest keyword, None without a keyword."""
        levels = {keyword.level for keyword in self.keywords}
        return next((level for level in ("must", "should", "may") if level in levels), None)


_HEADING = lazy_regex(
    r"""[*_`]*(?:
        (?P<id>(?:REQ|FR|NFR)-[0-9A-Za-z.-]*[0-9][a-z]?)
      | requirement(?:[ ]+(?P<number>[0-9][0-9.]*[a-z]?))?
      | user[ ]story[ ]+(?P<story>[0-9]{1,4})
      | req
    )[*_`]*[ ]*(?:[:：—–.-]|$)[ ]*(?P<name>.*)""",
    re.VERBOSE | re.IGNORECASE,
)
_SCENARIO = lazy_regex(
    r"[*_`]*(?:scenario|example)(?:[ ]+[0-9]+)?[*_`]*[ ]*[:：—–-][ ]*(?P<name>.*)", re.IGNORECASE
)
_KEYWORD = lazy_regex(
    r"""\b(?:
        (?:MUST|SHALL|SHOULD)(?:[*_]{0,2}\s{1,3}[*_]{0,2}NOT)?
      | (?:NOT\s{1,3})?RECOMMENDED | REQUIRED | MAY | OPTIONAL
    )\b""",
    re.VERBOSE,
)
_STEP = lazy_regex(
    r"""[ \t]*(?:[-*+][ ]+)?
    (?: (?P<marks>\*\*|__)(?i:(?P<bold>given|when|then|and|but))[:,]?(?P=marks)
      | (?P<plain>GIVEN|WHEN|THEN|AND|BUT)\b )
    [:,]?[ \t]*(?P<text>.*)""",
    re.VERBOSE,
)
_ITEM = lazy_regex(r"[ \t]*(?:[-*+]|[0-9]{1,3}(?:\.[0-9]{1,3})*[.)]?)[ \t]+(?P<text>\S.*)")
_LISTED = lazy_regex(
    r"(?P<marks>\*\*|__)?(?P<id>(?:FR|NFR|REQ)-[0-9A-Za-z.-]*[0-9][a-z]?)(?(marks)[:：]?(?P=marks))"
    r"[ \t]*[:：—–-]?[ \t]*(?P<text>.+)"
)
# `1. **Given** a, **When** b, **Then** c`, and EARS: `WHEN a, THE SYSTEM SHALL b`.
_INLINE_STEP = lazy_regex(
    r"(?:\*\*|__)(?i:(given|when|while|where|if|then|and|but))[:,]?(?:\*\*|__)"
    r"|\b(GIVEN|WHEN|WHILE|WHERE|IF|THEN|AND|BUT)\b"
    r"|,?[ ](?=(?i:the)[ ]\S{1,60}(?:[ ]\S{1,60})?[ ]SHALL\b)"
)
_STEP_WORDS = {"WHILE": "GIVEN", "WHERE": "GIVEN", "IF": "WHEN"}
_BULLET = lazy_regex(r"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]")


def find_keywords(prose: str, first_line: int = 1) -> Iterator[RequirementKeyword]:
    """Yield the RFC 2119 keywords, in capitals as the RFC requires, of a text without code.

    `first_line` is the line number of the first line of the text.
    """
    position = 0
    line = first_line
    for match in _KEYWORD.finditer(prose):
        line += prose.count("\n", position, match.start())
        position = match.start()
        word = " ".join(re.findall("[A-Z]+", match[0]))
        yield RequirementKeyword(
            word, _LEVELS[word.removeprefix("NOT ").removesuffix(" NOT")], line
        )


def read_requirements(prose: str, sections: Sequence[Section]) -> tuple[Requirement, ...]:
    """Read the requirements of a spec, in order. `prose` is its text without code and comments.

    A requirement extends to the next heading of its level or above. Where only user stories have
    headings, the items of lists with an id are requirements, too.
    """
    found = [
        _requirement(prose, sections, at, match)
        for at, section in enumerate(sections)
        if section.level > 1 and (match := _HEADING.match(section.title))
    ]
    if all(one.is_story for one in found):
        found += [one for section in sections for one in _listed(prose, section)]
        found.sort(key=lambda one: one.first_line)
    return tuple(found)


def _listed(prose: str, section: Section) -> Iterator[Requirement]:
    """Yield the items of lists in a section that are requirements: `- **FR-001**: …`."""
    for first, last, text in _items(prose, section):
        if match := _LISTED.match(text):
            keywords = tuple(find_keywords(text, first))
            name = match["text"].strip(" *_`")
            yield Requirement(name, match["id"], first, last, section.anchor, keywords, ())


def _items(prose: str, section: Section) -> Iterator[tuple[int, int, str]]:
    """Yield the first line, the last line and the text on one line of each item of a list."""
    pieces: list[str] = []
    first = 0
    lines = [*prose[section.start : section.end].split("\n")[1:], ""]
    for number, line in enumerate(lines, section.first_line + 1):
        match = _ITEM.match(line)
        if pieces and (match or not line.strip()):
            yield first, first + len(pieces) - 1, " ".join(pieces)
            pieces = []
        if match:
            first, pieces = number, [match["text"].strip()]
        elif pieces:
            pieces.append(line.strip())


def _criteria(prose: str, section: Section) -> Iterator[Scenario]:
    """Yield the items of lists in a section that say what happens when."""
    for first, last, text in _items(prose, section):
        marks = list(_INLINE_STEP.finditer(text))
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        steps = []
        for mark, end in zip(marks, ends, strict=False):
            word = (mark[1] or mark[2] or "THEN").upper()
            step = text[mark.end() : end].strip(" ,.")
            if step:
                steps.append(ScenarioStep(_STEP_WORDS.get(word, word), step, first))
        words = {step.word for step in steps}
        if "THEN" in words and not words.isdisjoint({"GIVEN", "WHEN"}):
            yield Scenario(text.replace("*", ""), first, last, tuple(steps))


def _requirement(
    prose: str, sections: Sequence[Section], at: int, match: re.Match[str]
) -> Requirement:
    section = sections[at]
    last = at
    scenarios: list[Scenario] = []
    for below in range(at + 1, len(sections)):
        if sections[below].level <= section.level:
            break
        last = below
        if scenario := _SCENARIO.match(sections[below].title):
            scenarios.append(_scenario(prose, sections[below], scenario["name"].strip()))
    if not scenarios:
        inside = sections[at : last + 1]
        scenarios = [scenario for one in inside for scenario in _criteria(prose, one)]
    text = prose[section.start : sections[last].end]
    identifier = match["id"] or (f"REQ-{match['number']}" if match["number"] else "")
    identifier = f"US-{match['story']}" if match["story"] else identifier
    return Requirement(
        name=match["name"].strip(" *_`") or identifier,
        id=identifier,
        first_line=section.first_line,
        last_line=sections[last].last_line,
        anchor=section.anchor,
        keywords=tuple(find_keywords(text, section.first_line)),
        scenarios=tuple(scenarios),
    )


def _scenario(prose: str, section: Section, name: str) -> Scenario:
    steps: list[tuple[str, list[str], int]] = []
    lines = prose[section.start : section.end].split("\n")[1:]
    is_open = False
    for number, line in enumerate(lines, section.first_line + 1):
        if match := _STEP.match(line):
            word = (match["bold"] or match["plain"]).upper()
            steps.append((word, [match["text"].strip()], number))
            is_open = True
        elif is_open and line.strip() and not _BULLET.match(line):
            steps[-1][1].append(line.strip())
        else:
            is_open = False
    read = tuple(ScenarioStep(word, " ".join(pieces).strip(), line) for word, pieces, line in steps)
    return Scenario(name, section.first_line, section.last_line, read)
