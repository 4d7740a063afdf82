"""Reservations are refs of a real remote, which git creates once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from sdd_hooks.authoring.reservations import (
    MAX_PULLS,
    MAX_REFUSALS,
    Backoff,
    NumberScope,
    NumbersElsewhere,
    Reservation,
    delete_merged_reservations,
    delete_reservations,
    find_numbers_elsewhere,
    list_reservations,
    reserve_number,
)
from sdd_hooks.errors import RemoteError, RepositoryError
from sdd_hooks.forges.protocol import PullRequestLister
from sdd_hooks.usecases.forge import forge_at_hand
from tests.support.github_forge import PERSONAL, FakeGitHubForge, serving_forge
from tests.support.repos import Repo

ADR = NumberScope("ADR")
AT_ONCE = Backoff(sleep=lambda _seconds: None)

NOW = 1_800_000_000.0
RECORD = "# {0}. A decision\n\n## Status\n\nAccepted\n"


def next_free(reserved):
    return next(number for number in count(1) if number not in reserved)


def reserve(repo: Repo, scope: NumberScope = ADR) -> Reservation:
    return reserve_number(repo.handle, scope, "A title", next_free, AT_ONCE)


@pytest.fixture
def hub(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "hub.git", "--bare")


def clone(hub: Repo, name: str) -> Repo:
    repo = Repo.init(hub.root.parent / name)
    repo.git("remote", "add", "origin", str(hub.root))
    return repo


def test_clones_that_ask_at_once_get_different_numbers(hub: Repo) -> None:
    clones = [clone(hub, f"clone{number}") for number in range(3)]
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda at: reserve(clones[at % 3]), range(12)))
    assert sorted(one.number for one in taken) == list(range(1, 13))
    assert {one.number: one for one in taken} == list_reservations(clones[0].handle, ADR)


def test_a_reservation_is_an_empty_ref_of_its_scope(hub: Repo) -> None:
    repo = clone(hub, "clone")
    made = [
        reserve(repo, scope) for scope in (ADR, NumberScope("SPEC"), NumberScope("ADR", "a~.b"))
    ]
    assert [(one.number, one.ref) for one in made] == [
        (1, "refs/sdd/numbers/adr-0001"),
        (1, "refs/sdd/numbers/spec-0001"),
        (1, "refs/sdd/numbers/modules/a%7E%2Eb/adr-0001"),
    ]
    assert hub.git("ls-tree", made[0].ref) == ""
    assert hub.git("log", "--format=%s", made[0].ref) == "Reserve ADR-0001: A title"
    assert reserve(repo).number == 2
    assert repo.git("for-each-ref") == ""


def test_a_reservation_is_deleted_if_it_is_the_same(hub: Repo) -> None:
    repo, other = clone(hub, "clone"), clone(hub, "other")
    made = reserve(repo)
    assert not delete_reservations(repo.handle, [made._replace(commit=repo.commit("Other"))])
    assert list_reservations(other.handle, ADR).keys() == {1}
    assert delete_reservations(repo.handle, [made])
    assert list_reservations(other.handle, ADR) == {}


def test_reservations_of_merged_records_are_deleted(hub: Repo) -> None:
    repo = clone(hub, "clone")
    for _ in range(3):
        reserve(repo)
    delete_merged_reservations(repo.handle, ADR, {1, 3, 9})
    assert list_reservations(repo.handle, ADR).keys() == {2}


def test_other_refs_are_no_reservations(hub: Repo) -> None:
    repo = clone(hub, "clone")
    names = ("adr-x", "adr-123456", "adr-1/2", "modules/api/adr-0004", "adr-0007")
    for name in names:
        repo.git("push", "-q", "origin", f"{repo.commit('X')}:refs/sdd/numbers/{name}")
    assert list_reservations(repo.handle, ADR).keys() == {7}


def test_a_remote_that_rejects_it(hub: Repo) -> None:
    repo = clone(hub, "clone")
    hook = hub.write("hooks/update", "#!/bin/sh\necho x >>asked\necho 'ask an owner' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RemoteError, match=r"rejects refs/sdd/numbers/adr-0001 .*ask an owner"):
        reserve(repo)
    assert (hub.root / "asked").read_text() == "x\n" * MAX_REFUSALS


def test_no_remote_and_one_that_is_gone(hub: Repo, repo: Repo) -> None:
    with pytest.raises(RepositoryError, match="there is no remote origin"):
        reserve(repo)
    repo.git("remote", "add", "origin", str(hub.root / "missing"))
    with pytest.raises(RemoteError, match="origin cannot be reached"):
        reserve(repo)


@pytest.fixture
def github() -> Iterator[FakeGitHubForge]:
    with serving_forge() as forge:
        yield forge


@pytest.fixture
def team(tmp_path: Path) -> tuple[Repo, Repo]:
    """A clone, and the repository of the team with which its remote is."""
    hub = Repo.init(tmp_path / "hub")
    hub.commit("Start", {"docs/adrs/0001-a.md": RECORD.format(1)})
    hub.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = Repo(tmp_path / "clone")
    hub.git("clone", "-q", str(hub.root), str(clone.root))
    return clone, hub


def head(hub: Repo, number: int) -> str:
    """A commit of the team that no branch has, with a record."""
    hub.git("switch", "-q", "--detach", "main")
    commit = hub.commit("New", {f"docs/adrs/{number:04d}-b.md": RECORD.format(number)})
    hub.git("update-ref", f"refs/pull/{number}/head", commit)
    hub.git("switch", "-q", "main")
    return commit


def at_hand(clone: Repo, github: FakeGitHubForge, token: str = PERSONAL):
    """Opens the forge, for an origin on its host."""
    memory = f"#### Tracker\n\n- **Type**: GitHub\n- **URL**: {github.url}\n"
    elsewhere = Repo.init(clone.root.parent / "at-hand")
    elsewhere.write("CLAUDE.md", f"### SDD Configuration\n\n{memory}")
    elsewhere.run("remote", "add", "origin", f"{github.url}/{github.home}.git")
    environ = {"GITHUB_TOKEN": token, "GITHUB_SERVER_URL": github.url, "HOME": "/nonexistent"}
    return lambda: forge_at_hand(elsewhere.project(environ), NOW)


def find(clone: Repo, open_forge):
    return find_numbers_elsewhere(clone.repository, ADR, "docs/adrs", open_forge)


@contextmanager
def no_forge() -> Iterator[PullRequestLister | None]:
    yield None


@contextmanager
def failing_forge() -> Iterator[PullRequestLister | None]:
    raise RemoteError("it is away")
    yield None


def test_open_pull_requests_and_reservations_count(
    github: FakeGitHubForge, team: tuple[Repo, Repo]
) -> None:
    clone, hub = team
    for number in (2, 4):
        github.add_pull(head=head(hub, number), fork=number == 4)
    github.add_pull(head=head(hub, 7), state="closed")
    reserve_number(clone.handle, ADR, "Mine", lambda _reserved: 5)
    before = clone.git("count-objects", "-v"), clone.git("for-each-ref")
    found = find(clone, at_hand(clone, github))
    assert (found.taken, found.notes) == (frozenset({1, 2, 4, 5}), ())
    assert (clone.git("count-objects", "-v"), clone.git("for-each-ref")) == before
    assert len(github.server.requests) == 1


def test_many_pull_requests_are_few_requests(
    github: FakeGitHubForge, team: tuple[Repo, Repo]
) -> None:
    clone, hub = team
    for _ in range(MAX_PULLS + 40):
        github.add_pull(head=hub.head())
    found = find(clone, at_hand(clone, github))
    assert found.taken == frozenset({1})
    assert found.notes == (
        f"of the open pull requests, the {MAX_PULLS} that were updated last count",
    )
    assert len(github.server.requests) == 2


def test_what_cannot_be_read_is_a_note(github: FakeGitHubForge, team: tuple[Repo, Repo]) -> None:
    clone, _ = team
    reserve_number(clone.handle, ADR, "Mine", lambda _reserved: 5)
    github.add_pull(head="4" * 40)
    found = find(clone, at_hand(clone, github))
    assert found.taken == frozenset({5})
    assert "numbers of open pull requests do not count: origin does not send" in found.notes[0]
    github.lists_pulls = False
    for open_forge in (at_hand(clone, github), failing_forge):
        found = find(clone, open_forge)
        assert found.taken == frozenset({5})
        assert found.notes[0].startswith("numbers of open pull requests do not count: ")
    clone.git("remote", "set-url", "origin", "missing")
    found = find(clone, no_forge)
    assert found.taken == frozenset()
    (note,) = found.notes
    assert note.startswith("numbers that others reserved or propose in origin do not count: origin")


def test_a_repository_without_a_remote(repo: Repo) -> None:
    assert find(repo, failing_forge) == NumbersElsewhere()


def test_no_token_for_another_host(github: FakeGitHubForge, team: tuple[Repo, Repo]) -> None:
    clone, _ = team
    with at_hand(clone, github)() as forge:
        assert forge is not None
    memory = "### SDD Configuration\n\n#### Tracker\n\n- **Type**: GitHub\n"
    clone.write("CLAUDE.md", f"{memory}- **URL**: {github.url}\n")
    # The declared tracker is on another host than the origin.
    clone.git("remote", "set-url", "origin", "http://localhost:9/acme/shop.git")
    environ = {"GITHUB_TOKEN": PERSONAL, "GITHUB_SERVER_URL": github.url, "HOME": "/nonexistent"}
    with forge_at_hand(clone.project(environ), NOW) as forge:
        assert forge is None
    assert github.server.requests == []
