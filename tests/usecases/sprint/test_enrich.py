"""Sections about branch and pull request in the bodies of issues, on every tracker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.errors import Missing
from sdd_hooks.usecases.sprint.enrich import EnrichRequest, enrich
from sdd_hooks.usecases.sprint.issue_batch import IssueBatch
from tests.support.loopback import CannedResponse
from tests.support.sprint_sites import KINDS, SPEC, SprintSite, sprint_site


@pytest.fixture(params=KINDS)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def github(tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site("github", tmp_path) as found:
        yield found


def run(site: SprintSite, *names: str, dry_run: bool = False) -> IssueBatch:
    project = site.project()
    request = EnrichRequest(names or (SPEC,), dry_run)
    return enrich(project, site.source(project), request, site.clock, site.callbacks())


def test_an_epic_and_a_story(site: SprintSite) -> None:
    has_epics = site.name != "tasks-md"
    epic = site.add("Implement sessions", f"For {SPEC}.", ("epic",)) if has_epics else ""
    story = site.add("Sessions expire", f"For {SPEC}.\n\n- [ ] a box", ("story",))
    before = {id: site.body(id) for id in site.ids()}
    writes = site.writes()

    preview = run(site, dry_run=True)
    assert site.writes() == writes
    assert {id: site.body(id) for id in site.ids()} == before
    assert [one.id for one in preview.done] == [id for id in (epic, story) if id]
    assert "+### PR Convention" in preview.done[-1].diff

    site.now += 301
    done = run(site)
    assert (done.warnings, done.failed, done.skipped) == ([], [], [])
    assert [one.what for one in done.done] == (["sections Branch"] if has_epics else []) + [
        "sections Branch and PR Convention"
    ]
    if site.name != "jira":
        for id, body in before.items():
            assert site.body(id).startswith(body)
    else:
        for id, body in before.items():
            kept = site.body(id)["content"][: len(body["content"])]
            assert kept == body["content"]
    project = site.project()
    with_files = {
        path.stem: path.read_text() for path in (project.repository.root / ".sdd/issues").glob("*")
    }
    text = next(text for name, text in with_files.items() if name == story)
    assert f"`feature/{story}-sessions-expire`" in text
    if epic:
        assert f"`epic/{epic}-implement-sessions`" in with_files[epic]
        assert f"({SPEC})`" in text

    writes = site.writes()
    site.now += 301
    again = run(site)
    assert (again.done, sorted(again.unchanged)) == ([], sorted(before))
    assert site.writes() == writes


def test_a_body_over_100_000_bytes_stays_whole(github: SprintSite) -> None:
    body = f"For {SPEC}.\r\n" + "Zeile mit Ü\r\n" * 10_000
    story = github.add("Long", body)
    run(github)
    assert github.body(story) == (
        f"{body}\r\n### Branch\r\n\r\n`feature/{story}-long`\r\n\r\n### PR Convention\r\n\r\n"
        f"- `Closes #{story}`\r\n- `Part of {SPEC}`"
    )
    assert github.body(story) in (
        (github.repo.root / f".sdd/issues/{story}.md").read_bytes().decode()
    )


def test_sections_that_are_there_stay(github: SprintSite) -> None:
    story = github.add("One", f"{SPEC}\n\n## Branch\n\nmine\n")
    assert [one.what for one in run(github).done] == ["sections PR Convention"]
    assert github.body(story).count("Branch") == 1


def test_an_edit_since_the_last_sync_is_kept(github: SprintSite) -> None:
    story = github.add("One", f"{SPEC} old")
    run(github, dry_run=True)
    # The next run syncs nothing, so that its file still has the old body.
    item = next(iter(github.ids()))
    server_side = f"{SPEC} new"
    github.host.other.__self__.items[int(item)].entry["body"] = server_side  # type: ignore[attr-defined]
    run(github)
    assert github.body(story).startswith(f"{SPEC} new\n\n### Branch")


@pytest.mark.parametrize("end", ["```\ncode", "<!-- a comment"])
def test_a_body_that_would_hide_the_sections(github: SprintSite, end: str) -> None:
    story = github.add("One", f"{SPEC}\n\n{end}")
    other = github.add("Two", SPEC)
    batch = run(github)
    assert [one.id for one in batch.done] == [other]
    assert [one.id for one in batch.skipped] == [story]
    assert "not closed" in batch.skipped[0].reason
    assert github.body(story).endswith(end)


def test_a_refused_issue_does_not_stop_the_others(github: SprintSite) -> None:
    ids = [github.add(f"Story {number}", SPEC) for number in range(4)]
    refused = CannedResponse(422, {"message": "body is too long"})
    github.server.fail(
        refused, when=lambda one: one.method == "PATCH" and one.path.endswith(f"/{ids[1]}")
    )
    batch = run(github)
    assert [one.id for one in batch.done] == [ids[0], ids[2], ids[3]]
    assert [one.id for one in batch.failed] == [ids[1]]
    assert batch.error is not None
    again = run(github)
    assert [one.id for one in again.done] == [ids[1]]


def test_a_tracker_that_stops(github: SprintSite) -> None:
    ids = [github.add(f"Story {number}", SPEC) for number in range(5)]
    dead = CannedResponse(403, {"message": "no"})
    github.server.faults.append(
        lambda one: dead if one.method == "PATCH" and not one.path.endswith(f"/{ids[0]}") else None
    )
    batch = run(github)
    assert [one.id for one in batch.done] == [ids[0]]
    assert [one.id for one in batch.failed] == [ids[1]]
    assert batch.left == ids[2:]
    github.server.faults.clear()
    assert [one.id for one in run(github).done] == ids[1:]


def test_closed_and_unknown_issues(github: SprintSite) -> None:
    story = github.add("One", SPEC)
    github.close(story)
    batch = run(github, f"#{story}")
    assert (batch.done, [one.reason for one in batch.skipped]) == ([], ["it is closed"])
    assert run(github).notes == [f"{SPEC} has no open issues"]
    with pytest.raises(Missing):
        run(github, "99")


def test_the_sync_before(github: SprintSite) -> None:
    """Tier 4: at most every five minutes, with a note; degraded, the tracker is queried."""
    story = github.add("One", SPEC)
    run(github, dry_run=True)
    assert github.notes == ["Syncing 1 issues from GitHub…"]
    github.now += 290
    run(github, dry_run=True)
    assert len(github.notes) == 1
    github.now += 12
    failing = CannedResponse(403, {"message": "no"})
    github.server.fail(failing, when=lambda one: one.query.get("direction") == "asc")
    batch = run(github)
    warning = "Issues sync failed — degrading to live tracker queries for this run"
    assert batch.warnings[0] == warning
    assert [one.id for one in batch.done] == [story]
