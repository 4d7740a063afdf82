"""Pull requests that are reviewed and merged together, with a tracker of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import SubQuery
from sdd_hooks.errors import Missing, NotIndexed
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.retrieval.search import search_typed
from sdd_hooks.usecases.forge import find_forge, open_forge
from sdd_hooks.usecases.sprint.merge_pulls import MergeReport, MergeRun, merge_pulls
from sdd_hooks.usecases.sprint.review_pulls import PullBatch, PullNames, review_pulls
from tests.support.loopback import CannedResponse
from tests.support.pull_host import HostedPull
from tests.support.sprint_sites import SPEC, SprintSite, sprint_site

CLOSING = {
    "jira": "{id}", "linear": "{id}", "beads": "bd close {id}", "tasks-md": "Closes {id}",
}  # fmt: skip


@pytest.fixture
def github(tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site("github", tmp_path) as found:
        index(found)
        yield found


def index(site: SprintSite) -> None:
    project = site.project()
    refresh(project, project.collections)


def propose(
    site: SprintSite, branch: str, files: dict[str, str], body: str = "", base: str = "main"
) -> int:
    """Open a pull request from a new branch. Returns its number."""
    site.branch(branch, files, f"Change {branch}", base)
    numbers = [*site.host.pulls, 100]
    pull = HostedPull(max(numbers) + 1, f"Change {branch}", body, branch, base)
    pull.number = site.numbers(pull)
    site.host.open(pull)
    return pull.number


def closing(site: SprintSite, id: str) -> str:
    return CLOSING.get(site.name, "Closes #{id}").format(id=id)


def review(site: SprintSite, *names: int | str) -> PullBatch:
    project = site.project()
    numbers = tuple(name for name in names if isinstance(name, int))
    specs = tuple(name for name in names if isinstance(name, str))
    with open_forge(find_forge(project, site.now)) as forge:
        return review_pulls(project, forge, PullNames(numbers, specs), site.clock, site.callbacks())


def merge(site: SprintSite, *names: int | str, dry_run: bool = False) -> MergeReport:
    project = site.project()
    numbers = tuple(name for name in names if isinstance(name, int))
    specs = tuple(name for name in names if isinstance(name, str))
    chosen = PullNames(numbers, specs)
    with open_forge(find_forge(project, site.now)) as forge:
        batch = review_pulls(project, forge, chosen, site.clock, site.callbacks())
        run = MergeRun(project, forge, batch, site.clock, site.callbacks(), dry_run)
        return merge_pulls(run, chosen)


@pytest.mark.parametrize("kind", ["github", "linear", "tasks-md"])
def test_from_a_story_to_a_closed_issue(kind: str, tmp_path: Path) -> None:
    with sprint_site(kind, tmp_path) as site:
        story = site.add("Sessions expire", f"For {SPEC}.", ("story",))
        if kind == "tasks-md":
            site.repo.commit("Tasks", {})
            site.repo.git("push", "--quiet", str(site.bare), "main")
            site.repo.git("fetch", "--quiet", str(site.bare), "main:refs/remotes/origin/main")
        index(site)
        files = {"shop/expiry.py": "def is_expired(age):\n    return age > 3600\n"}
        number = propose(site, f"feature/{story}-sessions-expire", files, closing(site, story))

        batch = review(site, SPEC)
        assert [one.pull.number for one in batch.reviews] == [number]
        assert [issue.id for issue in batch.reviews[0].issues.closed] == [story]
        assert batch.reviews[0].problem == ""
        assert batch.order.tiers == ((number,),)

        writes = site.writes()
        preview = merge(site, SPEC, dry_run=True)
        assert (preview.merged, site.writes(), site.state(story)) == ([number], writes, "open")

        site.now += 301
        done = merge(site, SPEC)
        assert (done.merged, done.not_merged, done.warnings, done.error) == ([number], [], [], None)
        assert site.state(story) == "closed"
        forge_closes = kind in {"github", "gitea", "gitlab"}
        assert done.closed == ([] if forge_closes else [story])
        cached = (site.repo.root / f".sdd/issues/{story}.md").read_text()
        assert "\nstatus: closed\n" in cached or "\nstatus: merged\n" in cached
        # The work tree was clean and on main: it has the change, and so has the index.
        assert (site.repo.root / "shop/expiry.py").exists()
        project = site.project()
        assert refresh(project).total.changed == 0
        with open_index(project) as engine:
            queries = (SubQuery("lex", "Sessions expire"),)
            hits = search_typed(project, engine, queries, project.select(("issues",))).hits
        assert [hit.path for hit in hits] == [f".sdd/issues/{story}.md"]

        writes = site.writes()
        site.now += 301
        again = merge(site, SPEC)
        assert (again.merged, again.not_merged, again.closed) == ([], [], [])
        assert site.writes() == writes


def test_an_index_is_needed(tmp_path: Path) -> None:
    with sprint_site("github", tmp_path) as site, pytest.raises(NotIndexed):
        review(site, SPEC)


def test_the_order_of_merges(github: SprintSite) -> None:
    first = github.add("Types", SPEC, ("foundation",))
    types = propose(github, f"feature/{first}-types", {"shop/types.py": "A = 1\n", "b": "1"})
    alone = propose(github, "docs", {"docs/x.md": "x\n"}, SPEC)
    second = propose(github, "second", {"shop/types.py": "A = 2\n"}, SPEC)
    batch = review(github, SPEC)
    assert batch.order.tiers == ((alone,), (types,), (second,))
    assert batch.order.overlaps[second] == {types: ("shop/types.py",)}


def test_stacked_branches_and_blocking_issues(github: SprintSite) -> None:
    base_issue = github.add("One", f"{SPEC}")
    blocked = github.add("Two", f"{SPEC}\n\nBlocked by: #{base_issue}")
    low = propose(github, f"feature/{blocked}-two", {"two": "2"})
    high = propose(github, f"feature/{base_issue}-one", {"one": "1", "more": "1"})
    stacked = propose(github, "stacked", {"three": "3"}, SPEC, base=f"feature/{blocked}-two")
    batch = review(github, SPEC)
    assert batch.order.tiers == ((high,), (low,), (stacked,))
    assert batch.after[low] == {high}
    done = merge(github, SPEC)
    assert done.merged == [high, low]
    assert [one.number for one in done.not_merged] == [stacked]
    assert "change its base first" in done.not_merged[0].reason


def test_a_circle_is_reported(github: SprintSite) -> None:
    one, two = github.add("One", SPEC), github.add("Two", f"{SPEC}\n\nBlocked by: #1")
    github.host.other.__self__.edit(1, body=f"{SPEC}\n\nBlocked by: #2")  # type: ignore[attr-defined]
    first = propose(github, f"feature/{one}-one", {"one": "1"})
    second = propose(github, f"feature/{two}-two", {"two": "2"})
    batch = review(github, SPEC)
    assert (batch.order.tiers, batch.order.circles) == ((), ((first, second, first),))
    done = merge(github, SPEC)
    assert done.merged == []
    assert {one.reason for one in done.not_merged} == {"it is in a circle, or comes after one"}


@pytest.mark.parametrize("state", ["failure", "pending"])
def test_checks_that_did_not_pass(github: SprintSite, state: str) -> None:
    bad = propose(github, "bad", {"a": "1"}, SPEC)
    good = propose(github, "good", {"b": "1"}, SPEC)
    github.host.check(bad, tests=state)  # type: ignore[arg-type]
    github.host.check(good, tests="success")
    done = merge(github, SPEC)
    assert done.merged == [good]
    assert [one.number for one in done.not_merged] == [bad]
    assert "tests" in done.not_merged[0].reason


def test_hidden_checks_and_drafts_are_not_merged(github: SprintSite) -> None:
    draft = propose(github, "draft", {"a": "1"})
    github.host.pulls[draft].draft = True
    other = propose(github, "other", {"b": "1"})
    github.host.hidden = frozenset({"checks"})
    done = merge(github, draft, other)
    assert {one.number: one.reason for one in done.not_merged} == {
        draft: "it is a draft",
        other: "the forge does not show its checks",
    }


def test_a_conflict_in_the_second_of_three(github: SprintSite) -> None:
    first = propose(github, "first", {"shared": "1\n"})
    second = propose(github, "second", {"shared": "2\n"})
    third = propose(github, "third", {"other": "3\n"})
    done = merge(github, first, second, third)
    assert done.merged == [third, first]
    assert [one.number for one in done.not_merged] == [second]
    assert "it has conflicts" in done.not_merged[0].reason


def test_what_cannot_be_fetched_does_not_count_as_passed(github: SprintSite) -> None:
    number = propose(github, "gone", {"a": "1"})
    github.host.pulls[number].head = "4" * 40
    batch = review(github, number)
    assert batch.reviews[0].verdict is None
    assert batch.reviews[0].fails
    assert "commit" in batch.reviews[0].problem
    assert merge(github, number).merged == []


def test_an_interrupted_run_is_finished(tmp_path: Path) -> None:
    """The pull request was merged, and the process ended before the issue was closed."""
    with sprint_site("linear", tmp_path) as site:
        story = site.add("Sessions expire", SPEC)
        index(site)
        number = propose(site, f"feature/{story}-x", {"a": "1"}, story)
        site.server.fail(CannedResponse(500), when=lambda one: b"mutation" in one.body)
        done = merge(site, SPEC)
        assert (done.merged, done.closed, site.state(story)) == ([number], [], "open")
        assert done.error is not None
        again = merge(site, SPEC)
        assert (again.merged, again.closed, site.state(story)) == ([], [story], "closed")


def test_an_issue_that_was_opened_again_stays_open(tmp_path: Path) -> None:
    with sprint_site("linear", tmp_path) as site:
        story = site.add("Sessions expire", SPEC)
        index(site)
        propose(site, f"feature/{story}-x", {"a": "1"}, story)
        merge(site, SPEC)
        site.now += 86_400
        site.reopen(story)
        assert merge(site, SPEC).closed == []
        assert site.state(story) == "open"


def test_named_pull_requests(github: SprintSite) -> None:
    number = propose(github, "one", {"a": "1"})
    merge(github, number)
    batch = review(github, number)
    assert (batch.reviews, batch.notes) == ((), (f"{number} is merged already: left out",))
    with pytest.raises(Missing):
        review(github, 999)
    assert review(github, "SPEC-0009").notes == ("SPEC-0009 has no open pull requests",)


def test_a_dirty_work_tree_stays(github: SprintSite) -> None:
    number = propose(github, "one", {"a": "1"})
    github.repo.write("shop/sessions.py", "changed = 1\n")
    done = merge(github, number)
    assert done.notes == ["the code in the index follows with the next `git pull` of main"]
    assert not (github.repo.root / "a").exists()


def test_the_strategy_of_the_repository(github: SprintSite) -> None:
    number = propose(github, "one", {"a": "1"})
    memory = github.repo.root / "CLAUDE.md"
    memory.write_text(f"{memory.read_text()}\n#### Review\n\n- **Merge Strategy**: merge\n")
    merge(github, number)
    assert github.host.merges == [(number, "merge")]
