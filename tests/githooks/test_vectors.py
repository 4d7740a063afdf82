"""What came with a merge has the vectors that came with it, and git does not wait for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.freshness.refresh import RefreshResult
from sdd_hooks.githooks.vectors import brings, follow
from tests.cli.commands import run
from tests.support.laptops import Hub
from tests.support.repos import in_environment
from tests.support.waiting import until

CHILD = "import sys; from sdd_hooks.githooks.vectors import main; main(sys.argv[1:])"
ADDED = RefreshResult({"x-adrs": Counts(added=1)}, (), ran=True)


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    return Hub.make(tmp_path, share="true")


def test_vectors_come_after_a_merge(hub: Hub) -> None:
    """Where nothing was ever embedded, and nothing can be."""
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


def test_a_machine_that_is_offline_is_told_nothing(hub: Hub) -> None:
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


def test_only_what_others_made_is_asked_for(hub: Hub) -> None:
    assert brings("post-merge", ["0"])
    assert brings("post-checkout", ["a", "b", "1"])
    assert brings("post-rewrite", ["rebase"])
    assert not brings("post-rewrite", ["amend"])
    assert not brings("post-commit", [])
    project = hub.laptop("laptop").project
    assert not follow(in_environment(project, {"CI": "true"}), ADDED)
    removed = RefreshResult({"x-adrs": Counts(removed=1)}, (), ran=True)
    assert not follow(in_environment(project, {}), removed)
