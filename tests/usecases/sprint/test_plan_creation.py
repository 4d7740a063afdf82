"""Issues of a plan on every tracker: created once, also after interruptions and lost responses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.planning.plan.creation import PlanJournal
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.stored_issues import read_issues
from sdd_hooks.usecases.sprint.plan import PlanCallbacks, PlanOutcome, PlanRequest, plan
from sdd_hooks.usecases.sprint.plan_creation import PlanIsBeingCreated
from sdd_hooks.usecases.upkeep.sync import sync_and_index
from tests.support.loopback import CannedResponse, Request
from tests.support.oracle import documents
from tests.support.sprint_sites import SPEC, SPECS, SprintSite, sprint_site

ONLINE = ("github", "jira", "linear")
LONG = " It MUST." * 23
TITLES = ["Session Store", "Invoice Export", "Palette"]
WARNING = "Issues sync failed — degrading to live tracker queries for this run"
TEXT = f"""\
---
status: approved
---

# SPEC-0003: Sessions

## Requirements

### Requirement: Session Store

The `SessionStore` MUST keep a session with its owner.{LONG}

### Requirement: Invoice Export

An invoice MUST be exported. The `SessionStore` has its user.{LONG}

#### Scenario: Twice

- WHEN an invoice is exported twice
- THEN both are equal

### Requirement: Palette

A palette MUST have nine hues.{LONG}
"""


def prepared(site: SprintSite) -> SprintSite:
    site.repo.commit("Plan", {f"{SPECS}/sessions/spec.md": TEXT})
    project = site.project()
    refresh(project, collections=project.collections)
    return site


# On every tracker, the plan of a whole sprint is made twice in `test_whole_sprint.py`.
@pytest.fixture(params=["gitlab", "jira", "tasks-md"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site(request.param, tmp_path) as found:
        yield prepared(found)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site("github", tmp_path) as found:
        yield prepared(found)


def run(site: SprintSite, *, create: bool = True, dry_run: bool = False) -> PlanOutcome:
    project = site.project()
    request = PlanRequest(SPEC, None, create, dry_run)
    callbacks = PlanCallbacks(site.callbacks())
    return plan(project, request, [site.source(project)], site.clock, callbacks)


def edges(site: SprintSite) -> dict[str, tuple[list[str], list[str]]]:
    """The titles of the cached issues with those that each blocks, and is blocked by."""
    issues = list(read_issues(site.source(site.project()).folder))
    titles = {issue.id: issue.title for issue in issues}
    return {
        issue.title: ([titles[id] for id in issue.blocks], [titles[id] for id in issue.blocked_by])
        for issue in issues
    }


def assert_complete(site: SprintSite) -> None:
    """Every story has one issue, connected, in the cache and in the index."""
    site.now += 120
    project = site.project()
    sync_and_index(project, site.source(project), site.clock, site.callbacks())
    epics = [] if site.name == "tasks-md" else [f"Implement {SPEC}: Sessions"]
    found = edges(site)
    assert len(site.ids()) == len(found)
    assert sorted(found) == sorted(TITLES + epics)
    assert found["Session Store"] == (["Invoice Export"], [])
    assert found["Invoice Export"] == ([], ["Session Store"])
    assert found["Palette"] == ([], [])
    indexed = documents(site.repo)
    assert sum(path.startswith(".sdd/issues/") for path in indexed) == len(found)


def test_issues_are_created_once(site: SprintSite) -> None:
    before, writes = site.ids(), site.writes()
    changes = run(site, dry_run=True).changes
    assert (site.ids(), site.writes()) == (before, writes), "a dry run changes nothing"
    assert changes is not None
    assert [one.draft.title for one in changes.created if one.draft.title in TITLES] == TITLES
    site.notes.clear()
    outcome = run(site)
    assert outcome.creation is not None
    assert outcome.creation.failure is None
    assert outcome.warnings == ()
    assert len(site.notes) == 1, "the refresh afterwards is silent"
    assert site.notes[0].startswith("Syncing 0 issues from ")
    created = [issue.title for issue in outcome.creation.created]
    assert [title for title in created if title in TITLES] == TITLES
    indexed = [path for path in documents(site.repo) if path.startswith(".sdd/issues/")]
    assert len(indexed) == len(created), "the collection is refreshed before the command returns"
    writes = site.writes()
    again = run(site)
    assert again.creation is not None
    assert (again.creation.created, again.creation.changed) == ((), ())
    assert site.writes() == writes
    site.now += 301
    assert run(site, create=False, dry_run=True).changes == ((), ())
    assert_complete(site)


class Faults:
    """Loses the response of a write at random, after the tracker executed it or before."""

    def __init__(self, site: SprintSite) -> None:
        self.chance = random.Random(site.name)
        self.left = 0
        self.respond = site.host.other
        site.host.other = self.answer

    def answer(self, request: Request) -> CannedResponse:
        if (
            request.method == "GET"
            or (request.path.endswith("/graphql") and b"mutation" not in request.body)
            or "/search" in request.path
        ):
            return self.respond(request)
        self.left -= 1
        if self.left == 0:
            if self.chance.random() < 0.6:
                self.respond(request)
            return CannedResponse(502, {"message": "lost"})
        return self.respond(request)


@pytest.mark.parametrize("kind", ONLINE)
def test_a_lost_response_never_leads_to_a_second_issue(kind: str, tmp_path: Path) -> None:
    with sprint_site(kind, tmp_path) as site:
        prepared(site)
        faults = Faults(site)
        for _ in range(30):
            faults.left = faults.chance.randint(1, 3)
            outcome = run(site)
            assert outcome.creation is not None
            if outcome.creation.failure is None:
                break
            assert "502" in str(outcome.creation.failure)
            # Jira may list a new issue after a minute.
            site.now += 61
        assert outcome.creation.failure is None
        faults.left = 0
        run(site)
        assert_complete(site)


class KilledError(BaseException):
    """The process is killed."""


@pytest.mark.parametrize("kind", ["beads", "tasks-md"])
def test_a_killed_run_is_completed(kind: str, tmp_path: Path) -> None:
    def kill(_issue: Any) -> None:
        raise KilledError

    with sprint_site(kind, tmp_path) as site:
        prepared(site)
        project = site.project()
        request, sources = PlanRequest(SPEC, None, create=True), [site.source(project)]
        for _ in range(3):
            callbacks = PlanCallbacks(site.callbacks(), kill)
            with pytest.raises(KilledError):
                plan(project, request, sources, site.clock, callbacks)
        run(site)
        assert_complete(site)


def test_what_a_tracker_does_not_list_yet_is_not_created_again(tmp_path: Path) -> None:
    """The journal has what a run was creating, of which nothing is known for a minute."""
    with sprint_site("jira", tmp_path) as site:
        prepared(site)
        project = site.project()
        shared = project.repository.shared_dir
        source = site.source(project)
        tracker = source.open()
        journal = PlanJournal(shared, f"{tracker.name}:{tracker.identity}", SPEC)
        tracker.disconnect()
        journal.begin(("0123456789",), site.now - 20)
        with pytest.raises(RemoteError, match=r"Jira may not list yet: try again in 40 seconds"):
            run(site)
        assert site.ids() == []
        site.now += 40
        assert run(site).creation is not None
        assert_complete(site)


def test_issues_that_are_listed_late_are_in_the_cache_at_once(tmp_path: Path) -> None:
    with sprint_site("jira", tmp_path) as site:
        prepared(site)
        respond = site.host.other

        def answer(request: Request) -> CannedResponse:
            response = respond(request)
            if "/search" in request.path and isinstance(response.data, dict):
                response.data["issues"] = []
            return response

        site.host.other = answer
        first = run(site).creation
        assert first is not None
        assert set(edges(site)) == {*TITLES, f"Implement {SPEC}: Sessions"}
        assert edges(site)["Session Store"] == (["Invoice Export"], [])
        again = run(site).creation
        assert again is not None
        assert (again.created, again.changed) == ((), ())
        site.host.other = respond
        assert_complete(site)


def test_a_failure_says_what_is_missing(github: SprintSite) -> None:
    respond = github.host.other
    posted = 0

    def answer(request: Request) -> CannedResponse:
        nonlocal posted
        if request.method == "POST" and request.path.endswith("/issues"):
            posted += 1
            if posted > 2:
                return CannedResponse(422, {"message": "Validation Failed"})
        return respond(request)

    github.host.other = answer
    creation = run(github).creation
    assert creation is not None
    assert [issue.title for issue in creation.created] == [
        f"Implement {SPEC}: Sessions",
        "Session Store",
    ]
    assert (creation.missing, "Validation Failed" in str(creation.failure)) == (2, True)
    assert len(edges(github)) == 2, "the cache has what was created"


def test_nothing_is_created_while_the_tracker_cannot_be_read(github: SprintSite) -> None:
    github.host.other = lambda _request: CannedResponse(403, {"message": "no"})
    with pytest.raises(RemoteError, match=r"^nothing was created: GitHub cannot be queried"):
        run(github)
    assert github.ids() == []


def test_a_failed_sync_is_replaced_by_live_queries(github: SprintSite) -> None:
    github.add("Token Palette", f"For {SPEC}.\n\n- Requirement: Palette")
    respond = github.host.other

    def answer(request: Request) -> CannedResponse:
        if request.query.get("direction") == "asc":
            return CannedResponse(403, {"message": "rate limit"})
        return respond(request)

    github.host.other = answer
    outcome = run(github, create=False)
    assert outcome.warnings[0] == WARNING
    assert [one.issue.title for one in outcome.plan.covered] == ["Token Palette"]
    created = run(github)
    assert WARNING in created.warnings
    assert created.creation is not None
    assert [issue.title for issue in created.creation.created][1:] == TITLES[:2]


def test_only_one_process_creates_at_a_time(github: SprintSite) -> None:
    project = github.project()
    tracker = github.source(project).open()
    shared = project.repository.shared_dir
    journal = PlanJournal(shared, f"{tracker.name}:{tracker.identity}", SPEC)
    tracker.disconnect()
    message = f"another `sdd plan {SPEC} --create` is running: wait for it"
    with hold_lock(journal.lock, 0.0), pytest.raises(PlanIsBeingCreated, match=message):
        run(github)


def test_an_issue_that_was_deleted_is_created_again(github: SprintSite) -> None:
    run(github)
    last = github.ids()[-1]
    tracker: Any = github.host.other.__self__
    tracker.delete(int(last))
    github.now += 86_400 * 2
    creation = run(github).creation
    assert creation is not None
    assert [issue.title for issue in creation.created] == ["Palette"]
