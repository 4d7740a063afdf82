"""Find, read and write the tasks.md files of specifications, and read their history from git."""

# Governing: ADR-0003 (one module talks to git), ADR-0018 (tracker issues as files)

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import format_utc
from sdd_hooks.system.files import (
    PathRefused,
    is_binary,
    read_inside,
    read_or_leave_out,
    refuse_links,
    resolve_inside,
    write_atomically,
)
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.tasks_md.sections import TaskSection, parse_task_sections

FILE = "tasks.md"
MAX_BYTES = 5 << 20
"""The maximal size of a tasks.md or spec.md."""

_SPEC = "spec.md"
_GIT_OPTIONS = ("-z", "--relative", "--name-only", "--no-renames")


class TasksFile(NamedTuple):
    """A tasks.md: its capability, its path relative to the root, its text, and its sections."""

    capability: str
    path: str
    text: str
    sections: list[TaskSection]

    @property
    def directory(self) -> str:
        """The directory of the specification."""
        return self.path.removesuffix(f"/{FILE}")

    def id(self, section: TaskSection) -> str:
        """The id of one of its sections as an issue."""
        return f"tasks-{self.capability}-{section.key}"


class FileHistory(NamedTuple):
    """The history of a file: times as in `Issue`, and the author's name of its first commit."""

    created: str
    updated: str
    author: str


UNKNOWN = FileHistory("", "", "")


def capabilities(root: Path, directories: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The folders in the directories: name and path relative to the root, in order."""
    for directory in directories:
        try:
            with os.scandir(resolve_inside(root, directory)) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir())
        except (OSError, PathRefused):
            continue
        yield from ((name, f"{directory}/{name}") for name in names)


def read_tasks_files(
    root: Path, directories: Sequence[str], warnings: list[str]
) -> Iterator[TasksFile]:
    """Every readable tasks.md; a warning is added for each file and section that is left out."""
    path_by_capability: dict[str, str] = {}
    for capability, directory in capabilities(root, directories):
        path = f"{directory}/{FILE}"
        data = read_or_leave_out(root, path, MAX_BYTES, warnings)
        if data is None:
            continue
        if not capability.isprintable() or is_binary(data):
            warnings.append(f"left out {path!a}: it is not text, or its name is not printable")
            continue
        first_path = path_by_capability.setdefault(capability, path)
        if first_path != path:
            warnings.append(f"left out {path}: there is {first_path}, too")
            continue
        text = decode(data)
        sections, unnumbered = parse_task_sections(text)
        warnings.extend(
            f"left out `{one_line(title)}` of {path}: no number" for title in unnumbered
        )
        repeated = (section.key for section in sections if "." in section.key)
        warnings.extend(f"{path} has a number twice: {key} is the later one" for key in repeated)
        yield TasksFile(capability, path, text, sections)


def read_text(root: Path, path: str) -> str:
    """The text of a tasks.md, "" if it does not exist."""
    try:
        return decode(read_inside(root, path, MAX_BYTES))
    except FileNotFoundError:
        return ""


def write_text(root: Path, path: str, text: str) -> None:
    """Write a tasks.md. Raises PathRefused for a path through a link."""
    target = resolve_inside(root, path.rpartition("/")[0]) / FILE
    refuse_links(target)
    write_atomically(target, text.encode("utf-8", "surrogateescape"))


def read_spec_id(root: Path, directory: str) -> str:
    """The id of the specification in a directory, "" if there is none."""
    # Importing it loads the parser of frontmatter.
    from sdd_hooks.artifacts.spec import read_spec

    try:
        text = decode(read_inside(root, f"{directory}/{_SPEC}", MAX_BYTES))
    except (OSError, SddError):
        text = ""
    spec = read_spec(f"{directory}/{_SPEC}", text, None)
    return str(spec.id) if spec and spec.id else ""


def decode(data: bytes) -> str:
    """Decode UTF-8; invalid bytes survive a round trip through `write_text`."""
    return data.decode("utf-8", "surrogateescape")


def displayable(text: str) -> str:
    """A decoded text with a replacement character for each invalid byte."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def history_of(git: Git, paths: Sequence[str]) -> dict[str, FileHistory]:
    """The history of files below the directory of `git`, from their first commit to their last.

    A file that is not committed, or differs from the last commit, was updated at its mtime.
    """
    if not paths:
        return {}
    pathspecs = ("--", *(f":(literal){path}" for path in paths))
    log = git.try_output("log", "--format=%x01%ct %aN", *_GIT_OPTIONS, *pathspecs)
    histories = _parse_log(log or b"")
    differing = git.try_output("diff", *_GIT_OPTIONS, "--ignore-submodules=all", "HEAD", *pathspecs)
    changed = set(paths if differing is None else nul_split(differing))
    for path in paths:
        committed = histories.get(path)
        if committed is None or path in changed:
            modified = _modification_time(git.root / path)
            histories[path] = (
                committed._replace(updated=modified)
                if committed
                else FileHistory(modified, modified, "")
            )
    return histories


def _parse_log(log: bytes) -> dict[str, FileHistory]:
    """The histories from a log, which starts with the last commit."""
    histories: dict[str, FileHistory] = {}
    time = author = ""
    for part in nul_split(log):
        if part.startswith("\1"):
            seconds, _, author = part[1:].partition(" ")
            time = _timestamp(seconds)
        else:
            # A line end precedes the first path of a commit.
            path = part.removeprefix("\n")
            later = histories.get(path)
            histories[path] = FileHistory(time, later.updated if later else time, author)
    return histories


def _modification_time(path: Path) -> str:
    try:
        return _timestamp(path.lstat().st_mtime)
    except OSError:
        return ""


def _timestamp(seconds: str | float) -> str:
    try:
        return format_utc(float(seconds))
    except (ValueError, OverflowError, OSError):
        return ""
