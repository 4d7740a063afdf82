"""Groups of issues: milestones, projects and epics, on every tracker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.usecases.sprint.organize import Organized, OrganizeRequest, organize
from sdd_hooks.usecases.upkeep.sync import open_tracker
from tests.support.loopback import CannedResponse
from tests.support.sprint_sites import KINDS, SPEC, SprintSite, sprint_site

EPIC = "Implement sessions"
KIND = {"jira": "epic", "beads": "epic", "linear": "project", "tasks-md": "file"}


@pytest.fixture(params=KINDS)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def github(tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site("github", tmp_path) as found:
        yield found


def run(
    site: SprintSite, *specs: str, depth: str = "structure", dry_run: bool = False
) -> Organized:
    project = site.project()
    request = OrganizeRequest(specs, depth, dry_run)  # type: ignore[arg-type]
    return organize(project, site.source(project), request, site.clock, site.callbacks())


def group_of(site: SprintSite, id: str) -> str:
    with open_tracker(site.source(site.project())) as tracker:
        return str(tracker.group_of(id))  # type: ignore[attr-defined]


def test_the_stories_of_an_epic(site: SprintSite) -> None:
    has_epics = site.name != "tasks-md"
    epic = site.add(EPIC, SPEC, ("epic",)) if has_epics else ""
    stories = [site.add(title, f"For {SPEC}", ("story",)) for title in ("One", "Two")]
    ids, writes = site.ids(), site.writes()
    kind = KIND.get(site.name, "milestone")

    preview = run(site, dry_run=True)
    report = run(site, depth="report")
    assert (site.writes(), site.ids()) == (writes, ids)
    assert preview.kind == report.kind == kind
    assert report.batch.done == []
    assert [one.issues.spec for one in report.groups] == [SPEC]
    if kind == "file":
        assert preview.batch.unchanged == stories
        assert preview.batch.notes[0] == "the file of a specification is the group of its tasks"
        return
    first = f"epic {epic}" if kind == "epic" else f"new {kind} '{EPIC}'"
    second = first.removeprefix("new ")
    assert [one.what for one in preview.batch.done] == [first, second]

    site.now += 301
    done = run(site)
    assert [(one.id, one.what) for one in done.batch.done] == [
        (stories[0], first), (stories[1], second),
    ]  # fmt: skip
    wanted = epic if kind == "epic" else EPIC
    assert {group_of(site, id) for id in stories} == {wanted}
    assert group_of(site, epic) == ""
    assert site.ids() == ids

    writes = site.writes()
    site.now += 301
    again = run(site)
    assert (again.batch.done, again.batch.unchanged) == ([], stories)
    assert site.writes() == writes


def test_structure_and_contents(github: SprintSite) -> None:
    epic, story = github.add(EPIC, SPEC, ("epic",)), github.add("One", SPEC)
    done = run(github, SPEC, depth="contents").batch
    assert [(one.id, one.what) for one in done.done] == [
        (story, f"new milestone '{EPIC}'"),
        (epic, "sections Branch"),
        (story, "sections Branch and PR Convention"),
    ]
    writes = github.writes()
    assert run(github, SPEC, depth="contents").batch.done == []
    assert github.writes() == writes


def test_a_group_that_a_person_chose_stays(github: SprintSite) -> None:
    github.add(EPIC, SPEC, ("epic",))
    story = github.add("One", SPEC)
    with open_tracker(github.source(github.project())) as tracker:
        tracker.group(story, "v1.0")  # type: ignore[attr-defined]
    batch = run(github).batch
    assert batch.done == []
    assert [one.reason for one in batch.skipped] == [
        "it is in the milestone 'v1.0', and stays there"
    ]


def test_a_story_of_two_specifications(github: SprintSite) -> None:
    github.add(EPIC, SPEC, ("epic",))
    github.add("Implement carts", "SPEC-0004", ("epic",))
    story = github.add("Both", f"{SPEC} and SPEC-0004")
    batch = run(github).batch
    assert [one.reason for one in batch.skipped] == [
        f"it names several specifications: organize {SPEC} or SPEC-0004 alone"
    ]
    assert [one.id for one in run(github, "SPEC-0004").batch.done] == [story]
    assert (run(github).batch.done, run(github, SPEC).batch.done) == ([], [])


@pytest.mark.parametrize("kind", ["jira", "beads"])
def test_an_epic_that_is_missing_is_not_created(kind: str, tmp_path: Path) -> None:
    with sprint_site(kind, tmp_path) as site:
        site.add("One", SPEC)
        # A plan of one story has no epic.
        assert run(site).batch.unchanged == site.ids()
        site.add("Two", SPEC)
        site.now += 301
        batch = run(site).batch
        assert [one.reason for one in batch.skipped] == [
            f"{SPEC} has no epic: `sdd plan {SPEC} --create` makes it"
        ] * 2
        assert len(site.ids()) == 2


def test_a_milestone_without_an_epic(github: SprintSite) -> None:
    story = github.add("One", SPEC)
    assert [one.what for one in run(github).batch.done] == [f"new milestone '{SPEC}'"]
    assert group_of(github, story) == SPEC


def test_a_failure_after_the_milestone(github: SprintSite) -> None:
    """The milestone exists when the next run goes on, and is not created again."""
    github.add(EPIC, SPEC, ("epic",))
    story = github.add("One", SPEC)
    github.server.fail(CannedResponse(500), when=lambda one: one.method == "PATCH")
    batch = run(github).batch
    assert batch.error is not None
    assert batch.error.exit_code == 8
    assert [one.id for one in run(github).batch.done] == [story]
    created = [one for one in github.server.requests if one.path.endswith("/milestones")]
    assert sum(one.method == "POST" for one in created) == 1


def test_titles_are_epics_only_without_a_label(github: SprintSite) -> None:
    github.add(EPIC, SPEC, ("epic",))
    story = github.add("Implement expiry", SPEC)
    assert [one.id for one in run(github).batch.done] == [story]
