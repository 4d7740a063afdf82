"""After an agent's edit: refresh the index, and apply the rules to what changed."""

# Governing: SPEC-0029 REQ "After an edit", ADR-0015 (tiers of freshness)

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.project.repository import Repository, has_search_dir
from sdd_hooks.system.detached import start_detached
from sdd_hooks.usecases.agents.deciding_records import covers
from sdd_hooks.usecases.agents.table import (
    STATED,
    AgentTable,
    StatedArtifact,
    StatedRule,
    open_table,
)

if TYPE_CHECKING:
    from sdd_hooks.findings import Finding

MAX_FINDINGS = 8


def check_edit(repository: Repository, paths: Sequence[str]) -> str:
    """Start a refresh for the files at `paths`, and say which rules their changes break.

    Returns "" where no rule covers them, or none is broken. Raises SddError.
    """
    if not paths:
        return ""
    if has_search_dir(repository):
        with suppress(OSError):
            start_detached(__name__, [str(repository.root)], repository.environ)
    table = open_table(repository)
    if table is None:
        return ""
    with closing(table):
        covered = [path for path in paths if _is_covered(table, path)]
    if not covered:
        return ""
    from sdd_hooks.usecases.agents.check_edit import check_changed_lines

    return _describe(check_changed_lines(repository, covered))


def _is_covered(table: AgentTable, path: str) -> bool:
    """Whether a file is an artifact, or one that a rule of a record is for."""
    artifacts = [StatedArtifact(*row) for row in table.row(STATED) or ()]
    return any(
        artifact.path == path or any(covers(StatedRule(*row), path) for row in artifact.rules)
        for artifact in artifacts
    )


def _describe(findings: Sequence[Finding]) -> str:
    from sdd_hooks.agents.handover import MAX_PATH, MAX_SENTENCE, quotable

    if not findings:
        return ""
    lines = ["The edit breaks rules of this repository (sdd):"]
    for finding in findings[:MAX_FINDINGS]:
        place = f"{quotable(finding.path, MAX_PATH)}:{finding.line}"
        lines.append(f"- {place}: {quotable(finding.message, MAX_SENTENCE)} [{finding.rule}]")
    if len(findings) > MAX_FINDINGS:
        lines.append(f"- and {len(findings) - MAX_FINDINGS} more: `sdd check` lists them")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Run the background process that refreshes the index. Argument: the top of the work tree."""
    from sdd_hooks.errors import SddError
    from sdd_hooks.freshness.refresh import RefreshOptions
    from sdd_hooks.project.project import load_project
    from sdd_hooks.usecases.upkeep.refresh import refresh_index

    with suppress(SddError):
        project = load_project(Path(arguments[0]), os.environ)
        refresh_index(project, None, RefreshOptions(wait=0.0))
