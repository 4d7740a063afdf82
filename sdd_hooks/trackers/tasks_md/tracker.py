"""tasks.md: the sections of a specification's list of tasks as issues, where there is no tracker.

`{specs}/{capability}/tasks.md` has sections `## N. Title`; one is the issue `tasks-{capability}-N`.
Its body is what is below the heading. Where a number is used twice the second is `N.2`. A section
is closed when it has boxes and all of them are ticked. It belongs to the specification in its
folder.

An issue was created with the first commit of its file, by whoever made that, and updated with the
last one. A file that is not committed as it is was updated when it was written.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from sdd_hooks.errors import Missing, SddError
from sdd_hooks.system.files import (
    FileTooLarge,
    PathRefused,
    is_binary,
    read_inside,
    refuse_links,
    resolve_inside,
    write_atomically,
)
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Draft, Edit, Issue
from sdd_hooks.trackers.protocol import (
    Around,
    Filter,
    Machine,
    Page,
    Since,
    Unsupported,
    Vendor,
    Where,
)
from sdd_hooks.trackers.tasks_md.history import UNKNOWN, Known, history_of
from sdd_hooks.trackers.tasks_md.sections import Tasks, added, changed, tasks_of, ticked, trimmed

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings

NAME = "tasks-md"
LABEL = "tasks.md"
FILE = "tasks.md"
LARGEST = 5 << 20
"""Bytes of a file that are read."""

_SPEC = "spec.md"


class _File(NamedTuple):
    """A tasks.md: whose it is, where it is relative to the root, its text, and its sections."""

    capability: str
    path: str
    text: str
    sections: list[Tasks]

    def id(self, tasks: Tasks) -> str:
        """The id of one of its sections."""
        return f"tasks-{self.capability}-{tasks.key}"


class TasksMd:
    """The tasks of the specifications in some directories, which are relative to that of `git`."""

    name = NAME
    label = LABEL
    web = ""

    def __init__(
        self, git: Git, directories: Sequence[str], clock: Callable[[], float] = time.time
    ) -> None:
        self.place = ", ".join(directories)
        self._git = git
        self._directories = directories
        self._clock = clock

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:  # noqa: ARG002
        """Every section there is: to look which ones changed takes as long."""
        at = self._clock()
        warnings: list[str] = []
        issues = tuple(self._issues(warnings))
        yield Page(issues, at, total=len(issues), warnings=tuple(warnings), everything=True)

    def inventory(self) -> Iterator[str] | None:
        """None: every fetch has all ids."""
        return None

    def issue(self, id: str) -> Issue:
        """One section. Raises Missing."""
        file, _ = self._find(id)
        return next(one for one in self._issues_of([file]) if one.id == id)

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The sections that match; with labels none, since they have none."""
        found = [] if filter.labels else self._issues([])
        matching = (one for one in found if filter.status in {None, one.status})
        return iter(sorted(matching, key=lambda one: one.updated, reverse=True))

    def disconnect(self) -> None:
        """Nothing is open."""

    def create(self, draft: Draft) -> Issue:
        """Add a section to the tasks.md of `draft.group`: a capability or the id of its
        specification, and where there is only one capability, that one.

        A text without a box is given one. Raises Missing, and Unsupported for labels and for what
        cannot be one section.
        """
        _no_labels(draft.labels)
        capability, directory = self._capability(draft.group)
        path = f"{directory}/{FILE}"
        text = self._text(path)
        title = _title(draft.title)
        base = text if text.strip() else f"# Tasks: {capability}\n"
        written, key = added(base, title, draft.body)
        before, after = tasks_of(base)[0], tasks_of(written)[0]
        body = trimmed(draft.body, base)
        fits = _contents(after[:-1]) == _contents(before) and after and after[-1].key == key
        if not fits or after[-1].title != title or not after[-1].body.startswith(body):
            _no_section(path)
        self._write(path, written)
        return self.issue(f"tasks-{capability}-{key}")

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change heading and text of a section. Raises Missing, and Unsupported as `create`."""
        if edit.labels is not None:
            _no_labels(edit.labels)
        file, tasks = self._find(id)
        title = None if edit.title is None else _title(edit.title)
        body = None if edit.body is None else trimmed(edit.body, file.text)
        written = changed(file.text, tasks, title, body)
        wanted = [
            (one.key, one.title if title is None else title, one.body if body is None else body)
            if one.key == tasks.key
            else (one.key, one.title, one.body)
            for one in file.sections
        ]
        if _contents(tasks_of(written)[0]) != wanted:
            _no_section(file.path)
        self._write(file.path, written)
        return self.issue(id)

    def close(self, id: str) -> None:
        """Tick every box of a section. Raises Missing, and Unsupported where it has none."""
        file, tasks = self._find(id)
        if not tasks.boxes:
            raise Unsupported(f"{file.path}: section {tasks.key} has no box to tick: add a task")
        if tasks.open:
            self._write(file.path, ticked(file.text, tasks))

    def comment(self, id: str, text: str) -> None:  # noqa: ARG002
        """Raises Unsupported."""
        raise Unsupported(f"{LABEL} has no comments: write below the section itself")

    def group(self, id: str, name: str) -> None:
        """A section is where it is. Raises Missing, and Unsupported unless it is there already."""
        file, _ = self._find(id)
        if self._capability(name)[0] != file.capability:
            raise Unsupported(f"a section of {file.path} cannot be moved to another: do it by hand")

    def _find(self, id: str) -> tuple[_File, Tasks]:
        for file in self._files([]):
            for tasks in file.sections:
                if file.id(tasks) == id:
                    return file, tasks
        raise Missing(f"there is no {one_line(id)} in the {FILE} files of {self.place}")

    def _issues(self, warnings: list[str]) -> list[Issue]:
        return self._issues_of(list(self._files(warnings)))

    def _issues_of(self, files: Sequence[_File]) -> list[Issue]:
        known = history_of(self._git, [file.path for file in files])
        issues = []
        for file in files:
            then = known.get(file.path, UNKNOWN)
            spec = self._spec(file.path.removesuffix(f"/{FILE}"))
            issues += [_issue(file, tasks, then, spec) for tasks in file.sections]
        return issues

    def _files(self, warnings: list[str]) -> Iterator[_File]:
        """Every tasks.md that can be read; a line for what cannot."""
        taken: dict[str, str] = {}
        for capability, directory in _capabilities(self._git.root, self._directories):
            path = f"{directory}/{FILE}"
            try:
                data = read_inside(self._git.root, path, LARGEST)
            except FileNotFoundError:
                continue
            except (FileTooLarge, PathRefused) as error:
                warnings.append(f"left out {error}")
                continue
            if not capability.isprintable() or is_binary(data):
                warnings.append(f"left out {path!a}: it is no text, or its name is none")
                continue
            if taken.setdefault(capability, path) != path:
                warnings.append(f"left out {path}: there is {taken[capability]}, too")
                continue
            text = _decoded(data)
            found, unnumbered = tasks_of(text)
            told = (f"left out `{one_line(title)}` of {path}: no number" for title in unnumbered)
            warnings.extend(told)
            again = [tasks.key for tasks in found if "." in tasks.key]
            warnings.extend(f"{path} has a number twice: {key} is the later one" for key in again)
            yield _File(capability, path, text, found)

    def _spec(self, directory: str) -> str:
        """The id of the specification in a directory, "" where there is none."""
        # It brings the reader of frontmatter.
        from sdd_hooks.artifacts.spec import read_spec

        try:
            text = _decoded(read_inside(self._git.root, f"{directory}/{_SPEC}", LARGEST))
        except (OSError, SddError):
            text = None
        found = read_spec(directory, text or "", None)
        return str(found.id) if found and found.id else ""

    def _capability(self, name: str) -> tuple[str, str]:
        """The capability that is meant, and its directory. Raises Missing."""
        there = dict(reversed(list(_capabilities(self._git.root, self._directories))))
        if not name and len(there) == 1:
            return next(iter(there.items()))
        if name in there:
            return name, there[name]
        for capability, directory in there.items():
            if name and self._spec(directory).casefold() == name.casefold():
                return capability, directory
        which = f"no {one_line(name)}" if name else "not one capability alone"
        raise Missing(f"there is {which} in {self.place}: name one of the folders there")

    def _text(self, path: str) -> str:
        try:
            return _decoded(read_inside(self._git.root, path, LARGEST))
        except FileNotFoundError:
            return ""

    def _write(self, path: str, text: str) -> None:
        target = resolve_inside(self._git.root, path.rpartition("/")[0]) / FILE
        refuse_links(target)
        write_atomically(target, text.encode("utf-8", "surrogateescape"))


def _issue(file: _File, tasks: Tasks, known: Known, spec: str) -> Issue:
    return Issue(
        id=file.id(tasks),
        title=_readable(tasks.title) or f"{file.capability} {tasks.key}",
        status="closed" if tasks.done else "open",
        labels=(),
        assignees=(),
        author=_readable(known.author),
        created=known.created,
        updated=known.updated,
        closed=known.updated if tasks.done else "",
        url=file.path,
        tracker=NAME,
        body=_readable(tasks.body),
        specs=(spec,) if spec else (),
    )


def _capabilities(root: Path, directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The folders in the directories: name and path relative to the root, in order."""
    for directory in directories:
        try:
            with os.scandir(resolve_inside(root, directory)) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir())
        except (OSError, PathRefused):
            continue
        yield from ((name, f"{directory}/{name}") for name in names)


def _contents(sections: Sequence[Tasks]) -> list[tuple[str, str, str]]:
    return [(one.key, one.title, one.body) for one in sections]


def _title(title: str) -> str:
    """A title as it goes into a heading."""
    line = " ".join(title.split())
    if not line:
        raise Unsupported(f"a section of {FILE} needs a title")
    return line


def _no_labels(labels: Sequence[str]) -> None:
    if labels:
        raise Unsupported(f"{LABEL} has no labels: leave them out")


def _no_section(path: str) -> NoReturn:
    raise Unsupported(
        f"{path} cannot hold this as one section: use headings of level 3 and below, close every"
        " code block"
    )


def _decoded(data: bytes) -> str:
    """The text of a file; what is no UTF-8 comes through a change as it was."""
    return data.decode("utf-8", "surrogateescape")


def _readable(text: str) -> str:
    """The text as people see it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _open(where: Where, machine: Machine) -> TasksMd:  # noqa: ARG001
    return TasksMd(Git(machine.around.root, machine.around.environ), machine.around.specs)


def _declared(settings: TrackerSettings, around: Around) -> Where:  # noqa: ARG001
    """The directories of the specifications, whether there are tasks in them or not."""
    if not around.specs:
        raise SddError(
            "`Type: tasks.md` needs specifications: say where they are under"
            " `## Architecture Context`"
        )
    return Where("", "", ", ".join(around.specs))


def _detected(around: Around) -> Where | None:
    """The directories of the specifications, where one of them has a tasks.md."""
    for _, directory in _capabilities(around.root, around.specs):
        if (around.root / directory / FILE).is_file():
            return Where("", "", ", ".join(around.specs))
    return None


VENDOR = Vendor(LABEL, _open, _declared, _detected, local=True, last=True)
