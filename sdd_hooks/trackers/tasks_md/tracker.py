"""tasks.md: the task sections of specifications as issues, for a repository without a tracker.

`{specs}/{capability}/tasks.md` has sections `## N. Title`; each one is an issue with the id
`tasks-{capability}-N`. Its body is the text below the heading. The second section with the same
number is `N.2`. A section is closed if it has boxes and all of them are ticked. It belongs to the
specification in its folder.

An issue was created with the first commit of its file, by the author of that commit, and updated
with the last commit. A file with uncommitted changes was updated when it was written.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from sdd_hooks.errors import Missing, SddError
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Issue, IssueDraft
from sdd_hooks.trackers.protocol import (
    IssueFilter,
    IssuePage,
    Since,
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
    Unsupported,
)
from sdd_hooks.trackers.tasks_md.files import (
    FILE,
    UNKNOWN,
    FileHistory,
    TasksFile,
    capabilities,
    displayable,
    history_of,
    read_spec_id,
    read_tasks_files,
    read_text,
    write_text,
)
from sdd_hooks.trackers.tasks_md.sections import (
    TaskSection,
    append_section,
    append_to_section,
    parse_task_sections,
    tick_all,
)

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings

NAME = "tasks-md"
LABEL = "tasks.md"


class TasksMdTracker:
    """The tasks of the specifications in `directories`, relative to the directory of `git`."""

    name = NAME
    label = LABEL
    web_url = ""

    def __init__(
        self, git: Git, directories: Sequence[str], clock: Callable[[], float] = time.time
    ) -> None:
        self.identity = ", ".join(directories)
        self._git = git
        self._root = git.root
        self._directories = directories
        self._clock = clock

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:  # noqa: ARG002
        """One page of all sections: finding the changed ones would take as long."""
        at = self._clock()
        warnings: list[str] = []
        issues = tuple(self._issues(list(self._files(warnings))))
        yield IssuePage(issues, at, total=len(issues), warnings=tuple(warnings), is_complete=True)

    def inventory(self) -> Iterator[str] | None:
        """None: every fetch has all ids."""
        return None

    def issue(self, id: str) -> Issue:
        """One section. Raises Missing."""
        file, _ = self._find(id)
        return next(issue for issue in self._issues([file]) if issue.id == id)

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The sections that match. A filter with labels matches none: sections have no labels."""
        issues = [] if filter.labels else self._issues(list(self._files([])))
        matching = (issue for issue in issues if filter.status in {None, issue.status})
        return iter(sorted(matching, key=lambda issue: issue.updated, reverse=True))

    def disconnect(self) -> None:
        """Do nothing: there is no connection."""

    def create(self, draft: IssueDraft) -> Issue:
        """Append a section to the tasks.md beside the specification `draft.spec`.

        That is an id or the name of a capability, which may be omitted if there is only one. A box
        is added to a text without one. Raises Missing, and
        Unsupported for labels and for a text that would not be parsed as one section.
        """
        _refuse_labels(draft.labels)
        capability, directory = self._capability(draft.spec)
        path = f"{directory}/{FILE}"
        text = read_text(self._root, path)
        title = _heading_title(draft.title)
        base = text if text.strip() else f"# Tasks: {capability}\n"
        new_text, key, body = append_section(base, title, draft.body)
        before, after = parse_task_sections(base)[0], parse_task_sections(new_text)[0]
        fits = _contents(after[:-1]) == _contents(before) and after and after[-1].key == key
        if not fits or after[-1].title != title or not after[-1].body.startswith(body):
            _refuse_text(path)
        write_text(self._root, path, new_text)
        return self.issue(f"tasks-{capability}-{key}")

    def close(self, id: str) -> None:
        """Tick every box of a section. Raises Missing, and Unsupported if it has no box."""
        file, section = self._find(id)
        if not section.boxes:
            raise Unsupported(f"{file.path}: section {section.key} has no box to tick: add a task")
        if section.open:
            write_text(self._root, file.path, tick_all(file.text, section))

    def append(self, id: str, text: str) -> Issue:
        """Append to a section. Raises Missing, and Unsupported as `create`."""
        file, section = self._find(id)
        new_text, _, body = append_to_section(file.text, section, text)
        longer = section._replace(body=body)
        expected = [longer if other.key == section.key else other for other in file.sections]
        if _contents(parse_task_sections(new_text)[0]) != _contents(expected):
            _refuse_text(file.path)
        write_text(self._root, file.path, new_text)
        return self.issue(id)

    def group_of(self, id: str) -> str:
        """The capability whose file has a section."""
        return self._find(id)[0].capability

    def has_group(self, group: str) -> bool:
        """Whether there is a capability of that name."""
        return group in dict(capabilities(self._root, self._directories))

    def group(self, id: str, group: str) -> None:
        """Check that a section is in the file of a capability. Raises Missing, and Unsupported for
        a section of another file: sections cannot be moved."""
        file, _ = self._find(id)
        if self._capability(group)[0] != file.capability:
            raise Unsupported(f"a section of {file.path} cannot be moved to another: do it by hand")

    def _files(self, warnings: list[str]) -> Iterator[TasksFile]:
        return read_tasks_files(self._root, self._directories, warnings)

    def _find(self, id: str) -> tuple[TasksFile, TaskSection]:
        for file in self._files([]):
            for section in file.sections:
                if file.id(section) == id:
                    return file, section
        raise Missing(f"there is no {one_line(id)} in the {FILE} files of {self.identity}")

    def _issues(self, files: Sequence[TasksFile]) -> list[Issue]:
        histories = history_of(self._git, [file.path for file in files])
        issues = []
        for file in files:
            history = histories.get(file.path, UNKNOWN)
            spec = read_spec_id(self._root, file.directory)
            issues += [_issue(file, section, history, spec) for section in file.sections]
        return issues

    def _capability(self, name: str) -> tuple[str, str]:
        """A capability by its name or the id of its specification, and its directory.

        Without a name, the only capability. Raises Missing.
        """
        # The first directory with a capability of that name counts.
        known = dict(reversed(list(capabilities(self._root, self._directories))))
        if not name and len(known) == 1:
            return next(iter(known.items()))
        if name in known:
            return name, known[name]
        for capability, directory in known.items():
            if name and read_spec_id(self._root, directory).casefold() == name.casefold():
                return capability, directory
        which = f"no {one_line(name)}" if name else "not exactly one capability"
        raise Missing(f"there is {which} in {self.identity}: name one of the folders there")


def _issue(file: TasksFile, section: TaskSection, history: FileHistory, spec: str) -> Issue:
    return Issue(
        id=file.id(section),
        title=displayable(section.title) or f"{file.capability} {section.key}",
        status="closed" if section.done else "open",
        labels=(),
        assignees=(),
        author=displayable(history.author),
        created=history.created,
        updated=history.updated,
        closed=history.updated if section.done else "",
        url=file.path,
        tracker=NAME,
        body=displayable(section.body),
        specs=(spec,) if spec else (),
    )


def _contents(sections: Sequence[TaskSection]) -> list[tuple[str, str, str]]:
    return [(section.key, section.title, section.body) for section in sections]


def _heading_title(title: str) -> str:
    """A title as one line. Raises Unsupported if it is empty."""
    line = " ".join(title.split())
    if not line:
        raise Unsupported(f"a section of {FILE} needs a title")
    return line


def _refuse_labels(labels: Sequence[str]) -> None:
    if labels:
        raise Unsupported(f"{LABEL} has no labels: leave them out")


def _refuse_text(path: str) -> NoReturn:
    raise Unsupported(
        f"{path} cannot hold this as one section: use headings of level 3 and below, close every"
        " code block"
    )


def _open(location: TrackerLocation, environment: TrackerEnvironment) -> TasksMdTracker:  # noqa: ARG001
    return TasksMdTracker(
        Git(environment.repository.root, environment.repository.environ),
        environment.repository.specs,
    )


def _locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:  # noqa: ARG001
    """The directories of the specifications, with or without tasks."""
    if not repository.specs:
        raise SddError(
            "`Type: tasks.md` needs specifications: say where they are under"
            " `## Architecture Context`"
        )
    return TrackerLocation("", "", ", ".join(repository.specs))


def _detect(repository: TrackedRepository) -> TrackerLocation | None:
    """The directories of the specifications if one of them has a tasks.md."""
    for _, directory in capabilities(repository.root, repository.specs):
        if (repository.root / directory / FILE).is_file():
            return TrackerLocation("", "", ", ".join(repository.specs))
    return None


VENDOR = TrackerVendor(
    LABEL,
    _open,
    _locate,
    _detect,
    is_local=True,
    is_fallback=True,
    has_labels=False,
    has_epics=False,
    group_kind="file",
)
