"""The questions of semble's benchmark as projects: code search in public repositories.

https://github.com/MinishLab/semble, folder `benchmarks`.
"""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.quality.public.questions import PublicProject, Question, write_project


def convert(
    semble: Path, clones: Path, directory: Path, environ: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Convert a copy of semble into projects below `directory`.

    `clones` has a clone of each repository, called by its name in `benchmarks/repos.json`, bare or
    not. Returns the names of the converted projects, and of those whose clone or revision is
    missing.

    Raises:
        ValueError: the copy has other files than expected.
    """
    benchmarks = semble / "benchmarks"
    try:
        repositories = json.loads((benchmarks / "repos.json").read_text(encoding="utf-8"))
        converted, missing = [], []
        for repository in repositories:
            name, revision = str(repository["name"]), str(repository["revision"])
            annotations = benchmarks / "annotations" / f"{name}.json"
            archive = _archive(clones / name, revision, repository.get("benchmark_root") or "")
            if archive is None or not annotations.is_file():
                missing.append(name)
                continue
            questions = tuple(map(_question, json.loads(annotations.read_text(encoding="utf-8"))))
            project = PublicProject(name, str(repository["language"]), questions)
            write_project(directory, project, _files(archive), environ)
            converted.append(name)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{semble}: not a copy of semble: {error!r}") from error
    return converted, missing


def _archive(clone: Path, revision: str, root: str) -> bytes | None:
    """Return the files of a revision below `root` as an archive; None if the clone lacks it."""
    if not clone.is_dir():
        return None
    prefix = f"--prefix={root}/" if root else "--prefix="
    command = ["git", "-C", str(clone), "archive", "--format=tar", prefix, f"{revision}:{root}"]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def _files(archive: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            data = files.extractfile(member) if member.isreg() else None
            if data is not None:
                yield member.name, data.read()


def _question(data: Any) -> Question:
    """Read a question. An expected file may be given with lines, which are not compared."""
    targets = [*data["relevant"], *data.get("secondary", ())]
    paths = (target if isinstance(target, str) else target["path"] for target in targets)
    return Question(str(data["query"]), tuple(dict.fromkeys(paths)), str(data.get("category", "")))
