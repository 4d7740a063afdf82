"""Reservations are refs of a real remote, which git creates once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from sdd_hooks.authoring.reservations import (
    MAX_REFUSALS,
    Backoff,
    NumberScope,
    Reservation,
    delete_merged_reservations,
    delete_reservations,
    list_reservations,
    reserve_number,
)
from sdd_hooks.errors import RemoteError, RepositoryError
from tests.support.repos import Repo

ADR = NumberScope("ADR")
AT_ONCE = Backoff(sleep=lambda _seconds: None)


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
