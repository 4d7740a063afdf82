"""Audit the repository, and write the page of the audit for a later step of the job."""

# Governing: ADR-0042 (one page without a network), SPEC-0012 REQ "Outputs", SPEC-0020

from __future__ import annotations

from sdd_hooks.action.report_files import find_target
from sdd_hooks.action.results import CommandResult
from sdd_hooks.engines.protocol import Progress
from sdd_hooks.findings import SEVERITIES
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.text.display import format_count
from sdd_hooks.usecases.drift.audit import audit
from sdd_hooks.usecases.drift.audit_page import page_file, publish_audit
from sdd_hooks.usecases.drift.check import DriftRequest
from sdd_hooks.usecases.upkeep.refresh import refresh_index


def make_page(project: Project, name: str, now: float, progress: Progress) -> CommandResult:
    """Index the records, audit them, and write the page to a file or directory.

    `name` is as in `report_files.find_target`, `now` in seconds since the epoch. No token is used,
    so that a page can be made of a pull request, too; the findings do not fail the job. Raises
    SddError.
    """
    root = project.repository.root
    # The last directory may be a link, too.
    target = find_target(root, str(page_file(find_target(root, name))))
    refreshed = refresh_index(project, project.select(RECORD_KINDS), progress=progress).result
    verdict = audit(project, DriftRequest(root), now)
    path = publish_audit(project, verdict, target, now)
    counts = ", ".join(f"{verdict.outcome.count(one)} {one}" for one in SEVERITIES)
    records = format_count(len(verdict.audited.records), "record")
    return CommandResult(
        {"page": str(path)},
        notes=(*refreshed.notes, *verdict.warnings),
        log=(f"page of {records}: {counts}",),
    )
