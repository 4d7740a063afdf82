"""The registered forges, and plug-ins that cannot be loaded."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from sdd_hooks.forges.registry import detect_job
from tests.cli.commands import run
from tests.support.plugins import SOURCES, install_distribution
from tests.support.programs import run_program
from tests.support.repos import Repo

POINTS = """[sdd_hooks.forges]
acorn = sdd_acorn:VENDOR
github = sdd_acorn:VENDOR
absent = there_is_no_such_module:VENDOR
text = sdd_acorn:__name__
"""


DETECT_JOBS = """
import json, sys
from sdd_hooks.forges.registry import detect_job

broken = []
names = [job and job.vendor.label for job in (detect_job(one, broken) for one in %s)]
heavy = {'httpx', 'git', 'yaml', 'frontmatter'} & set(sys.modules)
print(json.dumps([names, sorted(set(broken)), sorted(heavy)]))
"""


def install_acorn(folder: Path) -> dict[str, str]:
    """Install a distribution with a forge, one that has the name of another, and broken ones."""
    source = (SOURCES / "sdd_acorn.py").read_text()
    return install_distribution(folder, "sdd-acorn", POINTS, {"sdd_acorn": source})


def detected_jobs(folder: Path, *environs: dict[str, str]) -> list[list[str | None]]:
    """The forge of the job of each environment, what is broken, and the heavy imports."""
    env = {**os.environ, **install_acorn(folder)}
    command = [sys.executable, "-c", DETECT_JOBS % repr(environs)]
    done = run_program(*command, env=env)
    found: list[list[str | None]] = json.loads(done.stdout)
    return found


def test_an_unknown_runner_is_no_job() -> None:
    broken: list[str] = []
    assert detect_job({"CI": "true", "GITHUB_ACTIONS": "false"}, broken) is None
    assert broken == []


def test_a_forge_of_another_distribution_works_beside_broken_ones(tmp_path: Path) -> None:
    """Scenario "A broken plug-in" of SPEC-0011."""
    acorn = {"ACORN_CI": str(tmp_path)}
    names, broken, heavy = detected_jobs(tmp_path, acorn, {"GITHUB_ACTIONS": "true", **acorn}, {})
    # Another distribution cannot replace a forge of this package.
    assert names == ["Acorn", "GitHub", None]
    assert broken == [
        "the forge 'absent' of the distribution 'sdd-acorn 1.0' cannot be loaded"
        " (ModuleNotFoundError: No module named 'there_is_no_such_module'): update or remove it",
        "the forge 'text' of the distribution 'sdd-acorn 1.0' cannot be loaded"
        " (it is not of type ForgeVendor): update or remove it",
    ]
    assert heavy == []


def test_a_review_is_posted_to_a_forge_of_another_distribution(repo: Repo, tmp_path: Path) -> None:
    base = repo.commit("Start", {"a.txt": "one\n"})
    head = repo.commit("Change", {"a.txt": "<<<<<<< a\none\n=======\n>>>>>>> b\n"})
    folder = tmp_path / "pull"
    folder.mkdir()
    pull = {"number": 7, "title": "Change", "base": base, "head": head}
    (folder / "pull.json").write_text(json.dumps(pull))
    env = {**install_acorn(tmp_path / "lib"), "ACORN_CI": str(folder)}

    done = run(repo.root, "ci", "review", "--inline", "true", env=env)

    assert "https://acorn.example" in done.out, done
    assert "1 critical finding" in (folder / "comment.md").read_text()
    assert [head, "a.txt", 1] in json.loads((folder / "review.json").read_text())
