"""Check the ADRs and specs that are about to be committed, as they are staged.

All artifacts are read, since an id or an edge is right or wrong among all of them; what is said is
only what the commit has a part in.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Checked before the commit"

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.changes.diff import read_staged
from sdd_hooks.changes.tree import Tree
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.findings import Finding
from sdd_hooks.project.project import load_project
from sdd_hooks.project.repository import find_commit_index
from sdd_hooks.review.rules.frontmatter import validate_changed
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line


def check_staged(
    files: Sequence[str], *, cwd: Path, environ: Mapping[str, str], stderr: TextIO
) -> int:
    """Check the staged artifacts among `files`, relative to `cwd`; none: all that are staged.

    A finding is a line on `stderr`. Returns 1 when one is critical. Raises SddError when the
    repository cannot be read.
    """
    project = load_project(cwd, environ)
    root, git = project.repository.root, project.repository.git
    collections = tuple(one for one in project.collections if one.kind in ARTIFACT_KINDS)
    index = find_commit_index(project.repository, cwd)
    staged = Tree(git, "", index)
    if files:
        top = os.path.realpath(cwd)
        named = {os.path.relpath(os.path.join(top, name), root) for name in files}  # noqa: PTH118
        own = [one for one in collections if not one.repository]
        changed = {path for path in named if any(one.contains(path) for one in own)}
        found = validate_artifacts(staged.corpus(collections), only=changed) if changed else ()
    else:
        change = read_staged(git, index)
        found = validate_changed(Subject(change, Tree(git, change.base), staged, collections))
    for finding in sorted(found):
        stderr.write(_line(finding))
    return EXIT_FINDINGS if any(one.severity == "critical" for one in found) else EXIT_OK


def _line(finding: Finding) -> str:
    where = f"{one_line(finding.path)}:{max(finding.line, 1)}"
    return f"{where}: {finding.severity}: {one_line(finding.message)}\n"
