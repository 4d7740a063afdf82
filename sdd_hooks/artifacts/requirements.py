"""Read the requirements of a spec: their RFC 2119 keywords and their scenarios."""

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
    """A `#### Scenario: Name` with its steps and its lines, 1-based and inclusive."""

    name: str
    first_line: int
    last_line: int
    steps: tuple[ScenarioStep, ...]


class Requirement(NamedTuple):
    """A `### Requirement: Name` with its subsections. `id` is its number, "" when it has none."""

    name: str
    id: str
    first_line: int
    last_line: int
    anchor: str
    keywords: tuple[RequirementKeyword, ...]
    scenarios: tuple[Scenario, ...]

    @property
    def level(self) -> RequirementLevel | None:
        """The level of the strongest keyword, None without a keyword."""
        levels = {keyword.level for keyword in self.keywords}
        return next((level for level in ("must", "should", "may") if level in levels), None)


_HEADING = lazy_regex(
    r"""[*_`]*(?:
        (?P<id>(?:REQ|FR|NFR)-[0-9A-Za-z.-]*[0-9][a-z]?)
      | requirement(?:[ ]+(?P<number>[0-9][0-9.]*[a-z]?))?
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

    A requirement extends to the next heading of its level or above.
    """
    return tuple(
        _requirement(prose, sections, at, match)
        for at, section in enumerate(sections)
        if section.level > 1 and (match := _HEADING.match(section.title))
    )


def _requirement(
    prose: str, sections: Sequence[Section], at: int, match: re.Match[str]
) -> Requirement:
    section = sections[at]
    last = at
    scenarios = []
    for below in range(at + 1, len(sections)):
        if sections[below].level <= section.level:
            break
        last = below
        if scenario := _SCENARIO.match(sections[below].title):
            scenarios.append(_scenario(prose, sections[below], scenario["name"].strip()))
    text = prose[section.start : sections[last].end]
    identifier = match["id"] or (f"REQ-{match['number']}" if match["number"] else "")
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
