"""A project of a public set: a repository of its code, and the questions about it.

A converter writes one folder for each project: `code/`, a git repository that sdd can index, and
`questions.json`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

QUESTIONS = "questions.json"
CODE = "code"

_CONFIGURATION = "### SDD Configuration\n\n#### Search\n\n- **Engine**: embedded\n"


@dataclass(frozen=True)
class Question:
    """A question, and the expected files, relative to the top of the code.

    `kind` is the category that the set gives it, "" without one.
    """

    text: str
    expected: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True)
class PublicProject:
    """A project: `group` is the part of the set, such as a language or a task."""

    name: str
    group: str
    questions: tuple[Question, ...]


def write_project(
    directory: Path,
    project: PublicProject,
    files: Iterable[tuple[str, bytes]],
    environ: Mapping[str, str],
) -> None:
    """Write a project below `directory`: its questions, and its files as a repository.

    Raises:
        ValueError: a path would leave the folder.
        FileExistsError: the project was converted before.
    """
    folder = directory / project.name
    code = folder / CODE
    code.mkdir(parents=True)
    for path, data in files:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or ".git" in pure.parts:
            raise ValueError(f"{project.name}: {path!r} is not below the project")
        target = code / pure
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (code / "CLAUDE.md").write_text(_CONFIGURATION, encoding="utf-8")
    (code / ".gitignore").write_text(".sdd/\n", encoding="utf-8")
    for command in (
        ("git", "init", "--quiet", "--initial-branch=main"),
        ("git", "add", "--all", "--force"),
        ("git", "commit", "--quiet", "--message", "Start"),
    ):
        subprocess.run(command, cwd=code, env=dict(environ), check=True)
    text = json.dumps(asdict(project), indent=1, ensure_ascii=False)
    (folder / QUESTIONS).write_text(f"{text}\n", encoding="utf-8")


def read_projects(directory: Path, names: Sequence[str] = ()) -> Iterator[PublicProject]:
    """Read the projects below `directory`, by name; only those of `names`, if any.

    Raises:
        ValueError: a file of questions is invalid.
        FileNotFoundError: a named project does not exist.
    """
    folders = names or sorted(path.parent.name for path in directory.glob(f"*/{QUESTIONS}"))
    for name in folders:
        text = (directory / name / QUESTIONS).read_text(encoding="utf-8")
        try:
            data = json.loads(text)
            questions = tuple(
                Question(str(one["text"]), tuple(map(str, one["expected"])), str(one["kind"]))
                for one in data["questions"]
            )
            yield PublicProject(str(data["name"]), str(data["group"]), questions)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{name}: not a file of questions: {error!r}") from error
