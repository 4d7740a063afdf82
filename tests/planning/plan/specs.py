"""Specifications for tests of plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.spec import read_spec
from sdd_hooks.engines.protocol import Hit
from sdd_hooks.planning.plan.build import PlanSurroundings, build_plan
from sdd_hooks.planning.plan.requirements import PlannedRequirement, read_planned
from sdd_hooks.planning.plan.story import Plan
from sdd_hooks.planning.requirement_code import CodeBase
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.issue_file import StoredIssue, to_stored

HEAD = "# SPEC-0003: Sessions\n\n## Requirements\n"


def spec_text(*requirements: tuple[str, str]) -> str:
    """The text of a specification: a name and a statement of each requirement, with a scenario."""
    parts = [
        f"\n### Requirement: {name}\n\n{statement}\n\n#### Scenario: {name} in use\n\n"
        "- WHEN so\n- THEN so\n"
        for name, statement in requirements
    ]
    return HEAD + "".join(parts)


def read(text: str) -> Artifact:
    """The specification with this text."""
    artifact = read_spec("docs/specs/sessions/spec.md", text, "# SPEC-0003: Design\n")
    assert artifact is not None
    return artifact


def planned(*requirements: tuple[str, str]) -> Sequence[PlannedRequirement]:
    """The requirements of a specification, as a plan reads them."""
    text = spec_text(*requirements)
    return read_planned(read(text), text)


NOW = 1_800_000_000.0


def around(**changes: Any) -> PlanSurroundings:
    """What a plan is compared with: nothing, except for the changes."""
    nothing: dict[str, Any] = {
        "claims": {},
        "issues": (),
        "code": code_base(),
        "search_issues": lambda _text: (),
        "exists": lambda _name, _kind: False,
        "merges": (),
        "hotspot_threshold": 0.5,
        "now": NOW,
    }
    return PlanSurroundings(**{**nothing, **changes})


def make_plan(*requirements: tuple[str, str], **changes: Any) -> Plan:
    """The plan of a specification with these requirements."""
    text = spec_text(*requirements)
    return build_plan(read(text), text, around(**changes))


def stored(id: str, title: str = "", body: str = "", **fields: Any) -> StoredIssue:
    """An issue of a tracker."""
    url = f"https://tracker.example/acme/shop/issues/{id}"
    made = Issue(id, title, "open", (), (), "", "", "", "", url, "fake", body)
    return to_stored(replace(made, **fields))


def code_base(*searches: str, **files: str) -> CodeBase:
    """The code in files, whose paths have `__` for `/`; a search finds those in `searches`."""
    texts = {path.replace("__", "/") + ".go": text for path, text in files.items()}
    hits = [Hit(f"{one}#x", "shop-code", one, 1, 9, one, "", 0.8, None, "", "") for one in searches]
    return CodeBase(frozenset(texts), lambda _text: hits, lambda path: texts.get(path, ""))


def apart(*requirements: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """The requirements with so many obligations that no two of them fit into one story."""
    return tuple((name, f"{statement}{' It MUST.' * 23}") for name, statement in requirements)


SHARED = (
    *apart(
        ("Session Store", "The `SessionStore` MUST keep sessions with their owner."),
        ("Invoice Export", "An invoice MUST be exported; the `SessionStore` has its user."),
    ),
    ("Palette", "A palette MUST have nine hues, in the order of `HUE_ORDER`."),
    ("Fonts", "A font MUST follow `HUE_ORDER` as well, and scale with the width."),
)
"""Two requirements with a type that the first defines, and two that are about the same."""
