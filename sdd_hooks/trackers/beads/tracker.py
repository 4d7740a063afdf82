"""Beads: issues in `.beads/` of the repository, read and written through `bd`.

Without `bd` the issues are read from the last export, `.beads/issues.jsonl`.
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host), SPEC-0009
# REQ "One file for each tracker"

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, field, number, text
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.display import one_line
from sdd_hooks.text.durations import format_duration
from sdd_hooks.trackers.beads.payloads import (
    DEFAULT_TYPE,
    EPIC,
    NAME,
    ParsedIssues,
    issues_of,
    parent_of,
    parse_export,
    parse_output,
)
from sdd_hooks.trackers.beads.program import (
    INSTALL,
    BdProgram,
    comma_separated,
    description_options,
    require_success,
)
from sdd_hooks.trackers.issue import Issue, IssueDraft, joined
from sdd_hooks.trackers.protocol import (
    IssueFilter,
    IssuePage,
    Since,
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings

LABEL = "Beads"
DIRECTORY = ".beads"
EXPORT = f"{DIRECTORY}/issues.jsonl"
MAX_EXPORT_BYTES = 50_000_000
"""The maximal size of an export."""
TYPES = ("bug", "feature", EPIC, "chore")
"""Labels that set the type of an issue; every version of bd supports these types."""


class _Listing(NamedTuple):
    """The records of all issues; `live` if they come from `bd` and not from the export."""

    records: tuple[Json, ...]
    warnings: tuple[str, ...]
    live: bool


class BeadsTracker:
    """The issues in the `.beads/` of the work tree at `root`."""

    name = NAME
    label = LABEL
    identity = DIRECTORY
    web_url = ""

    def __init__(
        self, root: Path, environ: Mapping[str, str], clock: Callable[[], float] = time.time
    ) -> None:
        self._root = root
        self._bd = BdProgram(root, environ)
        self._clock = clock

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:  # noqa: ARG002
        """One page of all issues: a change of labels or dependencies does not set `updated_at`."""
        at = self._clock()
        listing = self._list(at)
        parsed = issues_of(listing.records)
        yield IssuePage(
            parsed.issues,
            at,
            deleted=parsed.gone,
            total=len(parsed.issues),
            warnings=(*listing.warnings, *parsed.warnings),
            is_complete=listing.live,
        )

    def inventory(self) -> Iterator[str] | None:
        """The ids of all issues."""
        return iter([issue.id for issue in self._parsed().issues])

    def issue(self, id: str) -> Issue:
        """One issue. Raises Missing."""
        return self._find(id)[1]

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, last updated first."""
        matching = (
            issue
            for issue in self._parsed().issues
            if filter.status in {None, issue.status} and set(filter.labels) <= set(issue.labels)
        )
        return iter(sorted(matching, key=lambda issue: issue.updated, reverse=True))

    def disconnect(self) -> None:
        """Do nothing: there is no connection."""

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue. A label in TYPES becomes its type."""
        kind, labels = _type_of(draft.labels)
        options = [f"--title={draft.title}", f"--type={kind or DEFAULT_TYPE}"]
        if labels:
            options.append(f"--labels={comma_separated(labels)}")
        if draft.parent:
            options.append(f"--parent={draft.parent}")
        with description_options(draft.body) as description:
            done = self._bd("create", "--json", *options, *description)
        id = text(parse_output(done.out), "id")
        if not id:
            raise RemoteError("`bd create` does not say what it created: look at `bd list`")
        return self.issue(id)

    def close(self, id: str) -> None:
        """Close an issue. bd refuses to close a blocked issue, and an epic with open children."""
        _, issue = self._find(id)
        if issue.status != "closed":
            self._bd("close", "--", id)

    def append(self, id: str, text: str) -> Issue:
        """Append to the description of an issue; the sections after it stay as they are."""
        row, _ = self._find(id)
        with description_options(joined(_description(row), text)) as options:
            self._bd("update", *options, "--", id)
        return self.issue(id)

    def group_of(self, id: str) -> str:
        """The id of the parent of an issue."""
        row, _ = self._find(id)
        return parent_of(row)

    def has_group(self, group: str) -> bool:
        """Whether there is an issue with this id."""
        return any(issue.id == group for issue in self._parsed().issues)

    def group(self, id: str, group: str) -> None:
        """Make an issue a child of the epic with this id."""
        self._find(id)
        self._find(group)
        self._bd("update", f"--parent={group}", "--", id)

    def _find(self, id: str) -> tuple[Json, Issue]:
        """The record of an issue, and the issue. Raises Missing.

        bd accepts a part of an id, so every command is preceded by this check of the full id.
        """
        records = self._list(self._clock()).records
        for issue in issues_of(records).issues:
            if issue.id == id:
                return next(row for row in reversed(records) if text(row, "id") == id), issue
        raise Missing(f"Beads has no {one_line(id)}: look at `bd list --all`")

    def _parsed(self) -> ParsedIssues:
        return issues_of(self._list(self._clock()).records)

    def _list(self, at: float) -> _Listing:
        if self._bd.path is None:
            return self._read_export_file(at)
        done = self._bd.run("list", "--json", "--all", "-n", "0")
        if done.code and "unknown" in done.err and "flag" in done.err:
            # This version has no `--all` or `-n`.
            return self._run_export()
        records = parse_output(require_success("list", done).out)
        if not isinstance(records, list):
            raise RemoteError("`bd list --json` prints no list of issues: update bd")
        if _lacks_dependencies(records):
            return self._run_export()
        return _Listing(tuple(records), (), live=True)

    def _run_export(self) -> _Listing:
        """The output of `bd export`, for old versions whose list lacks dependencies."""
        records, warnings = parse_export(self._bd("export").out, "`bd export`")
        return _Listing(tuple(records), warnings, live=True)

    def _read_export_file(self, at: float) -> _Listing:
        """The records of the export file, with a warning about its age."""
        try:
            data = read_inside(self._root, EXPORT, MAX_EXPORT_BYTES)
            age = at - (self._root / EXPORT).lstat().st_mtime
        except FileNotFoundError:
            raise RemoteError(f"bd is not on PATH, and there is no {EXPORT}: {INSTALL}") from None
        except (FileTooLarge, PathRefused) as error:
            raise RemoteError(f"bd is not on PATH, and {error}: {INSTALL}") from None
        records, warnings = parse_export(data.decode("utf-8", "replace"), EXPORT)
        outdated = (
            f"bd is not on PATH: the issues are those of {EXPORT},"
            f" which was written {format_duration(age)} ago"
        )
        return _Listing(tuple(records), (outdated, *warnings), live=False)


def _lacks_dependencies(records: Sequence[Json]) -> bool:
    """Whether a list omits dependencies, unless all issues count none."""
    if any(isinstance(field(row, "dependencies"), list) for row in records):
        return False
    return any(number(row, "dependency_count") != 0 for row in records)


def _type_of(labels: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The first label that is a type, "" if there is none, and the other labels."""
    kind = next((label for label in labels if label in TYPES), "")
    return kind, tuple(label for label in labels if label != kind)


def _description(row: Json) -> str:
    return text(row, "description")


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> BeadsTracker:  # noqa: ARG001
    return BeadsTracker(environment.repository.root, environment.repository.environ)


def _locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:  # noqa: ARG001
    """Always this work tree: bd finds the `.beads/` of the main work tree, too."""
    return TrackerLocation("", "", DIRECTORY)


def _detect(repository: TrackedRepository) -> TrackerLocation | None:
    """This work tree if it has a directory `.beads/` that is not a link."""
    try:
        status = (repository.root / DIRECTORY).lstat()
    except OSError:
        return None
    return TrackerLocation("", "", DIRECTORY) if stat.S_ISDIR(status.st_mode) else None


VENDOR = TrackerVendor(
    LABEL, _open, _locate, _detect, is_local=True, group_kind="epic", closing="bd close {}"
)
