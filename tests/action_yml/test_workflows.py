"""actionlint and zizmor accept the workflows of `docs/ci.md`, of releases, and `action.yml`."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from sdd_hooks.action.results import OUTPUTS
from tests.action_yml.act import program
from tests.action_yml.hosts import ACTION, action
from tests.docs.pages import TOP, Block, blocks
from tests.support.programs import run_program

PAGE = TOP / "docs" / "ci.md"
SHORTEST = "readme"
"""The workflow of the README, which has the required settings only."""

# A use of this action, from any host.
ACTION_USE = re.compile(r"uses: (?:https://\S+?/)?acme/sdd-hooks@[0-9a-f]{40}")


def workflows() -> dict[str, Block]:
    """The workflows of the pages, by name."""
    by_name = {}
    for block in [*blocks(TOP / "README.md"), *blocks(PAGE)]:
        if block.language == "yaml" and "jobs:" in block.text:
            names = [directive.removeprefix("workflow ") for directive in block.directives]
            assert len(names) == 1, f"{block}: no name"
            by_name[names[0]] = block
    return by_name


WORKFLOWS = workflows()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the workflows of the page and this action."""
    folder = tmp_path_factory.mktemp("workflows")
    for name, block in WORKFLOWS.items():
        path = folder / ".github/workflows" / f"{name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    shutil.copy(ACTION, folder)
    for path in (TOP / ".github/workflows").glob("*.yml"):
        shutil.copy(path, folder / ".github/workflows" / f"own-{path.name}")
    shutil.copy(TOP / ".gitea/workflows/release.yml", folder / ".github/workflows/own-gitea.yml")
    return folder


def lint(*command: str | Path, cwd: Path) -> None:
    """Run a linter. Fails with its findings."""
    done = run_program(*command, cwd=cwd, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_page_has_complete_workflows() -> None:
    assert set(WORKFLOWS) == {
        SHORTEST,
        "review",
        "sarif",
        "forks",
        "nightly",
        "pages",
        "embed",
        "gitea",
    }
    for block in WORKFLOWS.values():
        assert len(ACTION_USE.findall(block.text)) == 1


def test_actionlint_finds_nothing(repository: Path, tmp_path: Path) -> None:
    """actionlint checks the inputs and outputs too, because the action is in the repository."""
    actionlint = program("actionlint")
    # actionlint finds the top of a repository by this folder.
    (tmp_path / ".git").mkdir()
    shutil.copytree(repository, tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / ".github/workflows").iterdir():
        path.write_text(ACTION_USE.sub("uses: ./", path.read_text()))
    (tmp_path / ".github/actionlint.yaml").write_text("self-hosted-runner: {labels: [gpu]}\n")
    lint(actionlint, "-no-color", cwd=tmp_path)


def test_zizmor_finds_nothing(repository: Path) -> None:
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
        done = run_program(*command, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_one_finding_of_a_linter_is_ignored() -> None:
    ignored = re.findall(r"zizmor: ignore\S*", PAGE.read_text(encoding="utf-8"))
    assert ignored == ["zizmor: ignore[dangerous-triggers]"]


def test_the_job_for_forks_uses_nothing_of_the_first_job() -> None:
    """It checks out only the default branch, and reads no artifact."""
    job = yaml.safe_load(WORKFLOWS["forks"].text)["jobs"]["review"]
    checkout, review = job["steps"]
    assert set(checkout["with"]) == {"persist-credentials"}
    assert not {"base", "working-directory"} & set(review["with"])


def test_the_tables_list_the_inputs_and_outputs_of_the_action() -> None:
    page = PAGE.read_text(encoding="utf-8")
    declared = action()
    for heading, names in (("## Inputs", list(declared["inputs"])), ("## Outputs", list(OUTPUTS))):
        section = page.partition(f"{heading}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE) == names
    for name in ("command", "comment", "inline"):
        assert f"| `{name}` | `{declared['inputs'][name]['default']}` |" in page
