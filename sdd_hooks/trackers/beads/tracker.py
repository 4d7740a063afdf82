"""Beads: issues that live in `.beads/` of the repository, read and written through `bd`.

Without `bd` the export `.beads/issues.jsonl` is read, which is as old as its last export.
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host), SPEC-0009
# REQ "One file for each tracker"

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, field, number, text
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.display import one_line
from sdd_hooks.text.durations import format_duration
from sdd_hooks.trackers.beads.payloads import (
    DEFAULT_TYPE,
    EPIC,
    NAME,
    SECTIONS,
    Read,
    issues_of,
    lines_of,
    payload,
    sections_of,
)
from sdd_hooks.trackers.beads.program import (
    INSTALL,
    Program,
    comma_separated,
    described,
    file_of,
    is_long,
    succeeded,
)
from sdd_hooks.trackers.issue import Draft, Edit, Issue
from sdd_hooks.trackers.protocol import Around, Filter, Machine, Page, Since, Vendor, Where

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings

LABEL = "Beads"
DIRECTORY = ".beads"
EXPORT = f"{DIRECTORY}/issues.jsonl"
LARGEST = 50_000_000
"""Bytes of an export that are read."""
TYPES = ("bug", "feature", EPIC, "chore")
"""Types that a label makes of an issue; every version knows them."""


class _Listing(NamedTuple):
    """All issues as they were found: by `bd`, or in the export."""

    found: tuple[Json, ...]
    warnings: tuple[str, ...]
    live: bool


class Beads:
    """The issues of one `.beads/`, that of the work tree at `root`."""

    name = NAME
    label = LABEL
    place = DIRECTORY
    web = ""

    def __init__(
        self, root: Path, environ: Mapping[str, str], clock: Callable[[], float] = time.time
    ) -> None:
        self._root = root
        self._bd = Program(root, environ)
        self._clock = clock

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:  # noqa: ARG002
        """All issues: labels and dependencies change without a trace in `updated_at`."""
        at = self._clock()
        listing = self._listing(at)
        read = issues_of(listing.found)
        warnings = (*listing.warnings, *read.warnings)
        total = len(read.issues)
        yield Page(read.issues, at, (), read.gone, total, warnings, everything=listing.live)

    def inventory(self) -> Iterator[str] | None:
        """The ids of all issues."""
        return iter([issue.id for issue in self._read().issues])

    def issue(self, id: str) -> Issue:
        """One issue. Raises Missing."""
        return self._one(id)[1]

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The issues that match, the last updated first."""
        matching = (
            issue
            for issue in self._read().issues
            if filter.status in {None, issue.status} and set(filter.labels) <= set(issue.labels)
        )
        return iter(sorted(matching, key=lambda issue: issue.updated, reverse=True))

    def disconnect(self) -> None:
        """Nothing is open."""

    def create(self, draft: Draft) -> Issue:
        """A new issue; one of the labels in TYPES becomes its type. `group` is an epic."""
        kind, labels = _type_of(draft.labels)
        options = [f"--title={draft.title}", f"--type={kind or DEFAULT_TYPE}"]
        if labels:
            options.append(f"--labels={comma_separated(labels)}")
        if draft.group:
            options.append(f"--parent={self._epic(draft.group)}")
        with described(draft.body) as given:
            answer = self._bd("create", "--json", *options, *given)
        id = text(payload(answer.out), "id")
        if not id:
            raise RemoteError("`bd create` does not say what it created: look at `bd list`")
        return self.issue(id)

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change an issue.

        Where a new body still has design, acceptance criteria and notes as they were, these stay,
        and what else it says becomes the description; else all of it does, and they are emptied.
        """
        row, issue = self._one(id)
        options = []
        if edit.title is not None:
            options.append(f"--title={edit.title}")
        if edit.labels is not None:
            kind, labels = _type_of(edit.labels)
            before = text(row, "issue_type")
            if kind or before in TYPES:
                options.append(f"--type={kind or DEFAULT_TYPE}")
            elif before in labels:
                labels = tuple(label for label in labels if label != before)
            options.append(f"--set-labels={comma_separated(labels)}")
        description = None
        if edit.body is not None and edit.body != issue.body:
            description, emptied = _parts(edit.body, row)
            options += emptied
        with described(description) as given:
            if options or given:
                self._bd("update", "--json", *options, *given, "--", id)
        return self.issue(id)

    def close(self, id: str) -> None:
        """Close an issue. bd refuses one that waits for others, and an epic that is not done."""
        _, issue = self._one(id)
        if issue.status != "closed":
            self._bd("close", "--", id)

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue."""
        self._one(id)
        if is_long(text):
            with file_of(text) as path:
                self._bd("comments", "add", f"--file={path}", "--", id)
        else:
            self._bd("comments", "add", "--", id, text)

    def group(self, id: str, name: str) -> None:
        """Make an issue a child of an epic: one that has this title or id, created when missing."""
        self._one(id)
        self._bd("update", f"--parent={self._epic(name)}", "--", id)

    def _epic(self, name: str) -> str:
        """The id of an epic, an open one before a closed one."""
        read = self._read()
        epics = [issue for issue in read.issues if EPIC in issue.labels]
        named = [issue for issue in epics if name.strip() in {issue.id, issue.title.strip()}]
        if named:
            return min(named, key=lambda issue: issue.status == "closed").id
        return self.create(Draft(name, labels=(EPIC,))).id

    def _one(self, id: str) -> tuple[Json, Issue]:
        """What was found of an issue, and the issue.

        bd takes a part of an id for the whole, so it is never given one that is not there.
        """
        listing = self._listing(self._clock())
        for issue in issues_of(listing.found).issues:
            if issue.id == id:
                return next(row for row in reversed(listing.found) if text(row, "id") == id), issue
        raise Missing(f"Beads has no {one_line(id)}: look at `bd list --all`")

    def _read(self) -> Read:
        return issues_of(self._listing(self._clock()).found)

    def _listing(self, at: float) -> _Listing:
        if self._bd.path is None:
            return self._exported(at)
        done = self._bd.run("list", "--json", "--all", "-n", "0")
        if done.code and "unknown" in done.err and "flag" in done.err:
            # A version without `--all` or `-n`.
            return self._export()
        found = payload(succeeded("list", done).out)
        if not isinstance(found, list):
            raise RemoteError("`bd list --json` prints no list of issues: update bd")
        if _hides_edges(found):
            return self._export()
        return _Listing(tuple(found), (), live=True)

    def _export(self) -> _Listing:
        """What old versions export: their list has no dependencies."""
        found, warnings = lines_of(self._bd("export").out, "`bd export`")
        return _Listing(tuple(found), warnings, live=True)

    def _exported(self, at: float) -> _Listing:
        """What stands in the export."""
        try:
            data = read_inside(self._root, EXPORT, LARGEST)
            age = at - (self._root / EXPORT).lstat().st_mtime
        except FileNotFoundError:
            raise RemoteError(f"bd is not on PATH, and there is no {EXPORT}: {INSTALL}") from None
        except (FileTooLarge, PathRefused) as error:
            raise RemoteError(f"bd is not on PATH, and {error}: {INSTALL}") from None
        found, warnings = lines_of(data.decode("utf-8", "replace"), EXPORT)
        old = (
            f"bd is not on PATH: the issues are those of {EXPORT},"
            f" which was written {format_duration(age)} ago"
        )
        return _Listing(tuple(found), (old, *warnings), live=False)


def _hides_edges(found: Sequence[Json]) -> bool:
    """Whether a list has no dependencies, and does not say that there are none."""
    if any(isinstance(field(row, "dependencies"), list) for row in found):
        return False
    return any(number(row, "dependency_count") != 0 for row in found)


def _type_of(labels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The type that one of the labels is, "" for none, and the others."""
    kind = next((label for label in labels if label in TYPES), "")
    return kind, tuple(label for label in labels if label != kind)


def _parts(body: str, row: Json) -> tuple[str, list[str]]:
    """The description that a body makes, and options that empty what it took over."""
    sections = sections_of(row).removeprefix("\n\n")
    if not sections:
        return body, []
    before, kept, after = body.partition(sections)
    if kept:
        return before.removesuffix("\n\n") + after, []
    names = [name for _, name in SECTIONS if text(row, name)]
    return body, [f"--{name.removesuffix('_criteria')}=" for name in names]


def _open(where: Where, machine: Machine) -> Beads:  # noqa: ARG001
    return Beads(machine.around.root, machine.around.environ)


def _declared(settings: TrackerSettings, around: Around) -> Where:  # noqa: ARG001
    """Here, whatever is here: bd also finds the `.beads/` of the main work tree."""
    return Where("", "", DIRECTORY)


def _detected(around: Around) -> Where | None:
    """Here, where there is a `.beads/` that is no link."""
    try:
        found = (around.root / DIRECTORY).lstat()
    except OSError:
        return None
    return Where("", "", DIRECTORY) if stat.S_ISDIR(found.st_mode) else None


VENDOR = Vendor(LABEL, _open, _declared, _detected, local=True)
