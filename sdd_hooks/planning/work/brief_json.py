"""A brief for programs."""

# Governing: SPEC-0026 REQ "Brief of an issue"

from __future__ import annotations

from sdd_hooks.planning.conventions import issue_reference
from sdd_hooks.planning.work.brief import WorkBrief
from sdd_hooks.planning.work.siblings import SiblingManifest


def brief_data(brief: WorkBrief) -> dict[str, object]:
    """The brief as an object, whose keys are those of the data types."""
    issue = brief.issue
    return {
        "issue": {
            "id": issue.id,
            "module": brief.module,
            "title": issue.title,
            "status": issue.status,
            "labels": list(issue.labels),
            "url": issue.url,
            "tracker": issue.tracker,
            "body": issue.body,
        },
        "live": brief.live,
        "blocked_by": list(brief.blocked_by),
        "branch": brief.branch._asdict(),
        "pull_request": brief.pull.splitlines(),
        "requirements": [
            {**one._asdict(), "scenarios": [each._asdict() for each in one.scenarios]}
            for one in brief.requirements
        ],
        "governing": [one._asdict() for one in brief.governing],
        "existing": [
            {**one._asdict(), "message": one.announcement(issue_reference(issue.id))}
            for one in brief.existing
        ],
        "conventions": [one._asdict() for one in brief.conventions],
        "siblings": manifest_data(brief.siblings),
        "protected": list(brief.protected),
    }


def manifest_data(manifest: SiblingManifest) -> dict[str, object]:
    """The manifest of sibling work as an object. The files of a sibling are null if unknown."""
    return {
        "files": [{"path": one.path, "siblings": list(one.siblings)} for one in manifest.files],
        "definitions": [one._asdict() for one in manifest.definitions],
        "pulls": [
            {
                "number": one.number or None,
                "title": one.title,
                "branch": one.branch,
                "status": one.status,
                "issues": list(one.issues),
                "files": None if one.files is None else list(one.files),
            }
            for one in manifest.siblings
        ],
        "unread": list(manifest.unread),
    }
