"""Check the ADRs and specs that are about to be committed, as they are staged.

All artifacts are read, since an id or an edge is right or wrong among all of them; what is said is
only what the commit has a part in.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Checked before the commit"

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from sdd_hooks.artifacts.corpus import Corpus, Source, load_corpus
from sdd_hooks.artifacts.findings import Finding
from sdd_hooks.artifacts.identifiers import Kind
from sdd_hooks.artifacts.validation import findings
from sdd_hooks.artifacts.work_tree import LARGEST, read_work_tree
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.git import git, nul_split, read_blobs, try_git
from sdd_hooks.project.lines import one_line
from sdd_hooks.project.project import load_project
from sdd_hooks.project.repository import Repository

_KINDS: dict[str, Kind] = {"adrs": "ADR", "specs": "SPEC"}
_REGULAR = ("100644", "100755")


def check_staged(
    files: Sequence[str], *, cwd: Path, environ: Mapping[str, str], stderr: TextIO
) -> int:
    """Check the staged artifacts among `files`, relative to `cwd`; none: all that are staged.

    A finding is a line on `stderr`. Returns 1 when one is critical. Raises SddError when the
    repository cannot be read.
    """
    project = load_project(cwd)
    root = project.repository.root
    collections = [one for one in project.collections if one.kind in _KINDS]
    own = [one for one in collections if not one.repository]
    index = _index_file(project.repository, cwd, environ)
    if files:
        top = os.path.realpath(cwd)
        changed = {os.path.relpath(os.path.join(top, name), root) for name in files}  # noqa: PTH118
        removed: set[str] = set()
    else:
        changed, removed = _staged_changes(root, own, index)
    changed = {path for path in changed if any(one.contains(path) for one in own)}
    removed = {path for path in removed if any(one.contains(path) for one in own)}
    if not changed and not removed:
        return EXIT_OK
    staged = load_corpus(_staged(root, own, index))
    elsewhere, _ = read_work_tree(root, [one for one in collections if one.repository])
    corpus = Corpus((*staged.artifacts, *elsewhere.artifacts))
    found = {*findings(corpus, only=changed), *_dangling(root, own, corpus, removed)}
    for finding in sorted(found):
        stderr.write(_line(finding))
    return EXIT_FINDINGS if any(one.severity == "critical" for one in found) else EXIT_OK


def _index_file(repository: Repository, cwd: Path, environ: Mapping[str, str]) -> str:
    """The index that the commit is made from: `git commit -a` has one of its own.

    One of another repository was leaked to us, and is not it.
    """
    path = os.path.realpath(os.path.join(cwd, environ.get("GIT_INDEX_FILE", "")))  # noqa: PTH118
    return path if path.startswith(f"{repository.git_dir}/") else ""


def _staged_changes(
    root: Path, collections: Sequence[Collection], index: str
) -> tuple[set[str], set[str]]:
    """The paths that the commit adds or changes, and those it removes."""
    head = try_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = (head or git(root, "hash-object", "-t", "tree", os.devnull)).decode().strip()
    specs = _pathspecs(collections)
    command = ("diff-index", "--cached", "-z", "--name-status", "--no-renames", base, "--", *specs)
    fields = nul_split(git(root, *command, index=index))
    pairs = list(zip(fields[::2], fields[1::2], strict=True))
    removed = {path for status, path in pairs if status == "D"}
    return {path for _, path in pairs} - removed, removed


def _staged(root: Path, collections: Sequence[Collection], index: str) -> Iterator[Source]:
    """The artifacts' files as the index has them; symlinks, conflicts and huge ones left out."""
    command = ("ls-files", "-z", "--stage", "--", *_pathspecs(collections))
    chosen: list[tuple[Collection, str, str]] = []
    for entry in nul_split(git(root, *command, index=index)):
        description, _, path = entry.partition("\t")
        mode, blob, stage = description.split(" ")
        if mode in _REGULAR and stage == "0":
            chosen += [(one, path, blob) for one in collections if one.contains(path)]
    blobs = read_blobs(root, [blob for _, _, blob in chosen])
    for (collection, path, _), data in zip(chosen, blobs, strict=True):
        # A file that is only going to be added is in the index already, as an empty one.
        if data and len(data) <= LARGEST:
            yield Source(path, data, _KINDS[collection.kind], collection.module)


def _dangling(
    root: Path, collections: Sequence[Collection], corpus: Corpus, removed: set[str]
) -> list[Finding]:
    """What still leads to an artifact that the commit removes."""
    if not removed:
        return []
    paths = sorted(removed)
    sources = [
        Source(path, data, _KINDS[one.kind], one.module)
        for path, data in zip(paths, read_blobs(root, [f"HEAD:{p}" for p in paths]), strict=True)
        for one in collections
        if data and one.contains(path)
    ]
    gone = {str(artifact.id) for artifact in load_corpus(sources).artifacts}
    unknown = (one for one in findings(corpus) if one.rule == "unknown-id")
    return [one for one in unknown if one.evidence in gone]


def _pathspecs(collections: Sequence[Collection]) -> list[str]:
    return list(dict.fromkeys(spec for one in collections for spec in one.pathspecs()))


def _line(finding: Finding) -> str:
    where = f"{one_line(finding.path)}:{max(finding.line, 1)}"
    return f"{where}: {finding.severity}: {one_line(finding.message)}\n"
