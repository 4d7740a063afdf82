"""Whether issues that a listing lacks are deleted: their tracker is asked for each one itself.

A listing may be empty or short for a while, because of a cache on the way, a server that starts, or
a wrong total. The address of a single issue is another source.
"""

# Governing: ADR-0033 (a deletion is confirmed), SPEC-0009 REQ "Reconciliation"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.errors import Missing, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.protocol import Tracker

MANY = 20
"""Missing issues above which a deletion is a mass deletion, if they are also more than a FIFTH."""
FIFTH = 5
MAX_ASKED = 50
"""Missing issues that the tracker is asked for; of more, these are spread evenly."""

_MAX_ID = 60


class Deletions(NamedTuple):
    """The issues to remove, and a line about those that a listing lacks and that stay."""

    ids: tuple[str, ...] = ()
    warning: str = ""


def confirm_deletions(tracker: Tracker, missing: Sequence[str], stored: int) -> Deletions:
    """Ask for the issues `missing` in a listing, of `stored` issues here.

    Nothing is removed if the tracker cannot say, if it still has one of a mass deletion, or if it
    still has one of those asked in place of all. An archived issue is rightly in no listing: it
    stays, and those that were not asked for wait. Raises nothing that the tracker raises.
    """
    if not missing:
        return Deletions()
    step = max(len(missing) / MAX_ASKED, 1.0)
    asked = [missing[int(number * step)] for number in range(min(len(missing), MAX_ASKED))]
    there: list[str] = []
    archived: set[str] = set()
    for id in asked:
        try:
            issue = tracker.issue(id)
        except Missing:
            continue
        except SddError as error:
            return Deletions(warning=f"{_lacking(tracker, missing, stored)}: kept, because {error}")
        if issue.id == id and issue.archived:
            archived.add(id)
        elif issue.id == id:
            there.append(id)
    if archived:
        missing = [id for id in asked if id not in archived]
    if not there:
        return Deletions(tuple(missing))
    is_mass = len(missing) > MANY and len(missing) * FIFTH > stored
    shown = ", ".join(one_line(id)[:_MAX_ID] for id in there[:3])
    if is_mass or len(asked) < len(missing):
        advice = "nothing was deleted, try again later"
        return Deletions(
            warning=f"{_lacking(tracker, missing, stored)}, but still has {shown}: {advice}"
        )
    gone = tuple(id for id in missing if id not in set(there))
    return Deletions(gone, f"{tracker.label} does not list {shown}, but still has it: kept")


def _lacking(tracker: Tracker, missing: Sequence[str], stored: int) -> str:
    return f"{tracker.label} does not list {len(missing):,} of the {stored:,} issues here"
