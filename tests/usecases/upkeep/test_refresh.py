"""After a merge, the shared vectors are pulled in the background, and git does not wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.githooks.events import may_bring_vectors
from sdd_hooks.usecases.upkeep.refresh import start_embedding
from tests.cli.commands import run
from tests.support.laptops import SharedRemote
from tests.support.repos import in_environment
from tests.support.waiting import until

CHILD = "import sys; from sdd_hooks.usecases.upkeep.refresh import main; main(sys.argv[1:])"
ADDED = Counts(added=1)


@pytest.fixture
def hub(tmp_path: Path) -> SharedRemote:
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    return SharedRemote.make(tmp_path, share="true")


def test_vectors_are_pulled_after_a_merge(hub: SharedRemote) -> None:
    """Also on a machine that never embedded, and whose model is damaged."""
    laptop, runner = hub.laptop("laptop"), hub.laptop("runner")
    assert run(laptop.repo.root, "hooks", "install").code == 0
    runner.write(3)
    runner.repo.commit("More")
    runner.repo.git("push", "--quiet", "origin", "main")
    runner.embed()
    runner.push()
    (hub.folder / "model/tokenizer.json").unlink()
    done = laptop.repo.run("pull", "--quiet", env=os.environ)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stderr.splitlines()] == [b"sdd:"]
    until(lambda: laptop.pending == 0)
    assert laptop.vectors == runner.vectors


def test_a_machine_without_a_network_gets_no_message(hub: SharedRemote) -> None:
    laptop = hub.laptop("laptop")
    hub.repo.root.rename(hub.folder / "elsewhere")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(laptop.repo.root)],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert laptop.pending == 2


def test_only_changes_of_other_machines_are_pulled(hub: SharedRemote) -> None:
    assert may_bring_vectors("post-merge", ["0"])
    assert may_bring_vectors("post-checkout", ["a", "b", "1"])
    assert may_bring_vectors("post-rewrite", ["rebase"])
    assert not may_bring_vectors("post-rewrite", ["amend"])
    assert not may_bring_vectors("post-commit", [])
    project = hub.laptop("laptop").project
    assert not start_embedding(in_environment(project, {"CI": "true"}), ADDED, pull=True)
    removed = Counts(removed=1)
    assert not start_embedding(in_environment(project, {}), removed, pull=True)
