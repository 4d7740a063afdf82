"""The sources of the issues of a repository and of each module of a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.errors import SddError
from sdd_hooks.system.user_cache import write_cached
from sdd_hooks.trackers.detection import CACHE, KNOWN_SECONDS
from sdd_hooks.trackers.registry import registered_trackers
from sdd_hooks.trackers.source import TrackerSource, find_source, no_tracker
from tests.support.repos import Repo

NOW = 1_800_000_000.0

TABLE = """\
## Architecture Context

### Workspace Modules

| Module | Root |
|---|---|
| api | services/api |
| web | services/web |
"""

TRACKER = "\n### SDD Configuration\n\n#### Tracker\n\n"
JIRA = "- **Type**: jira\n- **URL**: https://acme.atlassian.net\n- **Project Key**: "
TASKS = "# Tasks\n\n## 1. Begin\n\n- [ ] 1.1 Now\n"


def workspace(repo: Repo, root: str = "", **modules: str) -> Repo:
    """A workspace of two modules; the arguments are the tracker settings of its memory files."""
    files: dict[str, str | bytes] = {"CLAUDE.md": TABLE + (TRACKER + root if root else "")}
    for name in ("api", "web"):
        files[f"services/{name}/app.py"] = "pass\n"
        if name in modules:
            files[f"services/{name}/CLAUDE.md"] = f"# It\n{TRACKER}{modules[name]}"
    repo.commit("Start", files)
    return repo


def source(repo: Repo, module: str = "", **options: object) -> TrackerSource | None:
    environ = {"HOME": str(repo.root.parent)}
    project = repo.project(environ)
    return find_source(project, module, NOW, online=False, **options)[0]  # type: ignore[arg-type]


def shown(repo: Repo, module: str = "") -> tuple[str, str] | None:
    found = source(repo, module)
    return found and (str(found.tracker), found.folder.relative)


def test_each_module_has_its_own_tracker_and_folder(repo: Repo) -> None:
    workspace(repo, JIRA + "ROOT\n", api="- **Project Key**: API\n", web=JIRA + "WEB\n")
    for module, project, folder in (
        ("", "ROOT", ".sdd/issues"),
        ("api", "API", ".sdd/issues/api"),
        ("web", "WEB", ".sdd/issues/web"),
    ):
        found = source(repo, module)
        assert found is not None
        assert (found.module, found.label, found.tracker.name) == (module, "Jira", "jira")
        assert (found.tracker.location.project, found.folder.relative) == (project, folder)


def test_a_module_without_another_tracker_has_no_source(repo: Repo) -> None:
    workspace(repo)
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    assert shown(repo) == ("GitHub, acme/shop at https://github.com", ".sdd/issues")
    assert shown(repo, "api") is None
    repo.write("CLAUDE.md", TABLE + TRACKER + JIRA + "ROOT\n")
    assert source(repo) is not None
    assert shown(repo, "api") is None


def test_a_local_tracker_of_the_root_is_not_that_of_a_module(repo: Repo) -> None:
    workspace(repo, "- **Type**: beads\n")
    repo.write(".beads/issues.jsonl", "")
    assert source(repo) is not None
    assert source(repo, "api") is None
    repo.write("services/api/.beads/issues.jsonl", "")
    api = source(repo, "api")
    assert api is not None
    assert api.repository.root == repo.root / "services/api"


def test_a_module_can_have_tasks_without_a_tracker_of_the_root(repo: Repo) -> None:
    workspace(repo)
    repo.write("services/api/docs/openspec/specs/pay/spec.md", "# SPEC-0001: Pay\n")
    repo.write("services/api/docs/openspec/specs/pay/tasks.md", TASKS)
    assert source(repo) is None
    api = source(repo, "api")
    assert api is not None
    assert api.tracker.name == "tasks-md"


def test_a_submodule_has_the_tracker_of_its_origin(repo: Repo, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit("Start", {"a.py": "pass\n"})
    inner = repo.submodule(library, "library")
    repo.commit("Add it")
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    inner.git("remote", "set-url", "origin", "https://github.com/acme/library")
    expected = ("GitHub, acme/library at https://github.com", ".sdd/issues/library")
    assert shown(repo, "library") == expected


def test_a_wrong_declaration_of_a_module_is_an_error(repo: Repo) -> None:
    workspace(repo, api="- **Type**: jira\n")
    with pytest.raises(SddError, match=r"services/api/CLAUDE\.md"):
        source(repo, "api")


def test_a_requested_tracker_has_precedence(repo: Repo) -> None:
    workspace(repo, JIRA + "ROOT\n")
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    found = source(repo, requested="GitHub")
    assert found is not None
    assert found.tracker.name == "github"


def test_a_cached_host_is_recognised_offline(repo: Repo) -> None:
    workspace(repo)
    repo.git("remote", "add", "origin", "git@git.acme.example:acme/shop.git")
    assert source(repo) is None
    facts = {"https://git.acme.example": ("gitea", NOW + KNOWN_SECONDS)}
    write_cached(CACHE, facts, {"HOME": str(repo.root.parent)})
    found = source(repo)
    assert found is not None
    assert (found.tracker.name, found.tracker.location.project) == ("gitea", "shop")
    assert source(repo, "api") is None


def test_opening_a_tracker_sends_no_request(repo: Repo) -> None:
    workspace(repo)
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    found = source(repo)
    assert found is not None
    tracker = found.open()
    tracker.disconnect()
    assert (tracker.name, tracker.identity) == ("github", "github.com/acme/shop")


def test_the_errors_for_a_missing_tracker(repo: Repo) -> None:
    project = workspace(repo).project()
    assert str(no_tracker(project, "", ())) == (
        "no tracker is known for repo: write `- **Type**: NAME` under `#### Tracker`, below"
        f" `## SDD Configuration` in CLAUDE.md, with one of {', '.join(registered_trackers())}"
    )
    assert "below `## SDD Configuration` in its" in str(no_tracker(project, "api", ()))
    assert "the module 'api' has no tracker of its own" in str(no_tracker(project, "api", ()))
    assert str(no_tracker(project, "", ("it is broken",))) == "it is broken"
