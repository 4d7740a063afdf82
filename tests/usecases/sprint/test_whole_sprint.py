"""A sprint on each tracker: from a specification to closed issues that a search finds.

The same steps run twice, and the second time nothing changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.planning.conventions import closing_words
from sdd_hooks.retrieval.search import search_typed
from sdd_hooks.usecases.sprint.organize import OrganizeRequest, organize
from sdd_hooks.usecases.sprint.plan import PlanCallbacks, PlanOutcome, PlanRequest, plan
from sdd_hooks.usecases.sprint.work import WorkRequest, write_brief
from tests.support.sprint_sites import KINDS, SPEC, SPECS, SprintSite, sprint_site
from tests.usecases.sprint.test_review_pulls import index, merge, propose

SECOND = """
### Requirement: Carts are priced

The total of a cart MUST be the sum of the prices of its items.

#### Scenario: Two items

- WHEN a cart has items for 2 and 3
- THEN its total is 5
"""


def make_plan(site: SprintSite) -> PlanOutcome:
    project = site.project()
    request = PlanRequest(SPEC, create=True)
    callbacks = PlanCallbacks(site.callbacks())
    site.now += 301
    return plan(project, request, (site.source(project),), site.clock, callbacks)


def group(site: SprintSite) -> list[str]:
    project = site.project()
    request = OrganizeRequest((SPEC,), "contents")
    site.now += 301
    batch = organize(project, site.source(project), request, site.clock, site.callbacks()).batch
    assert (batch.failed, batch.skipped, batch.warnings) == ([], [], [])
    return [one.id for one in batch.done]


def publish(site: SprintSite) -> None:
    """Commit what a local tracker wrote into the work tree, and push it."""
    if site.repo.git("status", "--porcelain"):
        site.repo.commit("Write the tasks")
        site.repo.git("push", "--quiet", str(site.bare), "main")
        site.repo.git("-C", str(site.bare), "update-server-info")


@pytest.mark.parametrize("kind", KINDS)
def test_twice(kind: str, tmp_path: Path) -> None:
    with sprint_site(kind, tmp_path) as site:
        if kind == "gitea":
            spec = f"{SPECS}/sessions/spec.md"
            text = (site.repo.root / spec).read_text()
            site.repo.commit("Ask for carts", {spec: text + SECOND})
            site.repo.git("push", "--quiet", str(site.bare), "main")
        index(site)
        created = make_plan(site).creation
        assert created is not None
        assert (created.failure, created.missing) == (None, 0)
        assert len(created.created) == len(site.ids())
        titles = {story.title for story in created.plan.stories}
        stories = [one.id for one in created.created if one.title in titles]
        assert stories
        assert group(site)
        publish(site)
        for story in stories:
            project = site.project()
            request = WorkRequest(story)
            brief = write_brief(
                project, (site.source(project),), request, site.now, site.callbacks()
            )
            settings = project.configuration.pull_requests
            files = {f"shop/story_{stories.index(story)}.py": "A = 1\n"}
            propose(site, brief.branch.name, files, closing_words(kind, story, settings))
        assert sorted(merge(site, SPEC).merged) == sorted(site.host.pulls)
        publish(site)

        project = site.project()
        with open_index(project) as engine:
            queries = (SubQuery("lex", "session hour"),)
            hits = search_typed(project, engine, queries, project.select(("issues",))).hits
        found = {Path(hit.path).stem for hit in hits}
        assert found & set(stories)
        for story in stories:
            assert site.state(story) == "closed"
            cached = (site.repo.root / f".sdd/issues/{story}.md").read_text()
            assert "\nstatus: closed\n" in cached or "\nstatus: merged\n" in cached

        writes, ids = site.writes(), site.ids()
        again = make_plan(site).creation
        assert again is not None
        assert (again.created, again.changed) == ((), ())
        assert group(site) == []
        assert merge(site, SPEC).merged == []
        assert (site.writes(), site.ids()) == (writes, ids)
