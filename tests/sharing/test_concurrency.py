"""Machines that push different vectors at the same time."""

from __future__ import annotations

import subprocess

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.sharing.push import PushBackoff
from tests.cli.commands import SCRIPTS
from tests.support.laptops import SharedRemote


def test_four_concurrent_pushes_lose_no_vector(hub: SharedRemote) -> None:
    runners = [hub.laptop(f"runner-{number}") for number in range(4)]
    for number, runner in enumerate(runners):
        runner.write(10 * number + 10, 10 * number + 11)
        runner.embed()
    processes = [
        subprocess.Popen(
            [SCRIPTS / "sdd", "index", "push"],
            cwd=runner.repo.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for runner in runners
    ]
    for process in processes:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output
        assert output.startswith("pushed "), output
    laptop = hub.laptop("laptop")
    assert laptop.pull().pulled == 10
    assert laptop.vectors == {key: v for runner in runners for key, v in runner.vectors.items()}
    assert hub.repo.git("rev-list", "--count", laptop.ref) == "1"


def test_a_push_after_a_concurrent_push_keeps_its_vectors(hub: SharedRemote) -> None:
    runner, other = hub.laptop("runner"), hub.laptop("other")
    first = other.write_and_push(10)
    hub.repo.git("update-ref", "-d", first.ref)
    runner.write(20)
    runner.embed()
    # The other machine pushes between the lookup and the push.
    run_before_accepting(
        hub,
        f"[ -e pushed ] || {{ touch pushed; git update-ref {first.ref} {first.commit}; exit 1; }}",
    )
    waits: list[float] = []
    pushed = runner.push(PushBackoff(waits.append, lambda: 0.5))
    assert (pushed.pushed, pushed.vectors) == (1, 4)
    assert waits == [0.1]
    assert len(hub.entries(pushed.ref)) == 2


def test_a_push_gives_up_after_ten_attempts(hub: SharedRemote) -> None:
    runner = hub.laptop("runner")
    runner.embed()
    empty = hub.repo.run("mktree").stdout.decode().strip()
    move = f"git update-ref {runner.ref} $(git commit-tree {empty} -m $$)"
    run_before_accepting(hub, f"{move}; exit 1")
    waits: list[float] = []
    with pytest.raises(RemoteError, match=r"^other machines keep pushing to refs/sdd/vectors/"):
        runner.push(PushBackoff(waits.append, lambda: 1.0))
    assert waits == [0.2, 0.4, 0.8, 1.6, 3.0, 3.0, 3.0, 3.0, 3.0]


def run_before_accepting(hub: SharedRemote, command: str) -> None:
    """Have the hub run a command before it accepts a push, as another push would."""
    unset = "unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES"
    hub.repo.write("hooks/pre-receive", f"#!/bin/sh\n{unset}\n{command}\n").chmod(0o755)
