"""The detection of a tracker: by declaration, by origin, by files; an uncertain one is an error."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.configuration import load_configuration
from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import ConfigurationError, SddError
from sdd_hooks.remote.urls import RemoteUrl, parse_remote
from sdd_hooks.trackers.detection import (
    Candidates,
    Declaration,
    DetectedTracker,
    Detection,
    HostProbe,
    SeveralTrackers,
    no_probe,
    read_declaration,
    repository_context,
)
from sdd_hooks.trackers.detection import detect as detect_declared
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerLocation
from sdd_hooks.trackers.registry import (
    Registered,
    UnknownTracker,
    load_vendors,
    registered_trackers,
)
from tests.support.repos import Repo
from tests.trackers.vendors import KNOWN, point

ACORN = "git@acorn.example:acme/shop.git"
ELSEWHERE = "https://git.acme.example/acme/shop.git"


def context(root: Path, origin: str = "") -> TrackedRepository:
    return TrackedRepository(root, (), lambda: parse_remote(origin) if origin else None, {})


def recorded_probe(name: str | None) -> tuple[list[list[str]], HostProbe]:
    """A probe that returns `name` for every host, and the candidates of its calls."""
    calls: list[list[str]] = []

    def probe(candidates: Candidates) -> str | None:
        calls.append([candidate for candidate, _ in candidates])
        return name

    return calls, probe


def detect(
    settings: TrackerSettings,
    repository: TrackedRepository,
    registered: Registered = KNOWN,
    *,
    requested: str = "",
    probe: HostProbe = no_probe,
) -> Detection:
    declaration = Declaration(settings, Path("CLAUDE.md"))
    return detect_declared(declaration, repository, registered, requested=requested, probe=probe)


def detected(
    settings: TrackerSettings, repository: TrackedRepository, **options: str
) -> DetectedTracker:
    tracker = detect(settings, repository, **options).tracker  # type: ignore[arg-type]
    assert tracker is not None
    return tracker


def detected_name(
    settings: TrackerSettings,
    repository: TrackedRepository,
    *,
    requested: str = "",
    probe: HostProbe = no_probe,
) -> str | None:
    tracker = detect(settings, repository, requested=requested, probe=probe).tracker
    return tracker.name if tracker else None


def test_the_origin_decides(tmp_path: Path) -> None:
    tracker = detected(TrackerSettings(), context(tmp_path, ACORN))
    assert tracker.name == "acorn"
    assert tracker.location == TrackerLocation("https://acorn.example", "acme", "shop")
    assert str(tracker) == "Acorn, acme/shop at https://acorn.example"


def test_a_declaration_has_precedence_over_the_origin(tmp_path: Path) -> None:
    settings = TrackerSettings(type="birch", owner="others")
    tracker = detected(settings, context(tmp_path, ACORN))
    assert (tracker.name, *tracker.location[1:]) == ("birch", "others", "shop")


def test_a_requested_tracker_has_precedence_over_the_declaration(tmp_path: Path) -> None:
    settings = TrackerSettings(type="birch", owner="others")
    tracker = detected(settings, context(tmp_path, ACORN), requested="Acorn")
    # The declared owner is one on Birch.
    assert (tracker.name, tracker.location.owner) == ("acorn", "acme")
    tracker = detected(settings, context(tmp_path, ACORN), requested="birch")
    assert (tracker.name, tracker.location.owner) == ("birch", "others")


def test_settings_without_a_type_complete_the_origin(tmp_path: Path) -> None:
    tracker = detected(TrackerSettings(owner="others"), context(tmp_path, ACORN))
    assert (tracker.name, tracker.location.owner) == ("acorn", "others")


def test_a_declared_tracker_that_does_not_fit_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        detect(TrackerSettings(type="crates"), context(tmp_path, ACORN))
    assert str(raised.value) == "CLAUDE.md: there is no .crates here"


def test_an_unknown_declared_tracker_is_an_error_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        detect(TrackerSettings(type="jura"), context(tmp_path))
    assert str(raised.value).startswith("CLAUDE.md: no tracker is called 'jura': choose one of")
    with pytest.raises(UnknownTracker):
        detect(TrackerSettings(), context(tmp_path), requested="jura")


@pytest.mark.parametrize("word", ["none", "None", "`none`"])
def test_type_none_disables_the_tracker(tmp_path: Path, word: str) -> None:
    calls, probe = recorded_probe("acorn")
    assert detected_name(TrackerSettings(type=word), context(tmp_path, ACORN), probe=probe) is None
    assert calls == []


def test_only_the_declared_vendor_is_loaded(tmp_path: Path) -> None:
    known = {**KNOWN, "broken": point("broken", "NOTHING")}
    detection = detect(TrackerSettings(type="acorn"), context(tmp_path, ACORN), known)
    assert detection.broken == ()
    detection = detect(TrackerSettings(), context(tmp_path, ACORN), known)
    assert detection.tracker is not None
    assert detection.broken[0].startswith("the tracker 'broken' of the distribution")


def test_two_vendors_of_one_host_are_an_error(tmp_path: Path) -> None:
    known = {**KNOWN, "birch-too": point("birch-too", "SECOND_BIRCH")}
    with pytest.raises(SeveralTrackers) as raised:
        detect(TrackerSettings(), context(tmp_path, "https://birch.example/a/b"), known)
    assert raised.value.names == ("birch", "birch-too")


def test_an_unknown_host_is_probed_for_the_remote_vendors(tmp_path: Path) -> None:
    calls, probe = recorded_probe("birch")
    assert detected_name(TrackerSettings(), context(tmp_path, ELSEWHERE), probe=probe) == "birch"
    assert calls == [["acorn", "birch"]]


def test_a_known_host_is_not_probed(tmp_path: Path) -> None:
    calls, probe = recorded_probe("birch")
    assert detected_name(TrackerSettings(), context(tmp_path, ACORN), probe=probe) == "acorn"
    assert detected_name(TrackerSettings(), context(tmp_path), probe=probe) is None
    assert calls == []


def test_local_files_count_if_no_vendor_recognises_the_origin(tmp_path: Path) -> None:
    (tmp_path / ".crates").mkdir()
    assert detected_name(TrackerSettings(), context(tmp_path)) == "crates"
    assert detected_name(TrackerSettings(), context(tmp_path, ELSEWHERE)) == "crates"
    assert detected_name(TrackerSettings(), context(tmp_path, ACORN)) == "acorn"


def test_files_of_two_vendors_are_an_error(tmp_path: Path) -> None:
    (tmp_path / ".crates").mkdir()
    (tmp_path / ".drawers").mkdir()
    with pytest.raises(SeveralTrackers) as raised:
        detect(TrackerSettings(), context(tmp_path))
    assert raised.value.names == ("crates", "drawers")
    assert str(raised.value) == (
        "the issues may be in Crates or Drawers: choose with `--tracker crates|drawers`,"
        " or write `- **Type**: crates` under `#### Tracker`"
    )
    assert detected_name(TrackerSettings(), context(tmp_path), requested="drawers") == "drawers"


def test_a_fallback_yields_to_any_other_tracker(tmp_path: Path) -> None:
    (tmp_path / "last-page.md").write_text("")
    assert detected_name(TrackerSettings(), context(tmp_path)) == "last-page"
    (tmp_path / ".crates").mkdir()
    assert detected_name(TrackerSettings(), context(tmp_path)) == "crates"


def test_a_repository_without_any_tracker(tmp_path: Path) -> None:
    assert detect(TrackerSettings(), context(tmp_path)) == (None, ())


_TEXTS = st.text(max_size=12)
_ORIGINS = st.none() | st.builds(
    RemoteUrl, st.sampled_from(["https", "ssh"]), _TEXTS, st.none(), _TEXTS
)


@given(settings=st.builds(TrackerSettings, *[_TEXTS] * 6), origin=_ORIGINS, requested=_TEXTS)
def test_any_declaration_is_a_tracker_or_an_error_of_one_line(
    settings: TrackerSettings, origin: RemoteUrl | None, requested: str
) -> None:
    repository = TrackedRepository(Path("/nowhere"), (), lambda: origin, {})
    try:
        detect(settings, repository, registered_trackers(), requested=requested)
    except SddError as error:
        assert "\n" not in str(error)


# The trackers of this package.


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
def test_names_of_a_type(name: str, registered_name: str, tmp_path: Path) -> None:
    (tmp_path / ".beads").mkdir()
    origin = parse_remote("https://git.acme.example/acme/shop")
    repository = TrackedRepository(tmp_path, ("specs",), lambda: origin, {})
    tracker = detect(TrackerSettings(name.lower()), repository, registered_trackers()).tracker
    assert tracker is not None
    assert tracker.name == registered_name


def test_trackers_in_files_of_the_repository(tmp_path: Path) -> None:
    repository = TrackedRepository(tmp_path, ("specs",), lambda: None, {})
    assert detect(TrackerSettings(), repository, registered_trackers()).tracker is None
    (tmp_path / "specs/pay").mkdir(parents=True)
    (tmp_path / "specs/pay/spec.md").write_text("# SPEC-0001: Pay\n")
    (tmp_path / "specs/pay/tasks.md").write_text("## 1. Begin\n\n- [ ] 1.1 Now\n")
    tracker = detect(TrackerSettings(), repository, registered_trackers()).tracker
    assert str(tracker) == "tasks.md, specs"
    (tmp_path / ".beads").mkdir()
    tracker = detect(TrackerSettings(), repository, registered_trackers()).tracker
    assert tracker is not None
    assert tracker.name == "beads"


# Declarations and contexts of repositories and modules.

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
    settings, *_ = read_declaration(project, "api")
    assert settings == TrackerSettings("gitea", "acme", "api", url="https://git.acme.example")
    assert read_declaration(project, "web")[0] == read_declaration(project, "")[0]


def test_a_module_with_another_type_inherits_nothing(repo: Repo) -> None:
    project = workspace(repo, "- **Type**: jira\n- **Project Key**: API\n").project()
    settings, memory, _ = read_declaration(project, "api")
    assert settings == TrackerSettings("jira", project_key="API")
    assert memory == project.repository.root / "services/api/CLAUDE.md"
    assert read_declaration(project, "web")[1] == project.repository.root / "CLAUDE.md"


def test_the_context_of_a_module(repo: Repo) -> None:
    workspace(repo).git("remote", "add", "origin", "ssh://git@git.acme.example:2222/acme/shop.git")
    project = repo.project({"A": "b"})
    root = repository_context(project, "")
    assert root.root == project.repository.root
    assert root.specs == ("docs/openspec/specs",)
    assert root.environ == {"A": "b", "PATH": os.environ["PATH"]}
    assert root.origin == parse_remote("ssh://git.acme.example:2222/acme/shop")
    api = repository_context(project, "api")
    assert api.root == project.repository.root / "services/api"
    assert api.specs == ("docs/openspec/specs",)
    assert api.origin == root.origin


def test_only_the_remote_origin_counts(repo: Repo) -> None:
    repo.commit("Start", {"a.py": "pass\n"})
    repo.git("remote", "add", "upstream", "https://github.com/acme/shop")
    repository = repository_context(repo.project({}), "")
    assert repository.origin is None
    assert detect(TrackerSettings(), repository, registered_trackers()).tracker is None


@pytest.mark.parametrize("wrong", ["", "no such / name", "file:///etc/passwd"])
@pytest.mark.parametrize(
    "name",
    [name for name, vendor in load_vendors(registered_trackers(), []) if not vendor.is_local],
)
def test_the_lines_that_messages_quote_complete_a_declaration(
    tmp_path: Path, name: str, wrong: str
) -> None:
    """A new user who writes what the message says gets to a location."""
    written = {key: wrong for key in ("Owner", "Repo", "URL", "Project Key", "Team ID") if wrong}
    for _ in range(6):
        lines = "".join(f"- **{key}**: {value}\n" for key, value in written.items())
        text = f"## SDD Configuration\n\n#### Tracker\n\n- **Type**: {name}\n{lines}"
        (tmp_path / "CLAUDE.md").write_text(text)
        settings = load_configuration(tmp_path).tracker
        try:
            tracker = detect(settings, context(tmp_path), registered_trackers()).tracker
            assert tracker is not None
            assert tracker.name == name
        except ConfigurationError as error:
            quoted = re.search(r"`- \*\*(.+?)\*\*: (.+?)`", str(error))
            assert quoted, error
            assert written.get(quoted[1]) != quoted[2], error
            written[quoted[1]] = quoted[2]
        else:
            return
    raise AssertionError(written)
