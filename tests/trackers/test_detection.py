"""What is declared, else whose the origin is, else what is there; nothing by guessing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import ConfigurationError, SddError
from sdd_hooks.remote.urls import RemoteUrl, parse_remote
from sdd_hooks.trackers.detection import (
    Candidates,
    SeveralTrackers,
    detect,
    surroundings,
    tracker_settings,
)
from sdd_hooks.trackers.protocol import RepositoryContext, TrackerLocation
from sdd_hooks.trackers.registry import UnknownTracker, registered
from tests.support.repos import Repo
from tests.trackers.vendors import KNOWN, point

ACORN = "git@acorn.example:acme/shop.git"
ELSEWHERE = "https://git.acme.example/acme/shop.git"


def around(root: Path, origin: str = "") -> RepositoryContext:
    return RepositoryContext(root, (), parse_remote(origin) if origin else None, {})


def asking(name: str | None) -> tuple[list[list[str]], object]:
    """What answers `name` for every host, and the names of what it was asked about."""
    asked: list[list[str]] = []

    def ask(candidates: Candidates) -> str | None:
        asked.append([one for one, _ in candidates])
        return name

    return asked, ask


def found_name(
    settings: TrackerSettings, place: RepositoryContext, **options: object
) -> str | None:
    found = detect(settings, place, KNOWN, **options).found  # type: ignore[arg-type]
    return found.name if found else None


def test_the_origin_decides(tmp_path: Path) -> None:
    found = detect(TrackerSettings(), around(tmp_path, ACORN), KNOWN).found
    assert found is not None
    assert found.name == "acorn"
    assert found.location == TrackerLocation("https://acorn.example", "acme", "shop")
    assert str(found) == "Acorn, acme/shop at https://acorn.example"


def test_a_declaration_comes_before_the_origin(tmp_path: Path) -> None:
    settings = TrackerSettings(type="birch", owner="others")
    found = detect(settings, around(tmp_path, ACORN), KNOWN).found
    assert found is not None
    assert (found.name, found.location.owner, found.location.project) == ("birch", "others", "shop")


def test_a_name_given_comes_before_the_declaration(tmp_path: Path) -> None:
    settings = TrackerSettings(type="birch", owner="others")
    found = detect(settings, around(tmp_path, ACORN), KNOWN, named="Acorn").found
    assert found is not None
    assert (found.name, found.location.owner) == ("acorn", "acme"), (
        "an owner at Birch is not Acorn's"
    )
    found = detect(settings, around(tmp_path, ACORN), KNOWN, named="birch").found
    assert found is not None
    assert (found.name, found.location.owner) == ("birch", "others")


def test_what_is_written_without_a_type_holds_for_the_origin(tmp_path: Path) -> None:
    found = detect(TrackerSettings(owner="others"), around(tmp_path, ACORN), KNOWN).found
    assert found is not None
    assert (found.name, found.location.owner) == ("acorn", "others")


def test_a_declared_tracker_that_does_not_fit_is_never_replaced(tmp_path: Path) -> None:
    memory = Path("CLAUDE.md")
    with pytest.raises(ConfigurationError) as raised:
        detect(TrackerSettings(type="crates"), around(tmp_path, ACORN), KNOWN, memory_file=memory)
    assert str(raised.value) == "CLAUDE.md: there is no .crates here"


def test_a_declared_tracker_that_nobody_knows_is_an_error_with_its_file(tmp_path: Path) -> None:
    memory = Path("CLAUDE.md")
    with pytest.raises(ConfigurationError) as raised:
        detect(TrackerSettings(type="jura"), around(tmp_path), KNOWN, memory_file=memory)
    assert str(raised.value).startswith("CLAUDE.md: no tracker is called 'jura': choose one of")
    with pytest.raises(UnknownTracker):
        detect(TrackerSettings(), around(tmp_path), KNOWN, named="jura")


@pytest.mark.parametrize("word", ["none", "None", "`none`"])
def test_a_repository_can_have_none(tmp_path: Path, word: str) -> None:
    asked, ask = asking("acorn")
    assert found_name(TrackerSettings(type=word), around(tmp_path, ACORN), ask=ask) is None
    assert asked == []


def test_only_the_named_vendor_is_loaded(tmp_path: Path) -> None:
    known = {**KNOWN, "broken": point("broken", "NOTHING")}
    detected = detect(TrackerSettings(type="acorn"), around(tmp_path, ACORN), known)
    assert detected.broken == ()
    detected = detect(TrackerSettings(), around(tmp_path, ACORN), known)
    assert detected.found is not None
    assert detected.broken[0].startswith("the tracker 'broken' of the distribution")


def test_two_that_claim_one_host_are_a_choice(tmp_path: Path) -> None:
    known = {**KNOWN, "birch-too": point("birch-too", "SECOND_BIRCH")}
    with pytest.raises(SeveralTrackers) as raised:
        detect(TrackerSettings(), around(tmp_path, "https://birch.example/a/b"), known)
    assert raised.value.names == ("birch", "birch-too")


def test_an_unknown_host_is_asked_about_what_is_no_file(tmp_path: Path) -> None:
    asked, ask = asking("birch")
    assert found_name(TrackerSettings(), around(tmp_path, ELSEWHERE), ask=ask) == "birch"
    assert asked == [["acorn", "birch"]]


def test_a_known_host_is_not_asked(tmp_path: Path) -> None:
    asked, ask = asking("birch")
    assert found_name(TrackerSettings(), around(tmp_path, ACORN), ask=ask) == "acorn"
    assert found_name(TrackerSettings(), around(tmp_path), ask=ask) is None
    assert asked == []


def test_what_is_there_is_taken_where_the_origin_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / ".crates").mkdir()
    assert found_name(TrackerSettings(), around(tmp_path)) == "crates"
    assert found_name(TrackerSettings(), around(tmp_path, ELSEWHERE)) == "crates"
    assert found_name(TrackerSettings(), around(tmp_path, ACORN)) == "acorn"


def test_two_that_are_there_are_a_choice(tmp_path: Path) -> None:
    (tmp_path / ".crates").mkdir()
    (tmp_path / ".drawers").mkdir()
    with pytest.raises(SeveralTrackers) as raised:
        detect(TrackerSettings(), around(tmp_path), KNOWN)
    assert raised.value.names == ("crates", "drawers")
    assert str(raised.value) == (
        "the issues may be in Crates or Drawers: choose with `--tracker crates|drawers`,"
        " or write `- **Type**: crates` under `#### Tracker`"
    )
    assert found_name(TrackerSettings(), around(tmp_path), named="drawers") == "drawers"


def test_the_last_resort_is_no_rival(tmp_path: Path) -> None:
    (tmp_path / "last-page.md").write_text("")
    assert found_name(TrackerSettings(), around(tmp_path)) == "last-page"
    (tmp_path / ".crates").mkdir()
    assert found_name(TrackerSettings(), around(tmp_path)) == "crates"


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert detect(TrackerSettings(), around(tmp_path), KNOWN) == (None, ())


_TEXTS = st.text(max_size=12)
_ORIGINS = st.none() | st.builds(
    RemoteUrl, st.sampled_from(["https", "ssh"]), _TEXTS, st.none(), _TEXTS
)


@given(settings=st.builds(TrackerSettings, *[_TEXTS] * 6), origin=_ORIGINS, named=_TEXTS)
def test_whatever_is_declared_is_a_tracker_or_one_line(
    settings: TrackerSettings, origin: RemoteUrl | None, named: str
) -> None:
    place = RepositoryContext(Path("/nowhere"), (), origin, {})
    try:
        detect(settings, place, registered(), named=named)
    except SddError as error:
        assert "\n" not in str(error)


# The trackers that there are.

ORIGINS = {
    "https://github.com/acme/shop.git": ("github", "https://github.com", "acme", "shop"),
    "git@github.com:acme/shop.git": ("github", "https://github.com", "acme", "shop"),
    "ssh://git@ssh.github.com:443/acme/shop": ("github", "https://github.com", "acme", "shop"),
    "git://github.com/acme/shop.git/": ("github", "https://github.com", "acme", "shop"),
    "https://ada:s3cret@GitHub.com./acme/shop": ("github", "https://github.com", "acme", "shop"),
    "https://gitlab.com/acme/tools/shop": ("gitlab", "https://gitlab.com", "acme/tools", "shop"),
    "git@gitlab.acme.example:acme/shop.git": (
        "gitlab",
        "https://gitlab.acme.example",
        "acme",
        "shop",
    ),
    "https://gitea.acme.example:3000/acme/shop.git": (
        "gitea",
        "https://gitea.acme.example:3000",
        "acme",
        "shop",
    ),
    "ssh://git@gitea.acme.example:2222/acme/shop.git": (
        "gitea",
        "https://gitea.acme.example",
        "acme",
        "shop",
    ),
    "https://codeberg.org/acme/shop": ("gitea", "https://codeberg.org", "acme", "shop"),
    "https://github.com.acme.example/acme/shop": None,
    "https://notgithub.com/acme/shop": None,
    "https://acme.example/github.com/shop": None,
    "https://acme.example/gitlab/shop": None,
    "https://github.com@acme.example/acme/shop": None,
    "git@gitlab:acme/shop.git": None,
    "https://bitbucket.org/acme/shop": None,
    "https://github.com/shop": None,
    "/srv/git/github.com/acme/shop.git": None,
    "file:///srv/git/shop.git": None,
    "C:\\git\\shop": None,
}


@pytest.mark.parametrize("origin", ORIGINS)
def test_whose_an_origin_is(origin: str, tmp_path: Path) -> None:
    found = detect(TrackerSettings(), around(tmp_path, origin), registered()).found
    assert (found and (found.name, *found.location)) == ORIGINS[origin]


@pytest.mark.parametrize(
    ("name", "registered_name"),
    [
        ("GitHub", "github"),
        ("Gitea", "gitea"),
        ("Forgejo", "gitea"),
        ("codeberg", "gitea"),
        ("GitLab", "gitlab"),
        ("tasks.md", "tasks-md"),
        ("Beads", "beads"),
    ],
)
def test_what_people_call_them(name: str, registered_name: str, tmp_path: Path) -> None:
    (tmp_path / ".beads").mkdir()
    place = RepositoryContext(
        tmp_path, ("specs",), parse_remote("https://git.acme.example/acme/shop"), {}
    )
    found = detect(TrackerSettings(type=name.lower()), place, registered()).found
    assert found is not None
    assert found.name == registered_name


def test_trackers_of_the_repository_itself(tmp_path: Path) -> None:
    place = RepositoryContext(tmp_path, ("specs",), None, {})
    assert detect(TrackerSettings(), place, registered()).found is None
    (tmp_path / "specs/pay").mkdir(parents=True)
    (tmp_path / "specs/pay/spec.md").write_text("# SPEC-0001: Pay\n")
    (tmp_path / "specs/pay/tasks.md").write_text("## 1. Begin\n\n- [ ] 1.1 Now\n")
    found = detect(TrackerSettings(), place, registered()).found
    assert str(found) == "tasks.md, specs"
    (tmp_path / ".beads").mkdir()
    found = detect(TrackerSettings(), place, registered()).found
    assert found is not None
    assert found.name == "beads"


# The rest is about repositories.

MODULES = """\
## Architecture Context

### Workspace Modules

| Module | Root |
|---|---|
| api | services/api |
| web | services/web |

### SDD Configuration

#### Tracker

- **Type**: gitea
- **Owner**: acme
- **URL**: https://git.acme.example
"""


def workspace(repo: Repo, api: str = "") -> Repo:
    repo.commit(
        "Start",
        {
            "CLAUDE.md": MODULES,
            "services/api/docs/openspec/specs/x/spec.md": "# SPEC-0001: X\n",
            "services/web/page.py": "pass\n",
            "docs/openspec/specs/y/spec.md": "# SPEC-0001: Y\n",
        },
    )
    if api:
        repo.write("services/api/CLAUDE.md", f"## SDD Configuration\n\n#### Tracker\n\n{api}")
    return repo


def test_a_module_overrides_key_by_key(repo: Repo) -> None:
    project = workspace(repo, "- **Repo**: api\n").project()
    settings, _ = tracker_settings(project, "api")
    assert settings == TrackerSettings("gitea", "acme", "api", url="https://git.acme.example")
    assert tracker_settings(project, "web")[0] == tracker_settings(project, "")[0]


def test_a_module_with_another_tracker_inherits_nothing_of_the_first(repo: Repo) -> None:
    project = workspace(repo, "- **Type**: jira\n- **Project Key**: API\n").project()
    settings, memory = tracker_settings(project, "api")
    assert settings == TrackerSettings("jira", project_key="API")
    assert memory == project.repository.root / "services/api/CLAUDE.md"
    assert tracker_settings(project, "web")[1] == project.repository.root / "CLAUDE.md"


def test_what_a_module_is_recognised_by(repo: Repo) -> None:
    workspace(repo).git("remote", "add", "origin", "ssh://git@git.acme.example:2222/acme/shop.git")
    project = repo.project({"A": "b"})
    root = surroundings(project, "")
    assert root.root == project.repository.root
    assert root.specs == ("docs/openspec/specs",)
    assert root.environ == {"A": "b", "PATH": os.environ["PATH"]}
    assert root.origin == parse_remote("ssh://git.acme.example:2222/acme/shop")
    api = surroundings(project, "api")
    assert api.root == project.repository.root / "services/api"
    assert api.specs == ("docs/openspec/specs",)
    assert api.origin == root.origin


def test_another_remote_is_nobodys_origin(repo: Repo) -> None:
    repo.commit("Start", {"a.py": "pass\n"})
    repo.git("remote", "add", "upstream", "https://github.com/acme/shop")
    place = surroundings(repo.project({}), "")
    assert place.origin is None
    assert detect(TrackerSettings(), place, registered()).found is None


def test_a_submodule_has_an_origin_of_its_own(repo: Repo, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library")
    library.commit("Start", {"a.py": "pass\n"})
    inner = repo.submodule(library, "library")
    repo.commit("Add it")
    repo.git("remote", "add", "origin", "https://github.com/acme/shop")
    inner.git("remote", "set-url", "origin", "https://github.com/acme/library")
    project = repo.project({})
    names = [surroundings(project, module).origin for module in ("", "library")]
    assert [one and one.name for one in names] == ["shop", "library"]
