"""What a review without a question compared: silence is no approval."""

# Governing: SPEC-0010 REQ "Silence"

from __future__ import annotations

from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import format_count

NOTHING = "nothing to compare with: "
"""The beginning of a sentence about a review that compared nothing."""


def without_records(subject: Subject) -> References:
    """The references of a change to a repository without a record."""
    declared = [
        f"{directory or '.'}/"
        for one in subject.collections
        if one.kind == "adrs"
        for directory in one.directories
    ]
    where = ", ".join(declared[:3]) if declared else "any folder of the repository"
    return References(silence=f"{NOTHING}no decision record in {where}")


def describe_silence(references: References, files: int) -> str:
    """Say what was compared with `files` changed files, "" where the review asks.

    A trailer that asks for no suggestion, and a record that the change names, are told elsewhere.
    """
    ranked = references.ranked
    if references.suggested or references.silenced or (ranked and ranked[0].referenced):
        return ""
    known = format_count(len(ranked), "decision")
    in_force = [one for one in ranked if one.in_force]
    if not in_force:
        return f"{NOTHING}none of {known} is in force"
    if not files:
        return "nothing to compare: the change has only white space and generated files"
    compared = f"{known} compared with {format_count(files, 'file')}"
    return f"{compared}: none fits well enough{_nearest(ranked[0])}"


def _nearest(first: Candidate) -> str:
    if not first.evidence:
        return ""
    return f". Nearest: {first.full_name}, since {first.evidence[0].detail}"
