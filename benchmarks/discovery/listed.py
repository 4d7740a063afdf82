"""What the program lists as records at a commit of a bare repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import load_project

# The ends of the names of files that are written to the work tree. The index lists all.
_DOCUMENTS = (
    *(".md", ".markdown", ".mdx", ".mdown", ".mkd", ".rst", ".adoc", ".asciidoc", ".asc", ".txt"),
    *(".adr-dir", ".gitmodules", "semantic-search.yml"),
)


def list_records(
    bare: Path, commit: str, root: Path, environ: Mapping[str, str]
) -> tuple[Artifact, ...]:
    """Return what `sdd list` lists at a commit, in a new repository at `root` with its documents.

    Contents that the bare repository lacks are left out. Raises CalledProcessError, or
    FileNotFoundError when there is no such repository.
    """

    def git(*args: str, input: bytes = b"", check: bool = True) -> bytes:
        command = ["git", "-C", str(root), *args]
        done = subprocess.run(command, env=environ, input=input, check=check, capture_output=True)
        return done.stdout

    git("init", "--quiet", "--initial-branch=main", "--template=")
    info = root / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{(bare / 'objects').resolve(strict=True)}\n")
    git("read-tree", commit)
    names = git("ls-files", "-z").split(b"\0")
    documents = [name for name in names if os.fsdecode(name).lower().endswith(_DOCUMENTS)]
    # A snapshot may lack large files: git then writes the others, and fails.
    git("checkout-index", "-z", "--stdin", input=b"\0".join(documents), check=False)
    git("update-ref", "HEAD", commit)
    project = load_project(root, environ)
    collections = project.select(RECORD_KINDS, None)
    return read_work_tree(project.repository.git, collections)[0].artifacts
