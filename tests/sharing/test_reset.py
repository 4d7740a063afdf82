"""A reset deletes what came from other machines, and nothing else."""

from __future__ import annotations

import shutil

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.sharing.pull import ResetOutcome, reset
from sdd_hooks.system.locks import hold_lock
from tests.support.laptops import Laptop, SharedRemote


def reset_sharing(laptop: Laptop, wait: float = 0.0) -> ResetOutcome:
    return laptop.on_engine(lambda project, engine: reset(project, engine, wait))


def test_pulled_vectors_are_deleted_and_computed_ones_kept(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.write_and_push(3)
    laptop.write(4)
    laptop.embed()
    computed = laptop.vectors
    laptop.write(3)
    assert laptop.pull().pulled == 1
    outcome = reset_sharing(laptop)
    assert (outcome.deleted, outcome.pending, outcome.notes) == (1, 1, ())
    assert outcome.bytes > 0
    assert laptop.vectors == computed
    assert [path.name for path in laptop.share.iterdir()] == ["lock"]
    assert reset_sharing(laptop)[:2] == (0, 0)
    assert laptop.pull().pulled == 1


def test_dimensions_that_were_only_pulled_are_forgotten(hub: SharedRemote) -> None:
    runner, laptop = hub.laptop("runner"), hub.laptop("laptop")
    runner.embed()
    runner.push()
    laptop.pull()
    assert reset_sharing(laptop).deleted == 2
    assert laptop.vectors == {}
    assert laptop.embed().embedded == 2


def test_a_directory_that_is_a_link_is_not_followed(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    laptop.pull()
    other = hub.folder / "precious"
    shutil.move(laptop.share, other)
    laptop.share.symlink_to(other)
    assert reset_sharing(laptop).bytes == 0
    assert (other / "objects").is_dir()
    assert not laptop.share.exists()


def test_a_reset_waits_for_a_pull(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    laptop.pull()
    with (
        hold_lock(laptop.share / "lock", 0),
        pytest.raises(StorageError, match="another push or pull"),
    ):
        reset_sharing(laptop)
