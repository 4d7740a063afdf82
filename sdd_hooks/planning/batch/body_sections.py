"""The sections about branch and pull request that the body of an issue lacks."""

# Governing: ADR-0054 (pull requests and issues are changed in batches),
# SPEC-0027 REQ "Branch and PR sections"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.config.settings import BranchSettings, PullRequestSettings
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import (
    BRANCH_HEADING,
    PULL_HEADING,
    branch_name,
    pull_convention,
)
from sdd_hooks.text.markdown import parse_sections
from sdd_hooks.trackers.bodies import joined


class HiddenSection(ValueError):
    """A section at the end of this body would be part of a code block or a comment."""


class Conventions(NamedTuple):
    """The settings of branches and pull requests, and the registered name of the tracker."""

    tracker: str
    branches: BranchSettings
    pulls: PullRequestSettings


class IssueFacts(NamedTuple):
    """What the sections say about an issue. `epic` is the id of its epic, "" for none."""

    id: str
    title: str
    is_epic: bool = False
    epic: str = ""
    specs: tuple[str, ...] = ()


def missing_sections(facts: IssueFacts, body: str, conventions: Conventions) -> str:
    """The Markdown to append to a body so that it has all sections, "" if it has them.

    An epic has a branch and no pull request. Raises HiddenSection.
    """
    present = _headings(body)
    wanted = _sections(facts, conventions)
    missing = [text for heading, text in wanted if _title(heading) not in present]
    addition = "\n\n".join(missing)
    if addition:
        after = _headings(joined(body, addition))
        if not all(_title(heading) in after for heading, _ in wanted):
            raise HiddenSection
    return addition


def has_sections(facts: IssueFacts, body: str, conventions: Conventions) -> bool:
    """Whether a body has every section."""
    present = _headings(body)
    return all(_title(heading) in present for heading, _ in _sections(facts, conventions))


def _sections(facts: IssueFacts, conventions: Conventions) -> Sequence[tuple[str, str]]:
    """The wanted sections as pairs of heading and whole text."""
    found = []
    if conventions.branches.enabled:
        branch = branch_name(facts.id, facts.title, conventions.branches, epic=facts.is_epic)
        found.append((BRANCH_HEADING, f"{BRANCH_HEADING}\n\n`{branch}`"))
    if conventions.pulls.enabled and not facts.is_epic:
        lines = pull_convention(
            conventions.tracker, facts.id, conventions.pulls, epic=facts.epic, specs=facts.specs
        )
        # As code, so that no tracker takes the lines for references of the issue itself.
        quoted = "\n".join(f"- `{line}`" for line in lines.split("\n"))
        found.append((PULL_HEADING, f"{PULL_HEADING}\n\n{quoted}"))
    return found


def _headings(body: str) -> frozenset[str]:
    return frozenset(section.title.casefold() for section in parse_sections(body))


def _title(heading: str) -> str:
    return heading.lstrip("# ").casefold()
