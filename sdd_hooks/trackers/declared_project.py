"""What `#### Tracker` declares, checked before it becomes part of an address."""

# Governing: SPEC-0009 REQ "Detection"

from __future__ import annotations

import re

from sdd_hooks.errors import SddError
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.protocol import TrackerLocation


def whose(
    label: str,
    url: str,
    owner: str,
    project: str,
    *,
    owners: re.Pattern[str],
    projects: re.Pattern[str],
) -> TrackerLocation:
    """The project of an owner on the host at `url`, of a vendor that people call `label`.

    Raises SddError, one line that names the key, for what is missing and for what can be no name.
    """
    for value, key, form in ((owner, "Owner", owners), (project, "Repo", projects)):
        if not value:
            raise missing(label, key)
        if not form.fullmatch(value):
            raise SddError(f"{one_line(value)[:100]!r} cannot be on {label}: correct {key}")
    return TrackerLocation(url, owner, project)


def missing(label: str, key: str) -> SddError:
    """The error for a key that nothing else fills in."""
    return SddError(f"{label} needs to know whose issues: add {key} to `#### Tracker`")


def no_address(label: str) -> SddError:
    """The error for a URL that is none. It is not repeated: there may be a password in it."""
    return SddError(f"the URL of `#### Tracker` is no address of a {label}: correct it")
