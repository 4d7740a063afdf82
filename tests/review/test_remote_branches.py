"""Numbers of records that branches of the remote take, as a clone knows them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.findings import Finding
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.review.numbers import MAX_BRANCHES, MAX_RECORDS
from sdd_hooks.usecases.review import (
    CommitRange,
    PushedBranch,
    review_index,
    review_pushed_branch,
    review_range,
)
from tests.review.rules.records import adr, spec
from tests.support.repos import Repo

MEMORY = (
    "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/openspec/specs/`\n"
)
Files = Mapping[str, str]


def on(day: int, *, month: int = 3) -> dict[str, str]:
    """The variables that date a commit in 2026."""
    date = f"2026-{month:02}-{day:02}T12:00:00+00:00"
    return {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}


class Team:
    """A clone with the remote `origin`: branches that others pushed, and the own branch `topic`."""

    def __init__(self, tmp_path: Path) -> None:
        self.remote = Repo.init(tmp_path / "remote")
        self.commit({"CLAUDE.md": MEMORY, **adr(1)}, 1, month=1)
        self.base = self.remote.head()
        self.folder = tmp_path / "clone"

    def commit(self, files: Files, day: int, *, month: int = 3) -> None:
        for path, text in files.items():
            self.remote.write(path, text)
        self.remote.git("add", "--all")
        self.remote.git("commit", "--quiet", "-m", "Change", env=on(day, month=month))

    def push(self, branch: str, files: Files, day: int = 10, *, month: int = 3) -> None:
        """A branch of the remote, from the first commit of `main`."""
        self.remote.git("switch", "--quiet", "--create", branch, self.base)
        self.commit(files, day, month=month)
        self.remote.git("switch", "--quiet", "main")

    def clone(self) -> Repo:
        self.remote.git("clone", "--quiet", str(self.remote.root), str(self.folder))
        repo = Repo(self.folder)
        repo.git("switch", "--quiet", "--create", "topic", self.base)
        return repo

    def change(self, files: Files, day: int = 20, *, month: int = 3) -> Repo:
        """A clone whose branch `topic` has these files."""
        repo = self.clone()
        for path, text in files.items():
            repo.write(path, text)
        repo.git("add", "--all")
        repo.git("commit", "--quiet", "--allow-empty", "-m", "Decide", env=on(day, month=month))
        return repo

    def review(self, files: Files, day: int = 20) -> list[Finding]:
        return numbers(review_range(self.change(files, day).project(), CommitRange()).review)


def numbers(review: ReviewOutcome) -> list[Finding]:
    found = [one.finding for one in review.findings if one.finding.rule == "duplicate-number"]
    return sorted(found)


def path_of(files: Files) -> str:
    return next(iter(files))


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


def test_a_branch_that_took_the_number_first(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"))
    (finding,) = team.review(adr(2, "Queue"))
    assert (finding.path, finding.severity) == (path_of(adr(2, "Queue")), "warning")
    assert finding.message == (
        f"ADR-0002 is taken by {path_of(adr(2, 'Cache'))} on the branch origin/alice/cache, which"
        f" took it first: `sdd adr renumber {path_of(adr(2, 'Queue'))} 3` gives it the next number"
        " that is free"
    )


def test_the_branch_that_was_first_has_no_finding(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"), day=25)
    assert team.review(adr(2, "Queue"), day=20) == []


@pytest.mark.parametrize("title", ["Apple", "Zebra"])
def test_of_two_records_of_the_same_second_one_is_first(team: Team, title: str) -> None:
    team.push("alice/cache", adr(2, "Queue"), day=20)
    repo = team.change(adr(2, title), day=20)
    ours = numbers(review_range(repo.project(), CommitRange(head="topic")).review)
    theirs = numbers(review_range(repo.project(), CommitRange(head="origin/alice/cache")).review)
    assert theirs == []
    repo.git("push", "--quiet", "origin", "topic")
    theirs = numbers(review_range(repo.project(), CommitRange(head="origin/alice/cache")).review)
    assert sorted(len(found) for found in (ours, theirs)) == [0, 1]


def test_the_free_number_is_free_on_every_branch(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"))
    team.push("bob/later", {**adr(3, "Later"), **adr(5, "Last")}, day=28)
    (finding,) = team.review(adr(2, "Queue"))
    assert f"{path_of(adr(2, 'Queue'))} 4`" in finding.message


def test_a_huge_number_of_another_branch_moves_no_number(team: Team) -> None:
    team.push(
        "alice/cache", {**adr(2, "Cache"), "docs/adrs/ADR-99999-end.md": "# ADR-99999: End\n"}
    )
    (finding,) = team.review(adr(2, "Queue"))
    assert f"{path_of(adr(2, 'Queue'))} 3`" in finding.message


@pytest.mark.parametrize(
    "same",
    [
        adr(2, "Queue"),
        adr(2, "Queue", more="\nMore text.\n"),
        {"docs/adrs/0002-another-name.md": adr(2, "Queue")[path_of(adr(2, "Queue"))]},
    ],
    ids=["equal", "same path", "same title"],
)
def test_the_same_record_on_two_branches(team: Team, same: Files) -> None:
    team.push("alice/cache", same)
    assert team.review(adr(2, "Queue")) == []


def test_a_branch_that_was_squashed_and_renumbered(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"))
    team.commit(adr(3, "Cache"), 12)
    assert team.review(adr(2, "Queue")) == []


def test_a_merged_branch_whose_record_was_deleted(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"))
    team.remote.git("merge", "--quiet", "--no-ff", "-m", "Merge", "alice/cache", env=on(11))
    team.remote.remove(path_of(adr(2, "Cache")))
    team.commit({}, 12)
    repo = team.clone()
    repo.git("switch", "--quiet", "--detach", "origin/main")
    repo.commit("Decide", adr(2, "Queue"))
    assert numbers(review_range(repo.project(), CommitRange()).review) == []


def test_a_stale_branch(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"), month=1)
    repo = team.change(adr(2, "Queue"), month=6)
    assert numbers(review_range(repo.project(), CommitRange()).review) == []


def test_the_own_branch_before_it_was_rewritten(team: Team) -> None:
    team.push("topic", adr(2, "Working title"))
    assert team.review(adr(2, "Queue")) == []


def test_the_upstream_of_the_own_branch(team: Team) -> None:
    team.push("alice/wip", adr(2, "Working title"))
    repo = team.change(adr(2, "Queue"))
    repo.git("branch", "--quiet", "--set-upstream-to=origin/alice/wip", "topic")
    assert numbers(review_range(repo.project(), CommitRange()).review) == []


def test_a_branch_below_the_own_one(team: Team) -> None:
    team.push("alice/first", adr(2, "Cache"))
    repo = team.clone()
    repo.git("switch", "--quiet", "--create", "second", "origin/alice/first")
    repo.git("mv", path_of(adr(2, "Cache")), path_of(adr(2, "Better name")))
    repo.commit("Rename", adr(2, "Better name"))
    assert numbers(review_range(repo.project(), CommitRange()).review) == []


@pytest.mark.parametrize("name", ["pr/7", "pull/7/head", "gh-readonly-queue/main/pr-7-abc"])
def test_refs_of_the_host_are_no_branches(team: Team, name: str) -> None:
    team.push(name, adr(2, "Cache"))
    assert team.review(adr(2, "Queue")) == []


def test_the_main_branch_that_went_on(team: Team) -> None:
    team.commit(adr(2, "Cache"), 25)
    repo = team.change({})
    for path, text in adr(2, "Queue").items():
        repo.write(path, text)
    repo.git("add", "--all")
    verdict = review_index(repo.project(), repo.root)
    (finding,) = numbers(verdict.review)
    assert finding.severity == "critical"
    assert f"taken by {path_of(adr(2, 'Cache'))} on origin/main: " in finding.message


def test_what_is_staged_comes_last(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"), day=25)
    repo = team.change({}, day=20)
    for path, text in adr(2, "Queue").items():
        repo.write(path, text)
    repo.git("add", "--all")
    (finding,) = numbers(review_index(repo.project(), repo.root).review)
    assert (finding.severity, "origin/alice/cache" in finding.message) == ("warning", True)


def test_a_pushed_branch(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"))
    team.push("renamed", adr(2, "Working title"), day=5)
    repo = team.change(adr(2, "Queue"))
    pushed = PushedBranch(repo.head(), "renamed", "", "origin")
    verdict = review_pushed_branch(repo.project(), pushed)
    assert verdict is not None
    (finding,) = numbers(verdict.review)
    assert "origin/alice/cache" in finding.message


def test_specs_are_renumbered_in_their_title(team: Team) -> None:
    team.push("alice/cache", {**spec(1, "cache"), **adr(2, "Cache")})
    (finding,) = team.review(spec(1, "queue"))
    assert (finding.evidence, finding.severity) == ("SPEC-0001", "warning")
    assert "cache/spec.md on the branch origin/alice/cache" in finding.message
    assert "change the number in the title, the next number that is free is SPEC-0002" in (
        finding.message
    )


def test_a_record_that_is_renamed_to_a_number(team: Team) -> None:
    team.push("alice/cache", adr(3, "Cache"))
    team.remote.git("switch", "--quiet", "alice/cache")
    team.remote.git("mv", path_of(adr(3, "Cache")), path_of(adr(2, "Cache")))
    team.commit(adr(2, "Cache"), 12)
    team.remote.git("switch", "--quiet", "main")
    (finding,) = team.review(adr(2, "Queue"))
    assert "origin/alice/cache" in finding.message


def test_an_unchanged_record_of_an_old_branch_is_no_claim(team: Team) -> None:
    team.push("alice/old", {"docs/adrs/notes.md": "# Notes\n"})
    team.remote.git("rm", "--quiet", path_of(adr(1)))
    team.commit({}, 12)
    repo = team.clone()
    repo.git("switch", "--quiet", "--detach", "origin/main")
    repo.commit("Decide", adr(1, "Queue"))
    assert numbers(review_range(repo.project(), CommitRange()).review) == []


def test_a_branch_with_too_many_records(team: Team) -> None:
    many = {f"docs/adrs/{n:04}-r{n}.md": f"# {n}. R{n}\n" for n in range(2, MAX_RECORDS + 4)}
    team.push("alice/import", many)
    review = review_range(team.change(adr(2, "Queue")).project(), CommitRange()).review
    assert numbers(review) == []
    assert [note for note in review.notes if "origin/alice/import were not compared" in note]


def test_only_the_newest_branches_are_compared(team: Team) -> None:
    team.push("alice/cache", adr(2, "Cache"), day=1)
    commit = team.remote.git(
        "commit-tree", f"{team.base}^{{tree}}", "-p", team.base, "-m", "x", env=on(9)
    )
    refs = "".join(f"create refs/heads/many/{n} {commit}\n" for n in range(MAX_BRANCHES))
    team.remote.run("update-ref", "--stdin", stdin=refs.encode())
    assert team.review(adr(2, "Queue")) == []


def test_modules_count_separately(team: Team) -> None:
    declare_modules(team)
    team.push("alice/cache", inside("web", adr(2, "Cache")))
    assert team.review(inside("api", adr(2, "Queue"))) == []


def test_a_number_of_the_same_module(team: Team) -> None:
    declare_modules(team)
    team.push("alice/cache", inside("api", adr(2, "Cache")))
    (finding,) = team.review(inside("api", adr(2, "Queue")))
    assert finding.message.startswith("[api]/ADR-0002 is taken by api/docs/adrs/ADR-0002-cache.md ")
    assert "docs/adrs/ADR-0002-queue.md 3`" in finding.message


def declare_modules(team: Team) -> None:
    rows = "".join(f"| {name} | {name} | It |\n" for name in ("api", "web"))
    table = f"\n### Workspace Modules\n\n| Module | Root | Description |\n|---|---|---|\n{rows}"
    modules = {f"{name}/CLAUDE.md": MEMORY for name in ("api", "web")}
    team.commit({"CLAUDE.md": MEMORY + table, **modules, **inside("api", adr(1))}, 2)
    team.base = team.remote.head()


def inside(folder: str, files: Files) -> dict[str, str]:
    return {f"{folder}/{path}": text for path, text in files.items()}
