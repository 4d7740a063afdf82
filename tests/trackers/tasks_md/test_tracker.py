"""tasks.md as a tracker, in real repositories."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import Missing, SddError
from sdd_hooks.system.files import PathRefused
from sdd_hooks.trackers.issue import Issue, IssueDraft
from sdd_hooks.trackers.issue_file import parse
from sdd_hooks.trackers.protocol import (
    IssueFilter,
    IssuePage,
    Since,
    TrackedRepository,
    TrackerLocation,
    Unsupported,
)
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import sync
from sdd_hooks.trackers.tasks_md.tracker import VENDOR, TasksMdTracker
from tests.support.machines import ClientFactory
from tests.support.repos import Repo

SPECS = "docs/openspec/specs"
AUTH = f"{SPECS}/auth/tasks.md"
COMMITTED = "2026-01-02T03:04:05Z"
WRITTEN = 1_780_000_000.0
AT = 1_790_000_000.0

TEXT = """\
# Tasks

## 1. Set up

- [x] 1.1 One
- [ ] 1.2 Two, see ADR-0007

## 2. Go on
- [x] 2.1 Three
"""
SPEC = "# SPEC-0003: Tokens\n\n## Requirements\n"


def open_tracker(repo: Repo, *directories: str) -> TasksMdTracker:
    return TasksMdTracker(repo.handle, directories or (SPECS,), lambda: AT)


def page(repo: Repo, *directories: str) -> IssuePage:
    (found,) = open_tracker(repo, *directories).fetch(Since(), {})
    return found


def issues(repo: Repo) -> dict[str, Issue]:
    return {issue.id: issue for issue in page(repo).issues}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Begin", {AUTH: TEXT, f"{SPECS}/auth/spec.md": SPEC})
    return repo


def test_sections_are_issues(shop: Repo) -> None:
    found = page(shop)
    assert (found.at, found.total, found.is_complete, found.warnings) == (AT, 2, True, ())
    assert found.issues == (
        Issue(
            id="tasks-auth-1",
            title="Set up",
            status="open",
            labels=(),
            assignees=(),
            author="Ada",
            created=COMMITTED,
            updated=COMMITTED,
            closed="",
            url=AUTH,
            tracker="tasks-md",
            body="- [x] 1.1 One\n- [ ] 1.2 Two, see ADR-0007",
            specs=("SPEC-0003",),
        ),
        Issue(
            id="tasks-auth-2",
            title="Go on",
            status="closed",
            labels=(),
            assignees=(),
            author="Ada",
            created=COMMITTED,
            updated=COMMITTED,
            closed=COMMITTED,
            url=AUTH,
            tracker="tasks-md",
            body="- [x] 2.1 Three",
            specs=("SPEC-0003",),
        ),
    )


def test_place_names_the_directories(shop: Repo) -> None:
    tracker = open_tracker(shop, SPECS, "more/specs")
    assert (tracker.name, tracker.label, tracker.identity, tracker.web_url) == (
        "tasks-md",
        "tasks.md",
        f"{SPECS}, more/specs",
        "",
    )
    assert tracker.inventory() is None
    tracker.disconnect()


def test_times_are_the_times_of_the_commits_of_a_file(shop: Repo) -> None:
    later = "2026-03-04T05:06:07+00:00"
    shop.write(AUTH, TEXT + "\n## 3. More\n")
    shop.git("add", ".")
    shop.git("commit", "-qm", "More", env={"GIT_COMMITTER_DATE": later, "GIT_AUTHOR_NAME": "Bob"})
    shop.commit("Something else", {"other.txt": "x"})
    issue = issues(shop)["tasks-auth-3"]
    times = (issue.created, issue.updated, issue.author)
    assert times == (COMMITTED, "2026-03-04T05:06:07Z", "Ada")


@pytest.mark.parametrize("staged", [False, True])
def test_an_uncommitted_file_was_updated_at_its_mtime(shop: Repo, staged: bool) -> None:
    new = f"{SPECS}/[new]/tasks.md"
    for path in (AUTH, new):
        os.utime(shop.write(path, TEXT.replace("1.2", "1.3")), (WRITTEN, WRITTEN))
    if staged:
        shop.git("add", ".")
    written = "2026-05-28T20:26:40Z"
    found = issues(shop)
    dirty, fresh = found["tasks-auth-2"], found["tasks-[new]-2"]
    assert (dirty.created, dirty.updated, dirty.closed) == (COMMITTED, written, written)
    assert (fresh.created, fresh.updated, fresh.author) == (written, written, "")


def test_a_repository_without_a_commit(repo: Repo) -> None:
    os.utime(repo.write(AUTH, TEXT), (WRITTEN, WRITTEN))
    assert {issue.updated for issue in page(repo).issues} == {"2026-05-28T20:26:40Z"}


def test_a_module_in_a_folder_of_the_repository(repo: Repo) -> None:
    repo.commit("Begin", {f"api/{AUTH}": TEXT})
    (found,) = TasksMdTracker(repo.handle.at(repo.root / "api"), (SPECS,)).fetch(Since(), {})
    assert [(issue.url, issue.updated) for issue in found.issues] == [(AUTH, COMMITTED)] * 2


def test_sync_into_a_folder(shop: Repo) -> None:
    folder = IssueFolder(shop.root, ".sdd/issues")
    tracker = open_tracker(shop)
    assert sync(tracker, folder).added == 2
    stored = parse((folder.path / "tasks-auth-1.md").read_bytes())
    assert stored is not None
    assert (stored.specs, stored.adrs, stored.status) == (("SPEC-0003",), ("ADR-0007",), "open")
    again = sync(tracker, folder)
    assert (again.unchanged, again.changed) == (2, ())

    tracker.close("tasks-auth-1")
    shop.write(AUTH, (shop.root / AUTH).read_text().replace("## 2. Go on", "## Later"))
    done = sync(tracker, folder)
    assert (done.updated, done.removed) == (1, 1)
    assert done.warnings == (f"left out `Later` of {AUTH}: no number",)
    assert [path.name for path in folder.path.glob("*.md")] == ["tasks-auth-1.md"]


def test_one_issue_and_live_queries(shop: Repo) -> None:
    tracker = open_tracker(shop)
    assert tracker.issue("tasks-auth-2").title == "Go on"
    with pytest.raises(Missing, match=r"^there is no tasks-auth-9 in the tasks\.md files of docs/"):
        tracker.issue("tasks-auth-9")
    assert [issue.id for issue in tracker.query(IssueFilter("open"))] == ["tasks-auth-1"]
    assert [issue.id for issue in tracker.query(IssueFilter())] == ["tasks-auth-1", "tasks-auth-2"]
    assert list(tracker.query(IssueFilter(labels=("bug",)))) == []


def test_unreadable_files_and_sections_are_left_out_with_a_warning(
    shop: Repo, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "tasks.md").write_text("## 1. Secret")
    shop.link(f"{SPECS}/file/tasks.md", outside / "tasks.md")
    shop.link(f"{SPECS}/folder", outside)
    (shop.root / SPECS / "directory/tasks.md").mkdir(parents=True)
    shop.write(f"{SPECS}/binary/tasks.md", b"## 1. A\n\0")
    shop.write(f"{SPECS}/odd\nname/tasks.md", "## 1. A\n")
    shop.write(f"{SPECS}/twice/tasks.md", "## 1. A\n## 1. B\n## Later\n- [ ] x")
    with shop.write(f"{SPECS}/huge/tasks.md").open("wb") as file:
        file.truncate((5 << 20) + 1)
    found = page(shop)
    assert [issue.id for issue in found.issues] == [
        "tasks-auth-1",
        "tasks-auth-2",
        "tasks-twice-1",
        "tasks-twice-1.2",
    ]
    assert found.warnings == (
        f"left out '{SPECS}/binary/tasks.md': it is not text, or its name is not printable",
        f"left out {SPECS}/directory/tasks.md: not a regular file",
        f"left out {SPECS}/file/tasks.md: a symlink",
        f"left out {SPECS}/folder: leaves the repository",
        f"left out {SPECS}/huge/tasks.md: larger than 5242880 bytes",
        f"left out '{SPECS}/odd\\nname/tasks.md': it is not text, or its name is not printable",
        f"left out `Later` of {SPECS}/twice/tasks.md: no number",
        f"{SPECS}/twice/tasks.md has a number twice: 1.2 is the later one",
    )


def test_a_capability_in_two_directories(shop: Repo) -> None:
    shop.write("specs/auth/tasks.md", "## 1. Other")
    shop.write("specs/pay/tasks.md", "## 1. Pay")
    found = page(shop, SPECS, "specs", "nowhere", "../..")
    assert [issue.id for issue in found.issues] == ["tasks-auth-1", "tasks-auth-2", "tasks-pay-1"]
    assert found.warnings == (f"left out specs/auth/tasks.md: there is {AUTH}, too",)


def test_invalid_utf_8_survives_a_change(shop: Repo) -> None:
    path = shop.write(AUTH, b"## 1. Caf\xe9\r\n- [ ] \xff one\r\n")
    assert issues(shop)["tasks-auth-1"].title == "Caf\ufffd"
    open_tracker(shop).close("tasks-auth-1")
    assert path.read_bytes() == b"## 1. Caf\xe9\r\n- [x] \xff one\r\n"


def test_close_ticks_the_boxes(shop: Repo) -> None:
    tracker = open_tracker(shop)
    tracker.close("tasks-auth-1")
    assert (shop.root / AUTH).read_text() == TEXT.replace("[ ]", "[x]")
    before = (shop.root / AUTH).stat()
    tracker.close("tasks-auth-1")
    assert (shop.root / AUTH).stat().st_ino == before.st_ino
    assert tracker.issue("tasks-auth-1").status == "closed"
    shop.write(AUTH, "## 1. Empty\n")
    with pytest.raises(Unsupported, match=r"section 1 has no box to tick: add a task$"):
        tracker.close("tasks-auth-1")


@pytest.mark.parametrize(
    "draft",
    [
        IssueDraft("Title", "## 7. Another"),
        IssueDraft("Title", "# Another"),
        IssueDraft("# <!-- hidden -->"),
        IssueDraft("x" * 600),
        IssueDraft(" \n"),
    ],
)
def test_a_draft_that_would_break_the_file_is_refused(shop: Repo, draft: IssueDraft) -> None:
    with pytest.raises(Unsupported, match=r"cannot hold this as one section|needs a title"):
        open_tracker(shop).create(draft._replace(spec="auth"))
    assert (shop.root / AUTH).read_text() == TEXT


@pytest.mark.parametrize(
    "text", ["## 7. Another", "# Another", "```\nnever closed", "<!-- never closed"]
)
def test_a_text_that_would_break_the_file_is_refused(shop: Repo, text: str) -> None:
    with pytest.raises(Unsupported, match="cannot hold this as one section"):
        open_tracker(shop).append("tasks-auth-1", text)
    assert (shop.root / AUTH).read_text() == TEXT


@pytest.mark.parametrize("group", ["", "auth", "SPEC-0003", "spec-0003"])
def test_create_in_a_capability(shop: Repo, group: str) -> None:
    made = open_tracker(shop).create(IssueDraft("More", "Some text.", spec=group))
    assert (made.id, made.title, made.status) == ("tasks-auth-3", "More", "open")
    assert made.body == "Some text.\n\n- [ ] 3.1 More"
    assert (shop.root / AUTH).read_text() == f"{TEXT}\n## 3. More\n\nSome text.\n\n- [ ] 3.1 More\n"


def test_create_the_first_section_of_a_capability(shop: Repo) -> None:
    (shop.root / SPECS / "pay").mkdir()
    made = open_tracker(shop).create(IssueDraft("Begin", spec="pay"))
    assert made.id == "tasks-pay-1"
    written = (shop.root / SPECS / "pay/tasks.md").read_text()
    assert written == "# Tasks: pay\n\n## 1. Begin\n\n- [ ] 1.1 Begin\n"


def test_create_without_a_clear_capability_is_refused(shop: Repo) -> None:
    (shop.root / SPECS / "pay").mkdir()
    tracker = open_tracker(shop)
    with pytest.raises(Missing, match=r"^there is not exactly one capability in docs/"):
        tracker.create(IssueDraft("More"))
    with pytest.raises(Missing, match=r"^there is no SPEC-0009 in docs/"):
        tracker.create(IssueDraft("More", spec="SPEC-0009"))
    with pytest.raises(Unsupported, match=r"no labels"):
        tracker.create(IssueDraft("More", labels=("bug",), spec="auth"))
    assert (shop.root / AUTH).read_text() == TEXT


def test_nothing_is_written_through_a_link(shop: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "tasks.md"
    outside.write_text("## 1. Not a task\n- [ ] x\n")
    shop.link(f"{SPECS}/linked/tasks.md", outside)
    with pytest.raises(PathRefused, match="a symlink"):
        open_tracker(shop).create(IssueDraft("More", spec="linked"))
    assert outside.read_text() == "## 1. Not a task\n- [ ] x\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_append_keeps_every_other_byte(shop: Repo, newline: str) -> None:
    path = f"{SPECS}/auth/tasks.md"
    lines = [
        "# Tasks",
        "",
        "## 1. One",
        "",
        "",
        "- [ ] 1.1 a  ",
        "\tb",
        "",
        "",
        "## 2. Two",
        "- [x] c",
    ]
    # One line ends differently from all others.
    text = newline.join(lines) + "\n"
    shop.write(path, text)
    open_tracker(shop).append("tasks-auth-1", "### Branch\n\n`feature/1`")
    at = text.index("\tb") + 2
    added = newline.join(["", "", "### Branch", "", "`feature/1`"])
    assert (shop.root / path).read_bytes().decode() == text[:at] + added + text[at:]
    open_tracker(shop).append("tasks-auth-2", "### Branch")
    assert open_tracker(shop).issue("tasks-auth-2").body.endswith("### Branch")
    with pytest.raises(Unsupported, match="as one section"):
        open_tracker(shop).append("tasks-auth-1", "## 3. Three")


def test_moves_are_unsupported(shop: Repo) -> None:
    tracker = open_tracker(shop)
    assert tracker.group_of("tasks-auth-1") == "auth"
    tracker.group("tasks-auth-1", "auth")
    tracker.group("tasks-auth-1", "SPEC-0003")
    (shop.root / SPECS / "pay").mkdir()
    with pytest.raises(Unsupported, match=r"cannot be moved"):
        tracker.group("tasks-auth-1", "pay")


def test_detection(shop: Repo, tmp_path: Path) -> None:
    around = TrackedRepository(shop.root, (SPECS, "specs"), lambda: None, {})
    where = TrackerLocation("", "", f"{SPECS}, specs")
    assert VENDOR.detect(around) == where
    assert VENDOR.detect(around._replace(root=tmp_path)) is None
    shop.remove(AUTH)
    assert VENDOR.detect(around) is None
    settings = TrackerSettings(type="tasks.md")
    assert VENDOR.locate(settings, around) == where
    with pytest.raises(SddError, match=r"^`Type: tasks\.md` needs specifications"):
        VENDOR.locate(settings, around._replace(specs=()))
    assert (VENDOR.is_local, VENDOR.is_fallback) == (True, True)


def test_open(shop: Repo) -> None:
    with ClientFactory(AT) as client_factory:
        environment = client_factory.environment("tasks.md")
        around = environment.repository._replace(root=shop.root, specs=(SPECS,))
        found = VENDOR.open(TrackerLocation("", "", SPECS), environment._replace(repository=around))
    assert found.issue("tasks-auth-1") == replace(issues(shop)["tasks-auth-1"])
