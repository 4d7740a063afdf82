"""The action on pushes: issues are synced, and each chunk is embedded by one runner only."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tests.action.hosting import MEMORY, Hosted, checked_out, host
from tests.action_yml.hosts import Done, Job, run_action
from tests.support.models import make_model

TASKS = "## 1. Reserve stock\n\n- [ ] 1.1 Lock the row\n\n## 2. Pay\n\n- [ ] 2.1 Ask\n"
SETTINGS = """
- Specifications are in `docs/openspec/specs/`

### SDD Configuration

#### Tracker

- **Type**: tasks.md

#### Search

- **Embed Model**: {model}
- **Share Vectors**: true
"""

# With the extras that embed, whose installation by the action takes a minute.
SDD = Path(sys.executable).with_name("sdd")


def runner(hosted: Hosted, folder: Path) -> Job:
    """A job of a runner that has just checked out the default branch."""
    folder.mkdir()
    workspace = checked_out(hosted, folder / "work space", "refs/heads/main").root
    event = {"ref": "refs/heads/main", "before": hosted.base, "after": hosted.tip}
    return Job("github", folder, workspace, "push", event, sha=hosted.tip)


def run_ok(job: Job, **inputs: str) -> Done:
    """Run the action, and return its result. Fails if the action failed."""
    ran = run_action(job, inputs, sdd=SDD)
    assert ran.code == 0, ran.log
    return ran


def test_a_chunk_is_embedded_by_one_runner_only(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    model = make_model(tmp_path / "model")
    files = {
        "CLAUDE.md": MEMORY + SETTINGS.format(model=model),
        "docs/openspec/specs/checkout/spec.md": "# SPEC-0001: Checkout\n",
        "docs/openspec/specs/checkout/tasks.md": TASKS,
    }
    hosted = host(tmp_path / "shop", {"src/a.py": "a = 2\n"}, files=files)
    first = runner(hosted, tmp_path / "one")
    outputs = run_ok(first, command="all").outputs
    assert int(outputs["chunks-embedded"]) > 5
    assert outputs["device"] == "cpu"
    assert outputs["issues-synced"] == "2"
    assert outputs["findings"] == outputs["report"] == ""
    repeated = run_ok(first, command="all").outputs
    assert (repeated["chunks-embedded"], repeated["issues-synced"]) == ("0", "0")
    other = run_ok(runner(hosted, tmp_path / "two"), command="embed").outputs
    assert (other["chunks-embedded"], other["issues-synced"]) == ("0", "")


def test_a_pull_request_syncs_nothing(tmp_path: Path) -> None:
    files = {
        "CLAUDE.md": MEMORY + SETTINGS.format(model="none"),
        "docs/openspec/specs/checkout/tasks.md": TASKS,
    }
    hosted = host(tmp_path / "shop", {"src/a.py": "a = 2\n"}, files=files)
    pull = {
        "number": 7,
        "pull_request": {"number": 7, "base": {"sha": hosted.base}, "head": {"sha": hosted.head}},
    }
    job = replace(runner(hosted, tmp_path / "one"), event="pull_request", payload=pull)
    ran = run_ok(job, command="sync")
    assert set(ran.outputs.values()) == {""}
    assert "pushes and schedules" in ran.log
    assert not (job.workspace / ".sdd/issues").exists()
