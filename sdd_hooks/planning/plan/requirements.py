"""The requirements of a specification as a plan needs them: their text, and what they oblige to."""

# Governing: SPEC-0025 REQ "Stories"

from __future__ import annotations

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.requirements import Scenario
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.marker import key_of
from sdd_hooks.planning.requirement_code import CodeQuestion
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import mask_comments
from sdd_hooks.text.prose import plain_text, split_sentences

MAX_REQUIREMENTS = 200
"""Requirements of a specification that can be planned at once."""
_MAX_TEXT = 20_000
"""Characters of a requirement that are read."""

_CODE_SPAN = lazy_regex(r"(?<!`)`([^`\n]{1,120})`(?!`)")


class NothingToPlan(SddError):
    """The specification has no requirements, or too many."""

    exit_code = EXIT_USAGE
    code = "nothing-to-plan"


class PlannedRequirement(NamedTuple):
    """A requirement: its text without the scenarios, the names in code spans of all of it, the
    number of its obligations (RFC 2119 words), and the name of the section above it.

    `key` is its key in markers. Lines are 1-based and inclusive, those of the specification.
    """

    name: str
    id: str
    key: str
    first_line: int
    last_line: int
    statement: str
    spans: tuple[str, ...]
    obligations: int
    scenarios: tuple[Scenario, ...]
    section: str = ""

    @property
    def label(self) -> str:
        """The id and the name: `REQ-3: Limits`; without an id, the name."""
        return f"{self.id}: {self.name}" if self.id and self.id != self.name else self.name

    @property
    def work(self) -> int:
        """Its obligations and scenarios, at least 1."""
        return max(1, self.obligations + len(self.scenarios))

    @property
    def text(self) -> str:
        """The statement and the scenarios as one text."""
        steps = (
            f"{one.name} {' '.join(step.text for step in one.steps)}" for one in self.scenarios
        )
        return "\n".join((self.name, self.statement, *steps))

    def question(self, title: str) -> CodeQuestion:
        """What code is sought for it. `title` is that of its specification."""
        return CodeQuestion(self.name, self.text, title, self.spans)

    @property
    def first_sentences(self) -> str:
        """The first two sentences of the statement, as plain text on one line."""
        return " ".join(split_sentences(plain_text(self.statement))[:2])


def read_planned(artifact: Artifact, text: str) -> tuple[PlannedRequirement, ...]:
    """The requirements of a specification, in order. `text` is that of its spec.md.

    Raises NothingToPlan.
    """
    found = artifact.requirements
    if not found:
        raise NothingToPlan(
            f"{artifact.name} has no requirements: write `### Requirement: NAME` in {artifact.path}"
        )
    if len(found) > MAX_REQUIREMENTS:
        raise NothingToPlan(
            f"{artifact.name} has {len(found)} requirements, and a plan at most {MAX_REQUIREMENTS}:"
            " divide the specification"
        )
    return planned_requirements(artifact, text)


def planned_requirements(artifact: Artifact, text: str) -> tuple[PlannedRequirement, ...]:
    """The requirements of a specification, which may have none, as `read_planned` does."""
    lines = mask_comments(text).split("\n")
    used: dict[str, int] = {}
    planned = []
    for one in artifact.requirements:
        used[one.name] = count = used.get(one.name, 0) + 1
        end = min((scenario.first_line - 1 for scenario in one.scenarios), default=one.last_line)
        statement = "\n".join(lines[one.first_line : end]).strip()[:_MAX_TEXT]
        whole = "\n".join(lines[one.first_line : one.last_line])[:_MAX_TEXT]
        planned.append(
            PlannedRequirement(
                one.name,
                one.id,
                key_of(one.name if count == 1 else f"{one.name} #{count}"),
                one.first_line,
                one.last_line,
                statement,
                tuple(dict.fromkeys(_CODE_SPAN.findall(whole))),
                len(one.keywords),
                one.scenarios,
                _section_above(artifact, one.first_line),
            )
        )
    return tuple(planned)


def _section_above(artifact: Artifact, line: int) -> str:
    """The title of the section around a requirement; "" for that of the whole specification."""
    own = [section for section in artifact.sections if section.first_line <= line][-1]
    above = own.path if own.first_line == line else (*own.path, own.title)
    return above[-1] if len(above) > 1 else ""
