"""The conventions of branches and pull requests: names, and the sections of an issue's body.

`#### Branch Conventions` and `#### PR Conventions` configure them.
"""

# Governing: ADR-0054 (pull requests and issues are changed in batches),
# SPEC-0027 REQ "Branch and PR sections"

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from sdd_hooks.config.settings import BranchSettings, PullRequestSettings
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import parse_sections
from sdd_hooks.trackers.issue import joined
from sdd_hooks.trackers.registry import closing_words_of

BRANCH_HEADING = "### Branch"
PULL_HEADING = "### PR Convention"

_EPIC_TITLE = "implement "
_PARTS = lazy_regex(r"[^a-z0-9]+")
_UNSAFE = lazy_regex(r"[^\w.-]+|\.\.+|\.lock\Z", re.ASCII)


def is_epic(title: str, labels: Iterable[str]) -> bool:
    """Whether an issue is an epic: by its label, or by a title such as "Implement sessions"."""
    is_labelled = any(label.casefold() == "epic" for label in labels)
    return is_labelled or title.casefold().startswith(_EPIC_TITLE)


def branch_slug(title: str, max_length: int) -> str:
    """A title in kebab case, cut at `max_length` without a hyphen at its end; may be ""."""
    folded = unicodedata.normalize("NFKD", title.casefold())
    slug = _PARTS.sub("-", folded.encode("ascii", "ignore").decode()).strip("-")
    return slug[:max_length].rstrip("-")


def branch_name(id: str, title: str, settings: BranchSettings, *, epic: bool = False) -> str:
    """The branch of an issue: `feature/42-keep-sessions`.

    `id` is the number or the key of the issue. The result is a name that git accepts.
    """
    prefix = settings.epic_prefix if epic else settings.prefix
    number = _UNSAFE.sub("-", id).strip("-.") or "issue"
    slug = branch_slug(title, settings.slug_max_length)
    name = f"{number}-{slug}" if slug else number
    return f"{prefix.strip('/')}/{name}" if prefix.strip("/") else name


def issue_reference(id: str) -> str:
    """How a text names an issue: `#42` where it is a number, else its id."""
    return f"#{id}" if id.isascii() and id.isdecimal() else id


def closing_words(tracker: str, id: str, settings: PullRequestSettings) -> str:
    """What a pull request says to close an issue: `Closes #42`, `PROJ-42`, `bd close bd-a1b2`.

    `tracker` is its registered name.
    """
    if settings.close_keyword:
        return f"{settings.close_keyword} {issue_reference(id)}"
    return closing_words_of(tracker).format(issue_reference(id))


def pull_convention(
    tracker: str,
    id: str,
    settings: PullRequestSettings,
    *,
    epic: str = "",
    specs: Iterable[str] = (),
) -> str:
    """The lines of the section about the pull request of an issue, without a last line break.

    `epic` is the id of its epic, "" for none; `specs` are ids of specifications.
    """
    lines = [closing_words(tracker, id, settings)]
    named = ", ".join(specs) if settings.include_spec_reference else ""
    if epic:
        suffix = f" ({named})" if named else ""
        lines.append(f"{settings.ref_keyword} {issue_reference(epic)}{suffix}")
    elif named:
        lines.append(f"{settings.ref_keyword} {named}")
    return "\n".join(lines)


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
