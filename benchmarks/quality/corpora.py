"""The corpora as separate repositories: the same files for both sides."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.quality.fixtures import DIRECTORY

PATTERN = "docs/**/*.md"
"""What both sides index, relative to the top of a corpus."""

_TOP = DIRECTORY.parent.parent
CORPORA: Mapping[str, tuple[Path, tuple[str, ...]]] = {
    "own": (_TOP, ("docs/adrs", "docs/openspec/specs")),
    "seeds": (DIRECTORY / "seeds", ("docs",)),
}
"""By the name of the fixture: where the corpus is, and which directories of it."""


def documents(name: str) -> list[str]:
    """The documents of a corpus, relative to its top, by path."""
    top, directories = CORPORA[name]
    found = (path for part in directories for path in (top / part).rglob("*.md"))
    return sorted(path.relative_to(top).as_posix() for path in found)


def copy_documents(name: str, destination: Path) -> None:
    """Copy a corpus below `destination`, which is created."""
    top, _ = CORPORA[name]
    for document in documents(name):
        target = destination / document
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(top / document, target)


def make_repository(
    name: str, root: Path, *, engine: str, model: str, environ: Mapping[str, str]
) -> Path:
    """A git repository of one commit that holds a corpus, and declares it as one collection."""
    copy_documents(name, root)
    setting = f"- **Embed Model**: {model}\n" if model else ""
    (root / "CLAUDE.md").write_text(
        f"### SDD Configuration\n\n#### Search\n\n- **Engine**: {engine}\n{setting}",
        encoding="utf-8",
    )
    (root / "semantic-search.yml").write_text(
        f'collections:\n  {name}:\n    path: .\n    pattern: "{PATTERN}"\n', encoding="utf-8"
    )
    (root / ".gitignore").write_text(".sdd/\n", encoding="utf-8")
    for command in (
        ("git", "init", "--quiet", "--initial-branch=main"),
        ("git", "add", "--all"),
        ("git", "commit", "--quiet", "--message", "Start"),
    ):
        subprocess.run(command, cwd=root, env=dict(environ), check=True)
    return root
