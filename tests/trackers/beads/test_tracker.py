"""Beads: recorded output of several versions of bd, the real bd, and the export without bd."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.beads.payloads import (
    dependencies_of,
    issue_of,
    issues_of,
    parse_export,
    parse_output,
)
from sdd_hooks.trackers.beads.program import environment, error_message
from sdd_hooks.trackers.beads.tracker import EXPORT, VENDOR, BeadsTracker
from sdd_hooks.trackers.issue import Issue, IssueDraft
from sdd_hooks.trackers.protocol import (
    IssueFilter,
    IssuePage,
    Since,
    TrackedRepository,
    TrackerLocation,
)
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issues
from sdd_hooks.trackers.sync import sync
from tests.conftest import SHARED
from tests.support.beads import FakeBd, RealBd, install_fake_bd
from tests.support.repos import Repo
from tests.trackers.beads.record import RECORDED

AT = 1_790_000_000.0
VERSIONS = sorted(path.stem.removeprefix("beads-") for path in RECORDED.glob("beads-*.json"))
BODY = (
    "Two\nlines  \n\n## Design\n\nDrawn.\n\n## Acceptance Criteria\n\n- it works"
    "\n\n## Notes\n\nNoted."
)


def recorded_output(version: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((RECORDED / f"beads-{version}.json").read_text())
    return found


def page(tracker: BeadsTracker) -> IssuePage:
    (found,) = tracker.fetch(Since(5.0, 5.0), {})
    return found


def by_title(issues: tuple[Issue, ...]) -> dict[str, Issue]:
    return {issue.title: issue for issue in issues}


class BeadsHarness:
    """A repository, and a fake bd on PATH."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "shop"
        self.root.mkdir()
        self.bd: FakeBd = install_fake_bd(tmp_path / "tools")
        self.environ = {**os.environ, "PATH": f"{self.bd.directory}:{os.environ['PATH']}"}
        self.tracker = BeadsTracker(self.root, self.environ, lambda: AT)

    def lists(self, *rows: dict[str, Any]) -> None:
        self.bd.respond("list", json.dumps([{"dependency_count": 0, **row} for row in rows]))


@pytest.fixture
def harness(tmp_path: Path) -> BeadsHarness:
    return BeadsHarness(tmp_path)


def check_recorded(issues: tuple[Issue, ...]) -> None:
    """These are the issues of the project that `record.py` creates."""
    found = by_title(issues)
    assert len(issues) == len(found) == 4
    first, second = found["First"], found["Second"]
    third, epic = found["Third"], found["Implement the shop"]
    assert (first.status, second.status, third.status) == ("closed", "open", "open")
    assert (bool(first.closed), second.closed) == (True, "")
    assert (sorted(first.labels), epic.labels, second.labels) == (["a", "b", "bug"], ("epic",), ())
    assert (first.body, second.body, third.body) == ("Said of SPEC-0003.", BODY, "")
    assert (second.assignees, first.assignees, second.tracker) == (("ada",), (), "beads")
    assert (first.blocks, second.blocked_by) == ((second.id,), (first.id,))
    assert not (second.blocks or third.blocked_by or epic.blocks or epic.blocked_by)
    assert all(one.created <= one.updated and one.created.endswith("Z") for one in issues)


@pytest.mark.parametrize("form", ["list", "envelope"])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_recorded_lists_of_versions_of_bd(
    harness: BeadsHarness, version: str, form: str
) -> None:
    recorded = recorded_output(version)
    harness.bd.respond("list", recorded[form])
    harness.bd.respond("export", recorded["export"])
    found = page(harness.tracker)
    assert (found.at, found.total, found.is_complete, found.warnings) == (AT, 4, True, ())
    check_recorded(found.issues)
    listing, *more = harness.bd.calls
    assert (listing["args"], listing["cwd"]) == (
        ["list", "--json", "--all", "-n", "0"],
        str(harness.root),
    )
    # The list of old versions lacks dependencies.
    assert [one["args"] for one in more] == ([] if version == "1.3.0" else [["export"]])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_recorded_exports_of_versions_of_bd(harness: BeadsHarness, version: str) -> None:
    harness.bd.respond("list", err="Error: unknown flag: --all\n", code=1)
    harness.bd.respond("export", recorded_output(version)["export"])
    check_recorded(page(harness.tracker).issues)


def test_an_empty_list(harness: BeadsHarness) -> None:
    harness.bd.respond("list", "[]")
    assert page(harness.tracker) == IssuePage((), AT, total=0, is_complete=True)
    assert len(harness.bd.calls) == 1


def test_any_id_is_kept(harness: BeadsHarness) -> None:
    ids = ["bd-a1b2", "bd-a1b2.1.1", "my-own-app-7", "../x", "-n", "A b"]
    harness.lists(*({"id": id} for id in ids))
    assert [one.id for one in page(harness.tracker).issues] == ids
    assert list(harness.tracker.inventory() or ()) == ids
    assert harness.tracker.issue("-n").id == "-n"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((name, "open") for name in ("open", "in_progress", "blocked", "deferred", "hooked")),
        *((name, "open") for name in ("pinned", "of-our-own", "", None, 7, [])),
        ("closed", "closed"),
        ("resolved", "closed"),
    ],
)
def test_statuses(status: object, expected: str) -> None:
    (found,) = issues_of([{"id": "a", "status": status}]).issues
    assert found.status == expected


def test_deleted_issues_of_old_versions_are_gone() -> None:
    rows = [{"id": "a", "status": "tombstone"}, {"id": "b"}, {"id": "c", "status": "tombstone"}]
    read = issues_of([*rows, {"id": "c", "status": "open"}])
    assert ([one.id for one in read.issues], read.gone) == (["b", "c"], ("a",))


@pytest.mark.parametrize(
    ("kind", "blocks"),
    [("blocks", True), ("conditional-blocks", True), ("waits-for", True)]
    + [
        (kind, False) for kind in ("parent-child", "related", "discovered-from", "tracks", "", None)
    ],
)
@pytest.mark.parametrize("form", ["list", "show"])
def test_dependencies(kind: str | None, blocks: bool, form: str) -> None:
    listed = {"issue_id": "a", "depends_on_id": "b", "type": kind}
    shown = {"id": "b", "title": "B", "issue_type": "bug", "dependency_type": kind}
    edges = dependencies_of([{"id": "a", "dependencies": [listed if form == "list" else shown]}])
    assert edges.blocked_by == ({"a": ("b",)} if blocks else {})
    assert edges.blocks == ({"b": ("a",)} if blocks else {})


def test_labels_and_types() -> None:
    def labels(**fields: object) -> tuple[str, ...]:
        return issues_of([{"id": "a", **fields}]).issues[0].labels

    assert labels(labels=["b", "a", "b"], issue_type="task") == ("b", "a")
    assert labels(labels=["b"], issue_type="epic") == ("b", "epic")
    assert labels(labels=["bug"], issue_type="bug") == ("bug",)
    assert labels(labels=None) == ()


FULL = {
    "id": "a",
    "title": "T",
    "description": "D",
    "design": "E",
    "acceptance_criteria": "F",
    "notes": "G",
    "spec_id": "SPEC-0004",
    "status": "closed",
    "priority": 1,
    "issue_type": "bug",
    "assignee": "ada",
    "created_at": "2026-05-01T16:22:00.123456789+02:00",
    "created_by": "bob",
    "updated_at": "2026-05-02T14:22:00Z",
    "closed_at": "2026-05-02T14:22:00Z",
    "labels": ["x"],
    "dependencies": [{"issue_id": "a", "depends_on_id": "b", "type": "blocks"}],
    "parent": "p",
}


def test_an_issue_with_all_fields() -> None:
    assert issues_of([FULL]).issues == (
        Issue(
            id="a",
            title="T",
            status="closed",
            labels=("x", "bug"),
            assignees=("ada",),
            author="bob",
            created="2026-05-01T14:22:00Z",
            updated="2026-05-02T14:22:00Z",
            closed="2026-05-02T14:22:00Z",
            url="",
            tracker="beads",
            body="D\n\n## Design\n\nE\n\n## Acceptance Criteria\n\nF\n\n## Notes\n\nG",
            blocked_by=("b",),
            specs=("SPEC-0004",),
        ),
    )


@pytest.mark.parametrize("bad", [None, 7, [], {}, [None, 3, {"type": "blocks"}], True, "\ud800"])
def test_any_field_may_have_any_value(bad: object) -> None:
    for name in set(FULL) - {"id"}:
        (found,) = issues_of([{**FULL, name: bad}]).issues
        assert found.id == "a", name
        json.dumps([found.title, found.body, found.labels], ensure_ascii=False).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*FULL, "type"]), inner),
    max_leaves=20,
)


@given(st.lists(JSON))
def test_any_list_is_parsed(rows: list[object]) -> None:
    read = issues_of(rows)
    assert len({one.id for one in read.issues}) == len(read.issues)
    for row in rows:
        issue_of(row, dependencies_of(rows))


@given(st.text(), st.lists(JSON))
def test_any_export_is_parsed(noise: str, rows: list[object]) -> None:
    lines = [*noise.splitlines(), *(json.dumps(row) for row in rows), '{"id": "last"}']
    found, warnings = parse_export("\r\n".join(lines), "it")
    assert {"id": "last"} in found
    assert len(warnings) <= 6


def test_entries_without_an_id_cause_a_warning(harness: BeadsHarness) -> None:
    harness.lists({"id": "a"}, {"title": "B"}, {"id": ""})
    found = page(harness.tracker)
    assert [one.id for one in found.issues] == ["a"]
    assert found.warnings == ("left out 2 entries of Beads without an id",)


def test_the_example_of_the_documentation() -> None:
    path = SHARED / "vendor-apis/beads/example-issues.jsonl"
    if not path.exists():
        pytest.skip("needs ../shared/vendor-apis/beads/example-issues.jsonl")
    found, warnings = parse_export(path.read_text(), "it")
    (issue,) = issues_of(found).issues
    assert warnings == ()
    assert (issue.id, issue.status, issue.author) == ("bd-main-idj", "open", "matt wilkie")
    assert issue.labels == ("chore",)
    assert issue.updated == "2026-04-18T16:30:16Z"


# Errors


@pytest.mark.parametrize(
    ("out", "err", "expected"),
    [
        ('{"schema_version": 1, "data": {"error": "no such\\nthing"}}', "", "no such thing"),
        ("", '{"error": "locked", "schema_version": 1}', "locked"),
        ("", "Error: no beads database found\nHint: run 'bd init'\n", "no beads database found"),
        ("", "\n\x1b[31mbad\n", "\\x1b[31mbad"),
        ("not json", "", "it does not say why"),
    ],
)
def test_the_error_of_bd_is_reported(
    harness: BeadsHarness, out: str, err: str, expected: str
) -> None:
    assert error_message(out, err) == expected
    harness.bd.respond("list", out, err, 1)
    with pytest.raises(RemoteError) as caught:
        page(harness.tracker)
    assert str(caught.value) == f"`bd list` failed: {expected}"


@pytest.mark.parametrize("printed", ["", "{}", "null", "[" * 100_000, '{"error": "x"}'])
def test_output_that_is_not_a_list_is_an_error(harness: BeadsHarness, printed: str) -> None:
    harness.bd.respond("list", printed)
    with pytest.raises(
        RemoteError, match=r"^`bd list --json` prints no list of issues: update bd$"
    ):
        page(harness.tracker)


def test_output_with_and_without_an_envelope() -> None:
    assert parse_output('[{"id": 1}]') == [{"id": 1}]
    assert parse_output('{"schema_version": 1, "data": [1]}') == [1]
    assert parse_output('{"schema_version": 1, "id": "a"}') == {"schema_version": 1, "id": "a"}
    assert parse_output('{"data": 1}') == {"data": 1}


def test_the_environment_of_bd(harness: BeadsHarness) -> None:
    secrets = {"BEADS_DOLT_PASSWORD": "s3cret", "BEADS_DOLT_CREDENTIAL_COMMAND": "print-it"}
    inherited = {"GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_LITERAL_PATHSPECS": "1", **secrets}
    harness.lists()
    page(BeadsTracker(harness.root, {**harness.environ, **inherited}))
    (asked,) = harness.bd.calls
    assert not set(inherited) & set(asked["environ"])
    assert asked["environ"]["BD_NO_HOOKS"] == asked["environ"]["BEADS_NO_DAEMON"] == "1"
    assert asked["environ"]["BD_JSON_ENVELOPE"] == "1"
    named = environment({**inherited, "BEADS_DOLT_SERVER_HOST": "db.example"})
    assert {name: named[name] for name in secrets} == secrets


def test_a_bd_inside_the_repository_is_not_run(harness: BeadsHarness) -> None:
    module = harness.root / "api"
    module.mkdir()
    (harness.root / ".git").mkdir()
    shutil.copytree(harness.bd.directory, harness.root / "bin")
    inside = {"PATH": f".:bin:{harness.root}/bin:{os.environ['PATH']}"}
    for root in (harness.root, module):
        with pytest.raises(
            RemoteError, match=r"^bd is not on PATH, and there is no \.beads/issues"
        ):
            page(BeadsTracker(root, inside))
    assert not (harness.root / "bin/asked.jsonl").exists()


# Without bd


@pytest.fixture
def fetch_without_bd(repo: Repo) -> Callable[[], IssuePage]:
    """Fetch without a bd on PATH."""
    return lambda: page(BeadsTracker(repo.root, {"PATH": "/nonexistent"}, lambda: AT))


def test_the_export_is_read_with_a_warning_about_its_age(
    repo: Repo, fetch_without_bd: Callable[[], IssuePage]
) -> None:
    path = repo.write(EXPORT, recorded_output("1.3.0")["export"])
    os.utime(path, (AT - 3 * 3600, AT - 3 * 3600))
    found = fetch_without_bd()
    check_recorded(found.issues)
    assert found.is_complete is False
    assert found.warnings == (
        "bd is not on PATH: the issues are those of .beads/issues.jsonl,"
        " which was written 3 hours ago",
    )
    ids = BeadsTracker(repo.root, {"PATH": ""}).inventory()
    assert sorted(ids or ()) == sorted(one.id for one in found.issues)


def test_damaged_lines_are_left_out_with_a_warning(
    repo: Repo, fetch_without_bd: Callable[[], IssuePage]
) -> None:
    lines = [
        b"<<<<<<< HEAD",
        b'{"id": "a", "title": "old"}',
        b"",
        b"=======",
        b'{"id": "a", "title": "new"}\r',
        b">>>>>>> other",
        b'["id"]',
        b'{"_type": "memory", "key": "k"}',
        b'{"_type": "issue", "id": "b", "title": "caf\xe9"}',
        b'{"id": "c"',
        b"\0",
        b"nothing",
    ]
    repo.write(EXPORT, b"\n".join(lines))
    found = fetch_without_bd()
    assert [(one.id, one.title) for one in found.issues] == [("a", "new"), ("b", "caf\ufffd")]
    assert found.warnings[1:] == (
        *(f".beads/issues.jsonl:{n} is not an issue: left out" for n in (1, 4, 6, 7, 10)),
        ".beads/issues.jsonl has 2 more lines that are not issues",
    )


def test_without_bd_and_without_an_export(
    repo: Repo, fetch_without_bd: Callable[[], IssuePage], tmp_path: Path
) -> None:
    with pytest.raises(RemoteError, match=r"^bd is not on PATH, and there is no .*: install it"):
        fetch_without_bd()
    (tmp_path / "x.jsonl").write_text('{"id": "a"}\n')
    repo.link(EXPORT, tmp_path / "x.jsonl")
    with pytest.raises(RemoteError, match=r"issues\.jsonl: a symlink: install it"):
        fetch_without_bd()
    repo.remove(EXPORT)
    with repo.write(EXPORT).open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(RemoteError, match=r"larger than 50000000 bytes: install it"):
        fetch_without_bd()


def test_writing_needs_bd(repo: Repo) -> None:
    repo.write(EXPORT, '{"id": "a"}\n')
    tracker = BeadsTracker(repo.root, {"PATH": ""})
    with pytest.raises(RemoteError, match=r"issues are changed through it: install it"):
        tracker.close("a")
    with pytest.raises(Missing):
        tracker.close("b")


# Detection


def test_detection(repo: Repo, tmp_path: Path) -> None:
    repository = TrackedRepository(repo.root, (), lambda: None, {})
    where = TrackerLocation("", "", ".beads")
    assert VENDOR.detect(repository) is None
    repo.link(".beads", tmp_path)
    assert VENDOR.detect(repository) is None
    repo.remove(".beads")
    repo.write(".beads")
    assert VENDOR.detect(repository) is None
    repo.remove(".beads")
    repo.write(EXPORT)
    assert VENDOR.detect(repository) == where
    assert VENDOR.locate(TrackerSettings(type="beads"), repository) == where
    assert (VENDOR.is_local, VENDOR.is_fallback, VENDOR.label) == (True, False, "Beads")


# Writing that must not run bd


def test_a_part_of_an_id_is_not_accepted(harness: BeadsHarness) -> None:
    harness.lists({"id": "shop-a1b"})
    for change in (
        lambda: harness.tracker.close("shop-a"),
        lambda: harness.tracker.append("shop-a", "x"),
        lambda: harness.tracker.group("shop-a", "x"),
    ):
        with pytest.raises(Missing, match=r"^Beads has no shop-a: look at `bd list --all`$"):
            change()
    assert {one["args"][0] for one in harness.bd.calls} == {"list"}


def test_a_closed_issue_is_not_closed_again(harness: BeadsHarness) -> None:
    harness.lists({"id": "a", "status": "closed"})
    harness.tracker.close("a")
    assert {one["args"][0] for one in harness.bd.calls} == {"list"}


@pytest.mark.parametrize(
    ("description", "after"),
    [("", "### A\n\nb"), ("D", "D\n\n### A\n\nb"), ("D\r\n", "D\r\n\r\n### A\r\n\r\nb")],
)
def test_append_changes_the_description_only(
    harness: BeadsHarness, description: str, after: str
) -> None:
    harness.lists({"id": "a", "description": description, "design": "E"})
    harness.tracker.append("a", "### A\n\nb")
    (update,) = [one["args"] for one in harness.bd.calls if one["args"][0] == "update"]
    assert update == ["update", f"--description={after}", "--", "a"]


def test_a_create_with_empty_output(harness: BeadsHarness) -> None:
    harness.bd.respond("create", "done")
    with pytest.raises(RemoteError, match=r"^`bd create` does not say what it created"):
        harness.tracker.create(IssueDraft("x"))


# The real bd


def test_an_issue_of_the_real_bd(beads: Repo, real_bd: RealBd) -> None:
    tracker = real_bd.tracker(beads.root)
    title, body = '-x "quoted" é 🦉', "Line  \r\n\r\n`code` $HOME\n"
    made = tracker.create(IssueDraft(title, body, ("a,b", 'c"d', "epic")))
    assert (made.title, made.body, made.labels) == (title, body, ("a,b", 'c"d', "epic"))
    assert (made.status, made.author, made.tracker) == ("open", "ada", "beads")
    assert made == tracker.issue(made.id)

    changed = tracker.append(made.id, "### Branch\n\n`feature/1`")
    assert changed == tracker.issue(made.id)
    assert (changed.title, changed.labels) == (title, made.labels)
    assert changed.body == f"{body}\r\n### Branch\r\n\r\n`feature/1`"

    tracker.close(made.id)
    closed = tracker.issue(made.id)
    assert (closed.status, bool(closed.closed)) == ("closed", True)
    tracker.close(made.id)
    assert tracker.issue(made.id) == closed


@pytest.mark.parametrize("body", ["-", "--", "x" * 200_000], ids=["dash", "dashes", "long"])
def test_texts_that_cannot_be_arguments(beads: Repo, real_bd: RealBd, body: str) -> None:
    tracker = real_bd.tracker(beads.root)
    made = tracker.create(IssueDraft("Title", body))
    assert made.body == body
    assert tracker.append(made.id, "!").body == f"{body}\n\n!"


def test_the_sections_after_the_description(beads: Repo, real_bd: RealBd) -> None:
    tracker = real_bd.tracker(beads.root)
    options = ("--design=Drawn.", "--acceptance=It works.", "--notes=N.", "--spec-id=SPEC-0004")
    real_bd(beads.root, "create", "One", "--description=D", *options)
    (one,) = page(tracker).issues
    assert one.specs == ("SPEC-0004",)
    end = "\n\n## Design\n\nDrawn.\n\n## Acceptance Criteria\n\nIt works.\n\n## Notes\n\nN."
    assert one.body == f"D{end}"
    more = "### Branch\n\n`feature/1`"
    assert tracker.append(one.id, more).body == f"D\n\n{more}{end}"
    row = json.loads(real_bd(beads.root, "list", "--json"))["data"][0]
    assert row["description"] == f"D\n\n{more}"
    assert (row["design"], row["notes"]) == ("Drawn.", "N.")


def test_epics_and_dependencies(beads: Repo, real_bd: RealBd) -> None:
    tracker = real_bd.tracker(beads.root)
    parent = tracker.create(IssueDraft("Implement it", labels=("epic",)))
    first = tracker.create(IssueDraft("First", parent=parent.id))
    second = tracker.create(IssueDraft("Second"))
    assert tracker.group_of(second.id) == ""
    tracker.group(second.id, parent.id)
    assert tracker.group_of(first.id) == tracker.group_of(second.id) == parent.id
    real_bd(beads.root, "dep", "add", second.id, first.id)
    found = by_title(page(tracker).issues)
    epic = found["Implement it"]
    assert (len(found), epic.labels, first.id) == (3, ("epic",), f"{epic.id}.1")
    assert found["First"].blocks == (second.id,)
    assert found["Second"].blocked_by == (first.id,)
    children = real_bd(beads.root, "list", "--json", f"--parent={epic.id}")
    assert {row["id"] for row in json.loads(children)["data"]} == {first.id, second.id}
    with pytest.raises(RemoteError, match=r"^`bd close` failed: .*blocked"):
        tracker.close(second.id)
    with pytest.raises(RemoteError, match=r"^`bd close` failed: .*open child"):
        tracker.close(epic.id)


def test_queries_of_the_real_bd(beads: Repo, real_bd: RealBd) -> None:
    tracker = real_bd.tracker(beads.root)
    first = tracker.create(IssueDraft("First", labels=("bug", "x")))
    second = tracker.create(IssueDraft("Second", labels=("x",)))
    tracker.close(first.id)
    assert {one.id for one in tracker.query(IssueFilter())} == {first.id, second.id}
    assert [one.id for one in tracker.query(IssueFilter("open"))] == [second.id]
    assert [one.id for one in tracker.query(IssueFilter(labels=("x", "bug")))] == [first.id]


def test_a_sync_with_the_real_bd(beads: Repo, real_bd: RealBd) -> None:
    tracker = real_bd.tracker(beads.root)
    folder = IssueFolder(beads.root, ".sdd/issues")
    made = [tracker.create(IssueDraft(f"Number {n}", f"Of ADR-000{n}.")) for n in range(1, 4)]
    assert sync(tracker, folder).added == 3
    assert sync(tracker, folder).changed == ()
    # This does not update `updated_at`.
    real_bd(beads.root, "dep", "add", made[0].id, made[1].id)
    real_bd(beads.root, "delete", made[2].id, "--force")
    done = sync(tracker, folder)
    assert (done.updated, done.removed) == (2, 1)
    stored = {one.id: one for one in read_issues(folder)}
    assert stored[made[0].id].blocked_by == (made[1].id,)
    assert stored[made[1].id].adrs == ("ADR-0002",)


def test_more_issues_than_the_default_limit_of_bd(beads: Repo, real_bd: RealBd) -> None:
    lines = [
        {"id": f"shop-{n}", "title": f"Number {n}", "status": "closed" if n % 2 else "open",
         "priority": 2, "issue_type": "task", "created_at": "2026-05-01T00:00:00Z",
         "updated_at": "2026-05-01T00:00:00Z",
         **({"closed_at": "2026-05-01T00:00:00Z"} if n % 2 else {})}
        for n in range(120)
    ]  # fmt: skip
    path = beads.write("many.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    real_bd(beads.root, "import", str(path))
    found = page(real_bd.tracker(beads.root))
    assert {one.id for one in found.issues} == {line["id"] for line in lines}
    assert sum(one.status == "closed" for one in found.issues) == 60


def test_hooks_of_the_repository_are_not_run(beads: Repo, real_bd: RealBd, tmp_path: Path) -> None:
    for event in ("on_create", "on_update", "on_close"):
        hook = beads.write(f".beads/hooks/{event}", f"#!/bin/sh\ntouch {tmp_path}/{event}\n")
        hook.chmod(0o755)
    tracker = real_bd.tracker(beads.root)
    made = tracker.create(IssueDraft("One"))
    tracker.append(made.id, "Two")
    tracker.close(made.id)
    assert not list(tmp_path.glob("on_*"))


def test_a_repository_without_beads(repo: Repo, real_bd: RealBd) -> None:
    with pytest.raises(RemoteError, match=r"^`bd list` failed: .*no beads (database|project)"):
        page(real_bd.tracker(repo.root))
