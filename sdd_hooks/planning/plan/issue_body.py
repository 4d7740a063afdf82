"""The bodies of the issues of a plan, and what is appended to bodies that exist."""

# Governing: SPEC-0025 REQ "Issues"

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdd_hooks.artifacts.requirements import Scenario
from sdd_hooks.planning.conventions import issue_reference
from sdd_hooks.planning.plan.marker import EPIC, LEAD, write_marker
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import Plan, ReusedCode, Story
from sdd_hooks.reporting.escape import BREAK, code_span, escape_inline
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_BODY = 50_000
"""Characters of a body. Trackers accept 65,536 bytes or less."""
_MAX_SENTENCES = 400
_MAX_STEP = 200

DEPENDENCIES = "### Dependencies"
STORIES = "### Stories"

_MENTION = lazy_regex(r"(?<![\w`])@(?=\w)")
_LINE = lazy_regex(
    r"^[ \t]*(?:[-*+][ \t]+)?(?P<verb>Blocks|Blocked by):(?P<ids>[^\r\n]*)", re.MULTILINE
)


def story_body(
    plan: Plan, story: Story, blocked_by: Sequence[str], epic: str, *, hides_comments: bool
) -> str:
    """The body of a story's issue. `blocked_by` are ids of issues, `epic` is that of the epic."""
    parts = [_origin(plan, epic), *_contents(story)]
    if story.related:
        related = (f"{issue_reference(one.id)}: {_text(one.title)}" for one in story.related)
        parts += ["### Related issues", _list(related)]
    if blocked_by:
        ids = ", ".join(map(issue_reference, blocked_by))
        parts += [DEPENDENCIES, f"- Blocked by: {ids}"]
    marker = write_marker(plan.marked, story.keys, hidden=hides_comments)
    body = "\n\n".join(parts)
    return f"{_shortened(body, plan)}\n\n{marker}\n"


def epic_body(plan: Plan, *, hides_comments: bool) -> str:
    """The body of the epic's issue."""
    marker = write_marker(plan.marked, (EPIC,), hidden=hides_comments)
    about = f"The stories of {plan.spec}, {code_span(plan.path)}."
    return f"{about}\n\n{marker}\n"


def connection_text(body: str, blocks: Sequence[str], blocked_by: Sequence[str]) -> str:
    """The lines about dependencies that a body lacks, to be appended to it; "" if it has all."""
    lines = []
    for verb, ids in (("Blocked by", blocked_by), ("Blocks", blocks)):
        known = {
            one.strip()
            for match in _LINE.finditer(body)
            if match["verb"] == verb
            for one in match["ids"].split(",")
        }
        missing = [name for name in map(issue_reference, ids) if name not in known]
        lines += [f"- {verb}: {', '.join(missing)}"] if missing else []
    return "\n".join(lines)


def stories_text(body: str, ids: Sequence[str]) -> str:
    """The items of stories that the body of an epic lacks, to be appended; "" if it has all."""
    words = set(re.split(r"[\s,;:()\[\]]+", body))
    missing = [name for name in map(issue_reference, ids) if name not in words]
    items = "\n".join(f"- [ ] {name}" for name in missing)
    return items if not items or STORIES in body else f"{STORIES}\n\n{items}"


def _origin(plan: Plan, epic: str) -> str:
    of = f"{plan.spec} ({_text(plan.title)}), {code_span(plan.path)}."
    return f"Part of {issue_reference(epic)}: {of}" if epic else f"From {of}"


def _contents(story: Story) -> list[str]:
    parts: list[str] = []
    if story.requirements:
        parts += ["### Requirements", "\n".join(_requirement(one) for one in story.requirements)]
    if story.shared and not story.requirements:
        items = (f"- [ ] {one.kind} {code_span(one.name)}" for one in story.shared)
        parts += ["### Shared artifacts", "\n".join(items)]
    elif story.shared:
        names = ", ".join(code_span(one.name) for one in story.shared)
        parts.append(f"Other stories need {names}.")
    if story.existing:
        parts += ["### Existing code", _list(map(extend_line, story.existing))]
    size = story.size
    parts += [f"### Size: {size.name}", _list(map(_text, size.reasons))]
    return parts


def extend_line(one: ReusedCode) -> str:
    """What to extend, as Markdown: the file, its definitions with their lines, and the reason."""
    places = ", ".join(
        f"{code_span(place.symbol)} (lines {place.first_line}–{place.last_line})"
        for place in one.places
    )
    return f"extend {code_span(one.path)}{f': {places}' if places else ''} — {_text(one.reason)}"


def _requirement(one: PlannedRequirement) -> str:
    about = _text(one.first_sentences, _MAX_SENTENCES)
    lines = [f"- [ ] **{_text(one.label)}** (line {one.first_line}){f': {about}' if about else ''}"]
    lines += [f"  - {_scenario(scenario)}" for scenario in one.scenarios]
    return "\n".join(lines)


def _scenario(scenario: Scenario) -> str:
    steps = ", ".join(f"{step.word} {_text(step.text, _MAX_STEP)}" for step in scenario.steps)
    name = f"Scenario: {_text(scenario.name)}"
    return f"{name} – {steps}" if steps else name


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _text(text: str, limit: int = 200) -> str:
    """A text as inline Markdown that notifies no user and is no marker."""
    line = _MENTION.sub(f"@{BREAK}", escape_inline(text, limit))
    return line.replace(LEAD, f"{LEAD[:-1]}{BREAK}:")


def _shortened(body: str, plan: Plan) -> str:
    """At most MAX_BODY characters of a body, in whole lines."""
    if len(body) <= MAX_BODY:
        return body
    cut = body[:MAX_BODY].rpartition("\n")[0]
    return f"{cut}\n\nThe rest is in {code_span(plan.path)}."
