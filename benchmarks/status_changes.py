"""Change the status of every record of some repositories, in memory, and count what it takes.

    python -m benchmarks.status_changes CLONES

CLONES is a directory of clones with work trees; only their Markdown files are read. Each status
that may follow the present one is written into each record. A change counts as exact when the diff
has at most one line for each place where the record has a status, or when only the frontmatter
gains one.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import load_corpus
from sdd_hooks.artifacts.frontmatter_edit import NotEditable
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.authoring.status_change import TRANSITIONS, NewStatus, change_status
from sdd_hooks.project.project import load_project

SUCCESSOR = ArtifactId("ADR", 99_999)


def new_statuses(artifact: Artifact) -> Iterator[NewStatus]:
    """Each status that may follow the one of an artifact."""
    transitions = TRANSITIONS[artifact.kind]
    for value in transitions.get(artifact.status.value, tuple(transitions)):
        if value == "superseded":
            yield NewStatus(value, SUCCESSOR, "99999-x.md")
        else:
            yield NewStatus(value)


def outcome(text: str, artifact: Artifact, new: NewStatus) -> str:
    """What became of a change: `exact`, `larger` or `refused`."""
    try:
        changed = change_status(text, artifact.kind, new)
    except NotEditable:
        return "refused"
    lines = difflib.unified_diff(text.split("\n"), changed.split("\n"), n=0)
    edited = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    if artifact.statuses:
        return "exact" if len(edited) <= 2 * len(artifact.statuses) else "larger"
    # Only lines are added: those of the frontmatter.
    return "larger" if any(line.startswith("-") for line in edited) else "exact"


def count(clone: Path) -> Counter[str]:
    """The outcomes of all changes of a repository."""
    project = load_project(clone, os.environ)
    files, _ = read_artifact_files(project.repository.git, project.collections)
    texts = {file.path: file.data.decode("utf-8", "replace") for file in files}
    return Counter(
        outcome(texts[artifact.path].removeprefix("\ufeff"), artifact, new)
        for artifact in load_corpus(files).artifacts
        for new in new_statuses(artifact)
    )


def main(arguments: Sequence[str]) -> None:
    """Print the outcomes for each clone in a directory, and for all."""
    (directory,) = map(Path, arguments)
    total: Counter[str] = Counter()
    for clone in sorted(path for path in directory.iterdir() if (path / ".git").exists()):
        counts = count(clone.resolve())
        total += counts
        print(f"{clone.name}: {dict(counts)}", flush=True)
    changes = total.total()
    shares = ", ".join(
        f"{name} {number:,} ({number / changes:.1%})" for name, number in total.items()
    )
    print(f"{changes:,} changes: {shares}")


if __name__ == "__main__":
    main(sys.argv[1:])
