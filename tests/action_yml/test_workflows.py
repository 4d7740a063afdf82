"""The workflows of `docs/ci.md`, and `action.yml`, as actionlint and zizmor see them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sdd_hooks.action.results import OUTPUTS
from tests.action_yml.act import program
from tests.action_yml.hosts import ACTION, action
from tests.docs.pages import TOP, Block, blocks

PAGE = TOP / "docs" / "ci.md"
SHORTEST = "readme"
"""The workflow of the README: what is needed, and not what may be wanted besides."""

# Our action, wherever a workflow has it from.
OURS = re.compile(r"uses: (?:https://\S+?/)?acme/sdd-hooks@[0-9a-f]{40}")


def workflows() -> dict[str, Block]:
    """The workflows of the pages, by name."""
    found = {}
    for block in [*blocks(TOP / "README.md"), *blocks(PAGE)]:
        if block.language == "yaml" and "jobs:" in block.text:
            names = [one.removeprefix("workflow ") for one in block.directives]
            assert len(names) == 1, f"{block}: no name"
            found[names[0]] = block
    return found


WORKFLOWS = workflows()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the workflows of the page, and with our action in it."""
    folder = tmp_path_factory.mktemp("workflows")
    for name, block in WORKFLOWS.items():
        path = folder / ".github/workflows" / f"{name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    shutil.copy(ACTION, folder)
    return folder


def lint(*command: str | Path, cwd: Path) -> None:
    """Fails with what the program finds."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_page_has_whole_workflows() -> None:
    assert set(WORKFLOWS) == {SHORTEST, "review", "sarif", "forks", "nightly", "embed", "gitea"}
    for block in WORKFLOWS.values():
        assert len(OURS.findall(block.text)) == 1


def test_actionlint_has_nothing_to_say(repository: Path, tmp_path: Path) -> None:
    """It knows our inputs and outputs, since it is shown the action itself."""
    actionlint = program("actionlint")
    # `git init` is where it looks for the top of a repository.
    (tmp_path / ".git").mkdir()
    shutil.copytree(repository, tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / ".github/workflows").iterdir():
        path.write_text(OURS.sub("uses: ./", path.read_text()))
    (tmp_path / ".github/actionlint.yaml").write_text("self-hosted-runner: {labels: [gpu]}\n")
    lint(actionlint, "-no-color", cwd=tmp_path)


def test_zizmor_has_nothing_to_say(repository: Path) -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    if not zizmor.is_file():
        pytest.skip("needs zizmor: pip install --group dev")
    short = repository / f".github/workflows/{SHORTEST}.yml"
    strict = [path for path in short.parent.iterdir() if path != short]
    for persona, paths in (
        ("regular", [short]),
        ("pedantic", [*strict, repository / "action.yml"]),
    ):
        command = [zizmor, "--offline", "--no-progress", "--quiet", f"--persona={persona}", *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_linter_is_told_to_leave_alone_is_one_thing() -> None:
    ignored = re.findall(r"zizmor: ignore\S*", PAGE.read_text(encoding="utf-8"))
    assert ignored == ["zizmor: ignore[dangerous-triggers]"]


def test_the_job_for_forks_takes_nothing_from_the_other() -> None:
    """It runs what the default branch has: no other commit is checked out, no artifact is read."""
    job = yaml.safe_load(WORKFLOWS["forks"].text)["jobs"]["review"]
    checkout, ours = job["steps"]
    assert set(checkout["with"]) == {"persist-credentials"}
    assert not {"base", "working-directory"} & set(ours["with"])


def test_the_tables_are_those_of_the_action() -> None:
    page = PAGE.read_text(encoding="utf-8")
    declared = action()
    for heading, names in (("## Inputs", list(declared["inputs"])), ("## Outputs", list(OUTPUTS))):
        section = page.partition(f"{heading}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == names
    for name in ("command", "comment", "inline"):
        assert f"| `{name}` | `{declared['inputs'][name]['default']}` |" in page
