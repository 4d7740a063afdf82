import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.errors import ConfigurationError, RepositoryError
from sdd_hooks.project.project import Module, Project, UnknownName, load_project
from tests.support.repos import Repo

TABLE = "### Workspace Modules\n\n| Module | Root |\n|---|---|\n"


def names(project: Project) -> list[str]:
    return [collection.name for collection in project.collections]


def holders(project: Project, path: str) -> list[str]:
    return [c.name for c in project.collections if c.contains(path)]


def test_a_repository_without_declarations(repo: Repo):
    project = repo.project()
    assert names(project) == ["repo-adrs", "repo-specs", "repo-code", "repo-issues"]
    assert project.modules == ()
    assert project.warnings == ()
    assert project.configuration.search.engine == "embedded"


def test_every_file_is_in_its_collection(repo: Repo):
    project = repo.project()
    assert holders(project, "docs/adrs/ADR-0001-x.md") == ["repo-adrs"]
    assert holders(project, "docs/adrs/README.md") == ["repo-adrs"]
    assert holders(project, "docs/adrs/figure.py") == []
    assert holders(project, "docs/openspec/specs/auth/spec.md") == ["repo-specs"]
    assert holders(project, "src/main.py") == ["repo-code"]
    assert holders(project, ".sdd/issues/142.md") == ["repo-issues"]
    assert holders(project, ".sdd/issues/_meta.json") == []
    assert holders(project, "README.md") == []


def test_declared_directories_and_settings(repo: Repo):
    repo.write(
        "CLAUDE.md",
        "## Architecture Context\n\n- Architecture Decision Records are in `doc/adr/`\n"
        "- Architecture Decision Records are in `doc/old/`\n"
        "- Specifications are in `doc/adr/specs`\n"
        "### SDD Configuration\n#### Search\n- **Engine**: qmd\n- **Engin**: x\n",
    )
    project = repo.project()
    assert project.configuration.search.engine == "qmd"
    assert project.configuration.memory_file == project.repository.root / "CLAUDE.md"
    assert project.warnings == (
        "CLAUDE.md:9: unknown key 'Engin' in 'Search': did you mean 'Engine'?",
        "CLAUDE.md:3: 'doc/adr/' does not exist: correct this line, or remove it",
        "CLAUDE.md:4: 'doc/old/' does not exist: correct this line, or remove it",
        "CLAUDE.md:5: 'doc/adr/specs' does not exist: correct this line, or remove it",
    )
    assert holders(project, "doc/adr/0001-x.md") == ["repo-adrs"]
    assert holders(project, "doc/old/0001-x.md") == ["repo-adrs"]
    assert holders(project, "doc/adr/specs/auth/spec.md") == ["repo-specs"]


def test_records_at_the_root_do_not_exclude_code(repo: Repo):
    repo.write("CLAUDE.md", "## Architecture Context\n- Architecture Decision Records are in .\n")
    project = repo.project()
    assert holders(project, "0001-x.md") == ["repo-adrs"]
    assert holders(project, "main.py") == ["repo-code"]
    assert holders(project, "docs/openspec/specs/a/spec.md") == ["repo-specs"]


def test_modules_of_a_table(repo: Repo):
    repo.write(
        "AGENTS.md",
        "## Architecture Context\n### SDD Configuration\n- **Owner**: us\n"
        f"{TABLE}| api | services/api |\n| API v2 | services/api/v2 |\n",
    )
    repo.write(
        "services/api/CLAUDE.md",
        "## Architecture Context\n- Architecture Decision Records are in docs/decisions\n"
        "### SDD Configuration\n#### Tracker\n- **Repo**: api\n",
    )
    project = repo.project()
    assert project.modules == (
        Module("api", "services/api", "", False),
        Module("API v2", "services/api/v2", "", False),
    )
    assert names(project)[4:8] == [
        "repo-api-adrs",
        "repo-api-specs",
        "repo-api-code",
        "repo-api-issues",
    ]
    assert names(project)[8] == "repo-api-v2-adrs"
    assert holders(project, "services/api/docs/decisions/1.md") == ["repo-api-adrs"]
    assert holders(project, "services/api/v2/docs/adrs/1.md") == ["repo-api-v2-adrs"]
    assert holders(project, "services/api/main.go") == ["repo-api-code"]
    assert holders(project, "services/api/v2/main.go") == ["repo-api-v2-code"]
    assert holders(project, "services/web/main.go") == ["repo-code"]
    assert holders(project, ".sdd/issues/1.md") == ["repo-issues"]
    assert holders(project, ".sdd/issues/api/1.md") == ["repo-api-issues"]
    found = project.module_configuration("api")
    assert (found.tracker.owner, found.tracker.repo) == ("us", "api")
    assert project.module_configuration("") is project.configuration


def test_submodule(repo: Repo, tmp_path: Path):
    library = Repo.init(tmp_path / "library")
    library.commit(files={"docs/adrs/0001-x.md": "", "main.go": ""})
    repo.submodule(library, "libs/core", "--name", "Core Library")
    repo.commit()
    project = repo.project()
    assert project.modules == (Module("Core Library", "libs/core", "", True),)
    own = project.select(module="Core Library")
    assert [(c.name, c.repository) for c in own] == [
        ("repo-core-library-adrs", "libs/core"),
        ("repo-core-library-specs", "libs/core"),
        ("repo-core-library-code", "libs/core"),
        ("repo-core-library-issues", ""),
    ]
    assert holders(project, "libs/core/docs/adrs/0001-x.md") == ["repo-core-library-adrs"]
    assert holders(project, "libs/core/main.go") == ["repo-core-library-code"]
    repo.git("submodule", "deinit", "--quiet", "--force", "libs/core")
    (collection, *_) = repo.project().select(["code"], "Core Library")
    assert collection.repository == ""
    assert load_project(tmp_path / "repo" / "libs", os.environ).repository.slug == "repo"


def test_a_submodule_is_a_separate_project(repo: Repo, tmp_path: Path):
    library = Repo.init(tmp_path / "library")
    library.commit(files={"main.go": ""})
    inside = repo.submodule(library, "libs/core")
    assert names(inside.project())[0] == "core-adrs"


def test_a_submodule_cannot_declare_a_directory_outside_it(repo: Repo, tmp_path: Path):
    library = Repo.init(tmp_path / "library")
    text = "## Architecture Context\n- Specifications are in ../../specs\n"
    library.commit(files={"CLAUDE.md": text})
    repo.submodule(library, "libs/core")
    with pytest.raises(
        ConfigurationError, match=r"libs/core/CLAUDE\.md:2: .* outside the repository"
    ):
        repo.project()


def test_a_worktree_has_the_same_collections(repo: Repo, tmp_path: Path):
    repo.commit(files={"CLAUDE.md": "## Architecture Context\n- Specifications are in s\n"})
    linked = repo.worktree(tmp_path / "elsewhere", "topic")
    assert linked.project().collections == repo.project().collections


def test_declared_collections(repo: Repo):
    repo.write(
        "semantic-search.yml", "odd: 1\ncollections:\n  notes: {path: kb}\n  all: {path: .}\n"
    )
    project = repo.project()
    assert names(project)[4:] == ["notes", "all"]
    assert project.warnings == ("semantic-search.yml:1: unknown key 'odd'",)
    assert holders(project, "kb/a/b.md") == ["notes", "all"]
    assert holders(project, ".sdd/issues/1.md") == ["repo-issues"]
    assert [c.name for c in project.select(["notes"])] == ["notes"]


def test_a_declared_collection_with_a_used_name(repo: Repo):
    repo.write("semantic-search.yml", "collections:\n  repo-adrs: {path: kb}\n")
    with pytest.raises(ConfigurationError) as caught:
        repo.project()
    assert str(caught.value) == (
        f"{repo.root}/semantic-search.yml:2:"
        " 'repo-adrs' is already the name of a collection: choose another"
    )


def test_modules_whose_collections_share_a_name(repo: Repo):
    repo.write("CLAUDE.md", f"## Architecture Context\n{TABLE}| a.b | x |\n| a-b | y |\n")
    with pytest.raises(
        ConfigurationError, match=r"modules 'a\.b' and 'a-b' both have 'repo-a-b-adrs'"
    ):
        repo.project()


def test_select(repo: Repo):
    repo.write("CLAUDE.md", f"## Architecture Context\n{TABLE}| api | api |\n")
    project = repo.project()
    assert len(project.select()) == 8
    assert [c.name for c in project.select(["specs", "adrs"])] == [
        "repo-adrs",
        "repo-specs",
        "repo-api-adrs",
        "repo-api-specs",
    ]
    assert [c.name for c in project.select(["code"], "")] == ["repo-code"]
    assert [c.name for c in project.select(["code"], "api")] == ["repo-api-code"]


def test_select_refuses_unknown_names(repo: Repo):
    project = repo.project()
    with pytest.raises(UnknownName) as caught:
        project.select(["adr"])
    assert str(caught.value) == "no kind 'adr' here: it is one of adrs, specs, code, issues"
    assert caught.value.exit_code == 2
    with pytest.raises(UnknownName) as caught:
        project.select(module="api")
    assert str(caught.value) == "no module 'api': this repository declares none"
    repo.write("CLAUDE.md", f"## Architecture Context\n{TABLE}| api | api |\n| web | web |\n")
    with pytest.raises(UnknownName) as caught:
        repo.project().module_configuration("ap")
    assert str(caught.value) == "no module 'ap': it is one of api, web"


def test_an_invalid_value(repo: Repo):
    repo.write("CLAUDE.md", "### SDD Configuration\n- **Staleness Threshold**: soon\n")
    with pytest.raises(ConfigurationError, match=r"CLAUDE\.md:2: 'Staleness Threshold' must be"):
        repo.project()


def test_not_a_repository(tmp_path: Path):
    with pytest.raises(RepositoryError):
        load_project(tmp_path, os.environ)


def test_no_git_process_where_the_directories_are_known(repo: Repo, tmp_path: Path):
    """Every hook loads the project: git runs only to list what may have changed."""
    repo.commit(files={"docs/adr/0001-x.md": ""})
    (repo.root / ".sdd/search").mkdir(parents=True)
    log = tmp_path / "calls"
    real = subprocess.run(
        ["which", "git"], capture_output=True, text=True, check=True
    ).stdout.strip()
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\necho "$3" >> "{log}"\nexec "{real}" "$@"\n')
    shim.chmod(0o755)
    script = (
        "import os, sys; from pathlib import Path\n"
        "from sdd_hooks.project.project import load_project\n"
        "project = load_project(Path(sys.argv[1]), os.environ, sys.argv[2])\n"
        "print(*project.select(('adrs',))[0].directories)\n"
    )
    env = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}"}

    def calls(look: str) -> list[str]:
        log.unlink(missing_ok=True)
        command = [sys.executable, "-c", script, str(repo.root), look]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        assert done.stdout.split() == ["docs/adr"]
        return log.read_text().split() if log.exists() else []

    assert calls("tracked") == ["ls-files"]
    assert calls("tracked") == []
    repo.commit(files={"src/app.py": ""})
    assert calls("cached") == []
    assert calls("tracked") == ["ls-files"]


def test_without_git(tmp_path: Path):
    script = (
        "import os, sys; from pathlib import Path\n"
        "from sdd_hooks.errors import RepositoryError\n"
        "from sdd_hooks.project.project import load_project\n"
        "try: load_project(Path(sys.argv[1]), os.environ)\n"
        "except RepositoryError as error: print(error)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    env = {**os.environ, "PATH": str(tmp_path)}
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert output == "git is not installed or not on PATH: install it (https://git-scm.com)\n"


def test_loading_imports_nothing_heavy(repo: Repo):
    script = (
        "import os, sys; from pathlib import Path\n"
        "from sdd_hooks.project.project import load_project\n"
        "load_project(Path(sys.argv[1]), os.environ)\n"
        "heavy = {'yaml', 'git', 'httpx', 'frontmatter', 'numpy', 'llm', 'logging', 'tempfile',"
        " 'shutil', 'asyncio', 'json', 'importlib.metadata', 'difflib', 'sqlite3', 'apsw'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    # -S: the site directory of an editable install may import modules.
    package = Path(__file__).parents[2]
    command = [sys.executable, "-S", "-c", script, str(repo.root)]
    env = {**os.environ, "PYTHONPATH": str(package)}
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert output == "[]\n"
