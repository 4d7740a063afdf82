from __future__ import annotations

from typing import Any

from sdd_hooks.planning.plan.hotspots import MergedChange
from sdd_hooks.planning.plan.marker import key_of, write_marker
from sdd_hooks.planning.plan.story import Plan
from tests.planning.plan.specs import NOW, SHARED, apart, code_base, make_plan, stored

STORE = "internal/session/store.go"


def outline(plan: Plan) -> list[tuple[str, list[str], list[int]]]:
    """The kind, the requirements and the blockers of each story."""
    return [
        (
            story.kind,
            [one.name for one in story.requirements],
            [one.story for one in story.blocked_by],
        )
        for story in plan.stories
    ]


def marked(id: str, *names: str, status: Any = "open") -> Any:
    keys = tuple(map(key_of, names))
    body = write_marker("SPEC-0003", keys, hidden=True)
    return stored(id, f"Issue {id}", body, status=status)


def test_a_story_extends_existing_code_and_is_smaller() -> None:
    requirement = ("User session management", "A user session MUST be stored. It MUST expire.")
    plan = make_plan(
        requirement,
        code=code_base(internal__session__store="func SaveSession() {}\n"),
    )
    (story,) = plan.stories
    assert [one.path for one in story.existing] == [STORE]
    (scratch,) = make_plan(requirement).stories
    assert story.size.points < scratch.size.points
    assert (plan.spec, plan.title, plan.epic_title) == (
        "SPEC-0003",
        "Sessions",
        "Implement SPEC-0003: Sessions",
    )


def test_what_several_stories_need_is_built_first() -> None:
    plan = make_plan(*SHARED)
    assert outline(plan) == [
        ("foundation", ["Session Store"], []),
        ("story", ["Invoice Export"], [1]),
        ("story", ["Palette", "Fonts"], []),
    ]
    assert plan.stories[0].shared[0].name == "SessionStore"
    assert plan.stories[1].blocked_by[0].reason == "needs SessionStore"
    assert plan.blocks(1) == (2,)


def test_an_artifact_that_no_requirement_defines_is_a_story_without_one() -> None:
    parts = apart(
        ("Palette", "A palette MUST have nine hues, in the order of `HUE_ORDER`."),
        ("Invoices", "An invoice MUST be sorted by `HUE_ORDER` and exported with its tax."),
    )
    plan = make_plan(*parts)
    assert outline(plan) == [
        ("foundation", [], []),
        ("story", ["Palette"], [1]),
        ("story", ["Invoices"], [1]),
    ]
    assert plan.stories[0].title == "Provide HUE_ORDER"
    exists = make_plan(*parts, exists=lambda name, _kind: name == "HUE_ORDER")
    assert [story.kind for story in exists.stories] == ["story", "story"]


def test_a_plan_with_one_story_has_no_foundation() -> None:
    plan = make_plan(
        ("Session Store", "The `SessionStore` MUST keep a session with its owner."),
        ("Session Owner", "The owner of a session in the `SessionStore` MUST be listed."),
    )
    assert outline(plan) == [("story", ["Session Store", "Session Owner"], [])]


def test_stories_that_need_each_other_become_one() -> None:
    plan = make_plan(
        *apart(
            ("Session Store", "The `SessionStore` MUST keep it; the `InvoicePrinter` prints."),
            ("Invoice Printer", "The `InvoicePrinter` MUST lay out pages from the `SessionStore`."),
            ("Palette", "A palette MUST have nine hues."),
        )
    )
    kinds = [(story.kind, len(story.requirements)) for story in plan.stories]
    assert kinds == [("foundation", 2), ("story", 1)]


def test_a_requirement_is_built_after_the_one_that_it_mentions() -> None:
    plan = make_plan(
        *apart(
            ("Palette", "A palette MUST follow the Export Rules requirement, in nine hues."),
            ("Export Rules", "An invoice MUST be exported as PDF."),
        )
    )
    assert outline(plan) == [
        ("story", ["Export Rules"], []),
        ("story", ["Palette"], [1]),
    ]
    assert plan.stories[1].blocked_by[0].reason == "mentions Export Rules"


def test_requirements_that_mention_each_other_close_no_circle() -> None:
    plan = make_plan(
        *apart(
            ("Palette", "A palette MUST follow the Export Rules requirement, in nine hues."),
            ("Export Rules", "An invoice MUST be as in the Palette requirement, as PDF."),
        )
    )
    assert sum(len(story.blocked_by) for story in plan.stories) == 1


def test_stories_that_change_a_hotspot_are_built_in_a_row() -> None:
    parts = apart(
        ("Session palette", "A palette MUST have nine hues."),
        ("Session invoices", "An invoice MUST be exported as PDF with its tax."),
        ("Fonts", "A letter MUST be wide."),
    )
    merges = [MergedChange(NOW, (STORE, "other.go"))] * 10
    plan = make_plan(
        *parts,
        code=code_base(internal__session__store="type SessionStore struct {\n}\n"),
        merges=merges,
    )
    assert [one.path for one in plan.hotspots] == [STORE]
    assert [names for _, names, _ in outline(plan)] == [
        ["Session palette"],
        ["Session invoices"],
        ["Fonts"],
    ]
    (blocker,) = plan.stories[1].blocked_by
    assert (blocker.story, blocker.reason) == (1, f"both change the hotspot {STORE}")
    assert f"changes the hotspot {STORE}" in plan.stories[0].size.reasons
    assert plan.stories[2].blocked_by == ()


def test_implemented_and_covered_requirements_are_in_no_story() -> None:
    plan = make_plan(
        ("Session Store", "It MUST keep sessions."),
        ("Token Validation", "A token MUST be valid."),
        ("Palette", "A palette MUST have nine hues."),
        claims={"Session Store": ("src/store.go:3",)},
        issues=[stored("7", "Token validation of SPEC-0003")],
    )
    assert [names for _, names, _ in outline(plan)] == [["Palette"]]
    assert plan.implemented[0].places == ("src/store.go:3",)
    assert (plan.covered[0].requirement.name, plan.covered[0].issue.id) == ("Token Validation", "7")


def test_requirements_of_an_issue_stay_together_however_they_would_be_grouped() -> None:
    issues = [marked("4", "Palette", "Session Store"), marked("5", "Fonts", status="closed")]
    plan = make_plan(*SHARED, issues=issues, claims={"Palette": ("a:1",)})
    found = {
        story.issue.id if story.issue else "": [one.name for one in story.requirements]
        for story in plan.stories
    }
    assert found == {
        "4": ["Session Store", "Palette"],
        "5": ["Fonts"],
        "": ["Invoice Export"],
    } | ({} if len(plan.stories) == 3 else {"": found[""]})
    assert {story.issue.status for story in plan.stories if story.issue} == {"open", "closed"}


def test_an_issue_is_never_joined_with_another_story() -> None:
    parts = apart(
        ("Session Store", "The `SessionStore` MUST keep it; the `InvoicePrinter` prints."),
        ("Invoice Printer", "The `InvoicePrinter` MUST lay out pages from the `SessionStore`."),
    )
    plan = make_plan(*parts, issues=[marked("4", "Session Store")])
    assert [len(story.requirements) for story in plan.stories] == [1, 1]
    assert sum(len(story.blocked_by) for story in plan.stories) == 1


def test_an_issue_whose_requirement_is_gone_is_named() -> None:
    plan = make_plan(SHARED[2], issues=[marked("4", "Former name"), marked("5", "Palette")])
    assert [one.id for one in plan.other_issues] == ["4"]


def test_a_title_has_the_names_that_fit() -> None:
    long = " ".join(["Sessions", "of", "users"] * 6)
    parts = [(f"{long} {n}", "A session MUST be stored with its owner.") for n in "abc"]
    (story,) = make_plan(*parts).stories
    assert story.title == f"{long} a and 2 more"
    short = [(f"Sessions {n}", "A session MUST be stored with its owner.") for n in "abc"]
    assert make_plan(*short).stories[0].title == "Sessions a, Sessions b and Sessions c"


def test_other_issues_about_the_same_are_related() -> None:
    issue = stored("7", "Colours are wrong")
    plan = make_plan(SHARED[2], issues=[issue], search_issues=lambda _text: ["7", "99"])
    assert [one.id for one in plan.stories[0].related] == ["7"]
