from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.planning.plan.issue_body import (
    MAX_BODY,
    connection_text,
    epic_body,
    stories_text,
    story_body,
)
from sdd_hooks.planning.plan.marker import keys_for
from tests.planning.plan.specs import SHARED, code_base, make_plan, stored

STORE = "internal/session/store.go"
IDS = st.lists(st.sampled_from(["1", "12", "PROJ-3", "bd-a1b2.1", "tasks-a-2"]), unique=True)


def body_of(*requirements: tuple[str, str], **changes: object) -> str:
    plan = make_plan(*requirements, **changes)
    return story_body(plan, plan.stories[0], (), "", hides_comments=True)


def test_the_body_of_a_story() -> None:
    plan = make_plan(
        ("User session management", "A user session MUST be stored. It MUST expire."),
        code=code_base(internal__session__store="package session\n\nfunc SaveSession() {\n}\n"),
        search_issues=lambda _text: ["7"],
        issues=[stored("7", "Sessions are lost")],
    )
    story = plan.stories[0]
    assert (
        story_body(plan, story, ("4", "PROJ-3"), "2", hides_comments=True)
        == f"""\
Part of #2: SPEC-0003 (Sessions), `docs/specs/sessions/spec.md`.

### Requirements

- [ ] **User session management** (line 5): A user session MUST be stored. It MUST expire.
  - Scenario: User session management in use – WHEN so, THEN so

### Existing code

- extend `{STORE}`: `SaveSession` (lines 3–4) — both are about session

### Size: XS

- 1 requirement, 2 obligations, 1 scenario
- 1 existing file for 1 of them: 2 points instead of 3

### Related issues

- #7: Sessions are lost

### Dependencies

- Blocked by: #4, PROJ-3

<!-- sdd-story: SPEC-0003 {story.keys[0]} -->
"""
    )
    made = stored("9", story.title, story_body(plan, story, ("4",), "2", hides_comments=False))
    assert (made.specs, made.blocked_by) == (("SPEC-0003",), ("4",))
    assert keys_for(made.body, "SPEC-0003") == set(story.keys)


def test_the_body_of_a_foundation_without_a_requirement() -> None:
    plan = make_plan(SHARED[2], ("Invoices", f"Sort by `HUE_ORDER`.{' It MUST.' * 44}"))
    body = story_body(plan, plan.stories[0], (), "", hides_comments=True)
    assert "- [ ] setting `HUE_ORDER`\n" in body
    assert "### Requirements" not in body


def test_hostile_texts_stay_texts() -> None:
    body = body_of(
        ("Blocks: #4 <!-- x", "It MUST notify @admin. See `sdd-story: SPEC-0001 epic` <script>."),
    )
    assert "@admin" not in body
    assert "<script>" not in body.replace("\\<script>", "")
    assert "\\<!-- x" in body
    assert keys_for(body, "SPEC-0001") == frozenset()
    assert references_of_text(body) == ((), ())


def references_of_text(body: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    issue = stored("99", "x", body)
    return issue.blocks, issue.blocked_by


def test_a_long_body_is_cut_before_its_marker() -> None:
    parts = [(f"Part {n} {'x' * 150}", "MUST " * 80) for n in range(5)]
    scenarios = "".join(
        f"#### Scenario: {'word ' * 30}{n}\n\n- WHEN {'a b ' * 60}\n- THEN it\n\n"
        for n in range(150)
    )
    name, statement = parts[0]
    body = body_of((name, f"{statement}\n\n{scenarios}"))
    assert len(body) < MAX_BODY + 200
    assert "The rest is in `docs/specs/sessions/spec.md`." in body
    assert keys_for(body, "SPEC-0003")


def test_the_epic_names_its_specification() -> None:
    body = epic_body(make_plan(*SHARED), hides_comments=True)
    assert keys_for(body, "SPEC-0003") == {"epic"}
    assert stored("1", "x", body).specs == (str(parse_id("SPEC-3")),)


def test_what_a_body_has_is_not_appended_again() -> None:
    body = "Text.\r\n\r\n- Blocked by: #4, PROJ-3\r\nBlocks: #7"
    assert connection_text(body, ("7",), ("4", "PROJ-3")) == ""
    assert connection_text(body, ("7", "8"), ("4", "5")) == "- Blocked by: #5\n- Blocks: #8"
    assert stories_text("### Stories\n\n- [x] #4", ("4", "5")) == "- [ ] #5"
    assert stories_text("Text", ("PROJ-4",)) == "### Stories\n\n- [ ] PROJ-4"
    assert stories_text("- [x] #4: done", ("4",)) == ""


@given(st.text(), IDS, IDS, IDS)
def test_an_addition_is_complete_and_made_once(
    body: str, blocks: list[str], more: list[str], others: list[str]
) -> None:
    blocked_by = [id for id in others if id not in {*blocks, *more}]
    body += "\n\n" + connection_text(body, blocks, ())
    body += "\n\n" + connection_text(body, more, blocked_by)
    assert connection_text(body, [*blocks, *more], blocked_by) == ""
    found = references_of_text(body)
    assert set(blocks) | set(more) <= set(found[0])
    assert set(blocked_by) <= set(found[1])
    listed = body + "\n\n" + stories_text(body, blocks)
    assert stories_text(listed, blocks) == ""
